/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/mixed.h"

#include "core/lcp/block.h"
#include "core/math/dense.h"
#include "core/math/lanes.h"

/* Of a unit diagonal: round-off of W squared away; of the row's diagonal before anything was taken
** from it: round-off of W. */
static const double DEPENDENT = 1e-12, STIFF = 1e-15;

typedef struct mixed {
  int n, n_b, n_u;   /* rows, equations, inequalities                       */
  int rank;          /* of the equations                                    */
  int *b_row, *u_row; /* their rows of W                                    */
  int *perm;         /* n_b: pivots' places among the equations             */
  double *unit;      /* n_b: 1/sqrt of the size, 0: no row                  */
  double *R, *Z, *M; /* factor (n_b x ld_b), R'^-1 W_BU (n_b x ld_u), n_u^2 */
  double *y;         /* n_b: R'^-1 b_B                                      */
  double *b, *left;  /* n_b: b_B by pivots; what counts as none of it       */
  double *q, *z, *w; /* n_u each                                            */
  size_t ld_b, ld_u; /* n_b and n_u rounded up to lanes */
} mixed;

static bool take(int n, const bool *holds, dls_arena *tmp, mixed *m) {
  *m = (mixed){.n = n, .b_row = DLS_TAKE(tmp, int, n), .u_row = DLS_TAKE(tmp, int, n)};
  if (!m->b_row || !m->u_row) return false;
  for (int i = 0; i < n; i++) {
    if (holds[i]) m->b_row[m->n_b++] = i;
    else m->u_row[m->n_u++] = i;
  }
  const size_t n_b = (size_t)m->n_b, n_u = (size_t)m->n_u;
  m->ld_b = dls_lanes_ld(m->n_b);
  m->ld_u = dls_lanes_ld(m->n_u);
  m->perm = DLS_TAKE(tmp, int, n_b);
  m->unit = DLS_TAKE(tmp, double, n_b);
  m->R = DLS_TAKE(tmp, double, n_b *m->ld_b);
  m->Z = DLS_TAKE(tmp, double, n_b *m->ld_u);
  m->M = DLS_TAKE(tmp, double, n_u *n_u);
  m->y = DLS_TAKE(tmp, double, m->ld_b);
  m->b = DLS_TAKE(tmp, double, n_b);
  m->left = DLS_TAKE(tmp, double, n_b);
  m->q = DLS_TAKE(tmp, double, 3 * n_u);
  if (!m->perm || !m->unit || !m->R || !m->Z || !m->M || !m->y || !m->b || !m->left || !m->q)
    return false;
  m->z = m->q + n_u;
  m->w = m->z + n_u;
  return true;
}

static void eliminate(mixed *m, const double *own, const double *W, const double *b,
                      const dls_nearly_dependent *nearly) {
  const size_t n = (size_t)m->n, ld = m->ld_b;
  double least = 1; /* of diagonals by sizes */
  memset(m->R, 0, (size_t)m->n_b * ld * sizeof *m->R);
  for (int i = 0; i < m->n_b; i++) {
    const size_t row = (size_t)m->b_row[i];
    const double d = W[row * n + row];
    m->unit[i] = d > 0 && d > STIFF * own[row] ? 1 / sqrt(nearly ? nearly->size[row] : d) : 0;
    if (m->unit[i] > 0) least = dls_min(least, d * m->unit[i] * m->unit[i]);
  }
  for (int i = 0; i < m->n_b; i++)
    for (int j = 0; j < m->n_b; j++)
      m->R[(size_t)i * ld + (size_t)j] =
          m->unit[i] * m->unit[j] * W[(size_t)m->b_row[i] * n + (size_t)m->b_row[j]];
  const double share = DEPENDENT * (double)m->n_b;
  const int found = dls_dense_cholesky_pivoted(m->n_b, m->R, ld, share * least, m->perm);
  for (m->rank = 0; m->rank < found; m->rank++) {
    const size_t k = (size_t)m->rank, row = (size_t)m->b_row[m->perm[k]];
    const double unit = m->unit[m->perm[k]], root = m->R[k * ld + k];
    if (!(root * root > share * (unit * unit * W[row * n + row]))) break;
  }
  memset(m->Z, 0, (size_t)m->n_b * m->ld_u * sizeof *m->Z);
  for (int i = 0; i < m->rank; i++) {
    const int at = m->perm[i];
    const size_t row = (size_t)m->b_row[at];
    m->y[i] = m->unit[at] * b[row];
    for (int j = 0; j < m->n_u; j++)
      m->Z[(size_t)i * m->ld_u + (size_t)j] = m->unit[at] * W[row * n + (size_t)m->u_row[j]];
  }
  dls_dense_forward(m->rank, m->R, ld, m->y);
  for (int j = 0; j < m->n_b && nearly; j++) {
    const int row = m->b_row[m->perm[j]];
    const double unit = m->unit[m->perm[j]];
    m->b[j] = unit * b[row];
    m->left[j] = unit * nearly->left[row];
  }
  if (nearly)
    m->rank =
        dls_dense_clear_rank(m->n_b, m->rank, m->R, ld, m->b, m->y, nearly->pivot, m->left);
  if (m->n_u > 0) dls_dense_forward_many(m->rank, m->R, ld, m->n_u, m->Z, m->ld_u);
}

/* M and q of the inequalities. One of which the equations leave nothing but round-off gets no
** impulse: its row becomes a row of the identity with q >= 0. */
static void reduce(mixed *m, const double *own, const double *W, const double *b) {
  const size_t n = (size_t)m->n, n_u = (size_t)m->n_u;
  const dls_lanes *lanes = dls_lanes_best();
  for (int i = 0; i < m->n_u; i++) {
    double *row = m->M + (size_t)i * n_u;
    m->q[i] = b[m->u_row[i]];
    for (int j = i; j < m->n_u; j++) row[j] = W[(size_t)m->u_row[i] * n + (size_t)m->u_row[j]];
    for (int k = 0; k < m->rank; k++) {
      const double *z = m->Z + (size_t)k * m->ld_u;
      m->q[i] -= z[i] * m->y[k];
      lanes->axpy(m->n_u - i, -z[i], z + i, row + i);
    }
    row[i] = dls_max(row[i], 0);
    for (int j = i + 1; j < m->n_u; j++) m->M[(size_t)j * n_u + (size_t)i] = row[j];
  }
  for (size_t i = 0; i < n_u; i++) {
    const size_t row = (size_t)m->u_row[i];
    if (m->M[i * n_u + i] > dls_max(STIFF * own[row], DEPENDENT * W[row * n + row])) continue;
    for (size_t j = 0; j < n_u; j++) m->M[i * n_u + j] = m->M[j * n_u + i] = 0;
    m->M[i * n_u + i] = W[row * n + row] > 0 ? W[row * n + row] : 1;
    m->q[i] = dls_max(m->q[i], 0);
  }
}

/* The largest of n magnitudes. */
static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(x[i]));
  return most;
}

/* The equations' impulses that those of the inequalities ask for. */
static void substitute(mixed *m, double *p) {
  for (int j = 0; j < m->n_u; j++) p[m->u_row[j]] = m->z[j];
  for (int k = 0; k < m->rank; k++) {
    const double *z = m->Z + (size_t)k * m->ld_u;
    for (int j = 0; j < m->n_u; j++) m->y[k] += z[j] * m->z[j];
    m->y[k] = -m->y[k];
  }
  dls_dense_backward(m->rank, m->R, m->ld_b, m->y);
  for (int k = 0; k < m->rank; k++) p[m->b_row[m->perm[k]]] = m->unit[m->perm[k]] * m->y[k];
}

size_t dls_mixed_lcp_bytes(int n) {
  const size_t ld = dls_lanes_ld(n);
  const dls_lcp worst = {.n = n, .M = &(double){0}};
  size_t sum = dls_bytes_add(dls_arena_bytes((size_t)n * ld, 3 * sizeof(double)),
                             dls_arena_bytes(ld, 8 * sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes((size_t)n, 3 * sizeof(int)));
  return dls_bytes_add(dls_bytes_add(sum, 1024), dls_lcp_block_bytes(&worst));
}

dls_status dls_mixed_lcp(int n, const bool *holds, const double *own, const double *W,
                         const double *b, const dls_nearly_dependent *nearly, double tolerance,
                         dls_arena *tmp, double *p, bool *solved) {
  const size_t mark = dls_arena_mark(tmp);
  mixed m;
  *solved = true;
  dls_status status = take(n, holds, tmp, &m) ? DLS_OK : DLS_FULL;
  if (status == DLS_OK) {
    memset(p, 0, (size_t)n * sizeof *p);
    eliminate(&m, own, W, b, nearly);
  }
  if (status == DLS_OK && m.n_u > 0) {
    reduce(&m, own, W, b);
    const dls_lcp problem = {.n = m.n_u, .M = m.M, .q = m.q};
    dls_lcp_opts opts = dls_lcp_opts_default();
    dls_lcp_report report;
    const double most = largest(m.n_u, m.q);
    opts.tolerance = most > 0 ? tolerance * dls_max(largest(n, b) / most, 1) : tolerance;
    opts.max_pivots = dls_lcp_few_pivots(m.n_u);
    status = dls_lcp_block(&problem, &opts, tmp, m.z, m.w, &report);
    *solved = status == DLS_OK && report.outcome == DLS_SOLVED;
  }
  if (status == DLS_OK) substitute(&m, p);
  dls_arena_release(tmp, mark);
  return status;
}
