/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/extreme.h"

#include "core/lcp/scaling.h"

static bool far(double x) {
  const double size = fabs(x);
  return size > 1e100 || (size < 1e-100 && size > 0.0);
}

/* Two at once where neither is far: the usual case takes one branch. */
static bool both_near(double x, double y) {
  const double a = fabs(x), b = fabs(y), least = dls_min(a, b), most = dls_max(a, b);
  return least >= 1e-100 && most <= 1e100;
}

static bool dense_is_extreme(const dls_lcp *p) {
  const double *diagonal = p->M;
  for (int i = 0; i < p->n; i++, diagonal += p->n + 1)
    if (!both_near(p->q[i], *diagonal) && (far(p->q[i]) || far(*diagonal))) return true;
  return false;
}

bool dls_lcp_is_extreme(const dls_lcp *p) {
  if (p->M != NULL) return dense_is_extreme(p);
  for (int i = 0; i < p->n; i++)
    if (far(p->q[i]) || far(dls_lcp_at(p, i, i))) return true;
  return false;
}

static size_t n_values(const dls_lcp *p) {
  return p->M != NULL ? dls_bytes((size_t)p->n, (size_t)p->n) : (size_t)p->S->start[p->n];
}

size_t dls_lcp_extreme_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n;
  size_t bytes = dls_arena_bytes(n_values(p), sizeof(double));
  bytes = dls_bytes_add(bytes, 2 * dls_arena_bytes(n, sizeof(double)));
  return dls_bytes_add(bytes, dls_arena_bytes(1, sizeof(dls_sparse)));
}

/* r q overflows only where z itself is beyond the range. */
static void find_factors(dls_lcp_extreme *e, const dls_lcp *p) {
  double most = 0.0;
  for (int i = 0; i < p->n; i++) {
    const double diagonal = dls_lcp_at(p, i, i);
    e->r[i] = diagonal > 0.0 ? dls_pow2_below(1.0 / sqrt(diagonal)) : 1.0;
    const double scaled = fabs(p->q[i] * e->r[i]);
    if (dls_is_finite(scaled)) most = dls_max(most, scaled);
  }
  e->s = dls_pow2_below(most);
}

static void scale_values(const dls_lcp_extreme *e, const dls_lcp *p, double *value) {
  const size_t n = (size_t)p->n;
  for (size_t i = 0; i < n; i++) {
    if (p->M != NULL)
      for (size_t j = 0; j < n; j++)
        value[i * n + j] = p->M[i * n + j] * e->r[i] * e->r[j];
    else
      for (int k = p->S->start[i]; k < p->S->start[i + 1]; k++)
        value[k] = p->S->value[k] * e->r[i] * e->r[p->S->col[k]];
  }
}

dls_status dls_lcp_extreme_take(dls_lcp_extreme *e, const dls_lcp *p, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp);
  double *value = DLS_TAKE(tmp, double, n_values(p)), *q = DLS_TAKE(tmp, double, p->n);
  dls_sparse *S = DLS_TAKE(tmp, dls_sparse, 1);
  e->r = DLS_TAKE(tmp, double, p->n);
  if (value == NULL || q == NULL || S == NULL || e->r == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  find_factors(e, p);
  scale_values(e, p, value);
  for (int i = 0; i < p->n; i++) q[i] = p->q[i] * e->r[i] / e->s;
  e->inner = (dls_lcp){p->n, p->M != NULL ? value : NULL, NULL, q};
  if (p->S != NULL) {
    *S = *p->S;
    S->value = value;
    e->inner.S = S;
  }
  return DLS_OK;
}

void dls_lcp_extreme_answer(const dls_lcp_extreme *e, double *z) {
  for (int i = 0; i < e->inner.n; i++) z[i] = z[i] * e->r[i] * e->s;
}

/* A row that holds z has the unit s r, one that holds w the unit s / r; columns the other way. */
void dls_lcp_extreme_trace(const dls_lcp_extreme *e, dls_lcp_trace *trace) {
  const size_t n = (size_t)trace->n;
  for (int k = 0; k < trace->n_entries; k++) {
    const unsigned char *basis = trace->basis + (size_t)k * n;
    trace->entries[k].criterion *= e->s * e->s;
    trace->entries[k].energy *= e->s * e->s;
    for (size_t i = 0; i < n; i++) {
      const double row = basis[i] ? e->r[i] : 1.0 / e->r[i];
      trace->q[(size_t)k * n + i] *= row * e->s;
      double *T = trace->tableau + ((size_t)k * n + i) * n;
      for (size_t j = 0; j < n; j++) T[j] *= basis[j] ? row * e->r[j] : row / e->r[j];
    }
  }
}
