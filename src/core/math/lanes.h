/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_LANES_H
#define DLS_MATH_LANES_H

#include "core/base/real.h"

/* Arithmetic on rows of numbers, wide where the processor is, with the same bits on every one.
**
** A sum over i of a row is eight partial sums, element i going to number i mod 8 in ascending
** order, added in one fixed tree: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)). Where only elements
** of one column meet (axpy, gemm, ...), each is a plain chain in ascending order of the summation
** index. Products and sums are rounded one by one. Every path is compiled from lanes_kernels.inc.h.
**
** Matrices are row-major, ld doubles apart. No pointer needs alignment; outputs do not overlap
** inputs unless said. A length of 0 is fine. */
typedef struct dls_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  int width;        /* doubles an instruction    */

  /* sum_i a_i b_i */
  double (*dot)(int n, const double *a, const double *b);
  /* max_i |x_i|, 0 for n = 0; a NaN may be passed over */
  double (*amax)(int n, const double *x);
  /* y += s x */
  void (*axpy)(int n, double s, const double *x, double *y);
  /* (a, b) <- (c a - s b, s a + c b) */
  void (*rotate)(int n, double c, double s, double *a, double *b);
  /* y = A x, A m x n, each row a dot */
  void (*gemv)(int m, int n, const double *A, size_t ld, const double *x, double *y);
  /* the same y, and the largest sum_j |A_ij x_j| of a row: what its round-off is relative to */
  double (*gemv_size)(int m, int n, const double *A, size_t ld, const double *x, double *y);
  /* y += A' x, A m x n, x m, y n */
  void (*gemv_t)(int m, int n, const double *A, size_t ld, const double *x, double *y);
  /* y += sum_k x_k A[row_k], k = 0 .. m-1, n columns */
  void (*combine)(int m, int n, const double *A, size_t ld, const int *row, const double *x,
                  double *y);
  /* A += x y', A m x n */
  void (*rank1)(int m, int n, const double *x, const double *y, double *A, size_t ld);
  /* C_ij -= sum_k A[k ak + i ai] B[k ldb + j], C m x n, k ascending and starting from C_ij. n a
  ** MULTIPLE OF 8. upper: tiles that lie wholly below the diagonal of C may be left as they are. */
  void (*gemm)(int m, int n, int k, const double *A, size_t ai, size_t ak, const double *B,
               size_t ldb, double *C, size_t ldc, bool upper);
  /* C -= A B the same way, for blocks of a few rows: m and k up to 6. B's columns, one after the
  ** other, are those of C's n_runs runs: first, how many, which count as the next multiple of four
  ** in both */
  void (*gemm_runs)(int m, int k, const double *A, size_t lda, const double *B, size_t ldb,
                    const int *run, int n_runs, double *C, size_t ldc);

  /* is the n x n matrix M its own transpose to the bit? */
  bool (*mirrored)(int n, const double *M);

  /* The pivoting methods' inner loops (lcp/energy.c); n a MULTIPLE OF 8, padded with zeros. */
  /* the lowest i of the largest q_i^2 / d_i among q_i < -tq_i, d_i > td_i; -1 where there is none
  ** */
  int (*choose)(int n, const double *q, const double *d, const double *tq, const double *td);
  /* principal pivot on row r of the m x n tableau T, right side q, diagonal d; f needs n. Gives
  **   T_rr = 1/P, T_rj = -T_rj/P, T_ir = T_ir/P, T_ij -= (T_ir/P) T_rj; q as one more column */
  void (*pivot)(int m, int n, double *T, size_t ld, double *q, double *d, double *f, int r);
  /* y_i = x_i where a s_i > 0, else 0; any n, a is 1 or -1 */
  void (*keep)(int n, double a, const double *s, const double *x, double *y);
  /* y_j -= sum_a T_ar T_aj, a = 0 .. k-1 ascending: for few rows, where gemv_t would first gather
  ** the column */
  void (*less)(int n, int k, const double *T, size_t ld, int r, double *y);
  /* v = a r;  q += t r;  d += s v^2 (s is -1 or 1 in each place) */
  void (*absorb)(int n, const double *r, double a, double t, const double *s, double *v,
                 double *q, double *d);
} dls_lanes;

/* The widest path this processor has. */
const dls_lanes *dls_lanes_best(void);

/* The i-th path this processor can run (0 is the plain one), NULL past the last. */
const dls_lanes *dls_lanes_at(int i);

/* n rounded up to a multiple of 4, as in gemm_runs; of 8, and the row distance for rows of n: a
** multiple of 8 that is an odd number of cache lines, so that columns do not fall into one set of
** the cache. */
static inline int dls_lanes_fours(int n) { return (n + 3) & ~3; }
static inline int dls_lanes_round(int n) { return (n + 7) & ~7; }
static inline size_t dls_lanes_ld(int n) { return (size_t)(dls_lanes_round(n) | 8); }

#endif
