/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The kernels of one precision (lanes.inc.h). */
#define vec OF(vector)
#define mask OF(choice)
#define loose OF(unaligned)
typedef REAL vec DLS_VECTOR(BYTES);
typedef WHOLE mask DLS_VECTOR(BYTES);
typedef REAL loose DLS_LOOSE(BYTES, sizeof(REAL));

static inline vec OF(size_of)(vec x) { return PICK(x < (REAL)0, -x, x); }
static inline vec OF(larger)(vec x, vec y) { return PICK(x > y, x, y); }

/* Rolling friction at the velocities w of a and b, which are moved along. */
DLS_INLINE vec OF(visit_turn)(const GROUP *g, const TURN *t, int l, vec p_n, REAL *q, vec *aw,
                              vec *bw, vec most) {
  const vec qa = LOAD(t->qa + l), qb = LOAD(t->qb + l), was = LOAD(q + l);
  const vec v = (qa * *aw + qb * *bw) + LOAD(t->s_r + l), free = was - v * LOAD(t->inv + l);
  const vec bound = LOAD(t->arm + l) * p_n, below = PICK(free < bound, free, bound);
  const vec now = PICK(below > -bound, below, -bound), d = now - was;
  STORE(q + l, now);
  *aw += LOAD(g->ja + l) * (qa * d);
  *bw += LOAD(g->jb + l) * (qb * d);
  return OF(larger)(OF(size_of)(d) * LOAD(t->w + l), most);
}

/* t: NULL, or rolling friction, of impulses q. */
DLS_INLINE vec OF(visit)(const GROUP *g, const TURN *t, int l, REAL *p, REAL *q, REAL *u,
                         vec most) {
#define X(name) const vec name = LOAD(g->name + l);
  DLS_SWEEP_FIELDS(X)
#undef X
  const REAL zero = 0;
  READ_BODIES(u, g->i + l, ax, ay, aw);
  READ_BODIES(u, g->j + l, bx, by, bw);
  const vec was_n = LOAD(p + l), was_t = LOAD(p + DLS_SWEEP_LANES + l);
  const vec vx = bx - ax, vy = by - ay;
  const vec v_n = (nx * vx + ny * vy) + (na * aw + nb * bw);
  const vec v_t = (ny * vx - nx * vy) + (ta * aw + tb * bw);
  /* Without this contact; gamma p_n is in a p_n and in the law, and cancels. */
  const vec q_n = (v_n + s_n) - (hard * was_n + c * was_t);
  const vec q_t = (v_t + s_t) - (c * was_n + b * was_t);
  /* Stick, where it is in the cone; else slip against the sliding before normal force acts. */
  const vec stick_n = (c * q_t - b * q_n) * inv_det, stick_t = (c * q_n - a * q_t) * inv_det;
  const mask sticks = (stick_n > zero) & (OF(size_of)(stick_t) <= mu * stick_n);
  mask left = q_t * a > c * q_n;
  const vec first = PICK(left, inv_left, inv_right), second = PICK(left, inv_right, inv_left);
  const mask other = first == zero;
  left ^= other;
  const vec slip_n = -q_n * PICK(other, second, first), bound = mu * slip_n;
  const vec slip_t = PICK(left, -bound, bound);
  const mask closed = q_n < zero;
  const vec p_n = KEEP(closed, PICK(sticks, stick_n, slip_n));
  const vec p_t = KEEP(closed, PICK(sticks, stick_t, slip_t));
  const vec d_n = p_n - was_n, d_t = p_t - was_t;
  STORE(p + l, p_n);
  STORE(p + DLS_SWEEP_LANES + l, p_t);
  const vec fx = nx * d_n + ny * d_t, fy = ny * d_n - nx * d_t;
  vec aw_1 = aw + ja * (na * d_n + ta * d_t), bw_1 = bw + jb * (nb * d_n + tb * d_t);
  if (t) most = OF(visit_turn)(g, t, l, p_n, q, &aw_1, &bw_1, most);
  WRITE_BODIES(u, g->i + l, ax - ma * fx, ay - ma * fy, aw_1);
  WRITE_BODIES(u, g->j + l, bx + mb * fx, by + mb * fy, bw_1);
  return OF(larger)(OF(larger)(OF(size_of)(d_n) * a, OF(size_of)(d_t) * b), most);
}

DLS_INLINE double OF(largest)(vec most) {
  double worst = 0;
  for (int l = 0; l < LANES; l++) worst = dls_max(worst, (double)DLS_LANE(most, l));
  return worst;
}

static double OF(sweep)(int n_groups, const GROUP *g, REAL *p, REAL *u) {
  vec most = {0};
  for (int k = 0; k < n_groups; k++, g++, p += 2 * DLS_SWEEP_LANES)
    for (int l = 0; l < DLS_SWEEP_LANES; l += LANES) most = OF(visit)(g, NULL, l, p, NULL, u, most);
  return OF(largest)(most);
}

static double OF(sweep_turns)(int n_groups, const GROUP *g, const TURN *t, REAL *p, REAL *q,
                              REAL *u) {
  vec most = {0};
  for (int k = 0; k < n_groups; k++, g++, t++, p += 2 * DLS_SWEEP_LANES, q += DLS_SWEEP_LANES)
    for (int l = 0; l < DLS_SWEEP_LANES; l += LANES) most = OF(visit)(g, t, l, p, q, u, most);
  return OF(largest)(most);
}

static double OF(tree)(const REAL *s) {
  return (double)(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])));
}

enum { OF(PARTS) = DLS_SWEEP_LANES / LANES };

static dls_sweep_change OF(change)(int n, const REAL *p, const REAL *was, const REAL *old, REAL *f) {
  REAL s[4][DLS_SWEEP_LANES];
  const vec rest = {0};
  vec ff[OF(PARTS)] = {rest}, fd[OF(PARTS)] = {rest}, dd[OF(PARTS)] = {rest}, turn[OF(PARTS)] = {rest};
  for (int i = 0; i < n; i += DLS_SWEEP_LANES)
    for (int k = 0; k < OF(PARTS); k++) {
      const int at = i + k * LANES;
      const vec now = LOAD(p + at), x = now - LOAD(was + at), d = x - LOAD(f + at);
      STORE(f + at, x);
      ff[k] += x * x;
      fd[k] += x * d;
      dd[k] += d * d;
      turn[k] -= x * (now - LOAD(old + at));
    }
  for (int k = 0; k < OF(PARTS); k++) {
    STORE(s[0] + k * LANES, ff[k]);
    STORE(s[1] + k * LANES, fd[k]);
    STORE(s[2] + k * LANES, dd[k]);
    STORE(s[3] + k * LANES, turn[k]);
  }
  return (dls_sweep_change){OF(tree)(s[0]), OF(tree)(s[1]), OF(tree)(s[2]), OF(tree)(s[3])};
}

static void OF(mix)(int n, REAL t, REAL *x, REAL *old, REAL *keep) {
  for (int i = 0; i < n; i += LANES) {
    const vec now = LOAD(x + i), next = now - t * (now - LOAD(old + i));
    STORE(x + i, next);
    STORE(old + i, now);
    if (keep) STORE(keep + i, next);
  }
}
#undef vec
#undef mask
#undef loose
