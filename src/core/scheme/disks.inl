/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Two disks about their mass centres, in closed form: most pairs of a drum. With d the vector from
** a to b,
**
**     n = d/|d|,   gap = |d| - r_a - r_b.
**
** Impulses act along n through both centres, so that a normal row turns nothing. */

static inline bool are_disks(const ball *a, const ball *b) {
  return (a->radius > 0) & (b->radius > 0);
}

/* As a touch of shapes; their number. */
static int touch_disks(double r_a, const pose *a, double r_b, const pose *b, double margin,
                       dls_touch *out) {
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y), gap = d - (r_a + r_b);
  if (!(gap <= margin)) return 0;
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0;
  out->point_a = dls_v3(a->x + r_a * nx, a->y + r_a * ny, 0);
  out->point_b = dls_v3(b->x - r_b * nx, b->y - r_b * ny, 0);
  out->normal = dls_v3(nx, ny, 0);
  out->gap = gap;
  out->key = 0;
  out->part = 0;
  return 1;
}

/* A disk of radius r inside a drum, where no lifter is within reach: the shell alone. -1: one is. */
static int touch_shell(const dls_shape *drum, const pose *a, double r, const pose *b, double margin,
                       dls_touch *out) {
  const dls_vec2 at = dls_v2(b->x - a->x, b->y - a->y);
  const double R = drum->radius, dist = dls_v2_norm(at), near = r + margin;
  if (dist + near < R - drum->lifters.height) return 0;
  const dls_vec2 own = dls_pose2_turn_back(a, at); /* as the drum sees it */
  const double aside = near + 0.5 * drum->lifters.width, out_there = R - drum->lifters.height - near;
  int met = 0;
  for (int k = 0; k < drum->lifters.count; k++) {
    const bool beside = fabs(dls_v2_cross(drum->dirs[k], own)) <= aside;
    met += beside & (dls_v2_dot(drum->dirs[k], own) >= out_there);
  }
  if (met > 0) return -1;
  const double gap = R - dist - r;
  if (!(gap <= margin)) return 0;
  const dls_vec2 n = dist > 0 ? dls_v2_scale(1 / dist, at) : dls_v2(1, 0);
  out->point_a = dls_v3(a->x + R * n.x, a->y + R * n.y, 0);
  out->point_b = dls_v3(a->x + (at.x + r * n.x), a->y + (at.y + r * n.y), 0);
  out->normal = dls_v3(-n.x, -n.y, 0);
  out->gap = gap;
  out->key = 0;
  out->part = 0;
  return 1;
}

/* Bodies where they are at q'. */
static void take_spots(step *S) {
  const double *radius = S->w->columns.radius;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const double *q = Q(S->q_n, i), round = radius[i];
    S->spot[i] = (spot){q[0], q[1], round > 0 ? round : -DLS_INF, S->rows.inv_mass[i]};
  }
}

static inline bool is_plain(const dls_material *m) {
  return (m->law <= 0) & !(m->stiffness < DLS_INF) & !(m->rolling > 0) & (m->kinetic == m->friction) &
         (m->friction > 0);
}

/* What a ball's contacts may be: LAW_ANY: of whatever kind; LAW_RIGID: it is a rigid disk, whose touches are
** gaps alone; else the number of its material, and those with its like are plain. */
enum { LAW_ANY = -2, LAW_RIGID = -1 };

/* What the last material answered. */
typedef struct law_seen {
  int material; /* -1: none was asked */
  bool rigid, plain;
} law_seen;

static inline int law_of(const step *S, const dls_body *body, bool lone, law_seen *seen) {
  const dls_world *w = S->w;
  if (body->material != seen->material) {
    const dls_material *m = &w->materials[body->material];
    const bool known = (w->n_pairings == 0) & (w->n_joints == 0) & !(m->stiffness < DLS_INF);
    *seen = (law_seen){body->material, known, known && is_plain(m) && w->impact == DLS_IMPACT_NEWTON};
  }
  if (!(body->round > 0) || body->sensor || !seen->rigid) return LAW_ANY;
  return lone && seen->plain ? body->material : LAW_RIGID;
}
