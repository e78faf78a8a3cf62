/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The segments of a chain of balls joined; part of chain.inc.h. Segment l says, of its base's
** acceleration a and the force lambda of the joint there,
**
**   lambda_l = K a_l + phi + F lambda_{l+1},     a_{l+1} = F' a_l + drift + L lambda_{l+1}.
**
** Two eliminations meet in the middle: from the tip, lambda_l = S a_l + s, and from the base, where
** a is known, a_l = S lambda_l + s. Each step of the one is a step of the other with (K, phi) and
** (L, drift) exchanged and F turned over, so that they go in the two numbers of a pair:
**
**   x = Z y + z,   Z = (1 - L S)^-1 F',   z = (1 - L S)^-1 (drift + L s);
**   S <- K + F S Z,   s <- phi + F (S z + s). */

typedef double pair DLS_VECTOR(16);

/* In plain C the two ways are gone one after the other: `side` 0 from the tip, 1 from the base; a
** pair is made of what both would have, and holds that of one. */
enum { BOTH_SIDES = sizeof(pair) / sizeof(double), SIDES = 2 / BOTH_SIDES };
#ifdef DLS_PLAIN_C
#define PAIR(side, tip, base) ((side) == 0 ? (tip) : (base))
#define ALIKE(x) (x)
#else
#define PAIR(side, tip, base) ((pair){(tip), (base)})
#define ALIKE(x) ((pair){(x), (x)})
#endif
static inline bool any_size(double det) { return fabs(det) > 0 && fabs(det) < DLS_INF; }

/* One step: what stood before it, and what it said. */
typedef struct join_step {
  pair S[6], s[3], Z[9], z[3]; /* two steps side by side */
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
static inline void pair_take(pair *o, int n, by_segment *tip, int t, by_segment *base,
                             int b, int side) {
  (void)side;
  for (int k = 0; k < n; k++) o[k] = PAIR(side, tip[k][t], base[k][b]);
}

/* adj(1 - L S), and 1 over its determinant; false where that is nothing. */
static inline bool join_inverse(pair *adjugate, pair *over, const pair *L, const pair *S) {
  pair A[9];
  pair_mul(A, L, S);
  for (int k = 0; k < 9; k++) A[k] = (k % 4 == 0 ? 1.0 : 0.0) - A[k];
  const pair det = pair_adjugate(adjugate, A);
  *over = 1.0 / det;
  return any_size(DLS_LANE(det, 0)) && any_size(DLS_LANE(det, 1));
}

/* Takes in one more segment on either side: what stands in `from` becomes what stands in `to`. */
static inline bool join_more(chain_ends *ends, int t, int b, int side, join_step *from, join_step *to) {
  pair near[6], L[9], S[9], K[6], N[9], c[3], d[3], adjugate[9], over, W[9], x[3], y[3];
  pair_take(near, 6, ends->L, t, ends->K, b, side);
  pair_take(K, 6, ends->K, t, ends->L, b, side);
  pair_take(c, 3, ends->drift, t, ends->phi, b, side);
  pair_take(d, 3, ends->phi, t, ends->drift, b, side);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) N[3 * i + j] = PAIR(side, ends->F[3 * j + i][t], ends->F[3 * i + j][b]);
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

/* Where the two sides meet: a and lambda of the joint between them, the numbers of x of a step. */
static inline bool join_middle(const join_step *tip_step, const join_step *base_step, double x[3][2]) {
  pair S[9], tip[9], base[9], adjugate[9], over, s[3], t[3], a[3];
  pair_full(S, tip_step->S);
  for (int k = 0; k < 9; k++) tip[k] = ALIKE(DLS_LANE(S[k], 0));
  pair_full(S, base_step->S);
  for (int k = 0; k < 9; k++) base[k] = ALIKE(DLS_LANE(S[k], 1));
  const bool good = join_inverse(adjugate, &over, base, tip);
  for (int k = 0; k < 3; k++) s[k] = ALIKE(DLS_LANE(tip_step->s[k], 0));
  pair_vec(t, base, s);
  for (int k = 0; k < 3; k++) t[k] = (DLS_LANE(base_step->s[k], 1) + t[k]) * over;
  pair_vec(a, adjugate, t);
  pair_vec(t, tip, a);
  for (int k = 0; k < 3; k++) {
    x[k][0] = DLS_LANE(a[k], 0);
    x[k][1] = DLS_LANE(s[k], 0) + DLS_LANE(t[k], 0);
  }
  return good;
}

/* Bases' accelerations and forces on the next segments. */
static bool chain_join(int n, const double *gravity, chain_ends *ends) {
  join_step step[SIDES][MOST_SEGMENTS / 2];
  const int m = n / 2;
  double middle[3][2];
  bool good = true;
  for (int k = 0; k < 3; k++) {
    ends->a[k][0] = -gravity[k];
    ends->lambda[k][n - 1] = 0;
  }
  for (int side = 0; side < SIDES; side++) {
    pair_take(step[side][0].S, 6, ends->K, n - 1, ends->L, 0, side);
    pair_take(step[side][0].s, 3, ends->phi, n - 1, ends->drift, 0, side);
    for (int k = 0; k < 3; k++) {
      by_segment *F = ends->F;
      const double fallen = F[k][0] * gravity[0] + F[3 + k][0] * gravity[1] + F[6 + k][0] * gravity[2];
      step[side][0].s[k] = step[side][0].s[k] - PAIR(side, 0, fallen);
    }
    for (int j = 1; j < m; j++)
      good &= join_more(ends, n - 1 - j, j, side, &step[side][j - 1], &step[side][j]);
  }
  good &= join_middle(&step[0][m - 1], &step[SIDES - 1][m - 1], middle);
  for (int k = 0; k < 3; k++) {
    ends->a[k][m] = middle[k][0];
    ends->lambda[k][m - 1] = middle[k][1];
  }
  for (int side = 0; side < SIDES; side++) {
    pair x[3], y[3], S[9];
    for (int k = 0; k < 3; k++) x[k] = PAIR(side, middle[k][0], middle[k][1]);
    for (int j = m - 1; j > 0; j--) {
      const join_step *before = &step[side][j - 1];
      pair_vec(y, before->Z, x);
      for (int k = 0; k < 3; k++) x[k] = before->z[k] + y[k];
      pair_full(S, before->S);
      pair_vec(y, S, x);
      for (int k = 0; k < 3; k++) {
        y[k] = before->s[k] + y[k];
        if (side == 0) {
          ends->a[k][n - j] = DLS_LANE(x[k], 0);
          ends->lambda[k][n - j - 1] = DLS_LANE(y[k], 0);
        }
        if (side == SIDES - 1) {
          ends->lambda[k][j - 1] = DLS_LANE(x[k], 1);
          ends->a[k][j] = DLS_LANE(y[k], 1);
        }
      }
    }
  }
  return good;
}
