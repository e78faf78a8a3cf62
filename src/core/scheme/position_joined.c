/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position_joined.h"

#include "core/joints/fit.h"
#include "core/joints/held.h"
#include "core/joints/hinged.h"
#include "core/joints/spring_end.h"
#include "core/scheme/unforced.h"
#include "core/step/poses.h"

void dls_place_joined(dls_step *S, const dls_joint_stage *joints, dls_position_stage *P) {
  for (int i = 0; i < S->w->n_bodies && joints->hinged; i++)
    if (S->w->bodies[i].alive && !dls_held_by_tree(joints, i))
      dls_pose_at(S, i, DLS_Q(S, S->q_n, i));
  if (joints->hinged) dls_hinged_poses(joints, S->T2);
  else dls_poses_at(S, S->q_n);
  if (S->dim == 2) dls_take_spots(S, P);
}

/* Touches at q' that dls_overlap or are within slack, n of them from the front. */
static dls_status look_within(dls_step *S, dls_near_stage *N, dls_position_stage *P, double slack,
                              int *n) {
  P->slack = slack, P->strictly = true;
  dls_status status = dls_look(S, N, P);
  P->strictly = false;
  if (status == DLS_OK) status = dls_pick(S, N, P, slack, false);
  for (int k = 0; status == DLS_OK && k < P->n_active; k++) P->o[k] = P->o[P->active[k]];
  *n = P->n_active;
  return status;
}

/* Sweeps over blocks that a turn of Newton costs beside its looks and its rows: bodies and trees
** stand anew. */
static const double TURN_PRICE = 4;

void dls_find_what_holds(const dls_step *S, dls_joint_stage *joints, dls_overlap *o, int *n) {
  dls_joints_find_gaps(joints, S->q_n, o, n);
  dls_springs_find_kept(joints, o, n);
}

bool dls_may_turn_again(dls_step *S, const dls_position_stage *P, int n) {
  const double looks = 2 * DLS_PRICE_LOOK * P->n_general / (n > 0 ? n : 1);
  return dls_work_afford(&S->w->work, TURN_PRICE + looks, DLS_WORK_PROJECTION);
}

/* Gaps of limits, by their sizes (radii of gyration): what a turn leaves, on either side, of those it
** closes, linear as they are. */
static const double LIMIT_NOISE = 1e-13;

/* Touches and limits at q' that are within slack, m, n of them; answers how many are closed.
** apart: as far as limits are exceeded. */
static dls_status look_at_all(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                              dls_position_stage *P, double slack, int *n, int *n_closed,
                              dls_exceeded *apart) {
  dls_status status = look_within(S, N, P, slack, n);
  if (status != DLS_OK) return status;
  const int n_touches = *n;
  dls_joints_find_limit_gaps(joints, P->o, n, slack, apart);
  *n_closed = 0;
  for (int k = 0; k < *n; k++)
    *n_closed += P->o[k].gap <= (k < n_touches ? 0 : LIMIT_NOISE * P->o[k].size);
  return DLS_OK;
}

/* How far the worst gap of joints at q' is beyond what counts as shut (joints/fit.c), by that; o is
** overwritten. */
static double gaps_beyond_shut(dls_step *S, dls_joint_stage *joints, dls_overlap *o) {
  int n = 0;
  dls_joints_find_gaps(joints, S->q_n, o, &n);
  return dls_gaps_to_shut(o, n, joints->alike);
}

static bool is_torn(dls_step *S, dls_joint_stage *joints, dls_overlap *o) {
  return gaps_beyond_shut(S, joints, o) > 0;
}

/* As far as limits are exceeded at q'. */
static dls_exceeded limits_exceeded(dls_joint_stage *joints, dls_position_stage *P) {
  dls_exceeded apart = {0};
  int n = P->n; /* behind the touches */
  dls_joints_find_limit_gaps(joints, P->o, &n, 0, &apart);
  return apart;
}

/* Of turns towards the nearest point each leaves of its way about the share that the first one was
** long. Where that is much (or touches come and go: rods that meet at either end in turn), they go
** on from where they are: what they close counts then, joints as well, not how near the aim they
** end. */
/* of the last turn (0.05 to 0.1); of a radius of gyration, rad */
static const double SLOW = 0.1, NEAREST = 1e-12;
/* turns before that can be told (2, 3)                     */
enum { SURE = 2 };
static bool is_near_enough(double size, double first) {
  return dls_is_fitted(size, first) || size * first <= NEAREST;
}

static const double LONG = 0.01, OFTEN = 30; /* see turn_to_aim */

/* Touches give way: gamma of their rows is a share SOFT of 1/m_a + 1/m_b. */
static void soften(const dls_step *S, const dls_position_stage *P) {
  /* (0.1 to 0.3; at 1 a pit of 64 balls is left with overlaps of 4e-3) */
  static const double SOFT = 0.3;
  for (int k = 0; k < P->n_active; k++) {
    const dls_body *a = &S->w->bodies[P->o[k].a], *b = &S->w->bodies[P->o[k].b];
    P->o[k].gamma = SOFT * ((dls_moves_freely(a) ? 1 / a->mass : 0) +
                            (dls_moves_freely(b) ? 1 / b->mass : 0));
  }
}

/* A turn towards the aim. Bodies that fill a pit to the brim may have no place without an overlap,
** or one far away, and a turn that the linear gaps ask for is tens of overlaps long and more. It is
** not made, but one for which touches give way. *soft: how many such turns followed each other.
** beyond: the worst overlap, limit or gap. */
static dls_status turn_to_aim(dls_step *S, dls_joint_stage *joints, const dls_position_stage *P,
                              dls_overlap *o, int n,
                              double beyond, int *soft, double *size) {
  /* Touches: fewer hold nothing in its place that might go far, as bars of a bridge near its
  ** straight pose do (8 to 40). Of a radius of gyration, rad: at 0.05 a pit of 64 balls
  ** (joined_heap_spec) is left with overlaps of 1.5e-3 of them, at 0.002 sound scenes are touched.
  ** Of overlaps (30; at 100 one over-full pit in 40 is flung). */
  enum { MANY = 16 };
  const double most = P->n_active < MANY ? DLS_INF : dls_max(LONG, OFTEN * beyond);
  const dls_status status = dls_turn_to_aim(joints, S->q_n, o, n, most, size);
  *soft = *size <= most ? 0 : *soft + 1;
  if (status != DLS_OK || *size <= most) return status;
  soften(S, P);
  return dls_turn_to_aim(joints, S->q_n, o, n, DLS_INF, size);
}

/* More touches than these are left as they are; of more than DLS_FEW_TOUCHES, where nothing finer
** is asked for, overlaps below ENOUGH, of the smaller body's size. */
enum { MOST_CLOSED = 1500 };
static const double ENOUGH = 1e-8;

/* A first turn, by radii of gyration, rad, after which what is open is left where it is: deep
** overlaps have many nearest points (0.03 to 0.1: of 400 rods between boxes at 1/60 s two
** gained 0.55 and 0.93 of their energy where all went on, 0.26 at most so; at 0.01 12 of 200
** mechanisms do not go as they do beside a copy of theirs). */
static const double WIDE = 0.03;

/* Share of loops' gaps that a bent turn leaves: a quarter where they come near, beyond FLAT they go
** to and fro (at 0.5 straight bridges take two turns more). */
static const double FLAT = 0.3;

/* Turns of contacts, limits and constraints, and what the last look at q' found. */
typedef struct turning {
  /* how long a turn is, the first one, the one before; by radii of gyration, rad */
  double size, first, last;
  double slack;         /* what is within it has a row, and what was pushed open stays so, m */
  int n, n_closed;      /* touches and limits in it; those that are closed                   */
  dls_exceeded apart;   /* as far as limits are exceeded                                     */
  bool free;            /* nothing is left to open: a turn would be of joints alone          */
  bool moved, seen;     /* a turn was made, of closing contacts too; the last look is at q'  */
  bool here;            /* turns aim at where they begin                                     */
  int soft;             /* turns in a row for which touches gave way (turn_to_aim)           */
  bool suspect, bent;   /* loops may be near a singular pose; they are (joints/fit.c)        */
  /* gaps of loops where this bent turn begins, and the one before, by what counts as shut */
  double open, open_before;
  /* joints->more without and with turning inertia (joints/fit.h); NULL: not taken */
  const double *own, *heavy;
  double all;           /* mass that turning inertia is made of, kg                          */
} turning;

static dls_status look_for_turn(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                                dls_position_stage *P, turning *T) {
  T->apart = (dls_exceeded){0};
  T->seen = true;
  return look_at_all(S, N, joints, P, T->slack, &T->n, &T->n_closed, &T->apart);
}

/* Of limits: that much may be left. */
static double limit_noise(const dls_joint_stage *joints) {
  return dls_max(LIMIT_NOISE, joints->left);
}

/* More touches than a fine projection is worth. */
static bool is_rough(const dls_step *S, const turning *T) {
  return T->n_closed > DLS_FEW_TOUCHES && !dls_projects_finely(S->w);
}

/* Whether overlaps and limits are as small as they are to be after the last look. */
static bool is_apart(const dls_step *S, const dls_joint_stage *joints, const dls_position_stage *P,
                     const turning *T) {
  return dls_overlaps_are_small(S, P, is_rough(S, T) ? ENOUGH : DLS_OVERLAP_NOISE) &&
         T->apart.share <= limit_noise(joints);
}

/* Whether nothing is left to open. Where the first turn opened all, joints still have the square of
** it, and the point is not the nearest one. */
static bool is_free(const dls_step *S, const turning *T, bool parted, int turn) {
  return (T->n_closed == 0 && T->first > WIDE) ||
         ((T->n_closed == 0 || parted) && (turn == 0 || T->here || is_rough(S, T)));
}

/* Whether all is where it is to be after the last look, or further turns are of no use. */
static bool is_settled(dls_step *S, dls_joint_stage *joints, const dls_position_stage *P,
                       const turning *T, bool parted) {
  static const double SETTLED = 1e-4; /* by radii of gyration, rad */
  const bool torn = T->free && T->moved && is_torn(S, joints, P->o);
  if (T->n_closed > MOST_CLOSED || (T->free && !torn) || T->size == 0) return true;
  if (parted && !T->here && is_near_enough(T->size, T->first)) return true;
  if (parted && !T->here && !T->bent && dls_turn_leaves_little(joints, T->size) &&
      !is_torn(S, joints, P->o + T->n))
    return true;
  return T->soft > 1 && P->worst <= DLS_OVERLAP_LARGE && T->size <= SETTLED;
}

/* Bent turns that go to and fro have turning inertia from then on (joints/fit.h). */
static dls_status weigh_bent(dls_step *S, dls_joint_stage *joints, const dls_position_stage *P,
                             turning *T) {
  T->open_before = T->open;
  T->open = gaps_beyond_shut(S, joints, P->o + T->n);
  if (T->heavy || !(T->open > FLAT * T->open_before)) return DLS_OK;
  T->heavy = dls_take_turning_inertia(joints, &T->all);
  if (!T->heavy) {
    S->w->need_arena = dls_bytes_add(S->w->arena.size, 64 * 1024);
    return DLS_FULL;
  }
  joints->more = T->heavy;
  return DLS_OK;
}

/* Loops are shut by the shortest way, to the square of a turn (joints/fit.c). */
static dls_status turn_bent(dls_step *S, dls_joint_stage *joints, dls_overlap *o, int n_free, int n,
                            turning *T) {
  (void)dls_gaps_to_shut(o + n_free, n - n_free, joints->alike);
  memset(joints->way, 0, (size_t)S->w->n_bodies * (size_t)S->nu * sizeof(double));
  return dls_turn_along(joints, S->q_n, o, n, NULL, DLS_LONGEST_TURN, &T->size);
}

/* The rows of the last look and those of joints: a turn, and all stands there. */
static dls_status make_turn(dls_step *S, dls_joint_stage *joints, dls_position_stage *P, int turn,
                            turning *T) {
  dls_overlap *o = P->o;
  int n = T->n;
  dls_joints_find_gaps(joints, S->q_n, o, &n);
  const bool held = n > T->n;
  dls_status status;
  if (T->bent) {
    status = turn_bent(S, joints, o, T->n, n, T);
  } else {
    if (T->here) {
      dls_charge_way(joints, S->q_n, S->rows.u);
      dls_aim_here(joints, S->q_n);
    }
    dls_springs_find_kept(joints, o, &n);
    const double beyond = dls_max(P->worst, T->apart.share);
    status = turn_to_aim(S, joints, P, o, n, beyond, &T->soft, &T->size);
  }
  if (turn == 0) T->first = T->size;
  T->suspect = turn > 0 && held && T->soft == 0 && dls_turn_is_bent(T->size, T->last);
  if (status == DLS_OK) status = dls_joints_stand(joints, S->q_n, false);
  if (T->heavy) dls_turn_heavily(joints, T->all);
  dls_place_joined(S, joints, P);
  T->moved = true;
  T->seen = false;
  return status;
}

/* The same, with a look that reaches as far as overlaps are deep by now; is_torn has written over
** the last one. */
static dls_status look_and_turn(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                                dls_position_stage *P, int turn, turning *T) {
  const double wider = 2 * dls_max(P->deepest, T->apart.way);
  T->last = T->size;
  dls_status status = T->bent ? weigh_bent(S, joints, P, T) : DLS_OK;
  if (status == DLS_OK) status = dls_joints_factor(joints);
  if (status == DLS_OK && (wider > T->slack || T->free)) {
    T->slack = dls_max(T->slack, wider);
    status = look_for_turn(S, N, joints, P, T);
  }
  return status == DLS_OK ? make_turn(S, joints, P, turn, T) : status;
}

/* Contacts, limits and constraints at q'. found: as far as limits are exceeded where it begins. */
static dls_status turn_joined(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                              dls_position_stage *P, dls_exceeded found, bool *bent) {
  enum { TURNS = 8, TURNS_HERE = 24, TURNS_BENT = 120 };
  static const double WIDER = 2.5; /* of what overlaps */
  turning T = {.size = DLS_INF, .first = DLS_INF, .open = DLS_INF, .open_before = DLS_INF};
  *bent = false;
  dls_status status = dls_close_joined(S, N, joints, P, P->o, &T.moved);
  if (status != DLS_OK) return status;
  T.apart = T.moved ? limits_exceeded(joints, P) : found;
  if (!T.moved && dls_overlaps_are_small(S, P, DLS_OVERLAP_NOISE) &&
      T.apart.share <= limit_noise(joints))
    return DLS_OK;
  T.seen = !T.moved;
  joints->missed = false;
  T.slack = WIDER * dls_max(P->deepest, T.apart.way);
  T.suspect = joints->bent;
  T.own = joints->more;
  for (int turn = 0; turn < (T.bent ? TURNS_BENT : T.here ? TURNS_HERE : TURNS); turn++) {
    if (T.suspect && !T.bent) status = dls_find_bent(joints, S->q_n, P->o, &T.bent);
    if (status == DLS_OK) status = look_for_turn(S, N, joints, P, &T);
    if (status != DLS_OK) break;
    const bool parted = is_apart(S, joints, P, &T);
    T.free = is_free(S, &T, parted, turn);
    if (is_settled(S, joints, P, &T, parted)) break;
    T.here = T.here || (turn > SURE && !T.bent && T.size > SLOW * T.last) || joints->missed;
    if (turn > 0 && !dls_may_turn_again(S, P, T.n_closed)) break;
    status = look_and_turn(S, N, joints, P, turn, &T);
    if (status != DLS_OK) break;
  }
  *bent = T.bent;
  joints->more = T.own;
  if (T.heavy && status == DLS_OK) status = dls_joints_stand(joints, S->q_n, true);
  dls_charge_way(joints, S->q_n, S->rows.u);
  dls_aim_here(joints, S->q_n);
  return status == DLS_OK && !T.seen ? dls_look(S, N, P) : status;
}

/* --- bodies that have no place near by without an overlap (see dls_project_crushed) -------- */

/* Where all stands in the forest's coordinates follows. */
static dls_status stand_here(dls_step *S, dls_joint_stage *joints, dls_position_stage *P) {
  const dls_status status = dls_joints_stand(joints, S->q_n, false);
  dls_place_joined(S, joints, P);
  dls_charge_way(joints, S->q_n, S->rows.u);
  dls_aim_here(joints, S->q_n);
  return status;
}

/* Joints shut, by the shortest way. */
static dls_status shut_joints(dls_step *S, dls_joint_stage *joints, dls_position_stage *P) {
  enum { TURNS = 3 };
  static const double NEARLY = 1e-8; /* of a radius of gyration, rad: shut to the square of that */
  double size = DLS_INF;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < TURNS && size > NEARLY && status == DLS_OK; turn++) {
    int n = 0;
    dls_joints_find_gaps(joints, S->q_n, P->o, &n);
    if (n == 0) break;
    dls_springs_find_kept(joints, P->o, &n);
    status = dls_joints_factor(joints);
    if (status == DLS_OK) status = dls_turn_to_aim(joints, S->q_n, P->o, n, DLS_INF, &size);
    if (status == DLS_OK) status = stand_here(S, joints, P);
  }
  return status;
}

static dls_status shut_again(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                             dls_position_stage *P) {
  const dls_status status = shut_joints(S, joints, P);
  return status == DLS_OK ? dls_look(S, N, P) : status;
}

/* A turn from where all stands, for which touches give way where it would be long. The last look
** was here. *beyond: what is exceeded most here, and then where it led. */
static dls_status turn_softly(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                              dls_position_stage *P, double *beyond) {
  double size;
  dls_exceeded apart = {0};
  int n, n_closed;
  const double slack = 2 * dls_max(P->deepest, limits_exceeded(joints, P).way);
  dls_status status = look_at_all(S, N, joints, P, slack, &n, &n_closed, &apart);
  if (status == DLS_OK) status = dls_joints_factor(joints);
  if (status != DLS_OK) return status;
  dls_find_what_holds(S, joints, P->o, &n);
  status = dls_turn_to_aim(joints, S->q_n, P->o, n, dls_max(LONG, OFTEN * *beyond), &size);
  const bool made = size > 0 && size <= dls_max(LONG, OFTEN * *beyond);
  if (!made) soften(S, P);
  if (status == DLS_OK && !made) status = dls_turn_to_aim(joints, S->q_n, P->o, n, DLS_INF, &size);
  if (status == DLS_OK) status = stand_here(S, joints, P);
  if (status == DLS_OK) status = shut_again(S, N, joints, P);
  *beyond = dls_max(P->worst, limits_exceeded(joints, P).share);
  return status;
}

static dls_status go_back(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                          dls_position_stage *P, const double *stand) {
  dls_take_stand(joints, stand, S->q_n);
  dls_status status = stand_here(S, joints, P);
  return status == DLS_OK ? dls_look(S, N, P) : status;
}

/* From where all stands; best: room for a stand. */
static dls_status turn_crushed(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                               dls_position_stage *P, double *best) {
  enum { TURNS = 16, PATIENCE = 2 };
  static const double GAIN = 0.99;
  dls_status status = DLS_OK;
  double beyond = dls_max(P->worst, limits_exceeded(joints, P).share), least = beyond;
  P->crushed = true;
  dls_keep_stand(joints, S->q_n, best);
  for (int turn = 0, in_vain = 0; turn < TURNS && in_vain < PATIENCE && status == DLS_OK; turn++) {
    if (beyond <= DLS_OVERLAP_SMALL || !dls_may_turn_again(S, P, P->n)) break;
    status = turn_softly(S, N, joints, P, &beyond);
    in_vain = beyond < GAIN * least ? 0 : in_vain + 1;
    if (status == DLS_OK && beyond < least) dls_keep_stand(joints, S->q_n, best);
    least = dls_min(least, beyond);
  }
  return status == DLS_OK && beyond > least ? go_back(S, N, joints, P, best) : status;
}

/* start: where all stands, and room for another stand behind it. */
static dls_status turn_all(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                           dls_position_stage *P, dls_position_start *start) {
  const double found = P->worst;
  const double most = dls_max(found, DLS_OVERLAP_LARGE), brought = dls_enough_brought(found);
  double left = 0; /* of pairs that were near */
  bool bent = false, more = true;
  dls_mark_holding(S, P);
  dls_sum_overlaps(S, N, P, start);
  const dls_exceeded exceeded = limits_exceeded(joints, P);
  start->deepest = dls_max(start->deepest, exceeded.way);
  dls_keep_stand(joints, S->q_n, start->q);
  dls_status status = DLS_OK;
  for (int i = 0; i < DLS_TIMES_BROUGHT && more && status == DLS_OK; i++) {
    if (i > 0) status = go_back(S, N, joints, P, start->q);
    if (status == DLS_OK) status = turn_joined(S, N, joints, P, exceeded, &bent);
    left = P->worst;
    if (status == DLS_OK) status = dls_take_brought(S, N, P, brought, &more);
    if (more) dls_ask_more(S, P, start);
  }
  if (status != DLS_OK || P->touching > MOST_CLOSED) return status;
  bool astray = left > dls_max(found, DLS_CLOSED) || P->worst > most ||
      (!bent && dls_went_far(S, start));
  const bool stuck = astray || left > DLS_OVERLAP_LARGE;
  if (!astray && !bent && !dls_overlaps_are_small(S, P, DLS_CLOSED) && is_torn(S, joints, P->o))
    status = shut_again(S, N, joints, P);
  more = true;
  for (int i = 0; i < DLS_TIMES_BROUGHT && stuck && more && status == DLS_OK; i++) {
    if (astray) status = go_back(S, N, joints, P, start->q);
    if (status == DLS_OK) status = turn_crushed(S, N, joints, P, start->q + dls_stand_room(joints));
    if (status == DLS_OK) status = dls_take_brought(S, N, P, brought, &more);
    astray = true;
  }
  return status;
}

dls_status dls_project_joined(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                              dls_position_stage *P) {
  const size_t room = dls_stand_room(joints);
  dls_position_start start = {.q = DLS_TAKE(&S->w->arena, double, 2 * room)};
  const int n_pressing = S->room_contacts + S->room_joints;
  dls_pressed_row *pressing = DLS_TAKE(&S->w->arena, dls_pressed_row, n_pressing);
  if (!start.q || !pressing) {
    S->w->need_arena = dls_bytes_add(S->w->arena.size, 4 * dls_arena_bytes(room, sizeof(double)));
    S->w->need_arena =
        dls_bytes_add(S->w->need_arena, dls_arena_bytes((size_t)n_pressing, sizeof *pressing));
    return DLS_FULL;
  }
  dls_status status = P->found < 0 ? dls_look(S, N, P) : DLS_OK;
  joints->more = joints->tree_late ? S->w->trees->late : NULL;
  joints->pressed = (dls_pressed_rows){pressing, 0, n_pressing};
  if (status == DLS_OK) status = turn_all(S, N, joints, P, &start);
  joints->more = NULL;
  joints->pressed = (dls_pressed_rows){NULL, 0, 0};
  /* what joints hold is charged behind (joints/admit.h) */
  for (int i = 0; status == DLS_OK && i < S->w->n_bodies; i++)
    if (!S->held[i] && dls_moves_freely(&S->w->bodies[i]))
      P->correction += dls_spin_energy(S, S->q_n, i) - dls_spin_energy(S, start.q, i);
  return status;
}
