/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/harden.h"

#include "core/lcp/basic.h"
#include "core/math/lanes.h"

#define STEPS 4        /* each gains about six digits                                   */
#define SETTLED 1e-10  /* change of z in a step, of the largest                         */
#define NEGATIVE 1e-8  /* of the largest: what a variable of the kept basis may fall to */
#define BASIC 1e-12    /* of the largest z: one below is not in the basis               */

typedef struct work {
  const dls_condensed *c; /* borrowed */
  const dls_law *law; /* borrowed */
  double part;      /* of the tightening that is in the forces       */
  dls_arena tmp;    /* of the basis' factor */
  int *set, n_set;  /* the basis                                     */
  double *z, *w, *rhs; /* law->n each: under way                     */
  double *force, *row; /* links.n, law->n                            */
} work;

static bool any_soft(const dls_condensed *c) {
  for (int i = 0; i < c->links.n; i++)
    if (c->links.link[i].compliance > 0.0) return true;
  return false;
}

static bool take(work *k, const dls_alloc *alloc) {
  const size_t n = (size_t)k->law->n, l = (size_t)k->c->links.n;
  size_t bytes = dls_lcp_basic_bytes(k->n_set);
  bytes = dls_bytes_add(bytes, 4 * dls_arena_bytes(n, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(l, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  if (dls_arena_create(&k->tmp, alloc, bytes) != DLS_OK) return false;
  k->set = DLS_TAKE(&k->tmp, int, n);
  k->z = DLS_TAKE(&k->tmp, double, n);
  k->w = DLS_TAKE(&k->tmp, double, n);
  k->rhs = DLS_TAKE(&k->tmp, double, n);
  k->row = DLS_TAKE(&k->tmp, double, n);
  k->force = DLS_TAKE(&k->tmp, double, l);
  return k->set != NULL && k->z != NULL && k->w != NULL && k->rhs != NULL && k->row != NULL &&
         k->force != NULL;
}

/* w of z and rhs; false where it is negative. */
static bool image(work *k) {
  const dls_law *law = k->law;
  dls_lanes_best()->gemv(law->n, law->n, law->M, (size_t)law->n, k->z, k->w);
  const double most = dls_lanes_best()->amax(law->n, k->rhs);
  bool good = true;
  for (int i = 0; i < law->n; i++) {
    k->w[i] += k->rhs[i];
    good = good && k->w[i] >= -NEGATIVE * most;
  }
  return good;
}

/* rhs for the dislocations epsilon x, x the forces of the links in w. */
static void dislocate(work *k, const double *rhs) {
  const dls_condensed *c = k->c;
  const dls_law *law = k->law;
  const int m = law->m, nt = law->n_tangents, l = c->links.n;
  for (int i = 0; i < l; i++) k->force[i] = 0.0;
  for (int s = 0; s < l; s++) {
    const double epsilon = c->links.link[s].compliance;
    if (!(epsilon > 0.0)) continue;
    const double x = s < m ? dls_max(k->w[s], 0.0) - k->part * law->tightening
                           : 0.5 * (k->w[s] - k->w[s + nt]);
    for (int i = 0; i < l; i++)
      k->force[i] += c->R[(size_t)i * (size_t)l + (size_t)s] * (epsilon * x);
  }
  dls_law_rows(law, c, k->force, k->row);
  for (int i = 0; i < law->n; i++) k->rhs[i] = rhs[i] + k->row[i];
}

static bool settle(work *k, const double *rhs, dls_stop *stop, const double *z) {
  const int n = k->law->n;
  const dls_lcp problem = {.n = n, .M = k->law->M, .q = k->rhs};
  memcpy(k->z, z, (size_t)n * sizeof *z);
  memcpy(k->rhs, rhs, (size_t)n * sizeof *rhs);
  (void)image(k);
  for (int step = 0; step < STEPS; step++) {
    double change = 0.0, most = 0.0;
    dislocate(k, rhs);
    memcpy(k->row, k->z, (size_t)n * sizeof *k->row);
    if (dls_lcp_basic(&problem, k->set, k->n_set, stop, &k->tmp, k->z) != DLS_OK) return false;
    for (int i = 0; i < n; i++) {
      change = dls_max(change, fabs(k->z[i] - k->row[i]));
      most = dls_max(most, fabs(k->z[i]));
    }
    for (int i = 0; i < n; i++)
      if (k->z[i] < -NEGATIVE * most) return false;
    if (!image(k)) return false;
    if (step > 0 && change <= SETTLED * most) return true;
  }
  return false;
}

dls_status dls_law_harden(const dls_condensed *c, const dls_law *law, double part, dls_stop *stop,
                          double *rhs, double *z, bool *hard) {
  const dls_alloc *alloc = &c->st.alloc;
  work k = {.c = c, .law = law, .part = part};
  *hard = false;
  if (law->n == 0 || !any_soft(c)) return DLS_OK;
  const double zero = BASIC * dls_lanes_best()->amax(law->n, z);
  for (int i = 0; i < law->n; i++) k.n_set += z[i] > zero;
  if (!take(&k, alloc)) {
    dls_arena_destroy(&k.tmp, alloc);
    return DLS_NOMEM;
  }
  k.n_set = 0;
  for (int i = 0; i < law->n; i++)
    if (z[i] > zero) k.set[k.n_set++] = i;
  *hard = settle(&k, rhs, stop, z);
  for (int i = 0; i < law->n && *hard; i++) {
    z[i] = dls_max(k.z[i], 0.0);
    rhs[i] = k.rhs[i];
  }
  dls_arena_destroy(&k.tmp, alloc);
  return dls_stop_status(stop, DLS_OK);
}
