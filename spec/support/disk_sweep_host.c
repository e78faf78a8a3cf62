/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/disks/sweep_lanes.h"

/* Sweeps over contacts of disks in lanes: every path gives the bits of the plain one; after the visit of a group
** Coulomb's law holds in each of its lanes; velocities are those of the impulses, carried on or not; what a sweep says of
** its changes, and the residual, are those of a second way to compute them, from masses, velocities and impulses as they
** are, in double precision. Prints what is wrong, and "ok" at the end. */
extern const dls_disk_lanes disk_sweep_wide; /* disk_sweep_wide.c */

static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, MOST = 5, L = DLS_DISK_LANES, P = DLS_DISK_PARTS * L, BODIES = 2 * L * MOST };
enum { ROOM = DLS_DISK_BODY * (BODIES + 4) }; /* a multiple of 16, with the body that nothing moves */
static dls_disk_group groups[MOST];
static dls_disk_pairs pairs[MOST];
static dls_disk_law laws[MOST + 1]; /* the first one is common */
static int law_of[MOST];

static dls_disk_bed bed_of(int first, int n, int n_near) {
  return (dls_disk_bed){n, n_near, ROOM, groups + first, pairs + first, laws, law_of + first};
}

/* One contact: W diagonal, its numbers as they are. */
typedef struct contact {
  double nx, ny, ra, rb, mu, s_n, s_t, w_n, w_t;
  int a, b;
  bool rubs; /* |W| is with W_tt */
} contact;
static contact contacts[MOST][L];
static double mass[BODIES + 1], inertia[BODIES + 1]; /* inverse; the last one does not move */

static void fill_law(dls_disk_law *law, int l, const contact *c) {
  law->mu[l] = (float)c->mu, law->inner[l] = (float)(1 / (1 + c->mu * c->mu));
  law->s_t[l] = (float)c->s_t, law->tangential[l] = c->rubs ? 1 : 0;
}

/* side_by_side: bodies in the places of their lanes, a group's 32 after another's; common: all lanes have one law. */
static void fill(int k, bool side_by_side, bool common) {
  int deck[BODIES];
  for (int i = 0; i < BODIES; i++) deck[i] = i;
  for (int i = 0; i < BODIES; i++) {
    int j = (int)(uniform() * BODIES), x = deck[i];
    deck[i] = deck[j], deck[j] = x;
  }
  dls_disk_group *g = &groups[k];
  law_of[k] = common ? 0 : k + 1;
  for (int l = 0; l < L; l++) {
    contact *c = &contacts[k][l];
    c->a = uniform() < 0.2 ? BODIES : deck[2 * l], c->b = deck[2 * l + 1];
    if (side_by_side) c->a = 2 * L * k + DLS_DISK_PLACE(l), c->b = c->a + L;
    double x = within(1), y = within(1), r = sqrt(x * x + y * y);
    c->nx = r > 0 ? x / r : 1, c->ny = r > 0 ? y / r : 0;
    c->ra = within(0.3), c->rb = within(0.3), c->mu = uniform() < 0.1 ? 0 : 0.6 * uniform();
    c->s_n = within(1), c->s_t = uniform() < 0.3 ? within(0.3) : 0;
    c->rubs = c->mu > 0 || uniform() < 0.5;
    if (common) c->mu = 0.4, c->s_t = 0, c->rubs = true;
    if (!c->rubs) c->ra = c->rb = c->s_t = 0;
    c->w_n = mass[c->a] + mass[c->b];
    c->w_t = c->w_n + c->ra * c->ra * inertia[c->a] + c->rb * c->rb * inertia[c->b];
    g->nx[l] = (float)c->nx, g->ny[l] = (float)c->ny;
    g->ma[l] = (float)mass[c->a], g->mb[l] = (float)mass[c->b];
    g->ta[l] = (float)(c->ra * sqrt(inertia[c->a]));
    g->tb[l] = (float)(c->rb * sqrt(inertia[c->b]));
    g->s_n[l] = (float)c->s_n, g->w_t[l] = (float)c->w_t;
    pairs[k].i[l] = DLS_DISK_BODY * c->a, pairs[k].j[l] = DLS_DISK_BODY * c->b;
    fill_law(&laws[law_of[k]], l, c);
  }
}

/* Impulses and relative velocities (shifts included) of a lane. */
static void read(const contact *c, const float *p, const float *u, double z[2], double y[2]) {
  double v[2][3];
  const int body[2] = {c->a, c->b};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      v[k][i] = (double)u[DLS_DISK_BODY * body[k] + i] * (i < 2 ? 1 : sqrt(inertia[body[k]]));
  const double x = v[1][0] - v[0][0], x_t = v[1][1] - v[0][1];
  y[0] = c->nx * x + c->ny * x_t + c->s_n;
  y[1] = c->ny * x - c->nx * x_t + c->ra * v[0][2] + c->rb * v[1][2] + c->s_t;
  z[0] = (double)p[0], z[1] = (double)p[L];
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
  const double norm = c->rubs ? sqrt(c->w_n * c->w_n + c->w_t * c->w_t) : c->w_n, f = c->mu;
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
  static float q[P * MOST], w[ROOM], before[ROOM], old[P];
  memcpy(q, p, sizeof q), memcpy(w, u, sizeof w);
  double worst = 0;
  for (int k = 0; k < n; k++) {
    const dls_disk_bed one = bed_of(k, 1, 0);
    memcpy(old, q + P * k, sizeof old), memcpy(before, w, sizeof w);
    dls_disk_lanes_at(0)->sweep(&one, 0, old, q + P * k, before, w);
    for (int l = 0; l < L; l++) worst = dls_max(worst, law_broken(&contacts[k][l], q + P * k + l, w));
  }
  if (!(worst <= 3e-5)) return complain("a visit breaks its law", seed, "plain");
  static float squared[L * MOST];
  const dls_disk_bed all = bed_of(0, n, 0);
  double mine = 0, said = sqrt(dls_disk_lanes_at(0)->residual(&all, 0, n, q, w));
  dls_disk_lanes_at(0)->errors(&all, 0, n, q, w, squared);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) {
      const double r = residual_of(&contacts[k][l], q + P * k + l, w);
      mine = dls_max(mine, r);
      if (!(fabs(r - sqrt((double)squared[L * k + l])) <= 3e-5 * (1 + r)))
        return complain("another residual of a lane", seed, "plain");
    }
  return fabs(mine - said) <= 3e-5 * (1 + mine) ? 0 : complain("another residual", seed, "plain");
}

/* u += share * M^-1 J' p of all contacts, u as it is. */
static void push(int n, double share, const float *p, double *u) {
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) {
      const contact *c = &contacts[k][l];
      const double p_n = share * (double)p[P * k + l], p_t = share * (double)p[P * k + L + l];
      const double x = c->nx * p_n + c->ny * p_t, y = c->ny * p_n - c->nx * p_t;
      double *a = u + 3 * c->a, *b = u + 3 * c->b;
      a[0] -= mass[c->a] * x, a[1] -= mass[c->a] * y, a[2] += inertia[c->a] * c->ra * p_t;
      b[0] += mass[c->b] * x, b[1] += mass[c->b] * y, b[2] += inertia[c->b] * c->rb * p_t;
    }
}

/* Velocities w are those of impulses q, if u were those of p. */
static bool together(int n, const float *p, const float *u, const float *q, const float *w) {
  double of_p[3 * (BODIES + 1)] = {0}, worst = 0;
  push(n, -1, p, of_p);
  push(n, 1, q, of_p);
  for (int i = 0; i <= BODIES; i++)
    for (int k = 0; k < 3; k++) {
      const int at = DLS_DISK_BODY * i + k;
      const double change = ((double)w[at] - (double)u[at]) * (k < 2 ? 1 : sqrt(inertia[i]));
      worst = dls_max(worst, fabs(change - of_p[3 * i + k]));
    }
  return worst <= 1e-3;
}

/* What a sweep says of its changes: from `old` and `g` with beta to `now`. */
static bool tells(int n, float beta, const float *old, const float *g, const float *now, dls_disk_change c) {
  double most = 0, ff = 0, turn = 0;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < L; l++) {
      double own = 0;
      for (int part = 0; part < 2; part++) {
        const int at = P * k + L * part + l;
        const double w = part ? contacts[k][l].w_t : contacts[k][l].w_n, e = (double)now[at] - (double)g[at];
        const double f = e - (double)beta * ((double)g[at] - (double)old[at]);
        own += w * f * f, turn -= w * f * e;
      }
      ff += own, most = dls_max(most, contacts[k][l].w_n * own);
    }
  return fabs(most - c.most) <= 1e-4 * (1 + most) && fabs(ff - c.ff) <= 1e-4 * (1 + ff) &&
         fabs(turn - c.restart_dot) <= 1e-4 * (1 + ff + fabs(turn));
}

/* look() on one path: the residuals of contacts by themselves, some of them twice, with the bits of the plain path. */
static int test_look(int seed, int n, const dls_disk_lanes *lanes, const float *p, const float *u) {
  static dls_disk_single ones[L * MOST];
  static float plain[L * MOST];
  float squared[L];
  int which[L];
  for (int i = 0; i < L * n; i++) {
    const int k = i / L, l = i % L;
    const dls_disk_group *g = &groups[k];
    const contact *c = &contacts[k][l];
    const double norm = c->rubs ? sqrt(c->w_n * c->w_n + c->w_t * c->w_t) : c->w_n;
    ones[i] = (dls_disk_single){
        .nx = g->nx[l], .ny = g->ny[l], .ma = g->ma[l], .mb = g->mb[l], .ta = g->ta[l], .tb = g->tb[l],
        .s_n = g->s_n[l], .s_t = (float)c->s_t, .mu = (float)c->mu, .inner = (float)(1 / (1 + c->mu * c->mu)),
        .norm = (float)norm, .w_t = g->w_t[l], .p_n = p[P * k + l], .p_t = p[P * k + L + l],
        .i = pairs[k].i[l], .j = pairs[k].j[l]};
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
    if (lanes == dls_disk_lanes_at(0)) memcpy(plain + L * k, squared, sizeof squared);
    if (memcmp(plain + L * k, squared, sizeof squared) != 0)
      return complain("other residuals of contacts by themselves", seed, lanes->name);
  }
  return 0;
}

/* begin() and carry() on one path: bodies of which some are nobody's and some do not turn, with the bits of the plain
** path. */
static int test_start(int seed, const dls_disk_lanes *lanes) {
  enum { N = 16 * 20 };
  static float plain[3][N];
  static dls_disk_start said_plain;
  float x[3][N], was[3][N];
  double slope = 0, bend = 0, fastest = 0, worst = 0;
  state = (uint64_t)seed * 77 + 5;
  for (int i = 0; i < N; i++) {
    const int body = i / DLS_DISK_BODY, part = i % DLS_DISK_BODY;
    const bool moves = body % 7 != 3 && part < 3 && !(part == 2 && body % 5 == 1);
    x[0][i] = moves ? (float)(0.1 + uniform()) : 0;
    x[1][i] = (float)within(2), x[2][i] = (float)within(1);
    for (int k = 0; k < 3; k++) was[k][i] = x[k][i];
    const double by = moves ? 1 / sqrt((double)x[0][i]) : 0, f = (double)x[1][i], d = (double)x[2][i];
    slope += d * by * f * by, bend += d * by * d * by;
    fastest = dls_max(fastest, fabs(f + d));
  }
  const dls_disk_start said = lanes->begin(N, x[0], x[1], x[2]);
  lanes->carry(N, 0.5F, x[1], x[2]);
  for (int i = 0; i < N; i++) {
    const bool turns = i % DLS_DISK_BODY == 2;
    const double root = sqrt((double)was[0][i]), by = root > 0 ? 1 / root : 0;
    const double u = ((double)was[1][i] + 0.5 * (double)was[2][i]) * (turns ? by : 1);
    worst = dls_max(worst, fabs((double)x[0][i] - (turns ? root : (double)was[0][i])) + fabs((double)x[1][i] - u) +
                               fabs((double)(x[1][i] - x[2][i])));
  }
  worst = dls_max(worst, (fabs(said.slope - slope) + fabs(said.bend - bend)) / bend + fabs(said.fastest - fastest));
  if (!(worst <= 1e-5)) return complain("another start", seed, lanes->name);
  if (lanes == dls_disk_lanes_at(0)) memcpy(plain, x, sizeof x), said_plain = said;
  const bool same = said.slope == said_plain.slope && said.bend == said_plain.bend && said.fastest == said_plain.fastest;
  return same && memcmp(plain, x, sizeof x) == 0 ? 0 : complain("other starts", seed, lanes->name);
}

static const dls_disk_lanes *path_at(int i) {
  const dls_disk_lanes *path = dls_disk_lanes_at(i);
  return path || dls_disk_lanes_at(i - 1) == NULL ? path : &disk_sweep_wide;
}

/* After the paths, the plain one once more, with all bodies looked up. */
static bool looked_up(int i) { return i > 0 && path_at(i - 1) && !path_at(i); }

int main(void) {
  static float p[P * MOST], u[ROOM], out[5][2 * P * MOST + 2 * ROOM];
  for (int l = 0; l < L; l++) fill_law(&laws[0], l, &(contact){.mu = 0.4, .rubs = true});
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
    const int n = 1 + (int)(uniform() * MOST);
    for (int i = 0; i < BODIES; i++) mass[i] = 0.1 + uniform(), inertia[i] = 1 + 20 * uniform();
    const int n_near = (int)(uniform() * (n + 1));
    for (int k = 0; k < n; k++) fill(k, k < n_near, uniform() < 0.5);
    for (int i = 0; i < ROOM; i++) u[i] = i / DLS_DISK_BODY < BODIES ? (float)within(2) : 0;
    for (int i = 0; i < P * MOST; i++) p[i] = (float)within(1);
    double first[16] = {0};
    float errors[L * MOST];
    for (int path = 0; path == 0 || looked_up(path) || path_at(path); path++) {
      const dls_disk_lanes *lanes = looked_up(path) ? dls_disk_lanes_at(0) : path_at(path);
      const dls_disk_bed bed = bed_of(0, n, looked_up(path) ? 0 : n_near);
      float *q = out[path], *q_old = q + P * MOST, *w = q_old + P * MOST, *old = w + ROOM;
      memcpy(q, p, sizeof p), memcpy(q_old, p, sizeof p), memcpy(w, u, sizeof u), memcpy(old, u, sizeof u);
      double said[16];
      for (int s = 0; s < 4; s++) { /* an even number: all are back where they began */
        static float before[P * MOST];
        const float beta = 0.3F * (float)s;
        memcpy(before, q_old, sizeof before);
        const dls_disk_change c = lanes->sweep(&bed, beta, q, q_old, w, old);
        if (!tells(n, beta, before, q, q_old, c)) return complain("other changes", seed, lanes->name);
        dls_disk_change_places(&q, &q_old);
        dls_disk_change_places(&w, &old);
        if (!together(n, p, u, q, w)) return complain("velocities of other impulses", seed, lanes->name);
        said[4 * s] = c.most, said[4 * s + 1] = c.ff, said[4 * s + 2] = c.restart_dot;
        said[4 * s + 3] = lanes->residual(&bed, 0, n, q, w);
        lanes->errors(&bed, 0, n, q, w, errors);
        double most = 0;
        for (int i = 0; i < L * n; i++) most = dls_max(most, (double)errors[i]);
        if (most != said[4 * s + 3]) return complain("other errors", seed, lanes->name);
      }
      if (path == 0) memcpy(first, said, sizeof first);
      if (memcmp(first, said, sizeof first) != 0) return complain("other sums", seed, lanes->name);
      for (int i = 0; i < 2 * P * MOST + 2 * ROOM; i++) /* a body's fourth number is nobody's */
        if (out[0][i] != out[path][i] && (i < 2 * P * MOST || (i - 2 * P * MOST) % DLS_DISK_BODY != 3))
          return complain("other numbers", seed, lanes->name);
    }
    for (int path = 0; path == 0 || path_at(path); path++)
      if (test_start(seed, path_at(path)) || test_look(seed, n, path_at(path), p, u)) return 1;
    if (test_law(seed, n, p, u)) return 1;
  }
  puts("ok");
  return 0;
}
