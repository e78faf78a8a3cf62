/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The segments of a chain of balls joined; part of chain.inc.h. Segment l says, of its base's
** acceleration a and the force lambda of the joint there,
**
**   lambda_l = K a_l + phi + F lambda_{l+1},     a_{l+1} = F' a_l + drift + L lambda_{l+1}.
**
** Two eliminations meet in the middle: from the tip, lambda_l = S a_l + s, and from the base, where a
** is known, a_l = S lambda_l + s. Each step of the one is a step of the other with (K, phi) and
** (L, drift) exchanged and F turned over, so that they go in the two numbers of a pair:
**
**   x = Z y + z,   Z = (1 - L S)^-1 F',   z = (1 - L S)^-1 (drift + L s);
**   S <- K + F S Z,   s <- phi + F (S z + s). */

typedef double pair __attribute__((vector_size(16)));

/* One step: what stood before it, and what it said. */
typedef struct join_step {
  pair S[6], s[3], Z[9], z[3];
} join_step;

static inline void pair_vec(pair *o, const pair *A, const pair *v) {
  for (int i = 0; i < 3; i++) o[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}
static inline void pair_t_vec(pair *o, const pair *A, const pair *v) {
  for (int i = 0; i < 3; i++) o[i] = A[i] * v[0] + A[3 + i] * v[1] + A[6 + i] * v[2];
}
static inline void pair_mul(pair *C, const pair *A, const pair *B) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++) C[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
}
static inline void pair_full(pair *o, const pair *S) {
  static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int k = 0; k < 9; k++) o[k] = S[at[k]];
}
/* The adjugate; returns the determinant. */
static inline pair pair_adjugate(pair *o, const pair *A) {
  o[0] = A[4] * A[8] - A[5] * A[7];
  o[1] = A[2] * A[7] - A[1] * A[8];
  o[2] = A[1] * A[5] - A[2] * A[4];
  o[3] = A[5] * A[6] - A[3] * A[8];
  o[4] = A[0] * A[8] - A[2] * A[6];
  o[5] = A[2] * A[3] - A[0] * A[5];
  o[6] = A[3] * A[7] - A[4] * A[6];
  o[7] = A[1] * A[6] - A[0] * A[7];
  o[8] = A[0] * A[4] - A[1] * A[3];
  return A[0] * o[0] + A[1] * o[3] + A[2] * o[6];
}
/* n numbers of the segments t (from the tip) and b (from the base). */
static inline void pair_take(pair *o, int n, const by_segment *tip, int t, const by_segment *base,
                             int b) {
  for (int k = 0; k < n; k++) o[k] = (pair){tip[k][t], base[k][b]};
}

/* adj(1 - L S), and 1 over its determinant; false where that is nothing. */
static inline bool join_inverse(pair *adjugate, pair *over, const pair *L, const pair *S) {
  pair A[9];
  pair_mul(A, L, S);
  for (int k = 0; k < 9; k++) A[k] = (k % 4 == 0 ? 1.0 : 0.0) - A[k];
  const pair det = pair_adjugate(adjugate, A);
  *over = 1.0 / det;
  return fabs(det[0]) > 0 && fabs(det[1]) > 0 && fabs(det[0]) < DLS_INF && fabs(det[1]) < DLS_INF;
}

/* Takes in one more segment on either side: what stands in `from` becomes what stands in `to`. */
static inline bool join_more(const chain_ends *ends, int t, int b, join_step *from, join_step *to) {
  pair near[6], L[9], S[9], K[6], N[9], c[3], d[3], adjugate[9], over, W[9], x[3], y[3];
  pair_take(near, 6, ends->L, t, ends->K, b);
  pair_take(K, 6, ends->K, t, ends->L, b);
  pair_take(c, 3, ends->drift, t, ends->phi, b);
  pair_take(d, 3, ends->phi, t, ends->drift, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) N[3 * i + j] = (pair){ends->F[3 * j + i][t], ends->F[3 * i + j][b]};
  pair_full(L, near);
  pair_full(S, from->S);
  const bool good = join_inverse(adjugate, &over, L, S);
  pair_vec(x, L, from->s);
  for (int k = 0; k < 3; k++) x[k] = c[k] + x[k];
  pair_vec(from->z, adjugate, x);
  pair_mul(from->Z, adjugate, N);
  pair_mul(W, S, from->Z);
  for (int i = 0, at = 0; i < 3; i++)
    for (int j = i; j < 3; j++, at++)
      to->S[at] = K[at] + (N[i] * W[j] + N[3 + i] * W[3 + j] + N[6 + i] * W[6 + j]) * over;
  for (int k = 0; k < 3; k++) from->z[k] = from->z[k] * over;
  for (int k = 0; k < 9; k++) from->Z[k] = from->Z[k] * over;
  pair_vec(x, S, from->z);
  for (int k = 0; k < 3; k++) x[k] = x[k] + from->s[k];
  pair_t_vec(y, N, x);
  for (int k = 0; k < 3; k++) to->s[k] = d[k] + y[k];
  return good;
}

/* Where the two sides meet: a and lambda of the joint between them, as x of a step. */
static inline bool join_middle(const join_step *last, pair *x) {
  pair S[9], tip[9], base[9], adjugate[9], over, s[3], t[3];
  pair_full(S, last->S);
  for (int k = 0; k < 9; k++) tip[k] = (pair){S[k][0], S[k][0]}, base[k] = (pair){S[k][1], S[k][1]};
  const bool good = join_inverse(adjugate, &over, base, tip);
  for (int k = 0; k < 3; k++) s[k] = (pair){last->s[k][0], last->s[k][0]};
  pair_vec(t, base, s);
  for (int k = 0; k < 3; k++) t[k] = (last->s[k][1] + t[k]) * over;
  pair_vec(x, adjugate, t); /* a */
  pair_vec(t, tip, x);
  for (int k = 0; k < 3; k++) x[k] = (pair){x[k][0], s[k][0] + t[k][0]};
  return good;
}

/* Bases' accelerations and forces on the next segments. */
static bool chain_join(int n, const double *gravity, chain_ends *ends) {
  join_step step[MOST_SEGMENTS / 2];
  const int m = n / 2;
  pair x[3], y[3], fall[3];
  pair_take(step[0].S, 6, ends->K, n - 1, ends->L, 0);
  pair_take(step[0].s, 3, ends->phi, n - 1, ends->drift, 0);
  for (int k = 0; k < 3; k++) {
    ends->a[k][0] = -gravity[k];
    ends->lambda[k][n - 1] = 0;
  }
  for (int k = 0; k < 3; k++) {
    const by_segment *F = ends->F;
    const double fallen = F[k][0] * gravity[0] + F[3 + k][0] * gravity[1] + F[6 + k][0] * gravity[2];
    fall[k] = (pair){0, fallen};
    step[0].s[k] = step[0].s[k] - fall[k];
  }
  bool good = true;
  for (int j = 1; j < m; j++) good &= join_more(ends, n - 1 - j, j, &step[j - 1], &step[j]);
  good &= join_middle(&step[m - 1], x);
  for (int k = 0; k < 3; k++) {
    ends->a[k][m] = x[k][0];
    ends->lambda[k][m - 1] = x[k][1];
  }
  for (int j = m - 1; j > 0; j--) {
    const join_step *before = &step[j - 1];
    pair S[9];
    pair_vec(y, before->Z, x);
    for (int k = 0; k < 3; k++) x[k] = before->z[k] + y[k];
    pair_full(S, before->S);
    pair_vec(y, S, x);
    for (int k = 0; k < 3; k++) {
      y[k] = before->s[k] + y[k];
      ends->a[k][n - j] = x[k][0];
      ends->lambda[k][n - j - 1] = y[k][0];
      ends->lambda[k][j - 1] = x[k][1];
      ends->a[k][j] = y[k][1];
    }
  }
  return good;
}
