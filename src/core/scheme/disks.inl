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
