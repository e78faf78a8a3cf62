/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/lemke_game.h"

bool dls_lemke_game(const dls_lcp *p, int *second) {
  const size_t n = (size_t)p->n;
  for (size_t j = 0; j < n; j++) {
    if (!(p->q[j] < 0.0)) return false;
    second[j] = p->M[j] != 0.0;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (second[i] == second[j] ? p->M[i * n + j] != 0.0 : !(p->M[i * n + j] > 0.0)) return false;
  return true;
}

/* The last row of the other block that z_k makes feasible: the largest -q_i / M_ik, of equal ones
** the one that a slightly larger right side lets wait. */
static int last_feasible(const dls_lcp *p, const int *second, int k) {
  int last = -1;
  double most = 0.0, tilt = 0.0;
  for (int i = 0; i < p->n; i++) {
    if (second[i] == second[k]) continue;
    const double entry = p->M[(size_t)i * (size_t)p->n + (size_t)k];
    const double at = -p->q[i] / entry, later = -dls_basis_tilt_of(i) / entry;
    if (last >= 0 && (at < most || (at == most && later <= tilt))) continue;
    last = i, most = at, tilt = later;
  }
  return last;
}

static bool exchange(dls_basis *b, int entering, int leaving, int *n_pivots) {
  if (!dls_basis_column(b, entering) || !dls_basis_pivot(b, entering, leaving)) return false;
  ++*n_pivots;
  return true;
}

dls_lemke_end dls_lemke_game_follow(dls_basis *b, const dls_lcp *p, const int *second, int k,
                                    int max_pivots, int *n_pivots) {
  const int n = b->n, j = last_feasible(p, second, k), i = last_feasible(p, second, j);
  if (!exchange(b, n + k, j, n_pivots) || !exchange(b, n + j, i, n_pivots)) return DLS_LEMKE_LIMIT;
  int entering = n + i;
  if (i == k) return DLS_LEMKE_SOLVED;
  for (int pivots = 2; pivots < max_pivots; pivots++) {
    if (dls_stop_poll(b->stop, 4.0 * b->k * (b->k + b->n)) || !dls_basis_column(b, entering))
      return DLS_LEMKE_LIMIT;
    const int leaving = dls_basis_ratio(b, -1);
    if (leaving < 0) return DLS_LEMKE_RAY;
    if (!dls_basis_pivot(b, entering, leaving)) return DLS_LEMKE_LIMIT;
    ++*n_pivots;
    if (leaving == k || leaving == n + k) return DLS_LEMKE_SOLVED;
    entering = dls_basis_complement(b, leaving);
  }
  return DLS_LEMKE_LIMIT;
}
