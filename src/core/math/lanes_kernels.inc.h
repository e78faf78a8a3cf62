/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The kernels of lanes.h, included once by each lanes_<path>.c, which sets
**   LANES_W      doubles an instruction: 2, 4 or 8; 1 in plain C (base/vector.h)
**   LANES_NAME   the name of the path
**   LANES_TABLE  the name of its table
** and the compiler's target. X-macros over p = 0 .. 8/W - 1 write out the eight partial sums, so
** that they stay in registers at -O2. */
#include "core/base/vector.h"
#include "core/math/lanes.h"

#define W LANES_W
typedef double vec DLS_VECTOR(8 * LANES_W);
typedef double loose DLS_LOOSE(8 * LANES_W, 8);
typedef long long mask DLS_VECTOR(8 * LANES_W);

#define LOAD(p) ((vec)*(const loose *)(p))
#define STORE(p, x) (*(loose *)(p) = (loose)(x))
#define MASKED(m, x) DLS_KEEP(vec, mask, m, x)
#define PICK(m, x, y) DLS_PICK(vec, mask, m, x, y)
#if LANES_W == 8
#define EACH(X) X(0)
#define ALL(x) ((vec){x, x, x, x, x, x, x, x})
#elif LANES_W == 4
#define EACH(X) X(0) X(1)
#define ALL(x) ((vec){x, x, x, x})
#elif LANES_W == 2
#define EACH(X) X(0) X(1) X(2) X(3)
#define ALL(x) ((vec){x, x})
#else
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ALL(x) ((vec)(x))
#endif

static inline vec size_of(vec x) {
#ifdef DLS_PLAIN_C
  return fabs(x);
#else
  return (vec)((mask)x & ~(mask)ALL(-0.0));
#endif
}

static double tree(const double *s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double dot(int n, const double *a, const double *b) {
  double s[8];
  int i = 0;
#define ZERO(p) vec s##p = ALL(0.0);
  EACH(ZERO)
#define ADD(p) s##p += LOAD(a + i + p * W) * LOAD(b + i + p * W);
  for (; i + 8 <= n; i += 8) { EACH(ADD) }
#define KEEP(p) STORE(s + p * W, s##p);
  EACH(KEEP)
  for (int j = 0; i + j < n; j++) s[j] += a[i + j] * b[i + j];
  return tree(s);
}
#undef ADD

/* The trees of four rows, side by side. */
#ifdef DLS_PLAIN_C
static inline void tree4(const double (*s)[8], double *y) {
  for (int r = 0; r < 4; r++) y[r] = tree(s[r]);
}
#else
typedef double quad DLS_VECTOR(32);
typedef double loose_quad DLS_LOOSE(32, 8);

static inline void tree4(const double (*s)[8], double *y) {
#define HALF(x, r) const quad x = (quad)*(const loose_quad *)s[r] + (quad)*(const loose_quad *)(s[r] + 4);
  HALF(a, 0) HALF(b, 1) HALF(c, 2) HALF(d, 3)
  const quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) /* a0 b0 a2 b2 */, ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const quad even = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  const quad odd = __builtin_shufflevector(ba, dc, 0, 1, 4, 5) + __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
  *(loose_quad *)y = (loose_quad)(even + odd);
}
#endif

/* Four rows at once hide the latency of the additions. */
static void dot4(int n, const double *a, size_t ld, const double *x, double *y) {
  double s[4][8];
  const double *b = a + ld, *c = b + ld, *d = c + ld;
  int i = 0;
#define ZERO4(p) vec s##p = ALL(0.0), t##p = ALL(0.0), u##p = ALL(0.0), v##p = ALL(0.0);
  EACH(ZERO4)
#define ADD4(p)                                                                                \
  {                                                                                            \
    const vec xi = LOAD(x + i + p * W);                                                        \
    s##p += LOAD(a + i + p * W) * xi;                                                          \
    t##p += LOAD(b + i + p * W) * xi;                                                          \
    u##p += LOAD(c + i + p * W) * xi;                                                          \
    v##p += LOAD(d + i + p * W) * xi;                                                          \
  }
  for (; i + 8 <= n; i += 8) { EACH(ADD4) }
#define KEEP4(p)                                                                               \
  STORE(s[0] + p * W, s##p);                                                                   \
  STORE(s[1] + p * W, t##p);                                                                   \
  STORE(s[2] + p * W, u##p);                                                                   \
  STORE(s[3] + p * W, v##p);
  EACH(KEEP4)
  for (int j = 0; i + j < n; j++)
    for (int r = 0; r < 4; r++) s[r][j] += a[(size_t)r * ld + (size_t)(i + j)] * x[i + j];
  tree4((const double (*)[8])s, y);
}

static void gemv(int m, int n, const double *A, size_t ld, const double *x, double *y) {
  int i = 0;
  for (; i + 4 <= m; i += 4) dot4(n, A + (size_t)i * ld, ld, x, y + i);
  for (; i < m; i++) y[i] = dot(n, A + (size_t)i * ld, x);
}

static double gemv_size(int m, int n, const double *A, size_t ld, const double *x, double *y) {
  double most = 0.0;
  for (int i = 0; i < m; i++) {
    const double *a = A + (size_t)i * ld;
    double s[8], t[8];
    int j = 0;
#define ZERO_SIZE(p) vec s##p = ALL(0.0), t##p = ALL(0.0);
    EACH(ZERO_SIZE)
#define ADD_SIZE(p)                                                                            \
  {                                                                                            \
    const vec product = LOAD(a + j + p * W) * LOAD(x + j + p * W);                             \
    s##p += product;                                                                           \
    t##p += size_of(product);                                                                  \
  }
    for (; j + 8 <= n; j += 8) { EACH(ADD_SIZE) }
#define KEEP_SIZE(p) STORE(s + p * W, s##p); STORE(t + p * W, t##p);
    EACH(KEEP_SIZE)
    for (int k = 0; j + k < n; k++) {
      const double product = a[j + k] * x[j + k];
      s[k] += product;
      t[k] += fabs(product);
    }
    y[i] = tree(s);
    most = dls_max(most, tree(t));
  }
  return most;
}

static double amax(int n, const double *x) {
  vec most = ALL(0.0);
  int i = 0;
  for (; i + W <= n; i += W) {
    const vec v = LOAD(x + i);
    const vec size = PICK(v < ALL(0.0), -v, v);
    most = PICK(size > most, size, most);
  }
  double s[W], best = 0.0;
  STORE(s, most);
  for (int p = 0; p < W; p++) best = dls_max(best, s[p]);
  for (; i < n; i++) best = dls_max(best, fabs(x[i]));
  return best;
}

static void axpy(int n, double s, const double *x, double *y) {
  const vec sv = ALL(s);
  int i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    const vec y0 = LOAD(y + i) + sv * LOAD(x + i);
    const vec y1 = LOAD(y + i + W) + sv * LOAD(x + i + W);
    STORE(y + i, y0);
    STORE(y + i + W, y1);
  }
  for (; i < n; i++) y[i] += s * x[i];
}

static void rotate(int n, double c, double s, double *a, double *b) {
  const vec cv = ALL(c), sv = ALL(s);
  int i = 0;
  for (; i + W <= n; i += W) {
    const vec u = LOAD(a + i), v = LOAD(b + i);
    STORE(a + i, cv * u - sv * v);
    STORE(b + i, sv * u + cv * v);
  }
  for (; i < n; i++) {
    const double u = a[i], v = b[i];
    a[i] = c * u - s * v;
    b[i] = s * u + c * v;
  }
}

/* Eight rows a pass: y is read and written once for them. */
static void eight(int n, const double *const *a, const double *x, double *y) {
  const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
  const double *a4 = a[4], *a5 = a[5], *a6 = a[6], *a7 = a[7];
  const vec x0 = ALL(x[0]), x1 = ALL(x[1]), x2 = ALL(x[2]), x3 = ALL(x[3]);
  const vec x4 = ALL(x[4]), x5 = ALL(x[5]), x6 = ALL(x[6]), x7 = ALL(x[7]);
  int j = 0;
  for (; j + W <= n; j += W) {
    vec s = LOAD(y + j) + LOAD(a0 + j) * x0;
    s += LOAD(a1 + j) * x1;
    s += LOAD(a2 + j) * x2;
    s += LOAD(a3 + j) * x3;
    s += LOAD(a4 + j) * x4;
    s += LOAD(a5 + j) * x5;
    s += LOAD(a6 + j) * x6;
    s += LOAD(a7 + j) * x7;
    STORE(y + j, s);
  }
  for (; j < n; j++)
    for (int r = 0; r < 8; r++) y[j] += a[r][j] * x[r];
}

static void four(int n, const double *const *a, const double *x, double *y) {
  const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
  const vec x0 = ALL(x[0]), x1 = ALL(x[1]), x2 = ALL(x[2]), x3 = ALL(x[3]);
  int j = 0;
  for (; j + W <= n; j += W) {
    vec s = LOAD(y + j) + LOAD(a0 + j) * x0;
    s += LOAD(a1 + j) * x1;
    s += LOAD(a2 + j) * x2;
    s += LOAD(a3 + j) * x3;
    STORE(y + j, s);
  }
  for (; j < n; j++)
    for (int r = 0; r < 4; r++) y[j] += a[r][j] * x[r];
}

static void gemv_t(int m, int n, const double *A, size_t ld, const double *x, double *y) {
  const double *a[8];
  int k = 0;
  for (; k + 8 <= m; k += 8) {
    for (int r = 0; r < 8; r++) a[r] = A + (size_t)(k + r) * ld;
    eight(n, a, x + k, y);
  }
  if (k + 4 <= m) {
    for (int r = 0; r < 4; r++) a[r] = A + (size_t)(k + r) * ld;
    four(n, a, x + k, y);
    k += 4;
  }
  for (; k < m; k++) axpy(n, x[k], A + (size_t)k * ld, y);
}

static void combine(int m, int n, const double *A, size_t ld, const int *row, const double *x,
                    double *y) {
  const double *a[8];
  int k = 0;
  for (; k + 8 <= m; k += 8) {
    for (int r = 0; r < 8; r++) a[r] = A + (size_t)row[k + r] * ld;
    eight(n, a, x + k, y);
  }
  for (; k < m; k++) axpy(n, x[k], A + (size_t)row[k] * ld, y);
}

static void rank1(int m, int n, const double *x, const double *y, double *A, size_t ld) {
  for (int i = 0; i < m; i++) axpy(n, x[i], y, A + (size_t)i * ld);
}

/* --- C -= A B ------------------------------------------------------------------------------- */
/* A tile of 4 rows and 2 W columns (or W) of C in registers; B is packed, its rows pb apart. */
static void tile4x2(int k, const double *A, size_t ai, size_t ak, const double *B, size_t pb,
                    double *C, size_t ldc) {
#define ROW(r)                                                                                 \
  vec c##r##0 = LOAD(C + r * ldc), c##r##1 = LOAD(C + r * ldc + W);
  ROW(0) ROW(1) ROW(2) ROW(3)
  for (int l = 0; l < k; l++, A += ak, B += pb) {
    const vec b0 = LOAD(B), b1 = LOAD(B + W);
#define TAKE(r)                                                                                \
  {                                                                                            \
    const vec a = ALL(A[r * ai]);                                                              \
    c##r##0 -= a * b0;                                                                         \
    c##r##1 -= a * b1;                                                                         \
  }
    TAKE(0) TAKE(1) TAKE(2) TAKE(3)
  }
#define PUT(r)                                                                                 \
  STORE(C + r * ldc, c##r##0);                                                                 \
  STORE(C + r * ldc + W, c##r##1);
  PUT(0) PUT(1) PUT(2) PUT(3)
}

static void tile1x1(int k, const double *A, size_t ak, const double *B, size_t pb, double *C) {
  vec c = LOAD(C);
  for (int l = 0; l < k; l++, A += ak, B += pb) c -= ALL(*A) * LOAD(B);
  STORE(C, c);
}

#define K_PACK 64 /* rows of B packed at once */

/* All rows of C against W * n_w columns (n_w is 1 or 2) of one packed strip of B. */
static void strip(int m, int k, const double *A, size_t ai, size_t ak, const double *B,
                  double *C, size_t ldc, int n_w) {
  int i = 0;
  if (n_w == 2)
    for (; i + 4 <= m; i += 4)
      tile4x2(k, A + (size_t)i * ai, ai, ak, B, 2 * W, C + (size_t)i * ldc, ldc);
  for (; i < m; i++)
    for (int p = 0; p < n_w; p++)
      tile1x1(k, A + (size_t)i * ai, ak, B + p * W, 2 * W, C + (size_t)i * ldc + p * W);
}

static void gemm(int m, int n, int k, const double *A, size_t ai, size_t ak, const double *B,
                 size_t ldb, double *C, size_t ldc, bool upper) {
  double packed[K_PACK * 2 * W];
  for (int k0 = 0; k0 < k; k0 += K_PACK) {
    const int kb = k - k0 < K_PACK ? k - k0 : K_PACK;
    for (int j = 0; j < n; j += 2 * W) {
      const int n_w = n - j < 2 * W ? 1 : 2;
      const int rows = upper && j + 2 * W < m ? j + 2 * W : m;
      const double *b = B + (size_t)k0 * ldb + (size_t)j;
      for (int l = 0; l < kb; l++, b += ldb)
        for (int p = 0; p < n_w; p++) STORE(packed + (l * 2 + p) * W, LOAD(b + p * W));
      strip(rows, kb, A + (size_t)k0 * ak, ai, ak, packed, C + j, ldc, n_w);
    }
  }
}

#define FEW 6 /* rows of C, and of B, at most */
/* Runs by four columns, all rows of B in registers where m and k are known. */
DLS_INLINE void few_runs(int m, int k, const double *A, size_t lda, const double *B, size_t ldb, const int *run,
                         int n_runs, double *C, size_t ldc) {
#ifdef DLS_PLAIN_C
  for (int r = 0; r < n_runs; r++) {
    double *to = C + run[2 * r];
    for (int j = 0; j < run[2 * r + 1] || j % 4 != 0; j++, B++, to++)
      for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) to[(size_t)i * ldc] -= A[(size_t)i * lda + (size_t)l] * B[(size_t)l * ldb];
  }
#else
  quad a[FEW * FEW], b[FEW];
  DLS_UNROLL for (int i = 0; i < m; i++)
    DLS_UNROLL for (int l = 0; l < k; l++) {
      const double x = A[(size_t)i * lda + (size_t)l];
      a[i * k + l] = (quad){x, x, x, x};
    }
  for (int r = 0; r < n_runs; r++) {
    double *to = C + run[2 * r];
    for (int j = 0; j < run[2 * r + 1]; j += 4, B += 4, to += 4) {
      DLS_UNROLL for (int l = 0; l < k; l++) b[l] = (quad)*(const loose_quad *)(B + (size_t)l * ldb);
      DLS_UNROLL for (int i = 0; i < m; i++) {
        loose_quad *row = (loose_quad *)(to + (size_t)i * ldc);
        quad c = (quad)*row;
        DLS_UNROLL for (int l = 0; l < k; l++) c -= a[i * k + l] * b[l];
        *row = (loose_quad)c;
      }
    }
  }
#endif
}

static void gemm_runs(int m, int k, const double *A, size_t lda, const double *B, size_t ldb, const int *run, int n_runs,
                      double *C, size_t ldc) {
  if (m == 3 && k == 3) few_runs(3, 3, A, lda, B, ldb, run, n_runs, C, ldc);
  else if (m == 3 && k == 1) few_runs(3, 1, A, lda, B, ldb, run, n_runs, C, ldc);
  else if (m == 1 && k == 3) few_runs(1, 3, A, lda, B, ldb, run, n_runs, C, ldc);
  else if (m == 2 && k == 2) few_runs(2, 2, A, lda, B, ldb, run, n_runs, C, ldc);
  else if (m == 1 && k == 1) few_runs(1, 1, A, lda, B, ldb, run, n_runs, C, ldc);
  else few_runs(m, k, A, lda, B, ldb, run, n_runs, C, ldc);
}
#undef FEW

/* --- symmetry ------------------------------------------------------------------------------- */
#ifdef DLS_PLAIN_C
static bool mirrored(int size, const double *M) {
  const size_t n = (size_t)size;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      if (memcmp(M + i * n + j, M + j * n + i, sizeof *M) != 0) return false;
  return true;
}
#else
typedef long long bits4 DLS_VECTOR(32);

/* Where rows i .. i+3, columns j .. j+3 differ from columns i .. i+3, rows j .. j+3, added to
** odd. */
static inline void differ4(const double *A, const double *B, size_t n, bits4 *odd) {
#define ROW4(x, p) const bits4 x = (bits4)*(const loose_quad *)(p);
  ROW4(b0, B) ROW4(b1, B + n) ROW4(b2, B + 2 * n) ROW4(b3, B + 3 * n)
  const bits4 p = __builtin_shufflevector(b0, b1, 0, 4, 2, 6), q = __builtin_shufflevector(b0, b1, 1, 5, 3, 7);
  const bits4 r = __builtin_shufflevector(b2, b3, 0, 4, 2, 6), s = __builtin_shufflevector(b2, b3, 1, 5, 3, 7);
  ROW4(a0, A) ROW4(a1, A + n) ROW4(a2, A + 2 * n) ROW4(a3, A + 3 * n)
  *odd |= (a0 ^ __builtin_shufflevector(p, r, 0, 1, 4, 5)) | (a1 ^ __builtin_shufflevector(q, s, 0, 1, 4, 5)) |
          (a2 ^ __builtin_shufflevector(p, r, 2, 3, 6, 7)) | (a3 ^ __builtin_shufflevector(q, s, 2, 3, 6, 7));
}

static bool mirrored(int size, const double *M) {
  enum { TILE = 16 }; /* keeps both triangles in the cache */
  const size_t n = (size_t)size, whole = n & ~(size_t)3;
  for (size_t i0 = 0; i0 < whole; i0 += TILE)
    for (size_t j0 = i0; j0 < whole; j0 += TILE) {
      const size_t i1 = i0 + TILE < whole ? i0 + TILE : whole, j1 = j0 + TILE < whole ? j0 + TILE : whole;
      bits4 odd = {0, 0, 0, 0};
      for (size_t i = i0; i < i1; i += 4)
        for (size_t j = j0 > i ? j0 : i; j < j1; j += 4) differ4(M + i * n + j, M + j * n + i, n, &odd);
      if ((odd[0] | odd[1] | odd[2] | odd[3]) != 0) return false;
    }
  for (size_t j = whole; j < n; j++)
    for (size_t i = 0; i < j; i++)
      if (memcmp(M + i * n + j, M + j * n + i, sizeof *M) != 0) return false;
  return true;
}
#endif

/* --- pivoting methods ----------------------------------------------------------------------- */
static int choose(int n, const double *q, const double *d, const double *tq, const double *td) {
  double size[W], place[W], index[W];
  for (int p = 0; p < W; p++) index[p] = p;
  vec best = ALL(0.0), at = ALL(-1.0), here = LOAD(index);
  for (int i = 0; i < n; i += W, here += ALL((double)W)) {
    const vec qi = LOAD(q + i), di = LOAD(d + i);
    const mask ok = (qi < -LOAD(tq + i)) & (di > LOAD(td + i));
    const vec gain = MASKED(ok, qi * qi / PICK(ok, di, ALL(1.0)));
    const mask more = gain > best;
    best = PICK(more, gain, best);
    at = PICK(more, here, at);
  }
  STORE(size, best);
  STORE(place, at);
  int r = 0;
  for (int p = 1; p < W; p++)
    if (size[p] > size[r] || (size[p] == size[r] && place[p] >= 0.0 && place[p] < place[r])) r = p;
  return (int)place[r];
}

static void pivot(int m, int n, double *T, size_t ld, double *q, double *d, double *f, int r) {
  double *row = T + (size_t)r * ld;
  const double P = row[r], qr = q[r];
  const vec pv = ALL(P);
  for (int i = 0; i < m; i++) f[i] = T[(size_t)i * ld + (size_t)r];
  for (int i = m; i < n; i++) f[i] = 0.0;
  f[r] = 0.0;
  row[r] = 0.0;
  for (int i = 0; i < n; i += W) STORE(f + i, LOAD(f + i) / pv);
  for (int i = 0; i < m; i++) {
    double *Ti = T + (size_t)i * ld;
    const vec fi = ALL(f[i]);
    if (f[i] == 0.0) continue;
    for (int j = 0; j < n; j += W) STORE(Ti + j, LOAD(Ti + j) - fi * LOAD(row + j));
  }
  for (int i = 0; i < m; i++) T[(size_t)i * ld + (size_t)r] = f[i];
  for (int i = 0; i < n; i += W) {
    const vec fi = LOAD(f + i);
    STORE(q + i, LOAD(q + i) - fi * ALL(qr));
    STORE(d + i, LOAD(d + i) - fi * LOAD(row + i));
    STORE(row + i, -LOAD(row + i) / pv);
  }
  row[r] = d[r] = 1.0 / P;
  q[r] = -qr / P;
}

static void keep(int n, double a, const double *s, const double *x, double *y) {
  const vec av = ALL(a);
  int i = 0;
  for (; i + W <= n; i += W) STORE(y + i, MASKED(av * LOAD(s + i) > ALL(0.0), LOAD(x + i)));
  for (; i < n; i++) y[i] = a * s[i] > 0.0 ? x[i] : 0.0;
}

static void less(int n, int k, const double *T, size_t ld, int r, double *y) {
  int j = 0;
  for (; j + 2 * W <= n; j += 2 * W) {
    const double *row = T + j, *column = T + r;
    vec y0 = LOAD(y + j), y1 = LOAD(y + j + W);
    for (int a = 0; a < k; a++, row += ld, column += ld) {
      y0 -= LOAD(row) * ALL(*column);
      y1 -= LOAD(row + W) * ALL(*column);
    }
    STORE(y + j, y0);
    STORE(y + j + W, y1);
  }
  for (; j < n; j += W) {
    vec y0 = LOAD(y + j);
    for (int a = 0; a < k; a++) y0 -= LOAD(T + (size_t)a * ld + j) * ALL(T[(size_t)a * ld + (size_t)r]);
    STORE(y + j, y0);
  }
}

static void absorb(int n, const double *r, double a, double t, const double *s, double *v,
                   double *q, double *d) {
  for (int i = 0; i < n; i += W) {
    const vec ri = LOAD(r + i), vi = ri * ALL(a);
    STORE(v + i, vi);
    STORE(q + i, LOAD(q + i) + ALL(t) * ri);
    STORE(d + i, LOAD(d + i) + LOAD(s + i) * (vi * vi));
  }
}

const dls_lanes LANES_TABLE = {
  .name = LANES_NAME, .width = LANES_W,
  .dot = dot, .amax = amax, .axpy = axpy, .rotate = rotate,
  .gemv = gemv, .gemv_size = gemv_size, .gemv_t = gemv_t, .combine = combine, .rank1 = rank1, .gemm = gemm,
  .gemm_runs = gemm_runs,
  .mirrored = mirrored,
  .choose = choose, .pivot = pivot, .keep = keep, .less = less, .absorb = absorb,
};
