/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/fit.h"

#include "core/forest/joint.h"
#include "core/joints/curvature.h"
#include "core/joints/held.h"
#include "core/joints/hinged.h"
#include "core/joints/moment.h"
#include "core/joints/spring_end.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"

dls_status dls_joints_factor(dls_joint_stage *S) {
  if (S->hinged && dls_pivots_factor(&S->pivots, S->w->trees->state->bend, S->more)) return DLS_OK;
  dls_hinged_close(S); /* the forest finds who has no inertia */
  return dls_trees_used(S->w) ? dls_trees_factor_with(S, S->more) : DLS_OK;
}

void dls_joints_weigh(dls_joint_stage *S, const double *q) {
  const dls_world *w = S->w;
  for (int i = 0; S->n_unreduced + S->n_gears + S->n_late > 0 && i < w->n_bodies; i++) {
    if (!S->held[i] || dls_held_by_tree(S, i)) continue;
    dls_mat3 R;
    if (S->dim == 3) R = dls_q_matrix(dls_q_load(DLS_Q(S, q, i) + 3));
    dls_body_weigh(w, S->rows, i, &R);
  }
  if (dls_trees_used(w) && !S->hinged) dls_trees_unweigh(w, S->rows);
}

dls_status dls_joints_stand(dls_joint_stage *S, double *q, bool afresh) {
  dls_world *w = S->w;
  if (S->hinged) {
    dls_hinged_stand(S, q);
  } else if (dls_trees_used(w)) {
    dls_forest_place(&w->trees->walked, w->trees->state);
    dls_trees_scatter(w, q, NULL, false);
  }
  dls_joints_weigh(S, q);
  return afresh ? dls_joints_factor(S) : DLS_OK;
}

void dls_rotor_momenta(const dls_trees *t, const double *x, double *f) {
  memset(f, 0, (size_t)t->forest->nu * sizeof(double));
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1) f[node->iu] = node->rotor * x[node->iu];
  }
}

/* S->way for all bodies, and f for rotors. */
static void ways_to_aim(dls_joint_stage *S, const double *q, double *f) {
  const dls_world *w = S->w;
  const size_t size = (size_t)S->nq * sizeof(double);
  memset(S->way, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  for (int i = 0; S->dim == 2 && i < w->n_bodies; i++)
    for (int k = 0; k < 3 && dls_moves_freely(&w->bodies[i]); k++)
      S->way[3 * i + k] = S->aim[3 * i + k] - q[3 * i + k];
  for (int i = 0; S->dim == 3 && i < w->n_bodies; i++)
    if (dls_moves_freely(&w->bodies[i]) && memcmp(DLS_Q(S, S->aim, i), DLS_Q(S, q, i), size) != 0)
      dls_way_to(S->dim, DLS_Q(S, S->aim, i), DLS_Q(S, q, i), DLS_U(S, S->way, i));
  if (!dls_trees_used(w)) return;
  const dls_trees *t = w->trees;
  memset(f, 0, (size_t)t->forest->nu * sizeof(double));
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1)
      f[node->iu] = node->rotor * (t->q_aim[node->iq] - t->state->q[node->iq]);
  }
  if (S->more == t->late) dls_tree_springs_lead(S, f);
}

/* rad: rows say nothing about turns so wide, and at a singular pose (a chain that hangs straight,
** pushed along itself) they ask for any. */
static const double WIDEST = 2.0;

/* Where everything is to go, in S->answer: as dls_turn_along. *angle: of the one that turns most,
** rad. */
static dls_status find_turn(dls_joint_stage *S, double *q, dls_overlap *o, int n, const double *f,
                            double *size, double *angle) {
  dls_world *w = S->w;
  for (int k = 0; k < n; k++)
    if (o[k].both && !(o[k].gamma > 0)) S->off = dls_max(S->off, fabs(o[k].gap) / o[k].size);
  const dls_status status = dls_joints_answer(S, q, o, n, S->way, f);
  S->off = 0;
  if (status != DLS_OK) return status;
  *angle = *size = 0;
  for (int i = 0; i < w->n_bodies && S->dim == 2; i++) {
    const double *y = S->answer + 3 * (size_t)i,
                 per = w->bodies[i].gyration > 0 ? 1 / w->bodies[i].gyration : 1;
    if (!dls_moves_freely(&w->bodies[i])) continue;
    *size = dls_max(*size, dls_max(fabs(y[0]), fabs(y[1])) * per);
    *angle = dls_max(*angle, fabs(y[2]));
  }
  for (int i = 0; i < w->n_bodies && S->dim == 3; i++) {
    const double *y = DLS_U(S, S->answer, i);
    if (!dls_moves_freely(&w->bodies[i])) continue;
    const double length = w->bodies[i].gyration > 0 ? w->bodies[i].gyration : 1;
    for (int k = 0; k < S->dim; k++) *size = dls_max(*size, fabs(y[k]) / length);
    for (int k = S->dim; k < S->nu; k++) *angle = dls_max(*angle, fabs(y[k]));
  }
  *size = dls_max(*size, *angle);
  return DLS_OK;
}

/* The share of it that a body turns by no more than WIDEST. */
static double share_of(double share, double angle) {
  return dls_min(share, angle > WIDEST ? WIDEST / angle : 1);
}

static void make_turn(dls_joint_stage *S, double *q, double share) {
  const dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  for (int i = 0; i < w->n_bodies; i++)
    if (dls_moves_freely(&w->bodies[i]) && !dls_held_by_tree(S, i))
      dls_drift(S->dim, DLS_Q(S, q, i), share, DLS_U(S, S->answer, i));
  if (S->hinged) dls_pivots_turn(&S->pivots, share, t->state->q);
  else if (t) dls_forest_advance(&t->walked, t->state->q, share, t->du);
}

dls_status dls_turn_along(dls_joint_stage *S, double *q, dls_overlap *o, int n, const double *f,
                          double most, double *size) {
  double angle;
  const dls_status status = find_turn(S, q, o, n, f, size, &angle);
  if (status != DLS_OK) return status;
  make_turn(S, q, share_of(*size > most ? most / *size : 1, angle));
  dls_joints_note_pushed(S, o, n);
  return DLS_OK;
}

dls_status dls_turn_to_aim(dls_joint_stage *S, double *q, dls_overlap *o, int n, double most,
                           double *size) {
  double *f = dls_trees_used(S->w) ? S->w->trees->u_scratch : NULL, angle;
  ways_to_aim(S, q, f);
  const dls_status status = find_turn(S, q, o, n, f, size, &angle);
  if (status != DLS_OK || *size > most) return status;
  make_turn(S, q, share_of(1, angle));
  dls_joints_note_pushed(S, o, n);
  return DLS_OK;
}

/* The largest of n gaps, by their sizes. */
static double widest_of(const dls_overlap *o, int n) {
  double widest = 0;
  for (int k = 0; k < n; k++) widest = dls_max(widest, fabs(o[k].gap) / o[k].size);
  return widest;
}

/* How far the farthest would go the shortest way that the rows leave. Nothing moves. */
static dls_status turn_length(dls_joint_stage *S, double *q, dls_overlap *o, int n, double *size) {
  double angle;
  memset(S->way, 0, (size_t)S->w->n_bodies * (size_t)S->nu * sizeof(double));
  return find_turn(S, q, o, n, NULL, size, &angle);
}

dls_status dls_find_bent(dls_joint_stage *S, double *q, dls_overlap *o, bool *bent) {
  static const double SOME =
      2; /* by radii of gyration: pairs in packs have below 1.5, straight bridges 2.3 to hundreds */
  int n = 0;
  double size = 0;
  dls_joints_find_gaps(S, q, o, &n);
  const double widest = widest_of(o, n);
  dls_status status = n > 0 ? dls_joints_factor(S) : DLS_OK;
  if (status == DLS_OK && n > 0) status = turn_length(S, q, o, n, &size);
  *bent = size > SOME * widest;
  return status;
}

void dls_charge_way(dls_joint_stage *S, const double *q, const double *u) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++)
    for (int k = 0; k < S->dim && dls_moves_freely(&w->bodies[i]); k++)
      *S->correction -=
          w->bodies[i].mass * w->gravity[k] * (DLS_Q(S, q, i)[k] - DLS_Q(S, S->aim, i)[k]);
  dls_joints_note_moment(S, q, u);
}

void dls_aim_here(dls_joint_stage *S, const double *q) {
  const dls_trees *t = S->w->trees;
  S->pressed.n = 0;
  memcpy(S->aim, q, (size_t)S->w->n_bodies * (size_t)S->nq * sizeof(double));
  if (dls_trees_used(S->w)) memcpy(t->q_aim, t->state->q, (size_t)t->forest->nq * sizeof(double));
}

/* Rotors went on by themselves, as bodies did. */
static void aim_rotors(const dls_joint_stage *S) {
  const dls_trees *t = S->w->trees;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1)
      t->q_aim[node->iq] += S->theta * S->h * t->u_apart[node->iu];
  }
}

enum { FIT_TURNS = 12, SLOW_TURNS = 24, FIT_FREE = 3 };
/* Sweeps over blocks that a turn costs; the first FIT_FREE belong to the step. */
static const double FIT_PRICE = 2;

/* A turn that went so far leaves round-off; and one that went so far times the first. By radii of
** gyration, rad. */
static const double FITTED = 1e-11, LEFT = 1e-16;

bool dls_is_fitted(double size, double first) { return size <= FITTED || size * first <= LEFT; }

bool dls_turn_leaves_little(const dls_joint_stage *S, double size) {
  return size * size <= S->left;
}

/* --- where turns do not come nearer -------------------------------------------------------- */

/* Near a singular pose (a loop that is stretched straight) what closes it bends more over the way
** than the way is long: the nearest point is not found by turns that go back to their aim, and the
** exact pose has no row left that holds it. There bodies go the shortest way from the aim to where
** gaps are SHUT: rows remain, as far from the singular pose as the root of that, and hold. */
static const double SHUT = 3e-6; /* of a moving body's radius of gyration, rad */

/* Share of the last turn beyond which a turn does not come nearer; a singular pose leaves half. */
static const double BENT = 0.25;
/* Turns of bodies below this, of their radius of gyration, are left as they are: gaps are
** round-off there. */
static const double CLOSE_BY = 1e-6;

bool dls_turn_is_bent(double size, double last) { return size > BENT * last && size > CLOSE_BY; }

double dls_gaps_to_shut(dls_overlap *o, int n, bool alike) {
  const double widest = widest_of(o, n), share = widest > SHUT ? 1 - SHUT / widest : 0;
  for (int k = 0; k < n; k++) {
    const double beyond = dls_max(fabs(o[k].gap) - SHUT * o[k].size, 0);
    o[k].gap = alike ? share * o[k].gap : o[k].gap > 0 ? beyond : -beyond;
  }
  return dls_max(widest - SHUT, 0) / SHUT;
}

size_t dls_stand_room(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  return (size_t)w->n_bodies * S->nq + (dls_trees_used(w) ? (size_t)w->trees->forest->nq : 0);
}

void dls_keep_stand(const dls_joint_stage *S, const double *q, double *to) {
  const dls_world *w = S->w;
  memcpy(to, q, (size_t)w->n_bodies * (size_t)S->nq * sizeof(double));
  if (dls_trees_used(w))
    memcpy(to + (size_t)w->n_bodies * S->nq, w->trees->state->q,
           (size_t)w->trees->forest->nq * sizeof(double));
}

void dls_take_stand(dls_joint_stage *S, const double *from, double *q) {
  dls_world *w = S->w;
  memcpy(q, from, (size_t)w->n_bodies * (size_t)S->nq * sizeof(double));
  S->pivots.turned = false;
  if (dls_trees_used(w))
    memcpy(w->trees->state->q, from + (size_t)w->n_bodies * S->nq,
           (size_t)w->trees->forest->nq * sizeof(double));
}

double *dls_take_turning_inertia(dls_joint_stage *S, double *all) {
  dls_world *w = S->w;
  const dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  double *more = DLS_TAKE(&w->arena, double, t ? t->forest->nu : 1);
  *all = 0;
  for (int i = 0; i < w->n_bodies; i++)
    if (S->held[i] && dls_moves_freely(&w->bodies[i])) *all += w->bodies[i].mass;
  if (!more || !t) return more;
  for (int i = 0; i < t->forest->nu; i++) more[i] = S->more ? S->more[i] : 0;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const int body = t->link_body[node->link];
    const bool turns = node->nu == 1 || dls_forest_axis(t->forest, t->state, i);
    for (int k = 0; k < node->nu && turns && body >= 0; k++)
      more[node->iu + k] += *all * w->bodies[body].gyration * w->bodies[body].gyration;
  }
  return more;
}

void dls_turn_heavily(dls_joint_stage *S, double all) {
  const dls_world *w = S->w;
  const int n = S->dim == 2 ? 1 : 9;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!S->held[i] || dls_held_by_tree(S, i) || !dls_moves_freely(&w->bodies[i])) continue;
    const double share = w->bodies[i].mass / all;
    for (int k = 0; k < n; k++) S->rows->inv_inertia[(size_t)n * (size_t)i + (size_t)k] *= share;
  }
}

/* From S->aim. Where gaps do not shut, the pose met at which the largest is least is kept; turns
** are shorter each time that one was worse than the last. *heavy: the factor has more than
** inertia. */
static dls_status shut_loops(dls_joint_stage *S, double *q, dls_overlap *o, double kept,
                             bool *heavy) {
  enum { TURNS = 120, HEAVY = 24 };
  static const double ENOUGH = 1e-3,
                      SHORTEST_TURN = 1e-4; /* of what counts as shut; as DLS_LONGEST_TURN */
  dls_world *w = S->w;
  const size_t room = dls_stand_room(S);
  double *best = DLS_TAKE(&w->arena, double, room), all;
  double *more = dls_take_turning_inertia(S, &all);
  if (!best || !more) {
    w->need_arena = dls_bytes_add(w->arena.size, 2 * dls_arena_bytes(room, sizeof *best));
    return DLS_FULL;
  }
  const double *own = S->more;
  S->pivots.turned = false;
  memcpy(q, S->aim, (size_t)w->n_bodies * (size_t)S->nq * sizeof(double));
  if (dls_trees_used(w))
    memcpy(w->trees->state->q, w->trees->q_aim, (size_t)w->trees->forest->nq * sizeof(double));
  memset(S->way, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  dls_keep_stand(S, q, best);
  dls_status status = DLS_OK;
  double least = DLS_INF, worst = DLS_INF, most = DLS_LONGEST_TURN;
  for (int turn = 0; turn < TURNS && status == DLS_OK; turn++) {
    double size = 0;
    int n = 0;
    if (turn == HEAVY) S->more = more, most = DLS_LONGEST_TURN, worst = DLS_INF;
    status = dls_joints_stand(S, q, false);
    if (turn >= HEAVY) dls_turn_heavily(S, all);
    dls_joints_find_gaps(S, q, o, &n);
    const double last = worst;
    worst = dls_gaps_to_shut(o, n, S->alike);
    if (worst < least) dls_keep_stand(S, q, best);
    if (turn > 1 && worst > last) most *= 0.5;
    least = dls_min(least, worst);
    if (worst <= ENOUGH || (turn > HEAVY && most < SHORTEST_TURN) ||
        !dls_work_afford_but(&w->work, FIT_PRICE, kept, DLS_WORK_JOINTS))
      break;
    status = dls_joints_factor(S);
    if (status == DLS_OK) status = dls_turn_along(S, q, o, n, NULL, most, &size);
    if (size <= FITTED) break;
  }
  if (worst > ENOUGH) dls_take_stand(S, best, q);
  *heavy = S->more != own;
  S->more = own;
  return status;
}

/* The curvature at q, from the n rows of the turn before, is in the factor. */
static dls_status take_curvature(dls_joint_stage *S, const double *q, const dls_overlap *o, int n) {
  if (S->dim == 2) dls_joints_find_curvature(S, o, n, q);
  else dls_joints_find_curvature_3(S, q);
  if (!dls_trees_used(S->w)) return DLS_OK;
  S->w->trees->state->bend = S->bend;
  S->w->trees->state->bends = S->dim == 3;
  return dls_joints_factor(S);
}

/* Whether gaps of joints at q are no more than what may be left, by their sizes; o is
** overwritten. */
static bool are_shut(const dls_joint_stage *S, const double *q, dls_overlap *o) {
  int n = 0;
  dls_joints_find_gaps(S, q, o, &n);
  return widest_of(o, n) <= S->left;
}

/* Half the square of the way from q, where trees stand, to the aim, in the metric of M, rotors'
** included. */
static double way_of_trees(dls_joint_stage *S, const double *q) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  double sum = 0;
  ways_to_aim(S, q, t->u_scratch);
  for (int i = 0; i < w->n_bodies; i++)
    if (dls_held_by_tree(S, i) && dls_moves_freely(&w->bodies[i]))
      sum += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, q, i), DLS_U(S, S->way, i));
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const double f = node->rotor > 0 && node->nu == 1 ? t->u_scratch[node->iu] : 0;
    if (f != 0) sum += 0.5 * f * f / node->rotor;
  }
  return sum;
}

/* Of the turn that find_turn has found for trees alone the share that comes nearer to the aim, all
** or by halves: where what is left of the way bends more than it is long (a slide whose line turns
** by radians a step), whole turns lead ever farther. They stand there. */
static dls_status make_nearer(dls_joint_stage *S, double *q, double *share) {
  enum { HALVES = 30 };
  dls_world *w = S->w;
  const size_t mark = dls_arena_mark(&w->arena), room = dls_stand_room(S);
  double *from = DLS_TAKE(&w->arena, double, room);
  if (!from) {
    w->need_arena = dls_bytes_add(w->arena.size, 2 * dls_arena_bytes(room, sizeof *from));
    return DLS_FULL;
  }
  const double far = way_of_trees(S, q);
  dls_status status = DLS_OK;
  dls_keep_stand(S, q, from);
  for (int k = 0; k < HALVES && status == DLS_OK; k++) {
    make_turn(S, q, *share);
    status = dls_joints_stand(S, q, false);
    if (!(way_of_trees(S, q) > far)) break;
    dls_take_stand(S, from, q);
    *share *= 0.5;
  }
  dls_arena_release(&w->arena, mark);
  return status;
}

/* A turn of a fit. Trees in space whose turn would be hardly shorter than the last one turn by
** their curvature from there on (*slow); far turns of trees alone come nearer to the aim, or are
** halved. */
static dls_status turn_fitting(dls_joint_stage *S, double *q, dls_overlap *o, int n, double last,
                               bool *slow, double *size) {
  /* turns of trees beyond this, of radii of gyration and rad, may lead astray */
  static const double FAR = 1e-2;
  const double *f = dls_trees_used(S->w) ? S->w->trees->u_scratch : NULL;
  double angle;
  dls_status status = find_turn(S, q, o, n, f, size, &angle);
  if (status == DLS_OK && S->dim == 3 && n == 0 && !*slow && dls_turn_is_bent(*size, last)) {
    *slow = true;
    status = take_curvature(S, q, o, n);
    if (status == DLS_OK) status = find_turn(S, q, o, n, f, size, &angle);
  }
  if (status != DLS_OK) return status;
  const double whole = share_of(1, angle);
  double share = whole;
  if (n > 0 || S->more || *size <= FAR) make_turn(S, q, share);
  else status = make_nearer(S, q, &share);
  dls_joints_note_pushed(S, o, n);
  *size *= share / whole;
  return status;
}

/* Turns until what is left is round-off, or what may be: of the way of one, as much as it is of
** the one before, or, where the curvature is whole, twice the square of what the second was of
** the first. *stands: all stands at q. */
static dls_status turn_until_fitted(dls_joint_stage *S, double *q, dls_overlap *o, double kept,
                                    bool *stands) {
  static const double ENOUGH = 2e-14; /* as FITTED */
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  const bool curved = S->dim == 2,
             whole = curved && S->n_late == 0 && dls_joints_curvature_is_whole(S);
  bool slow = false;
  double last = DLS_INF, rate = 1;
  int n = 0;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < (slow ? SLOW_TURNS : FIT_TURNS) && status == DLS_OK; turn++) {
    double size = 0;
    if (turn >= FIT_FREE && !dls_work_afford_but(&w->work, FIT_PRICE, kept, DLS_WORK_JOINTS)) break;
    status = dls_joints_stand(S, q, turn == 0);
    if (status != DLS_OK) break;
    *stands = turn > 0 && dls_turn_leaves_little(S, last) && are_shut(S, q, o + n);
    if (*stands) break;
    ways_to_aim(S, q, t ? t->u_scratch : NULL);
    if ((curved && turn == 1) || slow) status = take_curvature(S, q, o, n);
    if (curved && turn > 0) dls_joints_add_curvature(S);
    n = 0;
    dls_joints_find_gaps(S, q, o, &n);
    if (q == S->q_n) dls_springs_find_ways(S, q, o, &n);
    if (status != DLS_OK || (n == 0 && !t)) break;
    status = turn_fitting(S, q, o, n, last, &slow, &size);
    if (turn == 1 || !whole) rate = size / last;
    if (turn == 1 && whole) rate = 2 * rate * rate;
    if (size <= FITTED || (turn > 0 && rate * size <= ENOUGH)) break;
    S->bent = n > 0 && turn > 0 && dls_turn_is_bent(size, last);
    const bool astray = turn > 2 && !slow && size >= last;
    if (S->bent || astray || (n == 0 && dls_turn_leaves_little(S, size))) break;
    last = size;
  }
  if (t) t->state->bend = NULL;
  return status;
}

dls_status dls_joints_fit(dls_joint_stage *S, double *q, bool factored) {
  dls_world *w = S->w;
  S->bent = false;
  if (q == S->q_c) S->alike = false;
  if (!dls_joints_hold(S)) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_overlap *o =
      DLS_TAKE(&w->arena, dls_overlap, 2 * S->room_joints + (q == S->q_n ? S->n_late : 0));
  if (!o) return DLS_FULL;
  dls_aim_here(S, q);
  if (dls_trees_used(w)) aim_rotors(S);
  if (q == S->q_c) dls_hinged_open(S);
  else if (S->tree_late || S->n_late > 0) dls_hinged_close(S);
  if (S->hinged) dls_pivots_carry(&S->pivots, w->trees->state->given);
  S->pivots.turned = false;
  const bool late = S->tree_late && q == S->q_n; /* what springs do not let give keeps its way */
  if (late) dls_tree_springs_aim(S);
  if (late) S->more = w->trees->late;
  const double kept =
      factored ? 0.75 * w->work.most : 1; /* the middle of the step: the solve is still to come */
  bool heavy = false, stands = false; /* heavy: the factor has more than inertia */
  /* a loop that was near a singular pose in the middle of the step is at its end; springs' ways
  ** are rows of fits alone */
  const bool known = q == S->q_n && S->bent_middle && !late && S->n_late == 0;
  dls_status status = DLS_OK;
  if (known) S->bent = true;
  else status = turn_until_fitted(S, q, o, kept, &stands);
  if (q == S->q_c) S->bent_middle = S->bent;
  if (status == DLS_OK && S->bent) status = shut_loops(S, q, o, kept, &heavy);
  S->more = NULL;
  const bool afresh = factored || heavy || late;
  if (status == DLS_OK && !stands) status = dls_joints_stand(S, q, afresh);
  else if (status == DLS_OK && afresh) status = dls_joints_factor(S);
  if (status == DLS_OK && S->hinged && factored) status = dls_hinged_settle(S);
  dls_charge_way(S, q, q == S->q_c ? S->u_c : S->rows->u);
  dls_arena_release(&w->arena, mark);
  return status;
}
