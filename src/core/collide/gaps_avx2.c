/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/gaps.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

/* Rows of four numbers, turned into columns: one row a lane. */
typedef struct columns {
  __m256d x, y, r, s; /* the four columns */
} columns;

static inline columns turn(__m256d s0, __m256d s1, __m256d s2, __m256d s3) {
  const __m256d low_a = _mm256_permute2f128_pd(s0, s2, 0x20),
                low_b = _mm256_permute2f128_pd(s1, s3, 0x20);
  const __m256d high_a = _mm256_permute2f128_pd(s0, s2, 0x31),
                high_b = _mm256_permute2f128_pd(s1, s3, 0x31);
  return (columns){_mm256_unpacklo_pd(low_a, low_b), _mm256_unpackhi_pd(low_a, low_b),
                   _mm256_unpacklo_pd(high_a, high_b), _mm256_unpackhi_pd(high_a, high_b)};
}

static inline columns spots_of(const int *at, int stride, const dls_spot2 *spots) {
  return turn(_mm256_loadu_pd(&spots[at[0]].x), _mm256_loadu_pd(&spots[at[stride]].x),
              _mm256_loadu_pd(&spots[at[2 * stride]].x), _mm256_loadu_pd(&spots[at[3 * stride]].x));
}

static inline columns rims_of(const int *at, const dls_rim2 *rims) {
  return turn(_mm256_loadu_pd(&rims[at[0]].x), _mm256_loadu_pd(&rims[at[1]].x),
              _mm256_loadu_pd(&rims[at[2]].x), _mm256_loadu_pd(&rims[at[3]].x));
}

/* Two numbers of each of four records, one record a lane. */
typedef struct two {
  __m256d x, y; /* by number */
} two;

static inline __m256d halves(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

/* From p, records of so many numbers. */
static inline two two_of(const int *at, int stride, const double *p, size_t size) {
  const __m256d even = halves(p + size * (size_t)at[0], p + size * (size_t)at[2 * stride]);
  const __m256d odd = halves(p + size * (size_t)at[stride], p + size * (size_t)at[3 * stride]);
  return (two){_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd)};
}

static inline __m256d along(__m256d nx, __m256d ny, __m256d x, __m256d y) {
  return _mm256_add_pd(_mm256_mul_pd(nx, x), _mm256_mul_pd(ny, y));
}

static void disks(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                  double *gap) {
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

/* Nearer than a hole's edge, which is positive. */
static inline __m256d inside_of(__m256d d2, __m256d edge) {
  return _mm256_and_pd(_mm256_cmp_pd(edge, _mm256_setzero_pd(), _CMP_GT_OQ),
                       _mm256_cmp_pd(d2, _mm256_mul_pd(edge, edge), _CMP_LT_OQ));
}

static int near(int n, const int *a, const int *b, const dls_rim2 *rims, int *pairs) {
  int k = 0, found = 0;
  for (; k + 4 <= n; k += 4) {
    const columns p = rims_of(a + k, rims), q = rims_of(b + k, rims);
    const __m256d x = _mm256_sub_pd(q.x, p.x), y = _mm256_sub_pd(q.y, p.y);
    const __m256d d2 = along(x, y, x, y), r = _mm256_add_pd(p.r, q.r);
    const __m256d in_a = inside_of(d2, _mm256_sub_pd(p.s, q.r)),
                  in_b = inside_of(d2, _mm256_sub_pd(q.s, p.r));
    const __m256d inside = _mm256_or_pd(in_a, in_b);
    const __m256d met = _mm256_cmp_pd(d2, _mm256_mul_pd(r, r), _CMP_NGT_UQ);
    const int bits = _mm256_movemask_pd(_mm256_andnot_pd(inside, met));
    const __m128i i = _mm_loadu_si128((const __m128i *)(const void *)(a + k));
    const __m128i j = _mm_loadu_si128((const __m128i *)(const void *)(b + k));
    const __m256i both = _mm256_set_m128i(_mm_unpackhi_epi32(i, j), _mm_unpacklo_epi32(i, j));
    const __m256i to = _mm256_loadu_si256((const __m256i *)(const void *)kept[bits]);
    _mm256_storeu_si256((__m256i *)(void *)(pairs + 2 * found),
                        _mm256_permutevar8x32_epi32(both, to));
    found += how_many[bits];
  }
  for (; k < n; k++) {
    pairs[2 * found] = a[k], pairs[2 * found + 1] = b[k];
    found += dls_rims_meet(rims + a[k], rims + b[k]);
  }
  return found;
}

static void meet(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                 const double *u, const double *f, const dls_meets2 *out) {
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1);
  int k = 0;
  for (; k + 4 <= n; k += 4, a += 4 * stride, b += 4 * stride) {
    const columns p = spots_of(a, stride, spots), q = spots_of(b, stride, spots);
    const two u_a = two_of(a, stride, u, 3), u_b = two_of(b, stride, u, 3);
    const two f_a = two_of(a, stride, f, 3), f_b = two_of(b, stride, f, 3);
    const __m256d x = _mm256_sub_pd(q.x, p.x), y = _mm256_sub_pd(q.y, p.y);
    const __m256d d = _mm256_sqrt_pd(along(x, y, x, y)), apart = _mm256_cmp_pd(d, zero, _CMP_GT_OQ);
    const __m256d nx = _mm256_blendv_pd(one, _mm256_div_pd(x, d), apart);
    const __m256d ny = _mm256_blendv_pd(zero, _mm256_div_pd(y, d), apart);
    _mm256_storeu_pd(out->gap + k, _mm256_sub_pd(d, _mm256_add_pd(p.r, q.r)));
    _mm256_storeu_pd(out->nx + k, nx);
    _mm256_storeu_pd(out->ny + k, ny);
    _mm256_storeu_pd(out->v_free + k,
                     along(nx, ny, _mm256_sub_pd(f_b.x, f_a.x), _mm256_sub_pd(f_b.y, f_a.y)));
    _mm256_storeu_pd(out->size + k, _mm256_min_pd(p.r, q.r));
    _mm256_storeu_pd(out->v_before + k,
                     along(nx, ny, _mm256_sub_pd(u_b.x, u_a.x), _mm256_sub_pd(u_b.y, u_a.y)));
  }
  for (; k < n; k++, a += stride, b += stride) dls_meet_disks(*a, *b, spots, u, f, k, out);
}

/* Where the kept ones of four numbers go. */
static const int kept_one[16][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3},
                                    {2, 0, 1, 3}, {0, 2, 1, 3}, {1, 2, 0, 3}, {0, 1, 2, 3},
                                    {3, 0, 1, 2}, {0, 3, 1, 2}, {1, 3, 0, 2}, {0, 1, 3, 2},
                                    {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 3, 0}, {0, 1, 2, 3}};

static int pick(int n, const dls_meets2 *of, double closed, double early, double time,
                const int *was, int *picked) {
  const __m256d share = _mm256_set1_pd(closed), span = _mm256_set1_pd(time),
                zero = _mm256_setzero_pd();
  const __m256d over = _mm256_set1_pd(early);
  int k = 0, found = 0;
  for (; k + 4 <= n; k += 4) {
    const __m256d gap = _mm256_loadu_pd(of->gap + k);
    const __m256d end = _mm256_add_pd(gap, _mm256_mul_pd(span, _mm256_loadu_pd(of->v_free + k)));
    const __m256d apart =
        _mm256_cmp_pd(gap, _mm256_mul_pd(share, _mm256_loadu_pd(of->size + k)), _CMP_GT_OQ);
    const __m256d start =
        _mm256_sub_pd(gap, _mm256_mul_pd(over, _mm256_loadu_pd(of->v_before + k)));
    const __m256d was_open = _mm256_cmp_pd(start, zero, _CMP_GT_OQ);
    const __m256d stays =
        _mm256_and_pd(_mm256_and_pd(_mm256_cmp_pd(end, zero, _CMP_GT_OQ), was_open),
                      _mm256_cmp_pd(gap, _mm256_set1_pd(DLS_INF), _CMP_LT_OQ));
    const __m128 known =
        _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(was + k)));
    const int bits =
        15 & ~(_mm256_movemask_pd(_mm256_and_pd(apart, stays)) & _mm_movemask_ps(known));
    const __m128i to = _mm_loadu_si128((const __m128i *)(const void *)kept_one[bits]);
    _mm_storeu_si128((__m128i *)(void *)(picked + found), _mm_add_epi32(_mm_set1_epi32(k), to));
    found += how_many[bits];
  }
  for (; k < n; k++) {
    picked[found] = k;
    found += !(dls_stays_open(of, k, closed, early, time) & (was[k] < 0));
  }
  return found;
}

/* --- rods ------------------------------------------------------------------------------------- */

typedef struct vectors {
  __m256d x, y, z; /* components of four vectors */
} vectors;

typedef struct four_rods {
  vectors c, u; /* centres, m; unit axes */
  __m256d half, r; /* half lengths, radii, m */
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
  const vectors w = {less_of(a->u.y, b->u.z, a->u.z, b->u.y),
                     less_of(a->u.z, b->u.x, a->u.x, b->u.z),
                     less_of(a->u.x, b->u.y, a->u.y, b->u.x)};
  const __m256d det = dot(w, w), reach = _mm256_mul_pd(_mm256_andnot_pd(bits, uv), b->half);
  const __m256d across = _mm256_div_pd(_mm256_sub_pd(du, _mm256_mul_pd(uv, dv)), det);
  const __m256d low = _mm256_max_pd(_mm256_sub_pd(zero, a->half), _mm256_sub_pd(du, reach));
  const __m256d high = _mm256_min_pd(a->half, _mm256_add_pd(du, reach));
  const __m256d beside = _mm256_mul_pd(_mm256_set1_pd(0.5), _mm256_add_pd(low, high));
  const __m256d crossed = _mm256_cmp_pd(det, _mm256_set1_pd(DLS_PARALLEL), _CMP_GT_OQ);
  __m256d s = within(_mm256_blendv_pd(beside, across, crossed), a->half);
  __m256d t = within(_mm256_sub_pd(_mm256_mul_pd(s, uv), dv), b->half);
  s = within(_mm256_add_pd(du, _mm256_mul_pd(t, uv)), a->half);
  t = within(_mm256_sub_pd(_mm256_mul_pd(s, uv), dv), b->half);
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

/* --- touches of rods, operation by operation what dls_rods_touch() does ----------------------- */

static inline __m256d minus(__m256d x) { return _mm256_xor_pd(x, _mm256_set1_pd(-0.0)); }

/* dls_clamp() within -half .. half, signs of zeros included. */
static inline __m256d clamped(__m256d x, __m256d half) {
  return _mm256_min_pd(half, _mm256_max_pd(minus(half), x));
}

static inline vectors minus_of(vectors a, vectors b) {
  return (vectors){_mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z)};
}

static inline vectors times(__m256d s, vectors a) {
  return (vectors){_mm256_mul_pd(s, a.x), _mm256_mul_pd(s, a.y), _mm256_mul_pd(s, a.z)};
}

/* a + s b */
static inline vectors axpy(vectors a, __m256d s, vectors b) {
  return (vectors){_mm256_add_pd(a.x, _mm256_mul_pd(s, b.x)),
                   _mm256_add_pd(a.y, _mm256_mul_pd(s, b.y)),
                   _mm256_add_pd(a.z, _mm256_mul_pd(s, b.z))};
}

/* Four pairs seen from the centres of the first. */
typedef struct meeting {
  four_rods a, b;     /* rods of the four pairs */
  vectors d;          /* centres of b */
  __m256d uv, du, dv; /* products      */
} meeting;

static inline meeting meet_rods(const int *a, const int *b, const dls_rod *all) {
  meeting m = {.a = rods_of(a, all), .b = rods_of(b, all)};
  m.d = minus_of(m.b.c, m.a.c);
  m.uv = dot(m.a.u, m.b.u), m.du = dot(m.d, m.a.u), m.dv = dot(m.d, m.b.u);
  return m;
}

/* What of a lies beside b, along a. */
static inline __m256d reach_of(const meeting *m) {
  return _mm256_mul_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), m->uv), m->b.half);
}

static inline __m256d start_of(const meeting *m) {
  return _mm256_max_pd(minus(m->a.half), _mm256_sub_pd(m->du, reach_of(m)));
}

static inline __m256d stop_of(const meeting *m) {
  return _mm256_min_pd(m->a.half, _mm256_add_pd(m->du, reach_of(m)));
}

static inline void nearest(const meeting *m, __m256d *s, __m256d *t) {
  const vectors u = m->a.u, v = m->b.u;
  const vectors w = {less_of(u.y, v.z, u.z, v.y), less_of(u.z, v.x, u.x, v.z),
                     less_of(u.x, v.y, u.y, v.x)};
  const __m256d det = dot(w, w);
  const __m256d across = _mm256_div_pd(_mm256_sub_pd(m->du, _mm256_mul_pd(m->uv, m->dv)), det);
  const __m256d beside = _mm256_mul_pd(_mm256_set1_pd(0.5), _mm256_add_pd(start_of(m), stop_of(m)));
  const __m256d crossed = _mm256_cmp_pd(det, _mm256_set1_pd(DLS_PARALLEL), _CMP_GT_OQ);
  *s = clamped(_mm256_blendv_pd(beside, across, crossed), m->a.half);
  *t = clamped(_mm256_sub_pd(_mm256_mul_pd(*s, m->uv), m->dv), m->b.half);
  *s = clamped(_mm256_add_pd(m->du, _mm256_mul_pd(*t, m->uv)), m->a.half);
  *t = clamped(_mm256_sub_pd(_mm256_mul_pd(*s, m->uv), m->dv), m->b.half);
}

/* The points at the places s and t. */
typedef struct places {
  __m256d s, t, dist2, dist, gap; /* m along the axes; m^2; m; m */
  vectors n; /* unit, from a to b */
} places;

static inline places place(const meeting *m, __m256d s, __m256d t) {
  const vectors e = minus_of(axpy(m->d, t, m->b.u), times(s, m->a.u));
  const __m256d dist2 = dot(e, e), dist = _mm256_sqrt_pd(dist2);
  return (places){s, t, dist2, dist, _mm256_sub_pd(_mm256_sub_pd(dist, m->a.r), m->b.r),
                  times(_mm256_div_pd(_mm256_set1_pd(1), dist), e)};
}

/* A row a pair: points, normal, gap, as dls_touch begins. */
static inline void put_rows(const meeting *m, const places *at, double rows[4][12]) {
  const vectors p = axpy(times(at->s, m->a.u), m->a.r, at->n);
  const vectors q = axpy(axpy(m->d, at->t, m->b.u), minus(m->b.r), at->n), c = m->a.c;
  const columns x = turn(_mm256_add_pd(c.x, p.x), _mm256_add_pd(c.y, p.y), _mm256_add_pd(c.z, p.z),
                         _mm256_add_pd(c.x, q.x));
  const columns y = turn(_mm256_add_pd(c.y, q.y), _mm256_add_pd(c.z, q.z), at->n.x, at->n.y);
  const columns z = turn(at->n.z, at->gap, at->gap, at->gap);
  const columns parts[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    _mm256_storeu_pd(rows[0] + 4 * k, parts[k].x);
    _mm256_storeu_pd(rows[1] + 4 * k, parts[k].y);
    _mm256_storeu_pd(rows[2] + 4 * k, parts[k].r);
    _mm256_storeu_pd(rows[3] + 4 * k, parts[k].s);
  }
}

static inline int bits_of(__m256d mask) { return _mm256_movemask_pd(mask); }

static inline __m256d is_apart(const places *at) {
  return _mm256_cmp_pd(at->dist, _mm256_setzero_pd(), _CMP_GT_OQ);
}

/* Four pairs; -1 where axes meet in some: one by one then. */
static int touch_four(const int *a, const int *b, const dls_rod *all, const double *margin,
                      unsigned char *count, dls_touch *out) {
  const meeting m = meet_rods(a, b, all);
  const __m256d zero = _mm256_setzero_pd(), most = _mm256_loadu_pd(margin),
                radii = _mm256_add_pd(m.a.r, m.b.r);
  double rows[3][4][12];
  __m256d s, t;
  nearest(&m, &s, &t);
  const places at = place(&m, s, t);
  if (bits_of(is_apart(&at)) != 15) return -1;
  const __m256d reach = _mm256_add_pd(radii, most), reach2 = _mm256_mul_pd(reach, reach);
  const __m256d slack = _mm256_set1_pd(DLS_ROD_SLACK);
  const int near = bits_of(_mm256_cmp_pd(at.dist2, _mm256_mul_pd(reach2, slack), _CMP_NGT_UQ));
  if (near == 0) {
    memset(count, 0, 4);
    return 0;
  }
  int told[3] = {near & bits_of(_mm256_cmp_pd(at.gap, most, _CMP_LE_OQ)), 0, 0};
  const __m256d start = start_of(&m), stop = stop_of(&m);
  const __m256d enough = _mm256_mul_pd(_mm256_set1_pd(DLS_ROD_BESIDE), _mm256_min_pd(m.a.r, m.b.r));
  __m256d line = _mm256_cmp_pd(_mm256_sub_pd(stop, start), enough, _CMP_GT_OQ);
  line = _mm256_and_pd(line, _mm256_cmp_pd(m.a.half, zero, _CMP_GT_OQ));
  line = _mm256_and_pd(line, _mm256_cmp_pd(m.b.half, zero, _CMP_GT_OQ));
  put_rows(&m, &at, rows[0]);
  if (bits_of(line) != 0) {
    places end[2];
    for (int k = 0; k < 2; k++) {
      s = k == 0 ? start : stop;
      t = clamped(dot(minus_of(times(s, m.a.u), m.d), m.b.u), m.b.half);
      end[k] = place(&m, s, t);
      if ((bits_of(is_apart(&end[k])) | (~bits_of(line) & 15)) != 15) return -1;
    }
    const __m256d sag = _mm256_sub_pd(_mm256_max_pd(end[0].gap, end[1].gap), at.gap);
    line = _mm256_and_pd(
        line, _mm256_cmp_pd(sag, _mm256_mul_pd(_mm256_set1_pd(DLS_ROD_LINE), radii), _CMP_LE_OQ));
    const __m256d lens = _mm256_mul_pd(_mm256_set1_pd(DLS_ROD_LENS), radii);
    const __m256d deeper = _mm256_cmp_pd(
        at.gap, _mm256_sub_pd(_mm256_min_pd(end[0].gap, end[1].gap), lens), _CMP_LT_OQ);
    told[0] &= bits_of(deeper) | ~bits_of(line);
    for (int k = 0; k < 2; k++) {
      told[1 + k] = near & bits_of(line) & bits_of(_mm256_cmp_pd(end[k].gap, most, _CMP_LE_OQ));
      if (told[1 + k] != 0) put_rows(&m, &end[k], rows[1 + k]);
    }
  }
  int found = 0;
  for (int l = 0; l < 4; l++) {
    const int before = found;
    for (int k = 0; k < 3; k++) {
      if (!(told[k] >> l & 1)) continue;
      memcpy(&out[found], rows[k][l], offsetof(dls_touch, key));
      out[found].part = 0, out[found].child_a = out[found].child_b = 0;
      out[found++].key = (uint64_t)k;
    }
    count[l] = (unsigned char)(found - before);
  }
  return found;
}

static int touch(int n, const int *a, const int *b, const dls_rod *all, const double *margin,
                 unsigned char *count, dls_touch *out) {
  int found = 0;
  for (int k = 0; k < n;) {
    int more = k + 4 <= n ? touch_four(a + k, b + k, all, margin + k, count + k, out + found) : -1;
    if (more >= 0) {
      k += 4, found += more;
      continue;
    }
    for (const int stop = k + 4 <= n ? k + 4 : n; k < stop; k++) {
      more = dls_rods_touch(all + a[k], all + b[k], margin[k], false, out + found);
      count[k] = (unsigned char)more;
      found += more;
    }
  }
  return found;
}

static void rod_gaps(int n, const int *a, const int *b, const dls_rod *all, double *gap) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const meeting m = meet_rods(a + k, b + k, all);
    __m256d s, t;
    nearest(&m, &s, &t);
    _mm256_storeu_pd(gap + k, place(&m, s, t).gap);
  }
  for (; k < n; k++) gap[k] = dls_gap_of_rods(all + a[k], all + b[k]);
}

const dls_gap_lanes dls_gap_lanes_avx2 = {"avx2", disks, meet, near, pick, rods, rod_gaps, touch};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
