/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/broad_plane.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

static inline void look(dls_plane_boxes *s, const dls_plane_box *me, int from, int to);
#include "core/collide/broad_plane.inc.h"

/* Where the hits of four go: by the bits of which they are. */
static const int kept[16][4] = {
    {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3}, {2, 0, 1, 3}, {0, 2, 1, 3}, {1, 2, 0, 3}, {0, 1, 2, 3},
    {3, 0, 1, 2}, {0, 3, 1, 2}, {1, 3, 0, 2}, {0, 1, 3, 2}, {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 3, 0}, {0, 1, 2, 3}};
static const unsigned char how_many[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static inline void look(dls_plane_boxes *s, const dls_plane_box *me, int from, int to) {
  if (s->idle && s->idle[me->id]) {
    look_one(s, me, from, to);
    return;
  }
  const __m256d lo_x = _mm256_set1_pd(me->lo[0]), lo_y = _mm256_set1_pd(me->lo[1]);
  const __m256d hi_x = _mm256_set1_pd(me->hi[0]), hi_y = _mm256_set1_pd(me->hi[1]);
  const __m128i mine = _mm_set1_epi32(me->id);
  int found = s->found;
  for (int k = from; k < to; k += 4) {
    const __m256d x = _mm256_and_pd(_mm256_cmp_pd(_mm256_loadu_pd(s->lo[0] + k), hi_x, _CMP_LE_OQ),
                                    _mm256_cmp_pd(lo_x, _mm256_loadu_pd(s->hi[0] + k), _CMP_LE_OQ));
    const __m256d y = _mm256_and_pd(_mm256_cmp_pd(_mm256_loadu_pd(s->lo[1] + k), hi_y, _CMP_LE_OQ),
                                    _mm256_cmp_pd(lo_y, _mm256_loadu_pd(s->hi[1] + k), _CMP_LE_OQ));
    const int left = to - k, bits = _mm256_movemask_pd(_mm256_and_pd(x, y)) & (left < 4 ? (1 << left) - 1 : 15);
    const __m128 ids = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(s->id + k)));
    const __m128i order = _mm_loadu_si128((const __m128i *)(const void *)kept[bits]);
    const __m128i others = _mm_castps_si128(_mm_permutevar_ps(ids, order));
    const int at = found < s->room ? found : s->room;
    _mm_storeu_si128((__m128i *)(void *)(s->a + at), _mm_min_epi32(mine, others));
    _mm_storeu_si128((__m128i *)(void *)(s->b + at), _mm_max_epi32(mine, others));
    found += found < INT32_MAX - 4 ? how_many[bits] : 0;
  }
  s->found = found;
}

const dls_plane_lanes dls_plane_lanes_avx2 = {"avx2", search, against};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
