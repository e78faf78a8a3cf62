/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/rows/round.h"

/* Sweeps over contacts of disks in lanes: every path gives the bits of the plain one; after the visit of a group
** Coulomb's law holds in each of its lanes; measured numbers are those of double precision; and the residual is
** that of a second way to compute it, from masses, velocities and impulses as they are, in double precision. Prints what is wrong, and "ok" at the end. */
extern const dls_round_lanes round_wide; /* round_wide.c */

static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, MOST = 5, L = DLS_ROUND_LANES, P = DLS_ROUND_PARTS * L, BODIES = 2 * L * MOST };
enum { ROOM = DLS_ROUND_BODY * (BODIES + 4) }; /* a multiple of 16, with the body that nothing moves */
static dls_round_group groups[MOST];

/* One contact: W diagonal, its numbers as they are. */
typedef struct contact {
  double nx, ny, ra, rb, mu, s_n, s_t, w_n, w_t;
  int a, b;
} contact;
static contact contacts[MOST][L];
static double mass[BODIES + 1], inertia[BODIES + 1]; /* inverse; the last one does not move */

/* side_by_side: bodies in the places of their lanes, a group's 32 after another's. */
static void fill(int k, bool side_by_side) {
  int deck[BODIES];
  for (int i = 0; i < BODIES; i++) deck[i] = i;
  for (int i = 0; i < BODIES; i++) {
    int j = (int)(uniform() * BODIES), x = deck[i];
    deck[i] = deck[j], deck[j] = x;
  }
  dls_round_group *g = &groups[k];
  for (int l = 0; l < L; l++) {
    contact *c = &contacts[k][l];
    c->a = uniform() < 0.2 ? BODIES : deck[2 * l], c->b = deck[2 * l + 1];
    if (side_by_side) c->a = 2 * L * k + DLS_ROUND_PLACE(l), c->b = c->a + L;
    double x = within(1), y = within(1), r = sqrt(x * x + y * y);
    c->nx = r > 0 ? x / r : 1, c->ny = r > 0 ? y / r : 0;
    c->ra = within(0.3), c->rb = within(0.3), c->mu = uniform() < 0.1 ? 0 : 0.6 * uniform();
    c->s_n = within(1), c->s_t = uniform() < 0.3 ? within(0.3) : 0;
    c->w_n = mass[c->a] + mass[c->b];
    c->w_t = c->w_n + c->ra * c->ra * inertia[c->a] + c->rb * c->rb * inertia[c->b];
    const double slope = sqrt(c->w_n / c->w_t);
    g->nx[l] = (float)c->nx, g->ny[l] = (float)c->ny;
    g->tx[l] = (float)(c->nx * slope), g->ty[l] = (float)(c->ny * slope);
    g->wa[l] = (float)sqrt(mass[c->a] / c->w_n), g->wb[l] = (float)sqrt(mass[c->b] / c->w_n);
    g->ta[l] = (float)(c->ra * sqrt(inertia[c->a] / c->w_t));
    g->tb[l] = (float)(c->rb * sqrt(inertia[c->b] / c->w_t));
    g->s_n[l] = (float)(c->s_n / sqrt(c->w_n)), g->s_t[l] = (float)(c->s_t / sqrt(c->w_t));
    g->mu[l] = (float)(c->mu / slope), g->w[l] = (float)c->w_n, g->size[l] = (float)sqrt(c->w_n);
    g->slope[l] = (float)slope;
    g->reach[l] = (float)(sqrt(c->w_n * c->w_n + c->w_t * c->w_t) / sqrt(c->w_n));
    g->i[l] = DLS_ROUND_BODY * c->a, g->j[l] = DLS_ROUND_BODY * c->b;
  }
}

/* The same group as it is before measure(). */
static void fill_raw(int k, dls_round_group *g) {
  memset(g, 0, sizeof *g);
  for (int l = 0; l < L; l++) {
    const contact *c = &contacts[k][l];
    g->nx[l] = (float)c->nx, g->ny[l] = (float)c->ny;
    g->wa[l] = (float)sqrt(mass[c->a]), g->wb[l] = (float)sqrt(mass[c->b]);
    g->ta[l] = (float)(c->ra * sqrt(inertia[c->a])), g->tb[l] = (float)(c->rb * sqrt(inertia[c->b]));
    g->s_n[l] = (float)c->s_n, g->s_t[l] = (float)c->s_t, g->mu[l] = (float)c->mu;
    g->w[l] = (float)c->w_n, g->slope[l] = g->reach[l] = (float)c->w_t;
    g->i[l] = groups[k].i[l], g->j[l] = groups[k].j[l];
  }
}

/* Impulses and relative velocities (shifts included) of a lane as they are. */
static void read(const contact *c, const float *p, const float *u, double z[2], double y[2]) {
  double v[2][3];
  const int body[2] = {c->a, c->b};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      v[k][i] = (double)u[DLS_ROUND_BODY * body[k] + i] * sqrt(i < 2 ? mass[body[k]] : inertia[body[k]]);
  const double x = v[1][0] - v[0][0], x_t = v[1][1] - v[0][1];
  y[0] = c->nx * x + c->ny * x_t + c->s_n;
  y[1] = c->ny * x - c->nx * x_t + c->ra * v[0][2] + c->rb * v[1][2] + c->s_t;
  z[0] = (double)p[0] / sqrt(c->w_n), z[1] = (double)p[L] / sqrt(c->w_t);
}

static double law_broken(const contact *c, const float *p, const float *u) {
  double z[2], y[2];
  read(c, p, u, z, y);
  const double scale = sqrt(c->w_n), edge = c->mu * z[0] - fabs(z[1]);
  double worst = dls_max(-z[0] * scale, dls_max(-y[0], -edge * scale));
  if (z[0] > 0) worst = dls_max(worst, fabs(y[0]));
  if (edge > 1e-4) worst = dls_max(worst, fabs(y[1])); /* sticks */
  else if (z[0] > 1e-4 && c->mu > 0) worst = dls_max(worst, y[1] * (z[1] > 0 ? 1 : -1));
  return worst;
}

/* EQUATIONS G.1.7, the nearest point of the wedge sought among the point itself, both sides and the apex. */
static double residual_of(const contact *c, const float *p, const float *u) {
  double z[2], y[2], best = DLS_INF, near[2] = {0, 0};
  read(c, p, u, z, y);
  const double norm = sqrt(c->w_n * c->w_n + c->w_t * c->w_t), f = c->mu;
  const double x[2] = {z[0] - (y[0] + f * fabs(y[1])) / norm, z[1] - y[1] / norm};
  for (int side = -1; side <= 1; side += 2) {
    const double s = dls_max(0, (x[0] + side * f * x[1]) / (1 + f * f));
    const double d = (x[0] - s) * (x[0] - s) + (x[1] - side * f * s) * (x[1] - side * f * s);
    if (d < best) best = d, near[0] = s, near[1] = side * f * s;
  }
  if (x[0] >= 0 && fabs(x[1]) <= f * x[0]) near[0] = x[0], near[1] = x[1];
  return norm * sqrt((z[0] - near[0]) * (z[0] - near[0]) + (z[1] - near[1]) * (z[1] - near[1]));
}

static int complain(const char *what, int seed, const char *path) {
  printf("%s: seed %d, path %s\n", what, seed, path);
  return 1;
}

/* One group after the other, no momentum: what a visit leaves behind. (Bodies side by side may as well be looked up.) */
static int test_law(int seed, int n, const float *p, const float *u) {
  static float q[P * MOST], w[ROOM], old[P];
  memcpy(q, p, sizeof q), memcpy(w, u, sizeof w);
  double worst = 0;
  for (int k = 0; k < n; k++) {
    memcpy(old, q + P * k, sizeof old);
    dls_round_lanes_at(0)->sweep(1, 0, &groups[k], 0, old, q + P * k, w);
    for (int l = 0; l < L; l++) worst = dls_max(worst, law_broken(&contacts[k][l], q + P * k + l, w));
  }
  if (!(worst <= 3e-5)) return complain("a visit breaks its law", seed, "plain");
  static float squared[L * MOST];
  double mine = 0, said = sqrt(dls_round_lanes_at(0)->residual(n, groups, q, w));
  dls_round_lanes_at(0)->errors(n, groups, q, w, squared);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) {
      const double r = residual_of(&contacts[k][l], q + P * k + l, w);
      mine = dls_max(mine, r);
      if (!(fabs(r - sqrt((double)squared[L * k + l])) <= 3e-5 * (1 + r)))
        return complain("another residual of a lane", seed, "plain");
    }
  return fabs(mine - said) <= 3e-5 * (1 + mine) ? 0 : complain("another residual", seed, "plain");
}

/* look() on one path: the residuals of contacts by themselves, some of them twice, with the bits of the plain path. */
static int test_look(int seed, int n, const dls_round_lanes *lanes, const float *p, const float *u) {
  static dls_round_one ones[L * MOST];
  static float plain[L * MOST];
  float squared[L];
  int which[L];
  for (int i = 0; i < L * n; i++) {
    const dls_round_group *g = &groups[i / L];
    const float *of = p + P * (i / L) + i % L;
    const int l = i % L;
    ones[i] = (dls_round_one){
        .nx = g->nx[l], .ny = g->ny[l], .wa = g->wa[l], .wb = g->wb[l], .ta = g->ta[l], .tb = g->tb[l],
        .s_n = g->s_n[l], .s_t = g->s_t[l], .mu = g->mu[l], .size = g->size[l], .slope = g->slope[l],
        .reach = g->reach[l], .p_n = of[0], .p_t = of[L], .i = g->i[l], .j = g->j[l]};
  }
  state = (uint64_t)seed * 33 + 1;
  for (int k = 0; k < n; k++) {
    for (int q = 0; q < L; q++) which[q] = (int)(uniform() * L * n);
    lanes->look(ones, which, u, squared);
    for (int q = 0; q < L; q++) {
      const int i = which[q];
      const double r = residual_of(&contacts[i / L][i % L], p + P * (i / L) + i % L, u);
      if (!(fabs(r - sqrt((double)squared[q])) <= 3e-5 * (1 + r)))
        return complain("another residual of a contact by itself", seed, lanes->name);
    }
    if (lanes == dls_round_lanes_at(0)) memcpy(plain + L * k, squared, sizeof squared);
    if (memcmp(plain + L * k, squared, sizeof squared) != 0)
      return complain("other residuals of contacts by themselves", seed, lanes->name);
  }
  return 0;
}

/* measure() on one path: what fill() writes in double precision, with the bits of the plain path. */
static int test_measure(int seed, int n, const dls_round_lanes *lanes, dls_round_group *plain, float *p_plain) {
  static dls_round_group made[MOST];
  float p[P * MOST] = {0};
  for (int k = 0; k < n; k++) fill_raw(k, &made[k]);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) p[P * k + l] = 0.5F + (float)l, p[P * k + L + l] = (float)(l - 7);
  lanes->measure(n, made, 0.5F, p);
  if (lanes == dls_round_lanes_at(0)) {
    memcpy(plain, made, sizeof made), memcpy(p_plain, p, sizeof p);
    double worst = 0;
    for (int k = 0; k < n; k++)
      for (int l = 0; l < L; l++) {
        const contact *c = &contacts[k][l];
#define X(name) worst = dls_max(worst, fabs((double)(made[k].name[l] - groups[k].name[l])) / (1 + fabs((double)groups[k].name[l])));
        DLS_ROUND_FIELDS(X) X(size) X(slope) X(reach)
#undef X
        worst = dls_max(worst, fabs((double)p[P * k + l] - 0.5 * (0.5 + l) * sqrt(c->w_n)) / (1 + l));
        worst = dls_max(worst, fabs((double)p[P * k + L + l] - 0.5 * (l - 7) * sqrt(c->w_t)) / (1 + l));
      }
    if (!(worst <= 2e-6)) return complain("measured otherwise", seed, lanes->name);
  }
  const size_t size = (size_t)n * sizeof *made;
  if (memcmp(plain, made, size) != 0 || memcmp(p_plain, p, sizeof p) != 0) return complain("other measures", seed, lanes->name);
  static float back[P * MOST];
  lanes->unmeasure(n, made, p);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++)
      if (!(fabs((double)p[P * k + l] - 0.5 * (0.5 + l)) <= 1e-6 * (1 + l)) ||
          !(fabs((double)p[P * k + L + l] - 0.5 * (l - 7)) <= 1e-6 * (1 + l)))
        return complain("impulses do not come back", seed, lanes->name);
  if (lanes == dls_round_lanes_at(0)) memcpy(back, p, sizeof p);
  return memcmp(back, p, sizeof p) == 0 ? 0 : complain("other impulses come back", seed, lanes->name);
}

/* begin() and carry() on one path: bodies of which some are nobody's and some do not turn, with the bits of the plain
** path. */
static int test_start(int seed, const dls_round_lanes *lanes) {
  enum { N = 16 * 20 };
  static float plain[3][N];
  static dls_round_start said_plain;
  float x[3][N], was[3][N];
  double slope = 0, bend = 0, fastest = 0, worst = 0;
  state = (uint64_t)seed * 77 + 5;
  for (int i = 0; i < N; i++) {
    const int body = i / DLS_ROUND_BODY, part = i % DLS_ROUND_BODY;
    const bool moves = body % 7 != 3 && part < 3 && !(part == 2 && body % 5 == 1);
    x[0][i] = moves ? (float)(0.1 + uniform()) : 0;
    x[1][i] = (float)within(2), x[2][i] = (float)within(1);
    for (int k = 0; k < 3; k++) was[k][i] = x[k][i];
    const double by = moves ? 1 / sqrt((double)x[0][i]) : 0, f = (double)x[1][i], d = (double)x[2][i];
    slope += d * by * f * by, bend += d * by * d * by;
    fastest = dls_max(fastest, fabs(f + d));
  }
  const dls_round_start said = lanes->begin(N, x[0], x[1], x[2]);
  lanes->carry(N, 0.5F, x[1], x[2]);
  for (int i = 0; i < N; i++) {
    const double root = sqrt((double)was[0][i]), u = root > 0 ? ((double)was[1][i] + 0.5 * (double)was[2][i]) / root : 0;
    worst = dls_max(worst, fabs((double)x[0][i] - root) + fabs((double)x[1][i] - u) + fabs((double)(x[1][i] - x[2][i])));
  }
  worst = dls_max(worst, (fabs(said.slope - slope) + fabs(said.bend - bend)) / bend + fabs(said.fastest - fastest));
  if (!(worst <= 1e-5)) return complain("another start", seed, lanes->name);
  if (lanes == dls_round_lanes_at(0)) memcpy(plain, x, sizeof x), said_plain = said;
  const bool same = said.slope == said_plain.slope && said.bend == said_plain.bend && said.fastest == said_plain.fastest;
  return same && memcmp(plain, x, sizeof x) == 0 ? 0 : complain("other starts", seed, lanes->name);
}

static const dls_round_lanes *path_at(int i) {
  const dls_round_lanes *path = dls_round_lanes_at(i);
  return path || dls_round_lanes_at(i - 1) == NULL ? path : &round_wide;
}

/* After the paths, the plain one once more, with all bodies looked up. */
static bool looked_up(int i) { return i > 0 && path_at(i - 1) && !path_at(i); }

static void change_places(float **x, float **y) {
  float *kept = *x;
  *x = *y, *y = kept;
}

int main(void) {
  static float p[P * MOST], u[ROOM], out[5][2 * P * MOST + 2 * ROOM], p_plain[P * MOST];
  static dls_round_group plain[MOST];
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
    const int n = 1 + (int)(uniform() * MOST);
    for (int i = 0; i < BODIES; i++) mass[i] = 0.1 + uniform(), inertia[i] = 1 + 20 * uniform();
    const int n_near = (int)(uniform() * (n + 1));
    for (int k = 0; k < n; k++) fill(k, k < n_near);
    for (int i = 0; i < ROOM; i++) u[i] = i / DLS_ROUND_BODY < BODIES ? (float)within(2) : 0;
    for (int i = 0; i < P * MOST; i++) p[i] = (float)within(1);
    double first[16] = {0};
    float errors[L * MOST];
    for (int path = 0; path == 0 || looked_up(path) || path_at(path); path++) {
      const dls_round_lanes *lanes = looked_up(path) ? dls_round_lanes_at(0) : path_at(path);
      float *q = out[path], *q_old = q + P * MOST, *w = q_old + P * MOST, *old = w + ROOM;
      memcpy(q, p, sizeof p), memcpy(q_old, p, sizeof p), memcpy(w, u, sizeof u), memcpy(old, u, sizeof u);
      double said[16];
      for (int s = 0; s < 4; s++) { /* an even number: all are back where they began */
        const dls_round_change c =
            lanes->sweep(n, looked_up(path) ? 0 : n_near, groups, 0.3F * (float)s, q, q_old, w);
        change_places(&q, &q_old);
        said[4 * s] = c.most, said[4 * s + 1] = c.ff, said[4 * s + 2] = c.turn;
        said[4 * s + 3] = lanes->residual(n, groups, q, w);
        lanes->errors(n, groups, q, w, errors);
        double most = 0;
        for (int i = 0; i < L * n; i++) most = dls_max(most, (double)errors[i]);
        if (most != said[4 * s + 3]) return complain("other errors", seed, lanes->name);
        lanes->mix(ROOM, 0.3F * (float)(s + 1), w, old);
        change_places(&w, &old);
      }
      if (path == 0) memcpy(first, said, sizeof first);
      if (memcmp(first, said, sizeof first) != 0) return complain("other sums", seed, lanes->name);
      for (int i = 0; i < 2 * P * MOST + 2 * ROOM; i++) /* a body's fourth number is nobody's */
        if (out[0][i] != out[path][i] && (i < 2 * P * MOST || (i - 2 * P * MOST) % DLS_ROUND_BODY != 3))
          return complain("other numbers", seed, lanes->name);
    }
    for (int path = 0; path == 0 || path_at(path); path++)
      if (test_measure(seed, n, path_at(path), plain, p_plain) || test_start(seed, path_at(path)) ||
          test_look(seed, n, path_at(path), p, u))
        return 1;
    if (test_law(seed, n, p, u)) return 1;
  }
  puts("ok");
  return 0;
}
