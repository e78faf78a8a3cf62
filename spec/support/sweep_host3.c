/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core/sweeps/lanes3.h"

/* Spatial sweeps in lanes on random groups: every path gives the bits of the plain one, and what visits of
** a group lead to keeps Coulomb's law in each of its lanes. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, MOST = 4, L = DLS_SWEEP_LANES, BODIES = 40, ROOM = DLS_SPACE_BODY * (BODIES + 1) };
extern const dls_space_lanes space_lanes_wide;
static dls_space_group groups[MOST];
static dls_space_group32 groups32[MOST];
static dls_space_turn turns[MOST];
static dls_space_turn32 turns32[MOST];
static double root_mass[BODIES], root_turn[BODIES];

/* A row in the coordinates of the sweeps: 1/sqrt(m) d and L' of its turning, of a and of b. */
typedef struct row {
  double d[3], a[3], b[3];
} row;

static double product(const row *x, const row *y, double ra, double rb) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += x->d[i] * y->d[i] * (ra * ra + rb * rb) + x->a[i] * y->a[i] + x->b[i] * y->b[i];
  return sum;
}

static row blend(double p, const row *x, double q, const row *y) {
  row z;
  for (int i = 0; i < 3; i++) {
    z.d[i] = p * x->d[i] + q * y->d[i];
    z.a[i] = p * x->a[i] + q * y->a[i];
    z.b[i] = p * x->b[i] + q * y->b[i];
  }
  return z;
}

/* A random frame, rows n, t, t. */
static void frame(row *r) {
  double q[4], length = 0;
  for (int i = 0; i < 4; i++) q[i] = within(1), length += q[i] * q[i];
  length = sqrt(length + 1e-6);
  for (int i = 0; i < 4; i++) q[i] /= length;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) r[k].d[i] = R[k][i];
}

#define PUT(k, r)                                                                              \
  (g->k##x[l] = (r).d[0], g->k##y[l] = (r).d[1], g->k##z[l] = (r).d[2], g->a##k##0[l] = (r).a[0],  \
   g->a##k##1[l] = (r).a[1], g->a##k##2[l] = (r).a[2], g->b##k##0[l] = (r).b[0],               \
   g->b##k##1[l] = (r).b[1], g->b##k##2[l] = (r).b[2])

/* One contact between bodies A and B. */
static void fill_lane(dls_space_group *g, int l, int A, int B) {
  row r[3];
  const double ra = root_mass[A], rb = root_mass[B];
  frame(r);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) r[k].a[i] = root_turn[A] * within(0.3), r[k].b[i] = root_turn[B] * within(0.3);
  const double soft = uniform() < 0.2 ? uniform() : 0, a = product(&r[0], &r[0], ra, rb) + soft;
  /* The tangents that make S diagonal. */
  double c[2], S[2][2];
  for (int i = 0; i < 2; i++) c[i] = product(&r[0], &r[1 + i], ra, rb);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) S[i][j] = product(&r[1 + i], &r[1 + j], ra, rb) - c[i] * c[j] / a;
  const double angle = 0.5 * atan2(2 * S[0][1], S[0][0] - S[1][1]), p = cos(angle), q = sin(angle);
  const row s = blend(p, &r[1], q, &r[2]), t = blend(-q, &r[1], p, &r[2]);
  PUT(n, r[0]);
  PUT(s, s);
  PUT(t, t);
  g->ra[l] = ra, g->rb[l] = rb, g->gamma[l] = soft, g->a[l] = a, g->inv_a[l] = 1 / a;
  g->k_s[l] = (p * c[0] + q * c[1]) / a, g->k_t[l] = (p * c[1] - q * c[0]) / a;
  g->d_s[l] = product(&s, &s, ra, rb) - g->k_s[l] * g->k_s[l] * a;
  g->d_t[l] = product(&t, &t, ra, rb) - g->k_t[l] * g->k_t[l] * a;
  g->inv_s[l] = 1 / g->d_s[l], g->inv_t[l] = 1 / g->d_t[l];
  g->mu[l] = uniform() < 0.1 ? 1e-9 : 0.6 * uniform();
  g->v_n[l] = within(2), g->v_s[l] = within(2), g->v_t[l] = within(2), g->slip[l] = 0;
  g->i[l] = DLS_SPACE_BODY * A, g->j[l] = DLS_SPACE_BODY * B;
}

/* Two bodies for each lane of a run of `count` groups that no other lane has; the first one does not move and may
** be shared. */
static void fill(dls_space_group *g, int count) {
  int deck[BODIES];
  for (int i = 0; i < BODIES; i++) deck[i] = i;
  for (int i = 1; i < BODIES; i++) {
    int j = 1 + (int)(uniform() * (BODIES - 1)), x = deck[i];
    deck[i] = deck[j], deck[j] = x;
  }
  for (int k = 0; k < count * L; k++) {
    const int a = uniform() < 0.2 ? 0 : deck[2 + 2 * k], b = deck[3 + 2 * k];
    fill_lane(&g[k / L], k % L, a, b);
    g[k / L].run = count - k / L;
  }
}

/* Spinning and rolling friction in two lanes of three; what does not move is not turned. */
static void fill_turns(const dls_space_group *g, dls_space_turn *t) {
  memset(t, 0, sizeof *t);
  for (int l = 0; l < L; l++) {
    if (uniform() < 0.3) continue;
    const double a = root_turn[g->i[l] / DLS_SPACE_BODY], b = root_turn[g->j[l] / DLS_SPACE_BODY];
#define PUT_TURN(k)                                                                            \
  (t->a##k##0[l] = within(a), t->a##k##1[l] = within(a), t->a##k##2[l] = within(a),            \
   t->b##k##0[l] = within(b), t->b##k##1[l] = within(b), t->b##k##2[l] = within(b))
    PUT_TURN(w);
    PUT_TURN(p);
    PUT_TURN(q);
    t->v_w[l] = within(1), t->v_p[l] = within(1), t->v_q[l] = within(1);
    t->arm_w[l] = 0.2 * uniform(), t->arm_r[l] = 0.2 * uniform();
    t->w_w[l] = 1 + 5 * uniform(), t->w_r[l] = 1 + 5 * uniform();
    t->inv_w[l] = 1 / t->w_w[l], t->inv_r[l] = 1 / t->w_r[l];
  }
}

static void narrow(int n) {
  for (int k = 0; k < n; k++) {
#define X(name) for (int l = 0; l < L; l++) turns32[k].name[l] = (float)turns[k].name[l];
    DLS_SPACE_TURN_FIELDS(X)
#undef X
#define X(name) for (int l = 0; l < L; l++) groups32[k].name[l] = (float)groups[k].name[l];
    DLS_SPACE_FIELDS(X)
#undef X
    memcpy(groups32[k].i, groups[k].i, sizeof groups[k].i);
    memcpy(groups32[k].j, groups[k].j, sizeof groups[k].j);
    groups32[k].run = groups[k].run;
  }
}

#define SPEED(k)                                                                               \
  (g->k##x[l] * (rb * b[0] - ra * a[0]) + g->k##y[l] * (rb * b[1] - ra * a[1]) +               \
   g->k##z[l] * (rb * b[2] - ra * a[2]) + g->a##k##0[l] * a[3] + g->a##k##1[l] * a[4] +        \
   g->a##k##2[l] * a[5] + g->b##k##0[l] * b[3] + g->b##k##1[l] * b[4] + g->b##k##2[l] * b[5] + g->v_##k[l])

/* By how much a lane breaks its law, m/s or N s over a typical one. */
static double violation(const dls_space_group *g, int l, const double *p, const double *u) {
  const double *a = u + g->i[l], *b = u + g->j[l], ra = g->ra[l], rb = g->rb[l];
  const double n = p[l], s = p[L + l], t = p[2 * L + l], bound = g->mu[l] * n, size = sqrt(s * s + t * t);
  const double v_n = SPEED(n) + g->gamma[l] * n, v_s = SPEED(s), v_t = SPEED(t), speed = sqrt(v_s * v_s + v_t * v_t);
  double worst = dls_max(-n, dls_max(-v_n, size - bound));
  if (n > 0) worst = dls_max(worst, fabs(v_n));
  if (n == 0) return worst;
  if (bound - size > 1e-12) return dls_max(worst, speed); /* sticks */
  /* against the sliding: v = -l p_T */
  return dls_max(worst, dls_max(fabs(v_s * bound + s * speed), fabs(v_t * bound + t * speed)) / dls_max(bound, 1e-12));
}

#define PAIR(k, m)                                                                             \
  ((g->k##x[l] * g->m##x[l] + g->k##y[l] * g->m##y[l] + g->k##z[l] * g->m##z[l]) * (ra * ra + rb * rb) +     \
   g->a##k##0[l] * g->a##m##0[l] + g->a##k##1[l] * g->a##m##1[l] + g->a##k##2[l] * g->a##m##2[l] +           \
   g->b##k##0[l] * g->b##m##0[l] + g->b##k##1[l] * g->b##m##1[l] + g->b##k##2[l] * g->b##m##2[l])

/* EQUATIONS G.1.7 of a lane, from its rows alone. */
static double residual(const dls_space_group *g, int l, const double *p, const double *u) {
  const double *a = u + g->i[l], *b = u + g->j[l], ra = g->ra[l], rb = g->rb[l], mu = g->mu[l];
  const double W[] = {PAIR(n, n), PAIR(s, s), PAIR(t, t), PAIR(n, s), PAIR(n, t), PAIR(s, t)};
  double norm = 0;
  for (int i = 0; i < 6; i++) norm += (i < 3 ? 1 : 2) * W[i] * W[i];
  norm = sqrt(norm);
  const double y_s = SPEED(s), y_t = SPEED(t), y_n = SPEED(n) + g->gamma[l] * p[l] + mu * hypot(y_s, y_t);
  const double x_n = p[l] - y_n / norm, x_s = p[L + l] - y_s / norm, x_t = p[2 * L + l] - y_t / norm;
  const double size = hypot(x_s, x_t), z = (x_n + mu * size) / (1 + mu * mu);
  double e[3] = {p[l], p[L + l], p[2 * L + l]}; /* the apex */
  if (size <= mu * x_n) e[0] -= x_n, e[1] -= x_s, e[2] -= x_t;
  else if (z > 0) e[0] -= z, e[1] -= mu * z * x_s / size, e[2] -= mu * z * x_t / size;
  return norm * sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

/* x of impulses, row by row. */
static void push(int n, const double *p, double *u) {
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) {
      const dls_space_group *g = &groups[k];
      const double *at = p + 3 * L * k + l, ra = g->ra[l], rb = g->rb[l];
      double *a = u + g->i[l], *b = u + g->j[l];
#define FORCE(k, value)                                                                        \
  do {                                                                                         \
    a[0] -= ra * g->k##x[l] * (value), a[1] -= ra * g->k##y[l] * (value), a[2] -= ra * g->k##z[l] * (value);  \
    b[0] += rb * g->k##x[l] * (value), b[1] += rb * g->k##y[l] * (value), b[2] += rb * g->k##z[l] * (value);  \
    a[3] += g->a##k##0[l] * (value), a[4] += g->a##k##1[l] * (value), a[5] += g->a##k##2[l] * (value);        \
    b[3] += g->b##k##0[l] * (value), b[4] += g->b##k##1[l] * (value), b[5] += g->b##k##2[l] * (value);        \
  } while (0)
      FORCE(n, at[0]);
      FORCE(s, at[L]);
      FORCE(t, at[2 * L]);
    }
}

static int complain(const char *what, int seed, const char *path) {
  printf("%s: seed %d, path %s\n", what, seed, path);
  return 1;
}

/* Visited again and again, one group comes to rest where its law holds; a single visit is near. */
static int test_laws(int seed, double *p, double *u) {
  const dls_space_lanes *lanes = dls_space_lanes_at(0);
  double worst = 0;
  for (int k = 0; k < 12; k++) lanes->fine(1, groups, p, u);
  for (int l = 0; l < L; l++) worst = dls_max(worst, violation(groups, l, p, u));
  if (!(worst <= 1e-9)) return complain("visits do not lead to the law", seed, "plain");
  return lanes->fine(1, groups, p, u) <= 1e-9 ? 0 : complain("a solution moves", seed, "plain");
}

/* Impulses pushed onto bodies and judged, on every path: what it is row by row, to single precision. */
static int test_judges(int seed, int n, const double *p, const float *p32) {
  static double u[ROOM];
  static float first[ROOM], u32[ROOM];
  double worst = 0, size = 1, said = 0;
  memset(u, 0, sizeof u);
  push(n, p, u);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) worst = dls_max(worst, residual(&groups[k], l, p + 3 * L * k, u));
  for (int i = 0; i < ROOM; i++) size = dls_max(size, fabs(u[i]));
  for (int path = 0, last = 0; !last; path++) {
    const dls_space_lanes *lanes = dls_space_lanes_at(path);
    if (!lanes) lanes = &space_lanes_wide, last = 1;
    memset(u32, 0, sizeof u32);
    lanes->push(n, groups32, p32, u32);
    const double judged = lanes->judge(n, groups32, p32, u32);
    if (path == 0) memcpy(first, u32, sizeof u32), said = judged;
    if (memcmp(first, u32, sizeof u32) || judged != said) return complain("other judges", seed, lanes->name);
  }
  for (int i = 0; i < ROOM; i++)
    if (i % 8 < 6 && i >= DLS_SPACE_BODY && !(fabs(u[i] - (double)first[i]) <= 1e-5 * size)) return complain("pushed", seed, "plain");
  return fabs(said - worst) <= 2e-5 * (worst + size) ? 0 : complain("judged", seed, "plain");
}

int main(void) {
  static double p[3 * L * MOST], u[ROOM], out[3 * L * MOST], moved[ROOM];
  static float p32[3 * L * MOST], u32[ROOM], out32[3 * L * MOST], moved32[ROOM];
  static dls_space_group kept[MOST], after[MOST];
  static dls_space_group32 kept32[MOST], after32[MOST];
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
    const int n = 1 + (int)(uniform() * MOST);
    for (int i = 0; i < BODIES; i++)
      root_mass[i] = i == 0 ? 0 : 0.3 + uniform(), root_turn[i] = i == 0 ? 0 : 1 + 3 * uniform();
    for (int k = 0; k < n; k += 2) fill(&groups[k], n - k > 1 ? 2 : 1);
    for (int k = 0; k < n; k++) fill_turns(&groups[k], &turns[k]);
    narrow(n);
    for (int i = 0; i < ROOM; i++) u[i] = i % 8 < 6 ? within(1) : 0, u32[i] = (float)u[i];
    for (int i = 0; i < 3 * L * n; i++) p[i] = within(1), p32[i] = (float)p[i];
    memcpy(kept, groups, sizeof groups), memcpy(kept32, groups32, sizeof groups32);
    static double P[3 * L * MOST], Q[3 * L * MOST], U[ROOM], out_q[3 * L * MOST], most, most32;
    static float P32[3 * L * MOST], Q32[3 * L * MOST], U32[ROOM], out_q32[3 * L * MOST];
    for (int path = -1, last = 0; !last; path++) {
      const dls_space_lanes *lanes = dls_space_lanes_at(path < 0 ? 0 : path);
      if (!lanes) lanes = &space_lanes_wide, last = 1;
      memcpy(groups, kept, sizeof groups), memcpy(groups32, kept32, sizeof groups32);
      memcpy(P, p, sizeof p), memcpy(U, u, sizeof u), memcpy(P32, p32, sizeof p32), memcpy(U32, u32, sizeof u32);
      if (path < 0) for (int k = 0; k < n; k++) groups[k].run = groups32[k].run = 1; /* one by one */
      double said = 0, said32 = 0;
      memset(Q, 0, sizeof Q), memset(Q32, 0, sizeof Q32);
      for (int s = 0; s < 3; s++) said = lanes->fine(n, groups, P, U), said32 = lanes->coarse(n, groups32, P32, U32);
      for (int s = 0; s < 2; s++) {
        said += lanes->fine_turns(n, groups, turns, P, Q, U);
        said32 += lanes->coarse_turns(n, groups32, turns32, P32, Q32, U32);
      }
      for (int k = 0; k < n; k++) groups[k].run = groups32[k].run = 1;
      if (path < 0) {
        memcpy(out, P, sizeof P), memcpy(moved, U, sizeof U), memcpy(after, groups, sizeof groups), most = said;
        memcpy(out_q, Q, sizeof Q), memcpy(out_q32, Q32, sizeof Q32);
        memcpy(out32, P32, sizeof P32), memcpy(moved32, U32, sizeof U32), memcpy(after32, groups32, sizeof groups32), most32 = said32;
      } else if (said != most || memcmp(out, P, sizeof P) || memcmp(moved, U, sizeof U) || memcmp(after, groups, sizeof groups)) {
        return complain("other doubles", seed, lanes->name);
      } else if (said32 != most32 || memcmp(out32, P32, sizeof P32) || memcmp(moved32, U32, sizeof U32) ||
                 memcmp(after32, groups32, sizeof groups32)) {
        return complain("other floats", seed, lanes->name);
      } else if (memcmp(out_q, Q, sizeof Q) || memcmp(out_q32, Q32, sizeof Q32)) {
        return complain("other turns", seed, lanes->name);
      }
    }
    for (int i = 0; i < 3 * L * n; i++) if (dls_max(fabs(out[i]), fabs((double)out32[i])) > 1e6) return complain("blown up", seed, "plain");
    memcpy(groups, kept, sizeof groups), memcpy(groups32, kept32, sizeof groups32);
    if (test_judges(seed, n, p, p32)) return 1;
    if (test_laws(seed, p, u)) return 1;
  }
  puts("ok");
  return 0;
}
