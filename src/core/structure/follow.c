/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/follow.h"

#include <float.h>

#include "core/math/lanes.h"

#define MISSED 1e-7    /* of the loads' forces: states with such errors are not the law's */
#define ROUND_OFF 100  /* times that of the largest q: what R makes of it                 */

static const double margins[] = {1.0, 1e2, 1e-2, 1e4};
enum { ATTEMPTS = sizeof margins / sizeof *margins };

size_t dls_law_follow_bytes(int n) {
  return dls_bytes_add(dls_path_bytes(n), dls_arena_bytes((size_t)n, sizeof(double)));
}

double dls_law_allowed(const dls_path_problem *load, double p) {
  const double most = dls_lanes_best()->amax(load->n, load->q);
  const double along = fabs(p) * dls_max(dls_lanes_best()->amax(load->n, load->d), load->growing);
  const double size = dls_max(load->size > 0.0 ? load->size : most, along);
  return MISSED * size + ROUND_OFF * DBL_EPSILON * dls_max(most, along);
}

/* What is wrong with a path: what its states miss beyond what is enough, infinite where there are
** none, nearly so where one is a mechanism's; less where it holds, but is a mechanism, which a
** margin may have made. */
static double badness_of(const dls_law *law, const dls_path *path, double enough) {
  if (path->n_states == 0) return DLS_INF;
  for (int k = 0; k < path->n_states; k++)
    if (!dls_law_believes(law, path->p[k], path->z + (size_t)k * (size_t)path->n)) return DBL_MAX;
  if (path->wrong > enough) return 1.0 + path->wrong / enough;
  return path->end == DLS_PATH_RAY || path->end == DLS_PATH_REACHED ? 0.0 : 1.0;
}

dls_status dls_law_follow(const dls_law *law, const dls_path_problem *load, dls_arena *tmp,
                          dls_path *path, bool *holds) {
  const size_t mark = dls_arena_mark(tmp);
  const double enough = load->size > 0.0 ? dls_law_allowed(load, 0.0) / load->size : MISSED;
  dls_path_problem own = *load;
  double *margin = DLS_TAKE(tmp, double, load->n), least = DLS_INF;
  int best = 0, last = -1;
  dls_status status = margin != NULL ? DLS_OK : DLS_FULL;
  own.margin = margin;
  for (int k = 0; k <= ATTEMPTS && status == DLS_OK; k++) {
    const int now = k < ATTEMPTS ? k : best; /* in the end the best once more */
    if (now == last) break;
    for (int i = 0; i < load->n; i++) {
      const double noise = law->round_off[0][i] + law->round_off[1][i];
      margin[i] = i < law->m ? load->margin[i] : dls_max(margins[now] * load->margin[i], noise);
    }
    status = dls_path_follow(&own, &law->alloc, tmp, path);
    last = now;
    if (status != DLS_OK || k == ATTEMPTS) break;
    const double bad = badness_of(law, path, enough);
    if (!(bad < least)) continue;
    least = bad;
    best = now;
    if (bad == 0.0) break;
  }
  if (holds != NULL) *holds = least <= 1.0;
  dls_arena_release(tmp, mark);
  return status;
}
