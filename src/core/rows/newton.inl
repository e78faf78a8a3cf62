/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Semismooth Newton on a whole island, matrix-free in its rows. With z, y, |W| a block's impulses,
** velocities and measure as in the residual, x = z - rho y, rho = times / |W|, the laws read F = 0,
**
**     normal   z_n - max(0, x_n)         part   z_k - P(x_k),  P on the disk of mu_k max(0, x_n)
**     row      z - clamp(x, lo, hi)
**
** (Alart & Curnier, 1991). One step solves, with X = dF/dy, Y = dF/dz and a damping E = damp |W|
** (contacts may be redundant),
**
**     X (J du + E dz) + Y dz = -F,    du = M^-1 J' dz,
**
** by taking each block's dz = -g - S J du, S = (X E + Y)^-1 X, g = (X E + Y)^-1 F, to the bodies:
** the block LU of web.inl. It is cut by a line search on sum |F / rho|^2. */

typedef struct linear {
  double norm;       /* |W|, Frobenius, rows by their length         */
  double S[NB * NB]; /* row-major, block->n numbers a row            */
  double g[NB];
  bool acts;         /* S is not zero                                */
} linear;

typedef struct newton {
  web web;
  linear *law;     /* n blocks                                       */
  double *dp;      /* by block: NB each                              */
  double *dv;      /* the same: change of J u                        */
  double *best;    /* the same: impulses of the least residual       */
  double *raw;     /* the same: impulses before they are cut         */
  double times;    /* rho |W|                                        */
  double damp;     /* E / |W|                                        */
  double *y;       /* web.n x ROW                                     */
  double *du;      /* web.n x NU                                     */
} newton;

/* z and y, with the damping E dz, of block `at` at impulses p + t dp and velocities v + t dv. */
static void read_block(const dls_rows *rows, const dls_block *block, const newton *N, int at,
                       double t, const double *v, double *z, double *y) {
  const double *dp = N->dp + (size_t)at * NB, *dv = N->dv + (size_t)at * NB;
  double E = N->damp * N->law[at].norm;
  for (int k = 0; k < block->n; k++) {
    int i = block->row + k;
    double p = rows->p[i], length = rows->length[i], speed = v[k], drag = 0;
    if (t > 0) {
      p += t * dp[k];
      speed += t * dv[k];
      drag = E * t * dp[k] / length;
    }
    z[k] = p / length;
    y[k] = (speed + rows->s[i] + rows->gamma[i] * p) * length + drag;
  }
}

static double part_length(int n, const double *x) {
  return n == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void bounds_of(const dls_rows *rows, const dls_block *block, double *lo, double *hi) {
  *lo = block->kind == DLS_ROW_BILATERAL ? -DLS_INF : 0;
  *hi = DLS_INF;
  if (block->kind != DLS_ROW_BOX) return;
  *lo = block->lo / rows->length[block->row];
  *hi = block->hi / rows->length[block->row];
}

static bool has_cone(const dls_block *block) {
  return block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING;
}

/* F of a block. */
static void law_value(const dls_rows *rows, const dls_block *block, double rho, const double *z,
                      const double *y, double *F) {
  if (!has_cone(block)) {
    double lo, hi;
    bounds_of(rows, block, &lo, &hi);
    for (int k = 0; k < block->n; k++) F[k] = z[k] - dls_clamp(z[k] - rho * y[k], lo, hi);
    return;
  }
  dls_cone_shape shape = dls_cone_of(rows, block);
  double x_n = dls_max(z[0] - rho * y[0], 0);
  F[0] = z[0] - x_n;
  for (int k = 0, at = 1; k < shape.n_parts; at += shape.rows[k], k++) {
    double x[2] = {0, 0}, bound = shape.mu[k] * x_n;
    for (int i = 0; i < shape.rows[k]; i++) x[i] = z[at + i] - rho * y[at + i];
    double size = part_length(shape.rows[k], x), cut = size > bound ? bound / size : 1;
    for (int i = 0; i < shape.rows[k]; i++) F[at + i] = z[at + i] - cut * x[i];
  }
}

/* X and Y of a part that slides: F = z - mu x_n w, w = x / |x|. */
static void slide_slopes(int n, int at, int rows, double mu, double rho, double x_n,
                         const double *x, double size, double *X, double *Y) {
  double r = mu * x_n / size, w[2] = {x[0] / size, rows == 2 ? x[1] / size : 0};
  for (int i = 0; i < rows; i++) {
    int row = (at + i) * n;
    Y[row] = -mu * w[i];
    X[row] = rho * mu * w[i];
    for (int j = 0; j < rows; j++) {
      double turn = r * ((i == j) - w[i] * w[j]);
      Y[row + at + j] = (i == j) - turn;
      X[row + at + j] = rho * turn;
    }
  }
}

static void law_slopes(const dls_rows *rows, const dls_block *block, double rho, const double *z,
                       const double *y, double *X, double *Y) {
  int n = block->n;
  memset(X, 0, (size_t)(n * n) * sizeof *X);
  memset(Y, 0, (size_t)(n * n) * sizeof *Y);
  if (!has_cone(block)) {
    double lo, hi;
    bounds_of(rows, block, &lo, &hi);
    for (int k = 0; k < n; k++) {
      double x = z[k] - rho * y[k];
      bool inside = x > lo && x < hi;
      X[k * n + k] = inside ? rho : 0;
      Y[k * n + k] = inside ? 0 : 1;
    }
    return;
  }
  dls_cone_shape shape = dls_cone_of(rows, block);
  double x_n = z[0] - rho * y[0];
  if (!(x_n > 0)) {
    for (int k = 0; k < n; k++) Y[k * n + k] = 1;
    return;
  }
  X[0] = rho;
  for (int k = 0, at = 1; k < shape.n_parts; at += shape.rows[k], k++) {
    double x[2] = {0, 0};
    for (int i = 0; i < shape.rows[k]; i++) x[i] = z[at + i] - rho * y[at + i];
    double size = part_length(shape.rows[k], x);
    if (size > shape.mu[k] * x_n) {
      slide_slopes(n, at, shape.rows[k], shape.mu[k], rho, x_n, x, size, X, Y);
    } else {
      for (int i = 0; i < shape.rows[k]; i++) X[(at + i) * (n + 1)] = rho;
    }
  }
}

/* b <- a^-1 b, b n x m; a is destroyed. */
static void solve_small(int n, int m, double *a, double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    for (int j = 0; best != k && j < n; j++) {
      double x = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = x;
    }
    for (int j = 0; best != k && j < m; j++) {
      double x = b[k * m + j];
      b[k * m + j] = b[best * m + j];
      b[best * m + j] = x;
    }
    double pivot = a[k * n + k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    for (int i = 0; i < n; i++) {
      double x = a[i * n + k] / pivot;
      if (i == k || x == 0) continue;
      for (int j = k; j < n; j++) a[i * n + j] -= x * a[k * n + j];
      for (int j = 0; j < m; j++) b[i * m + j] -= x * b[k * m + j];
    }
    for (int j = 0; j < m; j++) b[k * m + j] /= pivot;
    for (int j = k; j < n; j++) a[k * n + j] /= pivot;
  }
}

static void block_velocities(const dls_rows *rows, const dls_block *block, double *v) {
  const double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  for (int i = 0; i < block->n; i++)
    v[i] = row_velocity(rows->J + (size_t)(block->row + i) * 2 * NU, u_a, u_b);
}

/* S and g of a block at the p and u at hand. */
static void linearise(const dls_rows *rows, const dls_block *block, const newton *N, int at) {
  int n = block->n;
  linear *law = &N->law[at];
  double v[NB], z[NB], y[NB], F[NB], X[NB * NB], C[NB * NB], right[NB * (NB + 1)];
  double rho = N->times / law->norm, damp = N->damp;
  block_velocities(rows, block, v);
  read_block(rows, block, N, at, 0, v, z, y);
  law_value(rows, block, rho, z, y, F);
  law_slopes(rows, block, rho, z, y, X, C);
  law->acts = false;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double l = rows->length[block->row + j];
      C[i * n + j] += X[i * n + j] * (damp * law->norm + rows->gamma[block->row + j] * l * l);
      right[i * (n + 1) + j] = X[i * n + j];
      if (X[i * n + j] != 0) law->acts = true;
    }
    right[i * (n + 1) + n] = F[i];
  }
  solve_small(n, n + 1, C, right);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) law->S[i * n + j] = right[i * (n + 1) + j];
    law->g[i] = right[i * (n + 1) + n];
  }
}

/* K_ij += J_i' S M^-1 J_j of two of the block's sides (0: a, 1: b). */
static void add_side(const dls_rows *rows, const dls_block *block, const double *SJ, int side,
                     int other, double *K) {
  for (int k = 0; k < block->n; k++) {
    const double *J = rows->J + (size_t)(block->row + k) * 2 * NU + side * NU;
    double length = rows->length[block->row + k];
    for (int i = 0; i < NU; i++) {
      double j = J[i] * length;
      if (j == 0) continue;
      for (int l = 0; l < NU; l++) K[i * DOWN + l * ACROSS] += j * SJ[k * 2 * NU + other * NU + l];
    }
  }
}

static void add_block(const dls_rows *rows, const dls_block *block, const linear *law, web *w,
                      double *y) {
  int n = block->n, at[2] = {-1, -1};
  if (moves(rows, block->a)) at[0] = w->place[block->a];
  if (moves(rows, block->b)) at[1] = w->place[block->b];
  for (int side = 0; side < 2; side++)
    for (int k = 0; at[side] >= 0 && k < n; k++)
      add_u(y + (size_t)at[side] * ROW, -law->g[k] * rows->length[block->row + k],
            rows->J + (size_t)(block->row + k) * 2 * NU + side * NU);
  if (!law->acts) return;
  double SJ[NB * 2 * NU] = {0};
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      double s = law->S[k * n + j] * rows->length[block->row + j];
      const double *MJ = rows->MJ + (size_t)(block->row + j) * 2 * NU;
      for (int l = 0; l < 2 * NU; l++) SJ[k * 2 * NU + l] += s * MJ[l];
    }
  for (int side = 0; side < 2; side++)
    for (int other = 0; other < 2; other++) {
      int i = at[side], j = at[other];
      if (i < 0 || j < 0) continue;
      double *K = w->d + (size_t)i * NU2;
      if (i < j) K = w->up + (size_t)entry_of(w, i, j) * NU2;
      if (i > j) K = w->low + (size_t)entry_of(w, j, i) * NU2;
      add_side(rows, block, SJ, side, other, K);
    }
}

/* J du of a block, du by places. */
static void change_of(const dls_rows *rows, const dls_block *block, const newton *N, double *dv) {
  for (int k = 0; k < block->n; k++) {
    const double *J = rows->J + (size_t)(block->row + k) * 2 * NU;
    dv[k] = 0;
    if (moves(rows, block->a)) dv[k] += dot_u(J, N->du + (size_t)N->web.place[block->a] * NU);
    if (moves(rows, block->b)) dv[k] += dot_u(J + NU, N->du + (size_t)N->web.place[block->b] * NU);
  }
}

/* dp and dv of a Newton step from the p and u at hand. */
static void newton_step(const dls_rows *rows, const int *blocks, int n, newton *N) {
  web *w = &N->web;
  clear_web(w);
  memset(N->y, 0, (size_t)w->n * ROW * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    linearise(rows, block, N, k);
    add_block(rows, block, &N->law[k], w, N->y);
  }
  factor_web(w);
  solve_web(w, N->y);
  for (int i = 0; i < w->n; i++)
    apply_inverse(rows, w->body[i], N->y + (size_t)i * ROW, N->du + (size_t)i * NU);
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const linear *law = &N->law[k];
    double dv[NB];
    change_of(rows, block, N, dv);
    for (int i = 0; i < block->n; i++) {
      double dz = -law->g[i];
      for (int j = 0; law->acts && j < block->n; j++)
        dz -= law->S[i * block->n + j] * dv[j] * rows->length[block->row + j];
      N->dp[(size_t)k * NB + i] = dz * rows->length[block->row + i];
    }
  }
  /* du that belongs to dp exactly, whatever the solution lost by rounding. */
  memset(N->du, 0, (size_t)w->n * NU * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) {
      const double *MJ = rows->MJ + (size_t)(block->row + i) * 2 * NU;
      double dp = N->dp[(size_t)k * NB + i];
      if (moves(rows, block->a)) add_u(N->du + (size_t)w->place[block->a] * NU, dp, MJ);
      if (moves(rows, block->b)) add_u(N->du + (size_t)w->place[block->b] * NU, dp, MJ + NU);
    }
  }
  for (int k = 0; k < n; k++)
    change_of(rows, &rows->block[blocks[k]], N, N->dv + (size_t)k * NB);
}

/* sum |F / rho|^2 at p + t dp. */
static double merit(const dls_rows *rows, const int *blocks, int n, double t, const newton *N) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    double v[NB], z[NB], y[NB], F[NB], rho = N->times / N->law[k].norm;
    block_velocities(rows, block, v);
    read_block(rows, block, N, k, t, v, z, y);
    law_value(rows, block, rho, z, y, F);
    for (int i = 0; i < block->n; i++) sum += (F[i] / rho) * (F[i] / rho);
  }
  return sum;
}

static void go(dls_rows *rows, const int *blocks, int n, double t, const newton *N) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] += t * N->dp[(size_t)k * NB + i];
  }
}

static void exchange(dls_rows *rows, const int *blocks, int n, double *kept, bool back) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) {
      if (back) rows->p[block->row + i] = kept[(size_t)k * NB + i];
      else kept[(size_t)k * NB + i] = rows->p[block->row + i];
    }
  }
}

static void admit_all(dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    double z[NB] = {0};
    for (int i = 0; i < block->n; i++) z[i] = rows->p[block->row + i] / rows->length[block->row + i];
    dls_admit(rows, block, z);
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = z[i] * rows->length[block->row + i];
  }
}
