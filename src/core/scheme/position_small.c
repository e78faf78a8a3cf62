/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/lcp/mixed.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"
#include "core/scheme/position_least.h"
#include "core/step/poses.h"

/* Small piles: rigid touches at q' as one problem, 0 <= pi _|_ gap + J dq >= 0. Turns of gaps and
** solutions: projected Gauss-Seidel to and fro, where that does not end block pivoting on the dense
** problem, in space first position_least.c; then all go to round-off. Also which piles are small,
** and the order of methods for bodies without joints, dls_project_free(). */

void dls_start_moving(const dls_step *S, dls_position_stage *P) {
  memset(P->dq, 0, (size_t)S->w->n_bodies * S->nu * sizeof(double));
  memset(P->moved, 0, (size_t)S->w->n_bodies * sizeof(int));
  P->moves = 0;
}

DLS_WITH_NU double sweep_gaps(int nu, const dls_step *S, dls_position_stage *P, bool backwards,
                              double left) {
  const double *inv_mass = S->rows.inv_mass;
  const int n = P->n_active;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    dls_overlap *c = &P->o[P->active[backwards ? n - 1 - k : k]];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = P->dq + nu * c->a, *dq_b = P->dq + nu * c->b;
    const double gap = c->gap + dls_row_velocity(nu, c->J, dq_a, dq_b), least = left * c->size;
    if (fabs(gap) <= least) continue;
    double pi = c->pi - gap / c->w;
    if (!c->both && (c->pulls ? pi > 0 : pi < 0)) pi = 0;
    const double change = pi - c->pi, way = fabs(change) * c->w;
    if (change == 0 || way <= least) continue;
    worst = dls_max(worst, way / c->size);
    c->pi = pi;
    dls_add_u(nu, dq_a, change, c->MJ);
    dls_add_u(nu, dq_b, change, c->MJ + nu);
    c->seen = ++P->moves;
    if (inv_mass[c->a] > 0) moved[c->a] = P->moves;
    if (inv_mass[c->b] > 0) moved[c->b] = P->moves;
  }
  return worst;
}

double dls_sweep_gaps(const dls_step *S, dls_position_stage *P, bool backwards, double left) {
  return S->dim == 2 ? sweep_gaps(3, S, P, backwards, left) : sweep_gaps(6, S, P, backwards, left);
}

double dls_spin_energy(const dls_step *S, const double *q, int i) {
  const dls_body *body = &S->w->bodies[i];
  if (S->dim == 2 || dls_is_isotropic(body)) return 0;
  return dls_kinetic_3(body, DLS_Q(S, q, i), DLS_U(S, S->u_n, i));
}

/* What turns fast does so about axes that go with it: a small turn of a bar, its velocity kept,
** is worth as much energy as its moments differ by. */
static void turn_along(const dls_step *S, int i, dls_quat was) {
  static const double FAST = 0.1; /* rad a step */
  const dls_body *body = &S->w->bodies[i];
  double *rate = DLS_U(S, S->u_n, i) + 3;
  if (dls_is_isotropic(body) || !(S->h * dls_v3_norm(dls_v3_load(rate)) > FAST)) return;
  const dls_quat is = dls_q_load(DLS_Q(S, S->q_n, i) + 3);
  dls_v3_store(rate, dls_q_rotate(is, dls_q_rotate_back(was, dls_v3_load(rate))));
}

void dls_displace(dls_step *S, dls_position_stage *P) {
  dls_world *w = S->w;
  P->displaced = true;
  for (int i = 0; i < w->n_bodies; i++) {
    if (P->moved[i] == 0 || !dls_moves_freely(&w->bodies[i])) continue;
    const double *change = DLS_U(S, P->dq, i);
    double rise = 0;
    for (int k = 0; k < S->dim; k++) rise -= w->bodies[i].mass * w->gravity[k] * change[k];
    P->correction += rise - dls_spin_energy(S, S->q_n, i);
    const dls_quat was = S->dim == 3 ? dls_q_load(DLS_Q(S, S->q_n, i) + 3) : dls_q_identity();
    dls_drift(S->dim, DLS_Q(S, S->q_n, i), 1, change);
    if (S->dim == 3) turn_along(S, i, was);
    P->correction += dls_spin_energy(S, S->q_n, i);
    if (S->dim == 2) P->spot[i].x = DLS_Q(S, S->q_n, i)[0], P->spot[i].y = DLS_Q(S, S->q_n, i)[1];
    dls_pose_at(S, i, DLS_Q(S, S->q_n, i));
  }
}

/* --- small piles ------------------------------------------------------------------------------ */

/* W and b of what is active, rows scaled to a unit diagonal; scale: 1/sqrt of it. Rows that
** pull are turned round. last: n_bodies, scratch. */
static void assemble(const dls_step *S, const dls_position_stage *P, bool pulls, double *W,
                     double *b, double *scale, int *last) {
  const size_t n = (size_t)P->n_active;
  int ends[2 * DLS_MOST_EXACT],
      before[2 * DLS_MOST_EXACT]; /* bodies that move; the end of an earlier row on the same one */
  memset(W, 0, n * n * sizeof *W);
  memset(last, -1, (size_t)S->w->n_bodies * sizeof *last);
  for (size_t i = 0; i < n; i++) {
    const dls_overlap *o = &P->o[P->active[i]];
    scale[i] = o->w > 0 ? 1 / sqrt(o->w) : 0;
    b[i] = (pulls ? -o->gap : o->gap) * scale[i];
    W[i * n + i] = 1;
    const bool first = S->rows.inv_mass[o->a] > 0;
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? o->a : o->b;
      ends[2 * i + (size_t)e] = body;
      if (!(S->rows.inv_mass[body] > 0)) continue;
      for (int at = last[body]; at >= 0; at = before[at]) {
        const size_t j = (size_t)at / 2;
        if (j == i || (e == 1 && first && (ends[2 * j] == o->a || ends[2 * j + 1] == o->a)))
          continue; /* is there */
        W[i * n + j] = W[j * n + i] =
            scale[i] * scale[j] * dls_overlap_share(S->nu, o, &P->o[P->active[j]]);
      }
    }
    for (int e = 0; e < 2; e++) {
      const int body = ends[2 * i + (size_t)e];
      before[2 * i + (size_t)e] = last[body];
      last[body] = 2 * (int)i + e;
    }
  }
}

/* What was found as multipliers of unit rows, as the change of q'. */
static void take_answer(const dls_step *S, dls_position_stage *P, bool pulls, const double *pi,
                        const double *scale) {
  dls_start_moving(S, P);
  for (int k = 0; k < P->n_active; k++) {
    dls_overlap *o = &P->o[P->active[k]];
    o->pi = (pulls ? -1 : 1) * scale[k] * pi[k];
    if (o->pi == 0) continue;
    dls_add_u(S->nu, DLS_U(S, P->dq, o->a), o->pi, o->MJ);
    dls_add_u(S->nu, DLS_U(S, P->dq, o->b), o->pi, o->MJ + S->nu);
    P->moves++;
    if (S->rows.inv_mass[o->a] > 0) P->moved[o->a] = P->moves;
    if (S->rows.inv_mass[o->b] > 0) P->moved[o->b] = P->moves;
  }
}

/* The same problem by block pivoting: for what a few sweeps do not finish. *solved: false where
** it has no solution; dq is then as swept. */
static dls_status settle_exactly(dls_step *S, dls_position_stage *P, bool pulls, bool *solved) {
  dls_arena *tmp = &S->w->arena;
  *solved = false;
  if (P->n_active > DLS_MOST_EXACT ||
      !dls_work_afford(&S->w->work, dls_work_dense(S->dim, P->n_active), DLS_WORK_PROJECTION))
    return DLS_OK;
  const size_t n = (size_t)P->n_active, mark = dls_arena_mark(tmp);
  double *W = DLS_TAKE(tmp, double, n *n), *b = DLS_TAKE(tmp, double, 4 * n);
  bool *holds = DLS_TAKE(tmp, bool, n);
  int *last = DLS_TAKE(tmp, int, S->w->n_bodies);
  const size_t bytes = 8 * n * n + 64 * n + 8 * (size_t)S->w->n_bodies + 4096;
  S->w->need_arena =
      dls_bytes_add(bytes, dls_mixed_lcp_bytes((int)n)); /* beside the room of the step */
  if (!W || !b || !holds || !last) return DLS_FULL;
  double *scale = b + n, *own = b + 2 * n, *pi = b + 3 * n;
  assemble(S, P, pulls, W, b, scale, last);
  memset(holds, 0, n * sizeof *holds);
  for (size_t i = 0; i < n; i++) own[i] = 1;
  const dls_status status =
      dls_mixed_lcp((int)n, holds, own, W, b, NULL, DLS_OVERLAP_NOISE, tmp, pi, solved);
  if (status == DLS_OK && *solved) take_answer(S, P, pulls, pi, scale);
  dls_arena_release(tmp, mark);
  return status;
}

/* Up to `most` sweeps to and fro, until nothing moves; whether that is so. *swept: how many
** there were so far. */
static bool sweep_to_and_fro(dls_step *S, dls_position_stage *P, int most, int *swept) {
  double change = DLS_INF;
  const int from = *swept, own = dls_position_sweeps(S, most);
  for (; *swept < from + own && change > DLS_OVERLAP_NOISE; ++*swept)
    change = dls_sweep_gaps(S, P, (*swept & 1) != 0, 0);
  dls_position_swept(S, *swept - from, !(change > DLS_OVERLAP_NOISE) || own == most);
  return !(change > DLS_OVERLAP_NOISE);
}

/* What a few sweeps do not settle is settled exactly, or by as many sweeps as there may be; q'
** follows, and gaps are taken again. What they did not settle in the turn before they are not
** asked again, but for a first set. Where work is bounded sweeps go first: they can end at any
** time. */
static dls_status settle_small(dls_step *S, dls_near_stage *N, dls_position_stage *P, dls_least *T,
                               bool pulls) {
  dls_start_moving(S, P);
  for (int k = 0; k < P->n_active; k++) {
    P->o[P->active[k]].pulls = pulls;
    P->o[P->active[k]].seen = -1;
  }
  const bool bounded = S->w->work.bounded;
  const bool idle = P->stalls && P->n_active <= DLS_MOST_EXACT && !(T && T->n < 0);
  const int first = bounded ? DLS_SWEEPS_SMALL : idle ? 0 : DLS_SWEEPS_FIRST;
  int swept = 0;
  bool settled = sweep_to_and_fro(S, P, first, &swept);
  P->stalls = !settled;
  dls_status status = DLS_OK;
  if (!settled && T && P->n_active <= DLS_MOST_EXACT) {
    dls_work_pay(&S->w->work, dls_work_dense(S->dim, P->n_active));
    status = dls_settle_least(S, P, T, &settled);
  }
  if (status == DLS_OK && !settled) status = settle_exactly(S, P, pulls, &settled);
  if (status != DLS_OK) return status;
  if (!settled && first < DLS_SWEEPS_SMALL)
    (void)sweep_to_and_fro(S, P, DLS_SWEEPS_SMALL - first, &swept);
  for (int i = 0; T && i < S->w->n_bodies * 6; i++) T->way[i] += P->dq[i];
  dls_displace(S, P);
  return dls_look_again(S, N, P);
}

/* Overlaps of a small pile by turns; in space the first ones are the least way from the start,
** what they leave (parts that are met in turn) goes on from where the last one led, with cuts.
** What is crushed gets no better for turns. */
static dls_status part_small(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  enum { TURNS = 16, PATIENCE = 4, FROM_START = 3 };
  dls_status status = DLS_OK;
  double best = DLS_INF, most = 0;
  const double slack = P->slack;
  dls_least T = {.n = -1};
  if (S->dim == 3 && !dls_least_take(S, &T)) return DLS_FULL;
  for (int turn = 0, in_vain = 0; turn < TURNS && in_vain < PATIENCE && status == DLS_OK; turn++) {
    if (turn == 0 ? dls_overlaps_are_small(S, P, DLS_OVERLAP_NOISE) : P->worst <= DLS_OVERLAP_SMALL)
      break;
    if (turn > 0 && !dls_position_goes_on(S, P)) break;
    if (turn == FROM_START) best = DLS_INF;
    in_vain = P->worst < 0.9 * best ? 0 : in_vain + 1;
    if (turn > 0)
      best = dls_min(best, P->worst); /* the first one may lead far, and near again from there */
    P->cuts = turn > 0;
    P->lined = S->dim == 3 && !S->w->work.bounded && turn < FROM_START;
    most = P->lined ? dls_max(most, P->deepest) : P->deepest;
    P->slack = P->lined ? 2 * most : slack; /* what turned away may come back */
    status = dls_pick(S, N, P, 2 * most, false);
    if (status == DLS_OK) status = settle_small(S, N, P, P->lined ? &T : NULL, false);
  }
  P->cuts = P->lined = false;
  P->slack = slack;
  return status;
}

/* --- gaps that were pressed across ------------------------------------------------------------ */

static int in_order(const dls_overlap *o, const dls_contact *c) {
  if (o->a != c->a) return o->a < c->a ? -1 : 1;
  if (o->b != c->b) return o->b < c->b ? -1 : 1;
  return o->key < c->key ? -1 : o->key > c->key;
}

static bool are_one_pair(const dls_overlap *o, const dls_contact *c) {
  return o->a == c->a && o->b == c->b;
}

/* Whether one of the contacts of the pair of contact k has a touch's key. */
static bool is_of_contact(const dls_step *S, const dls_position_stage *P, int k,
                          const dls_overlap *o) {
  const dls_contact *c = S->w->contacts_next;
  for (int i = k; i >= 0 && are_one_pair(o, &c[i]); i--)
    if (c[i].key == o->key) return true;
  for (int i = k + 1; i < P->n_contacts && are_one_pair(o, &c[i]); i++)
    if (c[i].key == o->key) return true;
  return false;
}

/* Where edges and faces meet otherwise than they did a touch has another key: of those of the pair
** of contact k from e on that are no contact's the one whose row is most like the contact's. */
static dls_overlap *touch_like(const dls_step *S, dls_position_stage *P, int k, int e) {
  static const double ALIKE = 0.99; /* cosine of the normals; contacts_again_spec: 0.5 to 0.999 */
  const dls_contact *c = &S->w->contacts_next[k];
  const dls_vec3 n = dls_v3_load(c->normal), point = dls_v3_load(c->point);
  double J[2 * DLS_NU(3)] = {0}, least = DLS_INF;
  dls_overlap *best = NULL;
  while (e > P->n_user && are_one_pair(&P->o[e - 1], c)) e--;
  dls_write_row(S->dim, J, n, dls_arm_to(S->dim, DLS_Q(S, S->q_n, c->a), point),
                dls_arm_to(S->dim, DLS_Q(S, S->q_n, c->b), point));
  for (; e < P->n && are_one_pair(&P->o[e], c); e++) {
    dls_overlap *o = &P->o[e];
    double apart = 0, along = 0;
    for (int i = 0; i < 2 * S->nu; i++) apart += (o->J[i] - J[i]) * (o->J[i] - J[i]);
    for (int i = 0; i < S->dim; i++) along += o->J[i] * J[i];
    if (!(apart < least) || along < ALIKE || is_of_contact(S, P, k, o)) continue;
    best = o, least = apart;
  }
  return best;
}

/* The touch at q' of contact k that is none of disks; NULL: it is gone. *e: where to look from;
** both lists are in the same order. */
static dls_overlap *touch_of(const dls_step *S, dls_position_stage *P, int k, int *e) {
  const dls_contact *c = &S->w->contacts_next[k];
  if (c->user >= 0) {
    dls_overlap *o = NULL;
    for (int t = 0; t < P->n_user; t++)
      if (P->o[t].key == (uint64_t)c->user) o = &P->o[t];
    return o;
  }
  while (*e < P->n && in_order(&P->o[*e], c) < 0) (*e)++;
  if (*e < P->n && in_order(&P->o[*e], c) == 0) return &P->o[*e];
  return touch_like(S, P, k, *e);
}

double dls_mark_general(const dls_step *S, dls_position_stage *P) {
  double widest = 0;
  for (int i = 0, e = P->n_user; i < P->n_closing; i++) {
    if (P->closing_near[i] >= 0) continue;
    dls_overlap *o = touch_of(S, P, P->closing[i], &e);
    if (!o) continue;
    o->holds = true;
    widest = dls_max(widest, o->gap / o->size);
  }
  return widest;
}

double dls_mark_holding(const dls_step *S, dls_position_stage *P) {
  double widest = dls_mark_general(S, P);
  for (int i = 0; i < P->n_closing; i++) {
    const int near = P->closing_near[i];
    if (near < 0) continue;
    P->mark[near] |= DLS_GAP_HOLDS;
    widest = dls_max(widest, P->gap[near] / P->size[near]);
  }
  return widest;
}

/* A contact may act before its gap is closed, since it would close within the step. Where it held
** (it pressed, and does not open), the bodies go the rest of the way: else they would hover there
** for ever, held by a row at a distance. Closing one must not open another that held, so all that
** did are in the problem
**
**     0 >= pi  _|_  gap + J dq <= 0;
**
** what it presses into each other is settled by the projection that follows. */
static dls_status close_gaps(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  dls_status status = dls_pick(S, N, P, -DLS_INF, true);
  return status == DLS_OK ? settle_small(S, N, P, NULL, true) : status;
}

/* Whether contacts that held tell that the pile is large, or large enough for a world of a
** rough tolerance, whose velocities are not worth places to round-off: then gaps are not looked
** at one by one. */
static bool is_large(const dls_step *S, const dls_position_stage *P) {
  const bool rough = S->w->solve.tolerance >= DLS_POSITION_ROUGH;
  return S->w->n_user_contacts == 0 &&
         P->n_closing > (rough ? DLS_SMALL_ROUGH_PILE : DLS_SMALL_PILE);
}

/* Whether a pile that was taken for large by a rough tolerance is small, and the sweeps of
** large ones left it deep in itself: such is solved as small ones are, from where it began. */
static bool is_left_deep(const dls_position_stage *P) {
  return P->worst > DLS_OVERLAP_DEEP && P->n_closing <= DLS_SMALL_PILE;
}

/* As far as sweeps and turns bring it. *small: to round-off. */
static dls_status project_hard(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               dls_position_start *start, bool *small) {
  bool by_disks = S->dim == 2;
  dls_status status = DLS_OK;
  if (is_large(S, P) && S->dim == 3) {
    status = dls_project_rods(S, N, P);
    if (status != DLS_OK || !is_left_deep(P)) return status;
    dls_go_back(S, P, start);
  } else if (is_large(S, P)) {
    status = dls_project_turnless(S, N, P, &by_disks);
    if (status != DLS_OK || (by_disks && !is_left_deep(P))) return status;
    if (by_disks) dls_go_back(S, P, start);
  }
  status = dls_look(S, N, P);
  if (status != DLS_OK) return status;
  const double widest = dls_mark_holding(S, P);
  if (P->touching > DLS_SMALL_PILE || P->n_closing > DLS_SMALL_PILE)
    return dls_project_large(S, N, P, widest > DLS_OVERLAP_LARGE, by_disks);
  *small = true;
  if (start->sum < 0) dls_sum_overlaps(S, N, P, start);
  if (widest > DLS_CLOSED && dls_work_afford(&S->w->work, DLS_PRICE_LOOK, DLS_WORK_PROJECTION))
    status = close_gaps(S, N, P);
  return status == DLS_OK ? part_small(S, N, P) : status;
}

/* A large pile that rises from below overlaps by so much more in places meanwhile (a stack of a
** hundred: 1.2). */
static const double MEANWHILE = 1.25;

dls_status dls_project_free(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  dls_position_start start;
  bool small = false, more = true;
  double found = -1, most = 0, brought = 0, left = 0; /* left: of pairs that were near */
  const double before = P->found;
  P->displaced = false;
  dls_status status = dls_keep_start(S, P, &start);
  for (int i = 0; i < DLS_TIMES_BROUGHT && more && status == DLS_OK; i++) {
    if (i > 0) dls_go_back(S, P, &start);
    P->found = -1;
    status = project_hard(S, N, P, &start, &small);
    if (i == 0) {
      found = P->found;
      const double enough = dls_enough_of(S, DLS_OVERLAP_LARGE);
      most = small ? dls_max(found, DLS_CLOSED) : dls_max(MEANWHILE * found, enough);
      if (small) brought = DLS_OVERLAP_SMALL;
      else brought = enough <= DLS_OVERLAP_LARGE ? enough : DLS_OVERLAP_DEEP;
    }
    left = P->worst;
    more = P->displaced;
    if (status == DLS_OK && more) status = dls_take_brought(S, N, P, brought, &more);
    if (more) dls_ask_more(S, P, &start);
  }
  P->found = before < 0 ? found : before;
  if (status != DLS_OK) return status;
  const bool far = small && P->displaced && dls_went_far(S, &start);
  const bool worse = far || (!(small && dls_overlaps_are_small(S, P, DLS_OVERLAP_NOISE)) &&
                             (left > most || P->worst > dls_max(most, brought)));
  if (!worse && !(small && left > DLS_OVERLAP_LARGE)) return DLS_OK;
  more = true;
  for (int i = 0; i < DLS_TIMES_BROUGHT && more && status == DLS_OK; i++) {
    status = dls_project_crushed(S, N, P, worse || i > 0 ? &start : NULL);
    if (status == DLS_OK) status = dls_take_brought(S, N, P, brought, &more);
  }
  return status;
}
