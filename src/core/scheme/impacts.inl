/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The sequential impact law: pairs collide one after another, each by Newton's and Coulomb's laws
** on the velocities it meets, the fastest approach first, until nobody approaches; forces come
** after. With e = 1 that is Newton's cradle; with e < 1 the approaches die out like e^k and what
** is below the noise is left to the rows, with e = 0. */

/* Approach below this share of the fastest one is over. */
static const double APPROACH_NOISE = 1e-13;
enum { COLLISIONS_A_ROW = 2000 };

static double approach(const step *S, const dls_block *block, const double *u) {
  return row_velocity(S->rows.J + (size_t)block->row * 2 * NU, U(u, block->a), U(u, block->b));
}

/* One pair: the velocities u and the impulses so far change. */
static void collide(step *S, const dls_block *block, double *u) {
  dls_rows *rows = &S->rows;
  const double *J = rows->J + (size_t)block->row * 2 * NU;
  const double *MJ = rows->MJ + (size_t)block->row * 2 * NU;
  double *u_a = U(u, block->a), *u_b = U(u, block->b), p[NB] = {0}, q[NB] = {0};
  double gamma[NB] = {0};
  for (int i = 0; i < block->n; i++) q[i] = row_velocity(J + i * 2 * NU, u_a, u_b);
  q[0] *= 1 + S->bounce[block->row];
  visit(block, rows->W + (size_t)block->row * NB, gamma, p, q);
  for (int i = 0; i < block->n; i++) {
    S->p_impact[block->row + i] += p[i];
    add_u(u_a, p[i], MJ + i * 2 * NU);
    add_u(u_b, p[i], MJ + i * 2 * NU + NU);
  }
}

/* All impacts of the step; u_free takes them over, the rows keep no restitution. */
static void collide_in_turn(step *S) {
  dls_rows *rows = &S->rows;
  dls_world *w = S->w;
  double *u = S->u_n, fastest = 0; /* u_n is not needed yet */
  memcpy(u, S->u_c, (size_t)w->n_bodies * NU * sizeof(double));
  for (int i = 0; i < rows->n_rows; i++) S->p_impact[i] = 0;
  int most = COLLISIONS_A_ROW * (rows->n_blocks + 1);
  for (int turn = 0; turn < most; turn++) {
    const dls_block *next = NULL;
    double worst = 0;
    for (int k = 0; k < rows->n_blocks; k++) {
      const dls_block *block = &rows->block[k];
      if (block->asleep || rows->gamma[block->row] > 0 || block->kind == DLS_ROW_BILATERAL ||
          block->kind == DLS_ROW_BOX)
        continue;
      double v = approach(S, block, u);
      if (v < worst) worst = v, next = block;
    }
    fastest = dls_max(fastest, -worst);
    if (!next || -worst <= APPROACH_NOISE * fastest) break;
    collide(S, next, u);
  }
  for (int i = 0; i < w->n_bodies * NU; i++) rows->u_free[i] += u[i] - S->u_c[i];
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (block->asleep || rows->gamma[block->row] > 0) continue;
    for (int i = block->row; i < block->row + block->n && i < block->row + D; i++) rows->s[i] = 0;
  }
}

/* The rows' impulses with those of the impacts. */
static void add_impacts(step *S) {
  for (int i = 0; i < S->rows.n_rows; i++) S->rows.p[i] += S->p_impact[i];
}
