/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* dls_energy_small (energy_small.h), included once for each path, which sets SMALL_NAME and the
** compiler's target. A row of the tableau is one or two groups of four numbers (in plain C groups
** of one); places beyond n hold zeros, and zeros they stay. Numbers that change by place are
** written with masks, never one by one into a group that is read whole soon after: the processor
** would have to wait for the store. */
#include "core/base/vector.h"

typedef double small_four DLS_VECTOR(32);
typedef long long small_mask DLS_VECTOR(32);

#define WHERE(m, x, y) DLS_PICK(small_four, small_mask, m, x, y)
#define ONLY(m, x) DLS_KEEP(small_four, small_mask, m, x)
#define WITHOUT(m, x) DLS_KEEP(small_four, small_mask, ~(m), x)
#ifdef DLS_PLAIN_C
#define WIDTH 1
#define FOUR(x) (x)
#define PATTERN(m) ((m) & 1 ? 1.0 : 0.0) /* some bits, or none */
#else
#define WIDTH 4
#define FOUR(x) ((small_four){(x), (x), (x), (x)})
#define PATTERN(m) ((small_four)(m))
#endif
/* The number of groups, and n where it is 4, are constants wherever they are used. */
#define UNROLL DLS_UNROLL
#define SMALL_INLINE DLS_INLINE
#define SMALL 1e-12 /* what counts as zero, as in energy.c */

typedef union small_row { /* the groups of a row */
  small_four v[8 / WIDTH];
  double x[8];
} small_row;

typedef struct small_state {
  small_row T[8];         /* the tableau                                              */
  small_row q, d;         /* right side and diagonal                                  */
  small_row tq, td, unit; /* what counts as zero, and scale of M_ii, as in energy.c   */
  double q_most;          /* max |q|                                                  */
  unsigned active;        /* a bit a row that holds z                                 */
} small_state;

/* One bit pattern a place of eight. */
static const _Alignas(32) long long places[8][8] = {
  {-1, 0, 0, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0, 0, 0}, {0, 0, -1, 0, 0, 0, 0, 0},
  {0, 0, 0, -1, 0, 0, 0, 0}, {0, 0, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 0, -1, 0, 0},
  {0, 0, 0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 0, 0, -1},
};
#define PLACE(r, g) (*(const small_mask *)&places[r][WIDTH * (g)])

/* Reads the problem; false where it is not for this file. */
SMALL_INLINE bool small_read(const dls_lcp *p, int n, int groups, small_state *s) {
  bool odd = false;
  UNROLL
  for (int i = 0; i < n; i++) {
    const double *row = p->M + i * n, q = fabs(p->q[i]), d = row[i];
    UNROLL
    for (int j = 0; j < n; j++) s->T[i].x[j] = row[j];
    UNROLL
    for (int j = n; j < WIDTH * groups; j++) s->T[i].x[j] = 0.0;
    UNROLL
    for (int j = 0; j < i; j++) odd |= row[j] != p->M[j * n + i];
    odd |= !(q <= 1e100) | (q < 1e-100 && q > 0.0) | !(d <= 1e100) | (d < 1e-100 && d != 0.0);
    s->q.x[i] = p->q[i];
    s->d.x[i] = d;
  }
  UNROLL
  for (int i = n; i < WIDTH * groups; i++) s->q.x[i] = s->d.x[i] = 0.0;
  s->active = 0;
  return !odd;
}

/* A right side much smaller than its neighbours', as in energy.c. */
static double small_neighbours(const dls_lcp *p, int i) {
  const int n = p->n;
  double most = fabs(p->q[i]);
  UNROLL
  for (int j = 0; j < n; j++) {
    const double m = p->M[i * n + j], d = p->M[j * n + j];
    if (m != 0.0 && d > 0.0) most = dls_max(most, fabs(m) * fabs(p->q[j]) / d);
  }
  return most;
}

SMALL_INLINE void small_zeros(const dls_lcp *p, int n, int groups, small_state *s) {
  double d_most = 0.0, e_most = 0.0, q_most = 0.0;
  UNROLL
  for (int i = 0; i < n; i++) {
    const double q = fabs(p->q[i]), d = s->d.x[i];
    q_most = dls_max(q_most, q);
    d_most = dls_max(d_most, d);
    if (d > 0.0) e_most = dls_max(e_most, q * q / d);
  }
  s->q_most = q_most;
  UNROLL
  for (int i = 0; i < n; i++) {
    const double q = fabs(p->q[i]), d = s->d.x[i];
    const bool tiny = q * q < 1e-4 * (d * e_most);
    s->tq.x[i] = SMALL * (q == 0.0 ? q_most : (tiny ? small_neighbours(p, i) : q));
    s->unit.x[i] = d > 0.0 ? d : (d_most > 0.0 ? d_most : 1.0);
    s->td.x[i] = d > 0.0 || d_most > 0.0 ? SMALL * s->unit.x[i] : 0.0;
  }
  UNROLL
  for (int i = n; i < WIDTH * groups; i++) {
    s->tq.x[i] = s->td.x[i] = 0.0;
    s->unit.x[i] = 1.0;
  }
}

/* The pivot row; -1 where there is no candidate, -2 where there are only such with a zero diagonal.
** Gains are not negative, so their bits are in the order of their values. */
SMALL_INLINE int small_choose(int n, int groups, const small_state *s) {
  union {
    small_four v[8 / WIDTH]; /* by lanes */
    long long bits[8];       /* one by one */
  } gain, candidate;
  UNROLL
  for (int g = 0; g < groups; g++) {
    const small_four q = s->q.v[g], d = s->d.v[g];
    const small_mask low = q < -s->tq.v[g], ok = low & (d > s->td.v[g]);
    gain.v[g] = ONLY(ok, q * q / WHERE(ok, d, FOUR(1.0)));
    candidate.v[g] = PATTERN(low);
  }
  long long best = 0, any = 0;
  int r = -1;
  UNROLL
  for (int i = 0; i < n; i++) {
    const long long mine = gain.bits[i];
    r = mine > best ? i : r;
    best = mine > best ? mine : best;
    any |= candidate.bits[i];
  }
  return r >= 0 ? r : (any != 0 ? -2 : -1);
}

/* As pivot of math/lanes_kernels.inc.h. */
SMALL_INLINE void small_pivot(int n, int groups, small_state *s, int r) {
  const double P = s->T[r].x[r], qr = s->q.x[r];
  small_row f, row;
  UNROLL
  for (int i = 0; i < n; i++) f.x[i] = s->T[i].x[r];
  UNROLL
  for (int i = n; i < WIDTH * groups; i++) f.x[i] = 0.0;
  UNROLL
  for (int g = 0; g < groups; g++) {
    f.v[g] = WITHOUT(PLACE(r, g), f.v[g]) / FOUR(P);
    row.v[g] = WITHOUT(PLACE(r, g), s->T[r].v[g]);
  }
  UNROLL
  for (int i = 0; i < n; i++) {
    const small_four fi = FOUR(f.x[i]);
    UNROLL
    for (int g = 0; g < groups; g++)
      s->T[i].v[g] = WHERE(PLACE(r, g), fi, s->T[i].v[g] - fi * row.v[g]);
  }
  UNROLL
  for (int g = 0; g < groups; g++) {
    const small_mask here = PLACE(r, g);
    const small_four inverse = FOUR(1.0 / P);
    s->T[r].v[g] = WHERE(here, inverse, -row.v[g] / FOUR(P));
    s->q.v[g] = WHERE(here, FOUR(-qr / P), s->q.v[g] - f.v[g] * FOUR(qr));
    s->d.v[g] = WHERE(here, inverse, s->d.v[g] - f.v[g] * row.v[g]);
  }
}

/* The zeros of row r change their units, from those of w and M to those of z and 1 / M or back. */
SMALL_INLINE void small_flip(int groups, small_state *s, int r) {
  const double unit = s->unit.x[r];
  const bool enters = !(s->active >> r & 1u);
  s->active ^= 1u << r;
  const double tq = enters ? s->tq.x[r] / unit : s->tq.x[r] * unit;
  const double td = enters ? s->td.x[r] / unit / unit : s->td.x[r] * unit * unit;
  UNROLL
  for (int g = 0; g < groups; g++) {
    s->tq.v[g] = WHERE(PLACE(r, g), FOUR(tq), s->tq.v[g]);
    s->td.v[g] = WHERE(PLACE(r, g), FOUR(td), s->td.v[g]);
  }
}

SMALL_INLINE int small_solve(const dls_lcp *p, int n, int groups, double *z) {
  small_state s;
  if (!small_read(p, n, groups, &s)) return -1;
  small_zeros(p, n, groups, &s);
  for (int pivots = 0; pivots <= 3 * n; pivots++) {
    const int r = small_choose(n, groups, &s);
    if (r == -1) {
      UNROLL
      for (int i = 0; i < n; i++) z[i] = (s.active >> i & 1u) && s.q.x[i] > 0.0 ? s.q.x[i] : 0.0;
      return pivots;
    }
    if (r < 0) return -1;
    const double unit = s.active >> r & 1u ? s.d.x[r] : 1.0;
    if (s.active != 0 && fabs(s.q.x[r]) < 1e-9 * s.q_most * unit) return -1;
    small_pivot(n, groups, &s, r);
    small_flip(groups, &s, r);
  }
  return -1;
}

int SMALL_NAME(const dls_lcp *p, double *z) {
  if (p->n == 4) return small_solve(p, 4, 4 / WIDTH, z);
  return p->n < 4 ? small_solve(p, p->n, 4 / WIDTH, z) : small_solve(p, p->n, 8 / WIDTH, z);
}
