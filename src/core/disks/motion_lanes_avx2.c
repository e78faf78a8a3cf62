/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/motion_lanes.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

static bool release(int n, const double *q, const double *u, const double *load, const double *inverse,
                    const double pull[3], double s, double h, double *to, double *u_free) {
  const __m256d step = _mm256_set1_pd(s), span = _mm256_set1_pd(h), nothing = _mm256_setzero_pd();
  /* Four bodies are three times four numbers. */
  const __m256d pulls[3] = {_mm256_setr_pd(pull[0], pull[1], pull[2], pull[0]),
                            _mm256_setr_pd(pull[1], pull[2], pull[0], pull[1]),
                            _mm256_setr_pd(pull[2], pull[0], pull[1], pull[2])};
  __m256d sum = nothing;
  double zero = 0, parts[4];
  int i = 0;
  for (; i + 12 <= n; i += 12)
    for (int k = 0; k < 3; k++) {
      const int at = i + 4 * k;
      const __m256d v = _mm256_loadu_pd(u + at);
      const __m256d pushed = _mm256_mul_pd(_mm256_loadu_pd(inverse + at), _mm256_loadu_pd(load + at));
      const __m256d x = _mm256_add_pd(_mm256_loadu_pd(q + at), _mm256_mul_pd(step, v));
      const __m256d f = _mm256_add_pd(v, _mm256_mul_pd(span, _mm256_add_pd(pulls[k], pushed)));
      _mm256_storeu_pd(to + at, x);
      _mm256_storeu_pd(u_free + at, f);
      sum = _mm256_add_pd(sum, _mm256_add_pd(_mm256_mul_pd(nothing, x), _mm256_mul_pd(nothing, f)));
    }
  for (; i < n; i++)
    dls_release_one(q[i], u[i], load[i], inverse[i], pull[i % 3], s, h, to + i, u_free + i, &zero);
  _mm256_storeu_pd(parts, sum);
  return zero + parts[0] + parts[1] + parts[2] + parts[3] == 0;
}

static void drift(int n, const double *q, const double *u, double s, double *to, double *kept) {
  const __m256d step = _mm256_set1_pd(s);
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256d v = _mm256_loadu_pd(u + i);
    _mm256_storeu_pd(to + i, _mm256_add_pd(_mm256_loadu_pd(q + i), _mm256_mul_pd(step, v)));
    _mm256_storeu_pd(kept + i, v);
  }
  for (; i < n; i++) to[i] = q[i] + s * u[i], kept[i] = u[i];
}

/* The first two numbers of four bodies: of the first and third in x, of the second and fourth in y;
** then by number. */
typedef struct two {
  __m256d x, y; /* as above */
} two;

static inline __m256d halves(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

static inline two starts(const double *p) { return (two){halves(p, p + 6), halves(p + 3, p + 9)}; }

static inline two by_number(two a) { return (two){_mm256_unpacklo_pd(a.x, a.y), _mm256_unpackhi_pd(a.x, a.y)}; }

/* The third ones, without their signs. */
static inline __m256d thirds(const double *p) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_setr_pd(p[2], p[5], p[8], p[11]));
}

static inline __m256d squares(two v) { return _mm256_add_pd(_mm256_mul_pd(v.x, v.x), _mm256_mul_pd(v.y, v.y)); }

/* Bits of what is further than limit from where it was. */
static inline __m256d is_far(__m256d now, const double *was, __m256d limit) {
  const __m256d d = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(now, _mm256_loadu_pd(was)));
  return _mm256_cmp_pd(d, limit, _CMP_GT_OQ);
}

/* Pairs of numbers into four records of four numbers. */
static inline void put(double *to, __m256d first, __m256d second) {
  const __m256d even = _mm256_unpacklo_pd(first, second), odd = _mm256_unpackhi_pd(first, second);
  _mm_storeu_pd(to, _mm256_castpd256_pd128(even));
  _mm_storeu_pd(to + 4, _mm256_castpd256_pd128(odd));
  _mm_storeu_pd(to + 8, _mm256_extractf128_pd(even, 1));
  _mm_storeu_pd(to + 12, _mm256_extractf128_pd(odd, 1));
}

static bool place(int n, const dls_placing *p) {
  const __m256d h = _mm256_set1_pd(p->h), more = _mm256_set1_pd(p->more), limit = _mm256_set1_pd(p->limit);
  const __m256d zero = _mm256_setzero_pd();
  __m256d left = zero;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const double *u = p->u + 3 * (size_t)i, *f = p->f + 3 * (size_t)i;
    const two at = by_number(starts(p->q + 3 * (size_t)i));
    const __m256d r = _mm256_loadu_pd(p->radius + i);
    const __m256d v = _mm256_max_pd(squares(by_number(starts(u))), squares(by_number(starts(f))));
    const __m256d spin = _mm256_mul_pd(r, _mm256_max_pd(thirds(u), thirds(f)));
    const __m256d way = _mm256_add_pd(_mm256_mul_pd(h, _mm256_add_pd(_mm256_sqrt_pd(v), spin)), _mm256_mul_pd(more, r));
    put(&p->disk[i].x, at.x, at.y);
    put(&p->disk[i].radius, r, zero);
    put(&p->rim[i].x, at.x, at.y);
    put(&p->rim[i].reach, _mm256_add_pd(r, way), zero);
    _mm256_storeu_pd(p->way + i, way);
    if (!p->built[0]) continue;
    const __m256d low_x = is_far(_mm256_sub_pd(_mm256_sub_pd(at.x, r), way), p->built[0] + i, limit);
    const __m256d low_y = is_far(_mm256_sub_pd(_mm256_sub_pd(at.y, r), way), p->built[1] + i, limit);
    const __m256d high_x = is_far(_mm256_add_pd(_mm256_add_pd(at.x, r), way), p->built[2] + i, limit);
    const __m256d high_y = is_far(_mm256_add_pd(_mm256_add_pd(at.y, r), way), p->built[3] + i, limit);
    const __m256d any = _mm256_or_pd(_mm256_or_pd(low_x, low_y), _mm256_or_pd(high_x, high_y));
    left = _mm256_or_pd(left, _mm256_and_pd(any, _mm256_cmp_pd(r, zero, _CMP_GT_OQ)));
  }
  bool far = _mm256_movemask_pd(left) != 0;
  for (; i < n; i++) far |= dls_place_disk(p, i);
  return far;
}

const dls_motion_lanes dls_motion_lanes_avx2 = {"avx2", release, drift, place};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
