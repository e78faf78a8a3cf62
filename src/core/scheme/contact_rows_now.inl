/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* A contact of now as rows on accelerations, wherever it comes from (contacts_now.inl: shapes; ties_now.inl:
** by hand). With the rows' velocities v = J u (normal, tangents, turns) and own = d/dt (J) u:
**
**   rigid       closed and not opening:  0 <= p_n _|_ J udot + own >= 0
**   compliant   its node at the other body's surface:  p_n = max(0, -k gap - c v_n), known at once
**   friction, rolling, spinning: a part that rests holds its acceleration within its bound, mu p_n or an
**               arm times p_n; one that moves resists with all of it, against the motion. */

/* Slower than this share of what a body is wide, in a second, is at rest. */
static const double AT_REST = 1e-9;

typedef struct encounter {
  int a, b;                  /* bodies                                          */
  double gap, size;          /* m; the scale of the gap                         */
  const dls_material *m;     /* laws                                            */
  const dls_contact *before; /* the same contact in the last step, NULL         */
  double J[NB][2 * NU];      /* normal, tangents, turns                         */
  double v[NB];              /* what they see; the normal's with time's share   */
  double own[NB];            /* filled by the maker, for rigid normals and parts */
  double force;              /* compliant: of the normal, N                     */
} encounter;

/* A part of a contact's rows that has a bound of its own. */
typedef struct resistance {
  int row, n;    /* its rows                        */
  double bound;  /* of the normal force             */
  double length; /* m: 1, or what makes rad/s m/s   */
  double speed;  /* of it                           */
} resistance;

/* All rows of a frame n, t1, t2. */
static void frame_rows(double J[NB][2 * NU], const dls_vec3 axis[3], dls_vec3 r_a, dls_vec3 r_b) {
  for (int k = 0; k < D; k++) write_row(J[k], axis[k], r_a, r_b);
  for (int k = D; k < NB; k++) write_turn(J[k], axis[k - D]);
}

/* The frame about n nearest to another one: for differences. */
static void carry_frame(dls_vec3 n, const dls_vec3 from[3], dls_vec3 axis[3]) {
  axis[0] = n;
#if D == 2
  tangents(n, &axis[1], &axis[2]);
  (void)from;
#else
  axis[1] = dls_v3_unit(dls_v3_axpy(from[1], -dls_v3_dot(from[1], n), n));
  axis[2] = dls_v3_cross(n, axis[1]);
#endif
}

static void see(const dls_world *w, encounter *e) {
  for (int k = 0; k < NB; k++) e->v[k] = row_velocity(e->J[k], U(w->u, e->a), U(w->u, e->b));
}

static double gyration_of(const dls_world *w, int a, int b) {
  const dls_body *owner = &w->bodies[b];
  if (!moves_freely(owner)) owner = &w->bodies[a];
  return owner->gyration;
}

/* A compliant contact's dashpot: the one in use; else as a step would choose it (damping_of). */
static double dashpot_now(const step *S, const encounter *e) {
  const dls_material *m = e->m;
  double MJ[2 * NU];
  if (m->damping > 0 || !(m->restitution > 0)) return m->damping;
  if (e->before && e->before->listed) return e->before->damping;
  apply_inverse(&S->rows, e->a, e->J[0], MJ);
  apply_inverse(&S->rows, e->b, e->J[0] + NU, MJ + NU);
  const double w = row_velocity(e->J[0], MJ, MJ + NU);
  return w > 0 ? 2 * dls_damping_ratio(m->restitution) * sqrt(m->stiffness / w) : 0;
}

/* The force of a compliant contact. A node that carried nothing and is still compressed further than the
** bodies overlap has not come back to the surface yet. */
static double spring_now(const step *S, const encounter *e) {
  const double c = dashpot_now(S, e);
  if (e->gap > CLOSED * e->size) return 0;
  if (c > 0 && e->before && !(e->before->p_n > 0) && e->before->x > -e->gap) return 0;
  return dls_max(0, -e->m->stiffness * e->gap - c * e->v[0]);
}

/* Whether a contact acts; then e->force is known. Asks for v. */
static bool acts_now(const step *S, encounter *e) {
  e->force = 0;
  if (e->m->stiffness < DLS_INF) return (e->force = spring_now(S, e)) > 0;
  return e->gap <= CLOSED * e->size && e->v[0] <= AT_REST * e->size;
}

static int parts_of(const step *S, const encounter *e, double mu, resistance out[3]) {
  const double *v = e->v, length = gyration_of(S->w, e->a, e->b);
  int n = 0;
#if D == 2
  if (mu > 0) out[n++] = (resistance){1, 1, mu, 1, fabs(v[1])};
  if (e->m->rolling > 0) out[n++] = (resistance){2, 1, e->m->rolling, length, fabs(v[2])};
#else
  if (mu > 0) out[n++] = (resistance){1, 2, mu, 1, sqrt(v[1] * v[1] + v[2] * v[2])};
  if (e->m->spinning > 0) out[n++] = (resistance){3, 1, e->m->spinning, length, fabs(v[3])};
  if (e->m->rolling > 0) out[n++] = (resistance){4, 2, e->m->rolling, length, sqrt(v[4] * v[4] + v[5] * v[5])};
#endif
  return n;
}

static bool rests(const resistance *p, double size) {
  return p->speed * (p->row < D ? 1 : size) <= AT_REST * size;
}

/* The rows of a contact that acts: the normal with the parts that rest, then a row along each part that
** moves (BOX, whose force is -bound times that of the row `back` before it). Answers how many. */
static dls_status contact_rows(step *S, const encounter *e, dls_acc_row *out, int *n) {
  enum { FRICTION, SPIN, ROLL };
  resistance parts[3];
  double mu = 0, slip = 0, arm[3] = {0};
  for (int k = 1; k < D; k++) slip += e->v[k] * e->v[k];
  slip = sqrt(slip);
  dls_status status = friction_at(S->w, e->m, slip > AT_REST * e->size ? slip : 0, &mu);
  if (status != DLS_OK) return status;
  const int n_parts = parts_of(S, e, mu, parts);
  int rows = 1;
  for (int i = 0; i < n_parts; i++) {
    if (!rests(&parts[i], e->size)) continue;
    const int which = parts[i].row < D ? FRICTION : D == 2 || parts[i].row == 3 ? SPIN : ROLL;
    arm[which] = parts[i].bound;
    rows = parts[i].row < D && rows < NB ? D : NB;
  }
  const dls_acc_row one = {.a = e->a, .b = e->b, .n_ends = 2, .gap = e->gap, .what = -1, .hi = DLS_INF,
                             .length = 1, .pressed = e->m->stiffness < DLS_INF};
  const int kind = rows == 1 ? DLS_ROW_UNILATERAL : rows == D ? DLS_ROW_CONE : DLS_ROW_ROLLING;
  for (int k = 0; k < rows; k++) {
    dls_acc_row *row = &out[(*n)++];
    *row = one;
    row->kind = kind;
    row->v = e->v[k];
    row->bias = -e->own[k];
    row->lo = k == 0 ? e->force : 0;
    memcpy(row->arm, arm, sizeof arm);
    memcpy(row->J, e->J[k], sizeof e->J[k]);
    if (k >= D) row->length = gyration_of(S->w, e->a, e->b);
  }
  const int normal = *n - rows;
  for (int i = 0; i < n_parts; i++) {
    const resistance *p = &parts[i];
    if (rests(p, e->size)) continue;
    dls_acc_row *row = &out[*n];
    *row = one;
    row->kind = DLS_ROW_BOX;
    row->back = (*n)++ - normal;
    row->arm[FRICTION] = p->bound;
    row->length = p->length;
    row->pressed = false;
    for (int k = 0; k < 2 * NU; k++)
      for (int m = 0; m < p->n; m++) row->J[k] += e->v[p->row + m] * e->J[p->row + m][k] / p->speed;
  }
  return DLS_OK;
}

/* Where the bodies of a contact are after the time s at their velocities: into q (2 NQ) and S->POSES, whose
** poses from before go to kept. */
static void move_on(step *S, int a, int b, double s, double q[2][NQ], pose kept[2]) {
  const dls_world *w = S->w;
  const int body[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    memcpy(q[k], Q(w->q, body[k]), sizeof q[k]);
    drift(q[k], s, U(w->u, body[k]));
    kept[k] = S->POSES[body[k]];
  }
  for (int k = 0; k < 2; k++) S->POSES[body[k]] = pose_of(&w->bodies[body[k]], q[k]);
}

/* How far to go for differences: small against `size`, large against rounding; 0 at rest. */
static double way_of(const dls_world *w, int a, int b, double size) {
  static const double WAY = 1e-5;
  double fast = 0;
  for (int k = 0; k < NU; k++) {
    const double unit = k < D ? 1 : size;
    fast = dls_max(fast, unit * dls_max(fabs(U(w->u, a)[k]), fabs(U(w->u, b)[k])));
  }
  return fast > 0 ? WAY * size / fast : 0;
}
