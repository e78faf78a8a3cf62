/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/position_lanes.h"

#ifdef DLS_X86
#include <immintrin.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

/* Four spots as columns. */
typedef struct columns {
  __m256d x, y, r, m; /* m; m; m; 1/kg */
} columns;

/* One half of two rows each, as wide loads across them cost more than twice as many narrow ones. */
static inline __m256d halves_of(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

static inline columns spots_of(const int *at, const dls_spot2 *spots) {
  const dls_spot2 *s0 = spots + at[0], *s1 = spots + at[2], *s2 = spots + at[4], *s3 = spots + at[6];
  const __m256d low_a = halves_of(&s0->x, &s2->x), low_b = halves_of(&s1->x, &s3->x);
  const __m256d high_a = halves_of(&s0->radius, &s2->radius), high_b = halves_of(&s1->radius, &s3->radius);
  return (columns){_mm256_unpacklo_pd(low_a, low_b), _mm256_unpackhi_pd(low_a, low_b),
                   _mm256_unpacklo_pd(high_a, high_b), _mm256_unpackhi_pd(high_a, high_b)};
}

static inline __m256d chosen(unsigned const char *holds) {
  int four;
  memcpy(&four, holds, sizeof four);
  const __m256i wide = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
  return _mm256_castsi256_pd(_mm256_cmpgt_epi64(wide, _mm256_setzero_si256()));
}

static inline __m128 narrow(__m256d x, __m256d by) { return _mm256_cvtpd_ps(_mm256_mul_pd(x, by)); }

static inline void put(dls_position_contact *c, __m128 low, __m128 high) {
  _mm_storeu_ps(&c->nx, low);
  _mm_storeu_ps(&c->by_size, high);
}

/* Four pairs; part: the gap by size. */
typedef struct meeting {
  /* from a to b, m; their length; less the radii, m; m; gap over size */
  __m256d x, y, d, gap, size, part;
} meeting;

static inline meeting meet(const columns *p, const columns *q) {
  meeting m = {.x = _mm256_sub_pd(q->x, p->x), .y = _mm256_sub_pd(q->y, p->y)};
  const __m256d least = _mm256_min_pd(p->r, q->r);
  m.d = _mm256_sqrt_pd(_mm256_add_pd(_mm256_mul_pd(m.x, m.x), _mm256_mul_pd(m.y, m.y)));
  m.gap = _mm256_sub_pd(m.d, _mm256_add_pd(p->r, q->r));
  m.size = _mm256_add_pd(least, least);
  m.part = _mm256_div_pd(m.gap, m.size);
  return m;
}

static inline __m256d deeper_of(__m256d part, __m256d worst) {
  return _mm256_max_pd(_mm256_xor_pd(part, _mm256_set1_pd(-0.0)), worst);
}

/* dls_position_look_at() of four, operation by operation; worst and widest: so far. */
static inline void four(const int *pairs, const dls_spot2 *spots, int k, const unsigned char *holds,
                        const dls_position_sight *by, __m256d *worst, __m256d *widest, dls_position_contact *out,
                        int *general, dls_position_found *found) {
  const __m256d zero = _mm256_setzero_pd(), per = _mm256_set1_pd(by->per_unit);
  const columns p = spots_of(pairs, spots), q = spots_of(pairs + 1, spots);
  const meeting m = meet(&p, &q);
  const __m256d w = _mm256_add_pd(p.m, q.m);
  const __m256d held = chosen(holds);
  const __m256d open = _mm256_and_pd(held, _mm256_cmp_pd(m.part, _mm256_set1_pd(by->open), _CMP_GT_OQ));
  const __m256d near = _mm256_cmp_pd(m.part, _mm256_set1_pd(by->slack), _CMP_LE_OQ);
  const __m256d taken = _mm256_and_pd(_mm256_or_pd(open, near), _mm256_cmp_pd(w, zero, _CMP_GT_OQ));
  *worst = deeper_of(m.part, *worst);
  *widest = _mm256_max_pd(_mm256_and_pd(m.part, held), *widest);
  const __m128 span = narrow(m.d, per), one = _mm_set1_ps(1), share = _mm_div_ps(one, span);
  const __m128 apart = _mm_cmpgt_ps(span, _mm_setzero_ps());
  __m128 nx = _mm_blendv_ps(one, _mm_mul_ps(narrow(m.x, per), share), apart);
  __m128 ny = _mm_and_ps(_mm_mul_ps(narrow(m.y, per), share), apart);
  __m128 of_a = _mm256_cvtpd_ps(_mm256_div_pd(p.m, w)), far = narrow(m.gap, per);
  _MM_TRANSPOSE4_PS(nx, ny, of_a, far);
  const __m128 by_size = _mm_div_ps(one, narrow(m.size, per));
  const __m128 start = _mm256_cvtpd_ps(_mm256_and_pd(open, _mm256_set1_pd(1)));
  const __m128 low = _mm_unpacklo_ps(by_size, start), high = _mm_unpackhi_ps(by_size, start);
  const __m128 ab_low = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)pairs));
  const __m128 ab_high = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(pairs + 4)));
  const int bits = _mm256_movemask_pd(taken), disks = _mm256_movemask_pd(_mm256_cmp_pd(m.size, zero, _CMP_GT_OQ));
  int n = found->n;
  put(out + n, nx, _mm_movelh_ps(low, ab_low));
  n += bits & 1;
  put(out + n, ny, _mm_movehl_ps(ab_low, low));
  n += bits >> 1 & 1;
  put(out + n, of_a, _mm_movelh_ps(high, ab_high));
  n += bits >> 2 & 1;
  put(out + n, far, _mm_movehl_ps(ab_high, high));
  found->n = n + (bits >> 3);
  for (int l = 0; disks != 15 && l < 4; l++) {
    general[found->n_general] = k + l;
    found->n_general += !(disks >> l & 1);
  }
}

static inline double most_of_four(__m256d x, double most) {
  double lane[4];
  _mm256_storeu_pd(lane, x);
  for (int l = 0; l < 4; l++) most = dls_max(lane[l], most);
  return most;
}

static void disks(int n, const int *pairs, const dls_spot2 *spots, const unsigned char *holds,
                  const dls_position_sight *by, dls_position_contact *out, int *general, dls_position_found *found) {
  dls_position_found here = *found;
  __m256d worst = _mm256_setzero_pd(), widest = worst;
  int k = 0;
  for (; k + 4 <= n; k += 4) four(pairs + 2 * k, spots, k, holds + k, by, &worst, &widest, out, general, &here);
  here.worst = most_of_four(worst, here.worst), here.widest = most_of_four(widest, here.widest);
  for (; k < n; k++) dls_position_look_at(spots, pairs[2 * k], pairs[2 * k + 1], k, holds[k], by, out, general, &here);
  *found = here;
}

static double worst(int n, const int *pairs, const dls_spot2 *spots) {
  __m256d deepest = _mm256_setzero_pd();
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const columns p = spots_of(pairs + 2 * k, spots), q = spots_of(pairs + 2 * k + 1, spots);
    deepest = deeper_of(meet(&p, &q).part, deepest);
  }
  double most = most_of_four(deepest, 0);
  for (; k < n; k++) most = dls_max(dls_position_overlap(spots + pairs[2 * k], spots + pairs[2 * k + 1]), most);
  return most;
}

#define LANES 8
#define POSITION_NAME "avx2"
#define POSITION_TABLE dls_position_lanes_avx2
#include "core/disks/position_lanes.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
