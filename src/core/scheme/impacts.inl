/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Impact laws that resolve the impacts of a step on the velocities before it, at q_c; the forces
** come after, with e = 0. Newton's law needs none of this: it is a shift of the rows (contact_row.c).
**
** Rigid contacts strike; what acts by forces (compliant contacts, motors, friction in joints) waits.
** A contact that was struck keeps the velocity at which it was thrown back through the step, as with
** Newton's law, so that for one contact without friction all laws are the same. */

static bool is_contact(const dls_block *block) { return block->source >= 0; }

static bool strikes(const step *S, const dls_block *block) {
  return is_contact(block) && !block->asleep && !(S->rows.gamma[block->row] > 0);
}

static bool on_tree(const step *S, const dls_block *block) {
  const int *tree = S->rows.tree;
  return tree && (tree[block->a] >= 0 || tree[block->b] >= 0);
}

static double approach(const step *S, const dls_block *block, const double *u) {
  return row_velocity(S->rows.J + (size_t)block->row * 2 * NU, U(u, block->a), U(u, block->b)) +
         S->drift[block->row];
}

/* Impulses p of a block as wrenches on links. */
static void load_links(step *S, const dls_block *block, const double *p) {
  dls_trees *t = S->w->trees;
  for (int i = 0; i < block->n; i++)
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? block->a : block->b;
      if (!held_by_tree(S, body)) continue;
      link_wrench(S->rows.J + ((size_t)(block->row + i) * 2 + (size_t)e) * NU, p[i],
                  t->wrench + 6 * (size_t)t->body_link[body]);
    }
}

/* Impulses p on the bodies of a block: the velocities u follow, those of trees by their factor. */
static void strike(step *S, const dls_block *block, const double *p, double *u) {
  const dls_rows *rows = &S->rows;
  const double *MJ = rows->MJ + (size_t)block->row * 2 * NU;
  for (int i = 0; i < block->n; i++) {
    add_u(U(u, block->a), p[i], MJ + i * 2 * NU);
    add_u(U(u, block->b), p[i], MJ + i * 2 * NU + NU);
  }
  if (!on_tree(S, block)) return;
  dls_trees *t = S->w->trees;
  memset(t->wrench, 0, 6 * (size_t)t->n_links * sizeof(double));
  load_links(S, block, p);
  dls_forest_respond(t->forest, t->state, NULL, t->wrench, t->du);
  for (int i = 0; i < t->forest->nu; i++) t->u_end[i] += t->du[i];
  spread(S, t->du, false, S->joints.answer);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    if (t->body_tree[body] >= 0) add_u(U(u, body), 1, U(S->joints.answer, body));
  }
}

/* W of the blocks on trees, by unit impulses; u and the trees' velocities are left as they were. */
static void weigh_trees(step *S, double *u) {
  dls_rows *rows = &S->rows;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!on_tree(S, block)) continue;
    for (int i = 0; i < block->n; i++) {
      double p[NB] = {0};
      memset(u, 0, (size_t)rows->n_bodies * NU * sizeof(double));
      memset(S->w->trees->u_end, 0, (size_t)S->w->trees->forest->nu * sizeof(double));
      p[i] = 1;
      strike(S, block, p, u);
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)(block->row + j) * NB + i] = row_velocity(
            rows->J + (size_t)(block->row + j) * 2 * NU, U(u, block->a), U(u, block->b));
    }
  }
}

/* Before the first impact: u = the velocities before the step, no impulses. */
static void begin_impacts(step *S, double *u) {
  dls_rows *rows = &S->rows;
  if (rows->tree) weigh_trees(S, u);
  memcpy(u, S->u_c, (size_t)rows->n_bodies * NU * sizeof(double));
  if (rows->tree)
    memcpy(S->w->trees->u_end, S->w->trees->u_before,
           (size_t)S->w->trees->forest->nu * sizeof(double));
  for (int i = 0; i < rows->n_rows; i++) S->p_impact[i] = 0;
}

/* After the last one: the free velocities take over what the impacts changed (u less that before);
** the rows of contacts keep of restitution only what holds the struck ones at their rebound. */
static void end_impacts(step *S, const double *u) {
  dls_rows *rows = &S->rows;
  dls_world *w = S->w;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!strikes(S, block)) continue;
    dls_contact *c = &w->contacts_next[block->source];
    for (int i = block->row; i < block->row + block->n; i++) rows->s[i] = S->shift[i];
    rows->s[block->row] += S->drift[block->row];
    if (!(S->p_impact[block->row] > 0) || (c->mark & DLS_MARK_COLLAPSED)) continue;
    rows->s[block->row] += dls_rebound_at(S, S->bounce[block->row], c->gap, c->before, approach(S, block, S->u_smooth),
                                               approach(S, block, u), &c->mark);
  }
  for (int i = 0; i < w->n_bodies * NU; i++) rows->u_free[i] = S->u_smooth[i] + (u[i] - S->u_c[i]);
  if (!rows->tree) return;
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->nu; i++) t->u_free[i] += t->u_end[i] - t->u_before[i];
}

/* The rows' impulses with those of the impacts, also as trees feel them. */
static void add_impacts(step *S) {
  dls_rows *rows = &S->rows;
  bool any = false;
  for (int i = 0; i < rows->n_rows; i++) {
    rows->p[i] += S->p_impact[i];
    any = any || S->p_impact[i] != 0;
  }
  if (!rows->tree || !any) return;
  memset(rows->wrench, 0, 6 * (size_t)S->w->trees->n_links * sizeof(double));
  for (int k = 0; k < rows->n_blocks; k++)
    if (on_tree(S, &rows->block[k])) load_links(S, &rows->block[k], rows->p + rows->block[k].row);
  rows->pushed = true;
}

/* --- in turn -------------------------------------------------------------------------------------- */

/* The sequential law: pairs collide one after another, each by Newton's and Coulomb's laws on the
** velocities it meets, the fastest approach of an island first, ties by number, until nobody
** approaches. With e = 1 that is Newton's cradle. With e < 1 the impacts can go on for ever: after 64
** a body, or where the fastest approach is below this share of the first, the rest of the island is
** resolved at once by the rows, with e = 0, and its contact is marked as collapsed. */
static const double APPROACH_LEAST = 1e-9;
/* An approach of round-off is none: not worth a mark. */
static const double APPROACH_NOISE = 1e-13;
enum { IMPACTS_A_BODY = 64 };

/* One pair: the velocities u and the impulses so far change. */
static void collide(step *S, const dls_block *block, double *u) {
  dls_rows *rows = &S->rows;
  const double *J = rows->J + (size_t)block->row * 2 * NU;
  double p[NB] = {0}, q[NB] = {0}, gamma[NB] = {0};
  for (int i = 0; i < block->n; i++)
    q[i] = row_velocity(J + i * 2 * NU, U(u, block->a), U(u, block->b));
  q[0] = (q[0] + S->drift[block->row]) * (1 + S->bounce[block->row]);
  for (int i = 1; i < D && i < block->n; i++) q[i] *= 1 + S->tangential[block->row];
  visit(block, rows->W + (size_t)block->row * NB, gamma, p, q);
  for (int i = 0; i < block->n; i++) S->p_impact[block->row + i] += p[i];
  strike(S, block, p, u);
}

/* Bodies of an island that move; S->idle is all zero before and after. */
static int count_moving(step *S, const int *blocks, int n) {
  int count = 0;
  for (int k = 0; k < 2 * n; k++) {
    const dls_block *block = &S->rows.block[blocks[k / 2]];
    const int body = k & 1 ? block->b : block->a;
    if (!moves_freely(&S->w->bodies[body]) || S->idle[body]) continue;
    S->idle[body] = 1;
    count++;
  }
  for (int k = 0; k < n; k++)
    S->idle[S->rows.block[blocks[k]].a] = S->idle[S->rows.block[blocks[k]].b] = 0;
  return count;
}

static void collide_island(step *S, const int *blocks, int n, double *u) {
  const int most = IMPACTS_A_BODY * count_moving(S, blocks, n);
  double first = 0;
  for (int turn = 0;; turn++) {
    const dls_block *next = NULL;
    double worst = 0;
    for (int k = 0; k < n; k++) {
      const dls_block *block = &S->rows.block[blocks[k]];
      const double v = strikes(S, block) ? approach(S, block, u) : 0;
      if (v < worst) worst = v, next = block;
    }
    if (turn == 0) first = -worst;
    if (!next || -worst <= APPROACH_NOISE * first) return;
    if (turn >= most || -worst < APPROACH_LEAST * first) {
      for (int k = 0; k < n; k++) {
        const dls_block *block = &S->rows.block[blocks[k]];
        if (strikes(S, block)) S->w->contacts_next[block->source].mark |= DLS_MARK_COLLAPSED;
      }
      S->w->contacts_next[next->source].mark |= DLS_MARK_TOLD;
      return;
    }
    collide(S, next, u);
  }
}

/* All impacts of the step; u_free takes them over. */
static void collide_in_turn(step *S) {
  dls_rows *rows = &S->rows;
  double *u = S->u_n; /* not needed yet */
  begin_impacts(S, u);
  memset(S->idle, 0, (size_t)rows->n_bodies);
  for (int i = 0; i < rows->n_islands; i++)
    collide_island(S, rows->island_block + rows->island_start[i],
                   rows->island_start[i + 1] - rows->island_start[i], u);
  end_impacts(S, u);
}
