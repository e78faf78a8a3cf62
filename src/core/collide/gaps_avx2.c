/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/gaps.h"

#ifdef DLS_GAPS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

/* Rows of four numbers, turned into columns: one row a lane. */
typedef struct columns {
  __m256d x, y, r, s;
} columns;

static inline columns turn(__m256d s0, __m256d s1, __m256d s2, __m256d s3) {
  const __m256d low_a = _mm256_permute2f128_pd(s0, s2, 0x20), low_b = _mm256_permute2f128_pd(s1, s3, 0x20);
  const __m256d high_a = _mm256_permute2f128_pd(s0, s2, 0x31), high_b = _mm256_permute2f128_pd(s1, s3, 0x31);
  return (columns){_mm256_unpacklo_pd(low_a, low_b), _mm256_unpackhi_pd(low_a, low_b),
                   _mm256_unpacklo_pd(high_a, high_b), _mm256_unpackhi_pd(high_a, high_b)};
}

static inline columns spots_of(const int *at, int stride, const dls_spot2 *spots) {
  return turn(_mm256_loadu_pd(&spots[at[0]].x), _mm256_loadu_pd(&spots[at[stride]].x),
              _mm256_loadu_pd(&spots[at[2 * stride]].x), _mm256_loadu_pd(&spots[at[3 * stride]].x));
}

static inline columns paces_of(const int *at, int stride, const dls_pace2 *paces) {
  return turn(_mm256_loadu_pd(&paces[at[0]].ux), _mm256_loadu_pd(&paces[at[stride]].ux),
              _mm256_loadu_pd(&paces[at[2 * stride]].ux), _mm256_loadu_pd(&paces[at[3 * stride]].ux));
}

static inline __m256d along(__m256d nx, __m256d ny, __m256d x, __m256d y) {
  return _mm256_add_pd(_mm256_mul_pd(nx, x), _mm256_mul_pd(ny, y));
}

static void disks(int n, const int *a, const int *b, int stride, const dls_spot2 *spots, double *gap) {
  int k = 0;
  for (; k + 4 <= n; k += 4, a += 4 * stride, b += 4 * stride) {
    const columns p = spots_of(a, stride, spots), q = spots_of(b, stride, spots);
    const __m256d x = _mm256_sub_pd(q.x, p.x), y = _mm256_sub_pd(q.y, p.y);
    const __m256d d = _mm256_sqrt_pd(along(x, y, x, y));
    _mm256_storeu_pd(gap + k, _mm256_sub_pd(d, _mm256_add_pd(p.r, q.r)));
  }
  for (; k < n; k++, a += stride, b += stride) gap[k] = dls_gap_of_disks(spots + *a, spots + *b);
}

/* Where the kept ones of four pairs of numbers go: by the bits of which are kept. */
#define KEPT(p, q, r, s) {2 * p, 2 * p + 1, 2 * q, 2 * q + 1, 2 * r, 2 * r + 1, 2 * s, 2 * s + 1}
static const int kept[16][8] = {
    KEPT(0, 1, 2, 3), KEPT(0, 1, 2, 3), KEPT(1, 0, 2, 3), KEPT(0, 1, 2, 3),
    KEPT(2, 0, 1, 3), KEPT(0, 2, 1, 3), KEPT(1, 2, 0, 3), KEPT(0, 1, 2, 3),
    KEPT(3, 0, 1, 2), KEPT(0, 3, 1, 2), KEPT(1, 3, 0, 2), KEPT(0, 1, 3, 2),
    KEPT(2, 3, 0, 1), KEPT(0, 2, 3, 1), KEPT(1, 2, 3, 0), KEPT(0, 1, 2, 3)};
static const unsigned char how_many[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static int near(int n, const int *a, const int *b, const dls_spot2 *spots, int *pairs) {
  int k = 0, found = 0;
  for (; k + 4 <= n; k += 4) {
    const columns p = spots_of(a + k, 1, spots), q = spots_of(b + k, 1, spots);
    const __m256d x = _mm256_sub_pd(q.x, p.x), y = _mm256_sub_pd(q.y, p.y);
    const __m256d gap = _mm256_sub_pd(_mm256_sqrt_pd(along(x, y, x, y)), _mm256_add_pd(p.r, q.r));
    const int bits = _mm256_movemask_pd(_mm256_cmp_pd(gap, _mm256_setzero_pd(), _CMP_NGT_UQ));
    const __m128i i = _mm_loadu_si128((const __m128i *)(const void *)(a + k));
    const __m128i j = _mm_loadu_si128((const __m128i *)(const void *)(b + k));
    const __m256i both = _mm256_set_m128i(_mm_unpackhi_epi32(i, j), _mm_unpacklo_epi32(i, j));
    const __m256i to = _mm256_loadu_si256((const __m256i *)(const void *)kept[bits]);
    _mm256_storeu_si256((__m256i *)(void *)(pairs + 2 * found), _mm256_permutevar8x32_epi32(both, to));
    found += how_many[bits];
  }
  for (; k < n; k++) {
    pairs[2 * found] = a[k], pairs[2 * found + 1] = b[k];
    found += !(dls_gap_of_disks(spots + a[k], spots + b[k]) > 0);
  }
  return found;
}

static void meet(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                 const dls_pace2 *paces, const dls_meets2 *out) {
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1);
  int k = 0;
  for (; k + 4 <= n; k += 4, a += 4 * stride, b += 4 * stride) {
    const columns p = spots_of(a, stride, spots), q = spots_of(b, stride, spots);
    const columns u = paces_of(a, stride, paces), v = paces_of(b, stride, paces);
    const __m256d x = _mm256_sub_pd(q.x, p.x), y = _mm256_sub_pd(q.y, p.y);
    const __m256d d = _mm256_sqrt_pd(along(x, y, x, y)), apart = _mm256_cmp_pd(d, zero, _CMP_GT_OQ);
    const __m256d nx = _mm256_blendv_pd(one, _mm256_div_pd(x, d), apart);
    const __m256d ny = _mm256_blendv_pd(zero, _mm256_div_pd(y, d), apart);
    _mm256_storeu_pd(out->gap + k, _mm256_sub_pd(d, _mm256_add_pd(p.r, q.r)));
    _mm256_storeu_pd(out->nx + k, nx);
    _mm256_storeu_pd(out->ny + k, ny);
    _mm256_storeu_pd(out->v_free + k, along(nx, ny, _mm256_sub_pd(v.r, u.r), _mm256_sub_pd(v.s, u.s)));
    _mm256_storeu_pd(out->size + k, _mm256_min_pd(p.r, q.r));
    _mm256_storeu_pd(out->v_before + k, along(nx, ny, _mm256_sub_pd(v.x, u.x), _mm256_sub_pd(v.y, u.y)));
  }
  for (; k < n; k++, a += stride, b += stride)
    dls_meet_disks(spots + *a, spots + *b, paces + *a, paces + *b, k, out);
}

/* --- rods --------------------------------------------------------------------------------------- */

typedef struct vectors {
  __m256d x, y, z;
} vectors;

typedef struct four_rods {
  vectors c, u;
  __m256d h, r;
} four_rods;

static inline four_rods rods_of(const int *at, const dls_rod *rods) {
  const double *p[4] = {&rods[at[0]].c.x, &rods[at[1]].c.x, &rods[at[2]].c.x, &rods[at[3]].c.x};
  const columns low = turn(_mm256_loadu_pd(p[0]), _mm256_loadu_pd(p[1]), _mm256_loadu_pd(p[2]),
                           _mm256_loadu_pd(p[3]));
  const columns high = turn(_mm256_loadu_pd(p[0] + 4), _mm256_loadu_pd(p[1] + 4),
                            _mm256_loadu_pd(p[2] + 4), _mm256_loadu_pd(p[3] + 4));
  return (four_rods){{low.x, low.y, low.r}, {low.s, high.x, high.y}, high.r, high.s};
}

static inline __m256d dot(vectors a, vectors b) {
  return _mm256_add_pd(along(a.x, a.y, b.x, b.y), _mm256_mul_pd(a.z, b.z));
}

static inline __m256d less_of(__m256d a, __m256d b, __m256d c, __m256d d) {
  return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

static inline __m256d within(__m256d x, __m256d half) {
  const __m256d minus = _mm256_sub_pd(_mm256_setzero_pd(), half);
  return _mm256_min_pd(_mm256_max_pd(x, minus), half);
}

/* dls_segments_nearest() and what follows in dls_rods_over(), operation by operation. */
static inline __m256d over_of(const four_rods *a, const four_rods *b) {
  const __m256d zero = _mm256_setzero_pd(), bits = _mm256_set1_pd(-0.0);
  const vectors d = {_mm256_sub_pd(b->c.x, a->c.x), _mm256_sub_pd(b->c.y, a->c.y),
                     _mm256_sub_pd(b->c.z, a->c.z)};
  const __m256d uv = dot(a->u, b->u), du = dot(d, a->u), dv = dot(d, b->u);
  const vectors w = {less_of(a->u.y, b->u.z, a->u.z, b->u.y), less_of(a->u.z, b->u.x, a->u.x, b->u.z),
                     less_of(a->u.x, b->u.y, a->u.y, b->u.x)};
  const __m256d det = dot(w, w), reach = _mm256_mul_pd(_mm256_andnot_pd(bits, uv), b->h);
  const __m256d across = _mm256_div_pd(_mm256_sub_pd(du, _mm256_mul_pd(uv, dv)), det);
  const __m256d low = _mm256_max_pd(_mm256_sub_pd(zero, a->h), _mm256_sub_pd(du, reach));
  const __m256d high = _mm256_min_pd(a->h, _mm256_add_pd(du, reach));
  const __m256d beside = _mm256_mul_pd(_mm256_set1_pd(0.5), _mm256_add_pd(low, high));
  const __m256d crossed = _mm256_cmp_pd(det, _mm256_set1_pd(DLS_PARALLEL), _CMP_GT_OQ);
  __m256d s = within(_mm256_blendv_pd(beside, across, crossed), a->h);
  __m256d t = within(_mm256_sub_pd(_mm256_mul_pd(s, uv), dv), b->h);
  s = within(_mm256_add_pd(du, _mm256_mul_pd(t, uv)), a->h);
  t = within(_mm256_sub_pd(_mm256_mul_pd(s, uv), dv), b->h);
  const vectors e = {
      _mm256_sub_pd(_mm256_add_pd(d.x, _mm256_mul_pd(t, b->u.x)), _mm256_mul_pd(s, a->u.x)),
      _mm256_sub_pd(_mm256_add_pd(d.y, _mm256_mul_pd(t, b->u.y)), _mm256_mul_pd(s, a->u.y)),
      _mm256_sub_pd(_mm256_add_pd(d.z, _mm256_mul_pd(t, b->u.z)), _mm256_mul_pd(s, a->u.z))};
  const __m256d most = _mm256_add_pd(a->r, b->r);
  return _mm256_sub_pd(dot(e, e), _mm256_mul_pd(most, most));
}

static void rods(int n, const int *a, const int *b, const dls_rod *all, double *over) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const four_rods p = rods_of(a + k, all), q = rods_of(b + k, all);
    _mm256_storeu_pd(over + k, over_of(&p, &q));
  }
  for (; k < n; k++) over[k] = dls_rods_over(all + a[k], all + b[k]);
}

const dls_gap_lanes dls_gap_lanes_avx2 = {"avx2", disks, meet, near, rods};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
