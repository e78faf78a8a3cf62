/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/gaps.h"

#ifdef DLS_GAPS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

/* Rows of four numbers, turned into columns: one row a lane. */
typedef struct columns {
  __m512d x, y, r, s;
} columns;

static inline __m512d two(const double *low, const double *high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}

/* Rows at[0], at[stride], ... of eight. */
static inline columns rows_of(const int *at, int stride, const double *rows) {
#define ROW(k) (rows + 4 * (size_t)at[(k) * stride])
  const __m512d s0 = two(ROW(0), ROW(4)), s1 = two(ROW(1), ROW(5));
  const __m512d s2 = two(ROW(2), ROW(6)), s3 = two(ROW(3), ROW(7));
#undef ROW
  const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
  const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  const __m512d low_a = _mm512_unpacklo_pd(s0, s1), high_a = _mm512_unpackhi_pd(s0, s1);
  const __m512d low_b = _mm512_unpacklo_pd(s2, s3), high_b = _mm512_unpackhi_pd(s2, s3);
  return (columns){_mm512_permutex2var_pd(low_a, first, low_b), _mm512_permutex2var_pd(high_a, first, high_b),
                   _mm512_permutex2var_pd(low_a, second, low_b), _mm512_permutex2var_pd(high_a, second, high_b)};
}

static inline columns spots_of(const int *at, int stride, const dls_spot2 *spots) {
  return rows_of(at, stride, &spots->x);
}

static inline columns paces_of(const int *at, int stride, const dls_pace2 *paces) {
  return rows_of(at, stride, &paces->ux);
}

static inline __m512d along(__m512d nx, __m512d ny, __m512d x, __m512d y) {
  return _mm512_add_pd(_mm512_mul_pd(nx, x), _mm512_mul_pd(ny, y));
}

static void disks(int n, const int *a, const int *b, int stride, const dls_spot2 *spots, double *gap) {
  int k = 0;
  for (; k + 8 <= n; k += 8, a += 8 * stride, b += 8 * stride) {
    const columns p = spots_of(a, stride, spots), q = spots_of(b, stride, spots);
    const __m512d x = _mm512_sub_pd(q.x, p.x), y = _mm512_sub_pd(q.y, p.y);
    const __m512d d = _mm512_sqrt_pd(along(x, y, x, y));
    _mm512_storeu_pd(gap + k, _mm512_sub_pd(d, _mm512_add_pd(p.r, q.r)));
  }
  for (; k < n; k++, a += stride, b += stride) gap[k] = dls_gap_of_disks(spots + *a, spots + *b);
}

/* Nearer than a hole's edge, which is positive. */
static inline __mmask8 within(__m512d d2, __m512d edge) {
  const __mmask8 is_hole = _mm512_cmp_pd_mask(edge, _mm512_setzero_pd(), _CMP_GT_OQ);
  return _mm512_mask_cmp_pd_mask(is_hole, d2, _mm512_mul_pd(edge, edge), _CMP_LT_OQ);
}

static int near(int n, const int *a, const int *b, const dls_spot2 *spots, int *pairs) {
  int k = 0, found = 0;
  for (; k + 8 <= n; k += 8) {
    const columns p = spots_of(a + k, 1, spots), q = spots_of(b + k, 1, spots);
    const __m512d x = _mm512_sub_pd(q.x, p.x), y = _mm512_sub_pd(q.y, p.y), r = _mm512_add_pd(p.r, q.r);
    const __m512d d2 = along(x, y, x, y);
    const __mmask8 inside = within(d2, _mm512_sub_pd(p.s, q.r)) | within(d2, _mm512_sub_pd(q.s, p.r));
    const __mmask8 meet = _mm512_mask_cmp_pd_mask((__mmask8)~inside, d2, _mm512_mul_pd(r, r), _CMP_NGT_UQ);
    const __m512i i = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(a + k)));
    const __m512i j = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(b + k)));
    const __m512i both = _mm512_or_si512(i, _mm512_slli_epi64(j, 32));
    _mm512_storeu_si512(pairs + 2 * found, _mm512_maskz_compress_epi64(meet, both));
    found += __builtin_popcount(meet);
  }
  for (; k < n; k++) {
    pairs[2 * found] = a[k], pairs[2 * found + 1] = b[k];
    found += dls_spots_meet(spots + a[k], spots + b[k]);
  }
  return found;
}

static void meet(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                 const dls_pace2 *paces, const dls_meets2 *out) {
  const __m512d zero = _mm512_setzero_pd(), one = _mm512_set1_pd(1);
  int k = 0;
  for (; k + 8 <= n; k += 8, a += 8 * stride, b += 8 * stride) {
    const columns p = spots_of(a, stride, spots), q = spots_of(b, stride, spots);
    const columns u = paces_of(a, stride, paces), v = paces_of(b, stride, paces);
    const __m512d x = _mm512_sub_pd(q.x, p.x), y = _mm512_sub_pd(q.y, p.y), d = _mm512_sqrt_pd(along(x, y, x, y));
    const __mmask8 apart = _mm512_cmp_pd_mask(d, zero, _CMP_GT_OQ);
    const __m512d nx = _mm512_mask_div_pd(one, apart, x, d), ny = _mm512_mask_div_pd(zero, apart, y, d);
    _mm512_storeu_pd(out->gap + k, _mm512_sub_pd(d, _mm512_add_pd(p.r, q.r)));
    _mm512_storeu_pd(out->nx + k, nx);
    _mm512_storeu_pd(out->ny + k, ny);
    _mm512_storeu_pd(out->v_free + k, along(nx, ny, _mm512_sub_pd(v.r, u.r), _mm512_sub_pd(v.s, u.s)));
    _mm512_storeu_pd(out->size + k, _mm512_min_pd(p.r, q.r));
    _mm512_storeu_pd(out->v_before + k, along(nx, ny, _mm512_sub_pd(v.x, u.x), _mm512_sub_pd(v.y, u.y)));
  }
  for (; k < n; k++, a += stride, b += stride)
    dls_meet_disks(spots + *a, spots + *b, paces + *a, paces + *b, k, out);
}

/* Rods, of which fewer meet, go by fours. */
const dls_gap_lanes dls_gap_lanes_avx512 = {"avx512", disks, meet, near, dls_gaps_rods_avx2, dls_gaps_rod_gaps_avx2,
                                            dls_gaps_touch_avx2};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
