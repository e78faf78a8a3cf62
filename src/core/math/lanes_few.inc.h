/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* C -= A B of a few rows and any number n of columns: part of lanes_kernels.inc.h, whose types and
** W stand above. Blocks of factors have 1 to 6 rows and often two or three columns: n says which of
** the lanes serve. All give the same bits. */

/* By V lanes, n >= V, K rows of B at once. The last lanes are taken before the others are written:
** they overlap. */
#define FEW(name, type, loose_type, V)                                                             \
  DLS_INLINE type name##_next(int K, const double *a, const double *b, size_t ldb,                 \
                              const double *c) {                                                   \
    type x = (type)*(const loose_type *)c - a[0] * (type)*(const loose_type *)b;                   \
    if (K > 1) x -= a[1] * (type)*(const loose_type *)(b + ldb);                                   \
    if (K > 2) x -= a[2] * (type)*(const loose_type *)(b + 2 * ldb);                               \
    return x;                                                                                      \
  }                                                                                                \
  DLS_INLINE void name##_row(int K, int n, const double *a, const double *b, size_t ldb,           \
                             double *c) {                                                          \
    const double all[3] = {a[0], K > 1 ? a[1] : 0, K > 2 ? a[2] : 0};                              \
    const int last = n - (V);                                                                      \
    const type end = name##_next(K, all, b + last, ldb, c + last);                                 \
    for (int j = 0; j < last; j += (V))                                                            \
      *(loose_type *)(c + j) = (loose_type)name##_next(K, all, b + j, ldb, c + j);                 \
    *(loose_type *)(c + last) = (loose_type)end;                                                   \
  }                                                                                                \
  static void name(int m, int n, int k, const double *A, size_t lda, const double *B, size_t ldb,  \
                   double *C, size_t ldc) {                                                        \
    for (int i = 0; i < m; i++, A += lda, C += ldc) {                                              \
      int l = 0;                                                                                   \
      for (; l + 3 <= k; l += 3) name##_row(3, n, A + l, B + (size_t)l * ldb, ldb, C);             \
      if (k - l == 2) name##_row(2, n, A + l, B + (size_t)l * ldb, ldb, C);                        \
      if (k - l == 1) name##_row(1, n, A + l, B + (size_t)l * ldb, ldb, C);                        \
    }                                                                                              \
  }

FEW(few_by_1, double, double, 1)
#ifndef DLS_PLAIN_C
typedef double duo DLS_VECTOR(16);
typedef double loose_duo DLS_LOOSE(16, 8);
FEW(few_by_2, duo, loose_duo, 2)
#if LANES_W > 2
FEW(few_by_4, quad, loose_quad, 4)
#endif
#if LANES_W > 4
FEW(few_by_8, vec, loose, 8)
#endif
#endif
#undef FEW

/* Three rows of C -= A B by three of B, n >= W. */
static void few33(int n, const double *a, size_t lda, const double *B, size_t ldb, double *c,
                  size_t ldc) {
  const double *b0 = B, *b1 = B + ldb, *b2 = b1 + ldb;
  const int last = n - W;
#define OF(r)                                                                                  \
  const vec a##r##0 = ALL(a[r * lda]), a##r##1 = ALL(a[r * lda + 1]);                          \
  const vec a##r##2 = ALL(a[r * lda + 2]);                                                     \
  double *c##r = c + r * ldc;
  OF(0) OF(1) OF(2)
#undef OF
#define NEXT(r, j) (((LOAD(c##r + j) - a##r##0 * x) - a##r##1 * y) - a##r##2 * z)
  vec x = LOAD(b0 + last), y = LOAD(b1 + last), z = LOAD(b2 + last);
  const vec end0 = NEXT(0, last), end1 = NEXT(1, last), end2 = NEXT(2, last);
  for (int j = 0; j < last; j += W) {
    x = LOAD(b0 + j), y = LOAD(b1 + j), z = LOAD(b2 + j);
    STORE(c0 + j, NEXT(0, j));
    STORE(c1 + j, NEXT(1, j));
    STORE(c2 + j, NEXT(2, j));
  }
#undef NEXT
  STORE(c0 + last, end0);
  STORE(c1 + last, end1);
  STORE(c2 + last, end2);
}

/* By the widest lanes that n fills. */
static void gemm_few(int m, int n, int k, const double *A, size_t lda, const double *B, size_t ldb,
                     double *C, size_t ldc) {
  if (m == 3 && k == 3 && n >= W) {
    few33(n, A, lda, B, ldb, C, ldc);
    return;
  }
#ifndef DLS_PLAIN_C
#if LANES_W > 4
  if (n >= 8) {
    few_by_8(m, n, k, A, lda, B, ldb, C, ldc);
    return;
  }
#endif
#if LANES_W > 2
  if (n >= 4) {
    few_by_4(m, n, k, A, lda, B, ldb, C, ldc);
    return;
  }
#endif
  if (n >= 2) {
    few_by_2(m, n, k, A, lda, B, ldb, C, ldc);
    return;
  }
#endif
  if (n > 0) few_by_1(m, n, k, A, lda, B, ldb, C, ldc);
}
