/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of pack.h: the including file defines LANES (1 in plain C, 2, 4 or 8), PACK_NAME
** and PACK_TABLE. A pack is visited in 8 / LANES parts; nothing crosses from lane to lane, so that
** all widths agree to the bit. */
#include "core/base/vector.h"

typedef double vec DLS_VECTOR(8 * LANES);
typedef long long mask DLS_VECTOR(8 * LANES);

/* Steps on the scalar of a sliding contact; the size of f that ends them, and what still counts. */
#define ROOT_STEPS 12
#define ROOT_DONE 1e-14
#define ROOT_GOOD 1e-6

#define LOAD(p) (*(const vec *)(p))
#define STORE(p, x) (*(vec *)(p) = (x))
#define PICK(m, x, y) DLS_PICK(vec, mask, m, x, y)
#if LANES == 8
#define GATHER(z, i)                                                                     \
  ((vec){z[i[0]], z[i[1]], z[i[2]], z[i[3]], z[i[4]], z[i[5]], z[i[6]], z[i[7]]})
#elif LANES == 4
#define GATHER(z, i) ((vec){z[i[0]], z[i[1]], z[i[2]], z[i[3]]})
#elif LANES == 2
#define GATHER(z, i) ((vec){z[i[0]], z[i[1]]})
#else
#define GATHER(z, i) (z[i[0]])
#endif

static inline vec size_of(vec x) {
#ifdef DLS_PLAIN_C
  return fabs(x);
#else
  return (vec)((mask)x & ((mask){0} + 0x7fffffffffffffffLL));
#endif
}

static inline bool any(mask m) {
  long long sum = 0;
  for (int l = 0; l < LANES; l++) sum |= DLS_HOLDS(m, l);
  return sum != 0;
}

static inline vec root(vec x) {
  for (int l = 0; l < LANES; l++) DLS_LANE(x, l) = sqrt(DLS_LANE(x, l));
  return x;
}

static inline vec larger(vec a, vec b) {
  return PICK(a > b, a, b);
}

/* off = c + sum over the neighbours. */
DLS_INLINE void
gather_off(const dls_cone_pack *pack, int p, int part, const double *z, int d, vec *off) {
  const double *c = pack->c + (size_t)(p * d) * 8 + part;
  for (int r = 0; r < d; r++) off[r] = LOAD(c + 8 * r);
  for (int s = pack->start[p]; s < pack->start[p + 1]; s++) {
    const double *a = pack->value + (size_t)s * (size_t)(8 * d * d) + part;
    const int *i = pack->index + (size_t)s * 8 + part;
    vec x[3];
    for (int k = 0; k < d; k++) x[k] = GATHER((z + 8 * k), i);
    for (int r = 0; r < d; r++)
      for (int k = 0; k < d; k++) off[r] += LOAD(a + 8 * (r * d + k)) * x[k];
  }
}

/* Lanes of groups that have no packed law go one by one. */
static void visit_general(const dls_cone_pack *pack, int p, int part, int d,
                          const vec *off, const double *old, unsigned which, vec *z) {
  for (int l = 0; l < LANES; l++) {
    if (!(which >> (part + l) & 1u)) continue;
    const int g = pack->group[8 * p + part + l];
    double o[3], x[3];
    for (int k = 0; k < d; k++) o[k] = DLS_LANE(off[k], l), x[k] = old[8 * k + l];
    dls_cone_local_solve(pack->sys, g, &pack->locals[g], o, x);
    for (int k = 0; k < d; k++) DLS_LANE(z[k], l) = k < pack->sys->dim[g] ? x[k] : 0;
  }
}

/* --- in the plane: open, sticking, or sliding against the velocity that would be without friction  */

static inline void solve_2(const double *own, const vec *off, vec *z) {
  const vec a = LOAD(own), nt = LOAD(own + 8), tn = LOAD(own + 16), b = LOAD(own + 24);
  const vec inv_det = LOAD(own + 32), inv_right = LOAD(own + 40),
            inv_left = LOAD(own + 48);
  const vec mu = LOAD(own + 56), zero = {0};
  const vec n = (nt * off[1] - b * off[0]) * inv_det,
            t = (tn * off[0] - a * off[1]) * inv_det;
  const mask stick = (n >= zero) & (size_of(t) <= mu * n);
  const mask left = a * off[1] > tn * off[0];
  const vec slip = -off[0] * PICK(left, inv_left, inv_right);
  const vec drag = mu * slip;
  const mask open = off[0] >= zero;
  z[0] = PICK(open, zero, PICK(stick, n, slip));
  z[1] = PICK(open, zero, PICK(stick, t, PICK(left, -drag, drag)));
}

static double sweep_2(dls_cone_pack *pack, double *z) {
  vec most = {0};
  for (int p = 0; p < pack->n_packs; p++) {
    double *z_p = z + (size_t)p * 16;
    for (int part = 0; part < 8; part += LANES) {
      const double *own = pack->own + (size_t)p * (8 * DLS_CONE_PLANAR_ROWS) + part;
      vec off[2], x[2];
      gather_off(pack, p, part, z, 2, off);
      solve_2(own, off, x);
      if (pack->general[p])
        visit_general(pack, p, part, 2, off, z_p + part, pack->general[p], x);
      const vec move =
          larger(size_of(x[0] - LOAD(z_p + part)), size_of(x[1] - LOAD(z_p + 8 + part)));
      most = larger(move * LOAD(own + 64), most);
      STORE(z_p + part, x[0]);
      STORE(z_p + 8 + part, x[1]);
    }
  }
  double out = 0;
  for (int l = 0; l < LANES; l++) out = dls_max(out, DLS_LANE(most, l));
  return out;
}

/* --- in space: as in cone/local.c ------------------------------------------------------------- */

typedef struct slip {
  vec t[2], n, f, df; /* p_T, p_N, f, its slope */
} slip;

/* p_T(alpha), p_N(alpha), f = mu p_N / |p_T| - 1 and its slope. */
static inline slip slip_at(const double *own, vec mu, vec n_0, vec d_0, vec d_1,
                           vec alpha) {
  slip s;
  const vec one = (vec){0} + 1.0;
  const vec s_1 = LOAD(own + 16), s_2 = LOAD(own + 24), nt_0 = LOAD(own + 40),
            nt_1 = LOAD(own + 48);
  const vec s_0 = LOAD(own + 8) + alpha, s_3 = LOAD(own + 32) + alpha;
  const vec inv = one / (s_0 * s_3 - s_1 * s_2);
  s.t[0] = (s_1 * d_1 - s_3 * d_0) * inv;
  s.t[1] = (s_2 * d_0 - s_0 * d_1) * inv;
  s.n = n_0 - nt_0 * s.t[0] - nt_1 * s.t[1];
  const vec size = root(s.t[0] * s.t[0] + s.t[1] * s.t[1]);
  const vec r_0 = (s_1 * s.t[1] - s_3 * s.t[0]) * inv,
            r_1 = (s_2 * s.t[0] - s_0 * s.t[1]) * inv;
  const vec slope_n = -nt_0 * r_0 - nt_1 * r_1;
  const vec over = one / size, ratio = mu * s.n * over;
  s.f = ratio - one;
  s.df = (mu * slope_n - ratio * ((s.t[0] * r_0 + s.t[1] * r_1) * over)) * over;
  return s;
}

/* Lanes that ask for the way of cone/local.c, as bits. */
static inline unsigned solve_3(double *own, const vec *off, vec *z) {
  const vec zero = {0}, c_n = off[0];
  const vec mu = LOAD(own + 72), alpha_0 = LOAD(own + 80);
  const vec n_0 = -c_n * LOAD(own);
  const vec d_0 = off[1] - LOAD(own + 56) * c_n, d_1 = off[2] - LOAD(own + 64) * c_n;
  const mask open = c_n >= zero;
  slip s = slip_at(own, mu, n_0, d_0, d_1, alpha_0);
  const vec size2 = s.t[0] * s.t[0] + s.t[1] * s.t[1], reach = mu * s.n;
  const mask stick = (s.n >= zero) & (size2 <= reach * reach);
  mask going = ~(open | stick);
  unsigned asks = 0;
  if (any(going)) {
    vec alpha = LOAD(own + 96), lo = alpha_0, hi = zero + DLS_INF;
    slip last = s;
    for (int k = 0; k < ROOT_STEPS && any(going); k++) {
      const slip now = slip_at(own, mu, n_0, d_0, d_1, alpha);
      for (int i = 0; i < 2; i++) last.t[i] = PICK(going, now.t[i], last.t[i]);
      last.n = PICK(going, now.n, last.n);
      last.f = PICK(going, now.f, last.f);
      const mask below = now.f < zero;
      going &= size_of(now.f) > zero + ROOT_DONE; /* a NaN ends, and asks */
      lo = PICK(below & going, alpha, lo);
      hi = PICK(~below & going, alpha, hi);
      vec next = alpha - now.f / now.df;
      const vec half =
          PICK(hi < zero + DLS_INF, lo + (hi - lo) * 0.5, lo + lo + alpha_0 * 1e14);
      next = PICK((now.df > zero) & (next > lo) & (next < hi), next, half);
      alpha = PICK(going, next, alpha);
    }
    const mask slides = ~(open | stick);
    const mask good = (last.n >= zero) & (size_of(last.f) <= zero + ROOT_GOOD);
    const vec scale =
        mu * last.n /
        root(last.t[0] * last.t[0] + last.t[1] * last.t[1]); /* |p_T| = mu p_N */
    s.n = PICK(slides, last.n, s.n);
    for (int i = 0; i < 2; i++) s.t[i] = PICK(slides, last.t[i] * scale, s.t[i]);
    STORE(own + 96, PICK(slides & good, alpha, alpha_0));
    const mask bad = slides & ~good;
    for (int l = 0; l < LANES; l++) asks |= DLS_HOLDS(bad, l) ? 1u << l : 0u;
  } else {
    STORE(own + 96, alpha_0);
  }
  z[0] = PICK(open, zero, s.n);
  z[1] = PICK(open, zero, s.t[0]);
  z[2] = PICK(open, zero, s.t[1]);
  return asks;
}

static double sweep_3(dls_cone_pack *pack, double *z) {
  vec most = {0};
  for (int p = 0; p < pack->n_packs; p++) {
    double *z_p = z + (size_t)p * 24;
    for (int part = 0; part < 8; part += LANES) {
      double *own = pack->own + (size_t)p * (8 * DLS_CONE_SPATIAL_ROWS) + part;
      vec off[3], x[3];
      gather_off(pack, p, part, z, 3, off);
      const unsigned general = pack->general[p] | solve_3(own, off, x) << part;
      if (general) visit_general(pack, p, part, 3, off, z_p + part, general, x);
      vec move = size_of(x[0] - LOAD(z_p + part));
      for (int k = 1; k < 3; k++)
        move = larger(size_of(x[k] - LOAD(z_p + 8 * k + part)), move);
      most = larger(move * LOAD(own + 88), most);
      for (int k = 0; k < 3; k++) STORE(z_p + 8 * k + part, x[k]);
    }
  }
  double out = 0;
  for (int l = 0; l < LANES; l++) out = dls_max(out, DLS_LANE(most, l));
  return out;
}

/* --- whole vectors ---------------------------------------------------------------------------- */

static double turn(int n, const double *y, const double *g, const double *x) {
  double s[8] = {0};
  for (int part = 0; part < 8; part += LANES) {
    vec sum = {0};
    for (int i = part; i < n; i += 8)
      sum += (LOAD(y + i) - LOAD(g + i)) * (LOAD(g + i) - LOAD(x + i));
    for (int l = 0; l < LANES; l++) s[part + l] = DLS_LANE(sum, l);
  }
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void leap(int n, double beta, double *y, double *x) {
  const vec b = (vec){0} + beta;
  for (int i = 0; i < n; i += LANES) {
    const vec g = LOAD(y + i);
    STORE(y + i, g + b * (g - LOAD(x + i)));
    STORE(x + i, g);
  }
}

const dls_cone_lanes PACK_TABLE = {PACK_NAME, LANES, sweep_2, sweep_3, turn, leap};
