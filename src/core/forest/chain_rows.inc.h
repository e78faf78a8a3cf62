/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Rows of three and four numbers, one of each lane, in and out of lanes; part of chain.inc.h. Two
** numbers of a row go together; where there is no register for that, one after the other. */

#if LANES == 2

static inline void rows_in4(const double *x, const int *at, real *out) {
  for (int k = 0; k < 4; k++) out[k] = (real){x[at[0] + k], x[at[1] + k]};
}
static inline void rows_in3(const double *x, const int *at, real *out) {
  for (int k = 0; k < 3; k++) out[k] = (real){x[at[0] + k], x[at[1] + k]};
}
/* The last lane first. */
static inline void rows_out3(double *x, const int *at, const real *in) {
  for (int l = 1; l >= 0; l--)
    for (int k = 0; k < 3; k++) x[at[l] + k] = in[k][l];
}

#else

static inline __m256d rows_two(const double *x, const int *at, int l) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + at[l])),
                              _mm_loadu_pd(x + at[l + 2]), 1);
}

#if LANES == 4

static inline void rows_in2(const double *x, const int *at, real *out) {
  const real even = rows_two(x, at, 0), odd = rows_two(x, at, 1);
  out[0] = _mm256_unpacklo_pd(even, odd);
  out[1] = _mm256_unpackhi_pd(even, odd);
}
static inline void rows_out2(double *x, const int *at, real a, real b) {
  const real even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
  _mm_storeu_pd(x + at[3], _mm256_extractf128_pd(odd, 1));
  _mm_storeu_pd(x + at[2], _mm256_extractf128_pd(even, 1));
  _mm_storeu_pd(x + at[1], _mm256_castpd256_pd128(odd));
  _mm_storeu_pd(x + at[0], _mm256_castpd256_pd128(even));
}

#else

static inline real rows_alternate(const double *x, const int *at, int l) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(rows_two(x, at, l)), rows_two(x, at, l + 4), 1);
}
static inline void rows_in2(const double *x, const int *at, real *out) {
  const real even = rows_alternate(x, at, 0), odd = rows_alternate(x, at, 1);
  out[0] = _mm512_unpacklo_pd(even, odd);
  out[1] = _mm512_unpackhi_pd(even, odd);
}
static inline void rows_out2(double *x, const int *at, real a, real b) {
  const real even = _mm512_unpacklo_pd(a, b), odd = _mm512_unpackhi_pd(a, b);
  const __m256d last = _mm512_extractf64x4_pd(odd, 1), sixth = _mm512_extractf64x4_pd(even, 1);
  const __m256d first = _mm512_castpd512_pd256(even), second = _mm512_castpd512_pd256(odd);
  _mm_storeu_pd(x + at[7], _mm256_extractf128_pd(last, 1));
  _mm_storeu_pd(x + at[6], _mm256_extractf128_pd(sixth, 1));
  _mm_storeu_pd(x + at[5], _mm256_castpd256_pd128(last));
  _mm_storeu_pd(x + at[4], _mm256_castpd256_pd128(sixth));
  _mm_storeu_pd(x + at[3], _mm256_extractf128_pd(second, 1));
  _mm_storeu_pd(x + at[2], _mm256_extractf128_pd(first, 1));
  _mm_storeu_pd(x + at[1], _mm256_castpd256_pd128(second));
  _mm_storeu_pd(x + at[0], _mm256_castpd256_pd128(first));
}

#endif

static inline void rows_in4(const double *x, const int *at, real *out) {
  rows_in2(x, at, out);
  rows_in2(x + 2, at, out + 2);
}
static inline void rows_in3(const double *x, const int *at, real *out) {
#define OF_LANE(l) x[at[l] + 2]
  rows_in2(x, at, out);
  out[2] = (real)SIDE_BY_SIDE(OF_LANE);
#undef OF_LANE
}
/* The last lane first. */
static inline void rows_out3(double *x, const int *at, const real *in) {
  rows_out2(x, at, in[0], in[1]);
  for (int l = LANES - 1; l >= 0; l--) x[at[l] + 2] = in[2][l];
}

#endif
