/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impacts.h"

#include "core/cone/cone.h"
#include "core/ladder/to_cone.h"
#include "core/model/impact_law.h"
#include "core/rows/coulomb.h"
#include "core/rows/mass.h"
#include "core/scheme/impact_held.h"

/* The sequential law (impacts.h): in each island the contact that approaches fastest is struck by
** Newton's and Coulomb's laws, W = J P M^-1 J' with what trees, rigid joints and gears hold, and
** the velocities of its bodies and mechanism follow; until nobody approaches, or the rest is
** resolved at once. An impact that would add energy gives back only what keeps it. */

/* Sweeps that a turn costs: all approaches are looked at, a dot product each where a visit is
** ten; then one block is visited, and its mechanism answers. */
static const double LOOKS = 0.1;

/* How far impulses p of a contact are from its law, v = W p + q, as a share of |q|: of its
** friction cone, by the nearest point of the cone to p - v/w. */
static double strays(const dls_step *S, const dls_block *block, const double *W, const double *p,
                     const double *q) {
  const int n = block->n < S->dim ? block->n : S->dim;
  double x[3] = {0}, w = 0, size = 0, length = 0;
  for (int i = 0; i < n; i++) w = dls_max(w, W[i * S->nb + i]), size = dls_max(size, fabs(q[i]));
  for (int i = 0; i < n; i++) {
    double v = q[i];
    for (int j = 0; j < block->n; j++) v += W[i * S->nb + j] * p[j];
    x[i] = p[i] - v / w;
    length += i > 0 ? x[i] * x[i] : 0;
  }
  double worst = fabs(p[0] - dls_max(x[0], 0));
  const double bound = block->mu[0] * p[0], fit = length > bound * bound ? bound / sqrt(length) : 1;
  for (int i = 1; i < n; i++) worst = dls_max(worst, fabs(p[i] - fit * x[i]));
  return worst * w / size;
}

/* The least eigenvalue of what the normal leaves of the tangents, S = B - c c'/a; one tangent in
** the plane. */
static double least_left(const dls_step *S, const double *W) {
  const size_t nb = (size_t)S->nb;
  const double a = W[0], c1 = W[nb], s11 = W[nb + 1] - c1 * c1 / a;
  if (S->dim == 2) return s11;
  const double c2 = W[2 * nb], s12 = W[nb + 2] - c1 * c2 / a, s22 = W[2 * nb + 2] - c2 * c2 / a;
  const double half = 0.5 * (s11 - s22);
  return 0.5 * (s11 + s22) - sqrt(half * half + s12 * s12);
}

/* W of a contact among joints, which may leave its point one way: then some impulses of the
** friction cone move nothing, and round-off decides how large they are. A share of its trace
** along the tangents makes them small; velocities feel that. (What the normal leaves of the
** tangents has a round-off of trace/a times that of W.) Where round-off of what joints answer
** leaves less than nothing, that is made good, too. */
static void stiffen(const dls_step *S, const dls_block *block, double *W) {
  static const double SHARE = 1e-12, ROUND_OFF = 1e-14, MOST = 1e-8;
  double trace = 0;
  for (int i = 0; i < S->dim && i < block->n; i++) trace += W[i * S->nb + i];
  const double share = W[0] > 0 ? dls_min(dls_max(SHARE, ROUND_OFF * trace / W[0]), MOST) : SHARE;
  const double left = W[0] > 0 && block->n >= S->dim ? least_left(S, W) : 0;
  for (int i = 1; i < S->dim && i < block->n; i++)
    W[i * S->nb + i] += share * trace - dls_min(left, 0);
}

/* The same with rolling and spinning friction, which a visit only nears: one group of cones. */
static dls_status solve_rolling(dls_step *S, const dls_block *block, const double *W,
                                const double *q, double *p) {
  static const double TOLERANCE = 1e-13; /* of |q| */
  /* rows; sweeps and steps: with steep friction round-off is above the tolerance, and 70,000 leave
  ** what 300 do (of 1,400 impacts that came to it 99 of 100 took 50 at most) */
  enum { MOST = DLS_NB(3), ENOUGH = 300 };
  const int n = block->n, k = (int)(block - S->rows.block);
  double own[MOST * MOST], v[MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) own[i * n + j] = W[i * S->nb + j];
  dls_cone_group group;
  dls_fill_groups(&S->rows, &k, 1, &group);
  const dls_cone_problem problem = {.n_rows = n, .n_groups = 1, .groups = &group, .W = own, .b = q,
                                    .length = S->rows.length + block->row};
  dls_cone_opts opts = dls_cone_opts_default();
  dls_cone_report report;
  opts.tolerance = TOLERANCE, opts.max_iterations = ENOUGH;
  dls_arena *tmp = &S->w->arena;
  S->rows.need = dls_bytes_add(tmp->size, dls_cone_solve_bytes(&problem));
  return dls_cone_solve(&problem, &opts, tmp, p, v, &report);
}

/* p of a contact whose free velocities are q. A planar cone among joints goes by the law in
** space, which eliminates the normal and does not divide by the determinant of W. */
static dls_status visit(dls_step *S, const dls_block *block, bool among_joints, const double *W,
                        const double *q, double *p) {
  const double gamma[DLS_NB(3)] = {0};
  if (block->kind == DLS_ROW_ROLLING) return solve_rolling(S, block, W, q, p);
  if (among_joints && S->dim == 2 && block->kind == DLS_ROW_CONE) {
    const double wide[3][3] = {{W[0], W[1], 0}, {W[3], W[4], 0}, {0, 0, W[4]}},
                 q_wide[3] = {q[0], q[1], 0};
    double p_wide[3];
    dls_coulomb_3(wide, q_wide, block->mu[0], p_wide);
    p[0] = p_wide[0], p[1] = p_wide[1];
    return DLS_OK;
  }
  double left[DLS_NB(3)] = {0};
  memset(p, 0, (size_t)block->n * sizeof *p);
  memcpy(left, q, (size_t)block->n * sizeof *left);
  dls_visit_block(S->nb, block, W, gamma, p, left);
  return DLS_OK;
}

/* Impulses p of a contact by Newton's and Coulomb's laws at the velocities v before. Where
** friction jams it (joints leave its point one way, say, which is against friction) nothing gives
** its rebound, and it is struck with e = 0 (step.md), or, where round-off alone asks for that,
** not at all; what would add energy is curbed, and counted. */
static dls_status strike_one(dls_step *S, const dls_contact_stage *C, const dls_block *block,
                             bool among_joints, const double *W, const double *v, double *p) {
  /* m/s that an impulse is worth by itself, over those that there are */
  static const double FAR = 1e-6, BEYOND = 1e6;
  double q[DLS_NB(3)] = {0};
  memcpy(q, v, (size_t)block->n * sizeof *q);
  q[0] = dls_impact_newton(C->bounce[block->row], v[0]);
  for (int i = 1; i < S->dim && i < block->n; i++)
    q[i] = dls_impact_newton_tangent(C->tangential[block->row], v[i]);
  dls_status status = visit(S, block, among_joints, W, q, p);
  if (status != DLS_OK) return status;
  const bool jammed = !(strays(S, block, W, p, q) <= FAR && p[0] * W[0] <= -BEYOND * q[0]);
  const dls_impact_work work = dls_impact_work_of(block->n, S->nb, W, v, p);
  if (!jammed && !dls_impact_adds_energy(&work)) return DLS_OK;
  double p_0[DLS_NB(3)] = {0};
  status = visit(S, block, among_joints, W, v, p_0);
  if (status != DLS_OK) return status;
  if (jammed && !(strays(S, block, W, p_0, v) <= FAR)) memset(p_0, 0, sizeof p_0);
  if (jammed) memcpy(p, p_0, (size_t)block->n * sizeof *p);
  else dls_impact_curb(block->n, S->nb, W, v, p_0, p), S->w->stats.curbed++;
  return DLS_OK;
}

/* One pair: the velocities u and the impulses so far change, those of joints too. */
static dls_status collide(dls_mechanisms *all, const dls_block *block, double *u) {
  dls_step *S = all->S;
  dls_contact_stage *C = all->C;
  const double *J = S->rows.J + (size_t)block->row * 2 * (size_t)S->nu, *W;
  double p[DLS_NB(3)] = {0}, v[DLS_NB(3)] = {0}, own[DLS_NB(3) * DLS_NB(3)] = {0};
  dls_status status = dls_mechanisms_weigh(all, block, u, &W);
  if (status != DLS_OK) return status;
  for (int i = 0; i < block->n; i++)
    v[i] = dls_row_velocity(S->nu, J + i * 2 * S->nu, DLS_U(S, u, block->a), DLS_U(S, u, block->b));
  v[0] += C->drift[block->row];
  memcpy(own, W, (size_t)(block->n * S->nb) * sizeof *own);
  const bool among_joints = all->n > 0 || S->rows.tree;
  if (among_joints) stiffen(S, block, own);
  status = strike_one(S, C, block, among_joints, own, v, p);
  if (status != DLS_OK) return status;
  for (int i = 0; i < block->n; i++) C->p_impact[block->row + i] += p[i];
  return dls_mechanisms_strike(all, block, p, u);
}

/* Bodies of an island that move; S->scratch is all zero before and after. */
static int count_moving(dls_step *S, const int *blocks, int n) {
  int count = 0;
  for (int k = 0; k < 2 * n; k++) {
    const dls_block *block = &S->rows.block[blocks[k / 2]];
    const int body = k & 1 ? block->b : block->a;
    if (!dls_moves_freely(&S->w->bodies[body]) || S->scratch[body]) continue;
    S->scratch[body] = 1;
    count++;
  }
  for (int k = 0; k < n; k++)
    S->scratch[S->rows.block[blocks[k]].a] = S->scratch[S->rows.block[blocks[k]].b] = 0;
  return count;
}

/* Sweeps that a turn costs among n blocks, with the largest mechanism that is struck there. */
static double price_of(const dls_mechanisms *all, const int *blocks, int n) {
  const dls_step *S = all->S;
  int rows = 0;
  for (int k = 0; k < n && all->n > 0; k++) {
    const dls_block *block = &S->rows.block[blocks[k]];
    const int held = dls_strikes(S, block) ? dls_mechanisms_count(all, block) : 0;
    if (held > rows) rows = held;
  }
  return LOOKS + (1 + dls_work_dense(S->dim, rows)) / n;
}

/* Turns that half of the step's work is worth; islands collide side by side. */
static int turns_of(const dls_step *S, double price, int most) {
  const double times = 0.5 * S->w->work.left / price;
  return S->w->work.bounded && times < most ? (int)times : most;
}

/* What an approach of what rests or goes together has by round-off: the weight of a step was
** taken from it. */
static double approach_noise(const dls_step *S, const dls_block *block, const double *u) {
  const double *J = S->rows.J + (size_t)block->row * 2 * (size_t)S->nu;
  double sum = 0;
  for (int i = 0; i < S->nu; i++)
    sum += fabs(J[i] * DLS_U(S, u, block->a)[i]) + fabs(J[S->nu + i] * DLS_U(S, u, block->b)[i]);
  for (int k = 0; k < S->dim; k++) sum += fabs(S->w->gravity[k]) * S->h;
  return DLS_IMPACT_APPROACH_NOISE * sum;
}

/* *turns: made. */
static dls_status collide_island(dls_mechanisms *all, const int *blocks, int n, double price,
                                 double *u, int *turns) {
  dls_step *S = all->S;
  const dls_contact_stage *C = all->C;
  const int own = DLS_IMPACTS_IN_TURN * count_moving(S, blocks, n), most = turns_of(S, price, own);
  double first = 0;
  for (int turn = 0;; *turns = ++turn) {
    const dls_block *next = NULL;
    double worst = 0;
    for (int k = 0; k < n; k++) {
      const dls_block *block = &S->rows.block[blocks[k]];
      const double v = dls_strikes(S, block) ? dls_approach_of(S, C, block, u) : 0;
      if (dls_impact_is_faster(v, worst)) worst = v, next = block;
    }
    if (turn == 0) first = -worst;
    if (turn == 0 && next && first <= approach_noise(S, next, u)) return DLS_OK;
    if (!next || -worst <= DLS_IMPACT_APPROACH_NOISE * first) return DLS_OK;
    if (turn >= most || -worst < DLS_IMPACT_APPROACH_LEAST * first) {
      for (int k = 0; k < n; k++) {
        const dls_block *block = &S->rows.block[blocks[k]];
        if (dls_strikes(S, block)) S->w->contacts_next[block->source].mark |= DLS_MARK_COLLAPSED;
      }
      S->w->contacts_next[next->source].mark |= DLS_MARK_TOLD;
      if (turn >= most && most < own) S->w->work.given_up |= 1u << DLS_WORK_IMPACTS;
      return DLS_OK;
    }
    const dls_status status = collide(all, next, u);
    if (status != DLS_OK) return status;
  }
}

dls_status dls_collide_in_turn(dls_step *S, dls_contact_stage *C, dls_joint_stage *joints) {
  dls_rows *rows = &S->rows;
  double *u = S->u_n; /* not needed yet */
  dls_mechanisms all;
  const size_t mark = dls_arena_mark(&S->w->arena);
  dls_status status = dls_mechanisms_take(&all, S, C, joints);
  if (status != DLS_OK) return status;
  dls_begin_impacts(S, C, joints, u);
  memset(S->scratch, 0, (size_t)rows->n_bodies);
  double work = 0;
  for (int i = 0; i < rows->n_islands && status == DLS_OK; i++) {
    const int *blocks = rows->island_block + rows->island_start[i],
              n = rows->island_start[i + 1] - rows->island_start[i];
    const double price = price_of(&all, blocks, n);
    int turns = 0;
    status = collide_island(&all, blocks, n, price, u, &turns);
    work = dls_max(work, price * turns);
  }
  dls_work_pay(&S->w->work, work);
  if (status == DLS_OK) dls_end_impacts(S, C, u);
  dls_arena_release(&S->w->arena, mark);
  return status;
}
