/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The segments of a chain of hinges joined; part of hinges.inc.h. */

/* x in all numbers; the sixth number of a row alone is added to the sixth of another. */
#ifdef DLS_PLAIN_C
static inline four all_four(double x) { return x; }
static inline void add_sixth(wide_row *to, const wide_row *row) {
  for (int k = 4; k < 8; k++) to->x[k] = to->x[k] + (k == 5 ? row->x[k] : 0.0);
}
#else
static inline four all_four(double x) { return (four){x, x, x, x}; }
static inline void add_sixth(wide_row *to, const wide_row *row) {
  typedef long long bits DLS_VECTOR(32);
  to->v[1] = to->v[1] + (four)((bits)row->v[1] & (bits){0, -1, 0, 0});
}
#endif

/* C = A B: A's numbers at a[row i + column k]. */
static inline void multiply5(wide_row *C, const double *a, int row, int column, const wide_row *B) {
  for (int i = 0; i < 5; i++)
    for (int v = 0; v < FOURS; v++) {
      four sum = all_four(a[row * i]) * B[0].v[v];
      for (int k = 1; k < 5; k++) sum = sum + all_four(a[row * i + column * k]) * B[k].v[v];
      C[i].v[v] = sum;
    }
}

/* Solves A X = B by elimination with row exchanges; X takes B's place. */
static inline bool hinge_solve(wide_row *A, wide_row *B) {
  for (int k = 0; k < 5; k++) {
    int best = k;
    for (int i = k + 1; i < 5; i++)
      if (fabs(A[i].x[k]) > fabs(A[best].x[k])) best = i;
    const double pivot = A[best].x[k];
    if (!(fabs(pivot) > 0 && fabs(pivot) < DLS_INF)) return false;
    const four s = all_four(1 / pivot);
    for (int v = 0; v < FOURS; v++) {
      const four a = A[best].v[v], b = B[best].v[v];
      A[best].v[v] = A[k].v[v];
      B[best].v[v] = B[k].v[v];
      A[k].v[v] = a * s;
      B[k].v[v] = b * s;
    }
    for (int i = 0; i < 5; i++) {
      if (i == k) continue;
      const four x = all_four(A[i].x[k]);
      for (int v = 0; v < FOURS; v++) {
        A[i].v[v] = A[i].v[v] - x * A[k].v[v];
        B[i].v[v] = B[i].v[v] - x * B[k].v[v];
      }
    }
  }
  return true;
}

/* y = A x + the sixth column */
static inline void apply_row5(double *y, const wide_row *A, const double *x) {
  for (int i = 0; i < 5; i++) {
    const double *a = A[i].x;
    y[i] = ((a[0] * x[0] + a[1] * x[1]) + (a[2] * x[2] + a[3] * x[3])) + (a[4] * x[4] + a[5]);
  }
}

/* Joins the segments from the tip, then bases and forces from the root: chain_join with five
** rows. */
static bool hinge_join(int n, const double *gravity, const hinge_state *first, hinge_ends *ends) {
  static const wide_row one[5] = {
      {.x = {1}}, {.x = {0, 1}}, {.x = {0, 0, 1}}, {.x = {0, 0, 0, 1}}, {.x = {0, 0, 0, 0, 1}}};
  for (int l = n - 2; l >= 0; l--) {
    wide_row A[5], *Z = ends->F[l], LK[5], KZ[5], columns[5], sum[5];
    const wide_row *K = ends->K[l + 1];
    memcpy(columns, Z, sizeof columns);
    multiply5(LK, ends->L[l], 5, 1, K);
    for (int i = 0; i < 5; i++) {
      for (int v = 0; v < FOURS; v++) A[i].v[v] = one[i].v[v] - LK[i].v[v];
      add_sixth(&Z[i], &LK[i]);
    }
    if (!hinge_solve(A, Z)) return false; /* Z, with the constant part in its sixth column */
    multiply5(KZ, K[0].x, 8, 1, Z);
    for (int i = 0; i < 5; i++) add_sixth(&KZ[i], &K[i]);
    multiply5(sum, columns[0].x, 1, 8, KZ);
    for (int i = 0; i < 5; i++)
      for (int v = 0; v < FOURS; v++) ends->K[l][i].v[v] = ends->K[l][i].v[v] + sum[i].v[v];
  }
  memset(ends->lambda[n - 1], 0, sizeof ends->lambda[n - 1]);
  ends->a[0][0] = ends->a[0][1] = 0;
  for (int k = 0; k < 3; k++)
    ends->a[0][2 + k] = -(DLS_LANE(first->E[k], 0) * gravity[0] + DLS_LANE(first->E[3 + k], 0) * gravity[1] +
                          DLS_LANE(first->E[6 + k], 0) * gravity[2]);
  for (int l = 0; l + 1 < n; l++) {
    apply_row5(ends->a[l + 1], ends->F[l], ends->a[l]);
    apply_row5(ends->lambda[l], ends->K[l + 1], ends->a[l + 1]);
  }
  return true;
}
