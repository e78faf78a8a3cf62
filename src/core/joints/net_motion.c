/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/net_motion.h"

#include "core/base/union_find.h"
#include "core/joints/admit.h"
#include "core/joints/fit.h"
#include "core/joints/group_motion.h"
#include "core/joints/joint_frame.h"
#include "core/joints/spring_rows.h"
#include "core/math/tumble.h"

int dls_spring_tries(const dls_world *w) { return w->n_springs + dls_springs_count_rows(w); }

size_t dls_spring_nets_bytes(const dls_world *w) {
  if (dls_springs_count_rows(w) == 0) return 0;
  const size_t n = (size_t)w->n_bodies;
  const size_t whose =
      dls_arena_bytes(n, sizeof(int)) + dls_arena_bytes(1, sizeof(dls_spring_nets));
  return dls_bytes_add(dls_bytes_add(dls_arena_bytes(n, sizeof(dls_net)), whose),
                       dls_arena_bytes((size_t)dls_spring_tries(w), sizeof(dls_spring_try)));
}

/* --- who is in a net -------------------------------------------------------------------------- */

static void join(const dls_world *w, dls_spring_nets *N, int a, int b) {
  const bool free_a = dls_moves_freely(&w->bodies[a]), free_b = dls_moves_freely(&w->bodies[b]);
  if (!free_a && !free_b) return;
  if (free_a && free_b) {
    const int first_a = dls_root_of(N->of, a), first_b = dls_root_of(N->of, b);
    const int high = first_a < first_b ? first_b : first_a;
    dls_unite(N->of, a, b);
    dls_net *all = &N->at[dls_root_of(N->of, a)];
    if (all->given < 0) all->given = N->at[high].given;
    return;
  }
  dls_net *of = &N->at[dls_root_of(N->of, free_a ? a : b)];
  if (of->given < 0) of->given = free_a ? b : a;
}

/* Whether who moves an end or another coordinate of a joint works on its springs. */
static bool is_moved(const dls_world *w, const dls_spring_row *row) {
  const dls_joint *joint = &w->joints[row->joint];
  const bool driven = dls_joint_is_chain(joint) && joint->n_motions > joint->nu;
  return driven || w->bodies[row->a].type == DLS_KINEMATIC ||
         w->bodies[row->b].type == DLS_KINEMATIC;
}

static void count_try(dls_net *of, const dls_spring_try *of_row) {
  of->carried |= of_row->carried;
  of->tries = of->tries > of_row->tries ? of->tries : of_row->tries;
}

dls_status dls_nets_find(dls_joint_stage *S, dls_spring_nets *N) {
  dls_world *w = S->w;
  const dls_rows *rows = S->rows;
  N->of = DLS_TAKE(&w->arena, int, w->n_bodies);
  N->at = DLS_TAKE(&w->arena, dls_net, w->n_bodies);
  w->need_arena = dls_bytes_add(w->arena.size, dls_spring_nets_bytes(w));
  if (!N->of || !N->at) return DLS_FULL;
  for (int i = 0; i < w->n_bodies; i++) N->of[i] = i, N->at[i] = (dls_net){.given = -1};
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) join(w, N, w->springs[i].a, w->springs[i].b);
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive) join(w, N, w->joints[i].a, w->joints[i].b);
  for (int k = 0; k < rows->n_blocks; k++)
    if (rows->block[k].source >= 0 && rows->p[rows->block[k].row] != 0)
      join(w, N, rows->block[k].a, rows->block[k].b);
  for (int i = 0; i < w->n_bodies; i++) N->of[i] = dls_root_of(N->of, i);
  for (int i = 0; i < w->n_bodies; i++) N->at[N->of[i]].treed |= dls_held_by_tree(S, i);
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *s = &w->springs[i];
    if (!s->alive) continue;
    dls_net *of = &N->at[N->of[dls_moves_freely(&w->bodies[s->a]) ? s->a : s->b]];
    of->sprung = true;
    count_try(of, &S->spring_try[i]);
  }
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (row->joint < 0) continue;
    dls_net *of = &N->at[N->of[dls_moves_freely(&w->bodies[row->a]) ? row->a : row->b]];
    of->sprung |=
        w->joints[row->joint].formulation == DLS_PENALTY && row->law.apart > 0 && !is_moved(w, row);
    count_try(of, dls_spring_try_of(S, row));
  }
  return DLS_OK;
}

/* --- its motion as one rigid body ------------------------------------------------------------- */

/* The turn with the net's angular momentum; none where it has no inertia about some axis. */
static dls_vec3 turn_of(int dim, const dls_net *of) {
  dls_vec3 turn;
  (void)dls_group_turn(dim, of->inertia[0], of->moment, &turn);
  return turn;
}

static dls_vec3 arm_of(const dls_joint_stage *S, const dls_net *of, const double *q, int i) {
  return dls_v3_sub(dls_point_of(S->dim, DLS_Q(S, q, i)), of->centre);
}

/* u_r of body i. */
void dls_net_velocity(const dls_joint_stage *S, const dls_net *of, const double *q, int i,
                      double *u) {
  dls_group_velocity(S->dim, of->v, of->turn, arm_of(S, of, q, i), u);
}

/* Inertia about the centre, with bodies at q. */
static void weigh(const dls_joint_stage *S, const dls_spring_nets *N, const double *q) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) memset(N->at[i].inertia, 0, sizeof N->at[i].inertia);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_in_net(S, N, i)) continue;
    dls_net *of = &N->at[N->of[i]];
    dls_group_add_inertia(S->dim, &w->bodies[i], DLS_Q(S, q, i), arm_of(S, of, q, i), of->inertia);
  }
}

/* u_r of all nets, at q with u: that of their momenta, or of who holds them. */
void dls_nets_find_motions(const dls_joint_stage *S, const dls_spring_nets *N, const double *q,
                           const double *u) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    dls_net *of = &N->at[i];
    of->mass = 0, of->centre = of->v = of->turn = of->moment = dls_v3(0, 0, 0);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_in_net(S, N, i)) continue;
    dls_net *of = &N->at[N->of[i]];
    const double mass = w->bodies[i].mass;
    of->mass += mass;
    of->centre = dls_v3_add(of->centre, dls_v3_scale(mass, dls_point_of(S->dim, DLS_Q(S, q, i))));
    of->v = dls_v3_add(of->v, dls_v3_scale(mass, dls_point_of(S->dim, DLS_U(S, u, i))));
  }
  for (int i = 0; i < w->n_bodies; i++) {
    dls_net *of = &N->at[i];
    if (!(of->mass > 0)) continue;
    of->centre = dls_v3_scale(1 / of->mass, of->centre), of->v = dls_v3_scale(1 / of->mass, of->v);
  }
  weigh(S, N, q);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_in_net(S, N, i)) continue;
    dls_net *of = &N->at[N->of[i]];
    double p[DLS_NU(3)] = {0};
    dls_momentum(S->dim, &w->bodies[i], DLS_Q(S, q, i), DLS_U(S, u, i), p);
    const dls_vec3 beside =
        dls_v3_sub(dls_point_of(S->dim, p), dls_v3_scale(w->bodies[i].mass, of->v));
    const dls_vec3 L =
        dls_v3_add(dls_v3_cross(arm_of(S, of, q, i), beside), dls_turn_of(S->dim, p));
    of->moment = dls_v3_add(of->moment, L);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    dls_net *of = &N->at[i];
    if (!(of->mass > 0)) continue;
    if (of->given < 0) {
      of->turn = turn_of(S->dim, of);
      continue;
    }
    const double *by = DLS_U(S, u, of->given);
    of->v = dls_velocity_at(S->dim, by,
                            dls_v3_sub(of->centre, dls_point_of(S->dim, DLS_Q(S, q, of->given))));
    of->turn = dls_turn_of(S->dim, by);
  }
}

/* --- nets that move as one rigid body --------------------------------------------------------- */

/* Body i from its place at the start, turned by `way` about `from` and moved to `to`. */
static void place(const dls_joint_stage *S, int i, dls_vec3 from, dls_vec3 to, dls_vec3 way) {
  double *q = DLS_Q(S, S->q_n, i), turn[DLS_NU(3)] = {0}, frame[DLS_NQ(3)] = {0};
  memcpy(q, DLS_Q(S, S->w->q, i), (size_t)S->nq * sizeof(double));
  if (S->dim == 2) turn[2] = way.z;
  else dls_v3_store(turn + 3, way);
  dls_vec3 arm = dls_v3_sub(dls_point_of(S->dim, q), from);
  if (S->dim == 2) {
    double s, c;
    dls_sincos(way.z, &s, &c);
    arm = dls_v3(c * arm.x - s * arm.y, s * arm.x + c * arm.y, 0);
  } else {
    frame[3] = 1;
    dls_drift(3, frame, 1, turn);
    const dls_mat3 R = dls_q_matrix(dls_q_load(frame + 3));
    arm = dls_m3_apply(&R, arm);
  }
  dls_drift(S->dim, q, 1, turn);
  q[0] = to.x + arm.x, q[1] = to.y + arm.y;
  if (S->dim == 3) q[2] = to.z + arm.z;
}

/* How a net turns freely in the step, by its inertia where it starts: the axes of its motion go
** with it. */
static dls_vec3 free_way(const dls_joint_stage *S, const dls_net *of) {
  double inverse[9], turn[4];
  if (S->dim == 2) return dls_v3_scale(S->h, turn_of(2, of));
  for (int k = 0; k < 3; k++) {
    dls_vec3 column;
    if (!dls_group_turn(3, of->inertia[0], dls_v3(k == 0, k == 1, k == 2), &column))
      return dls_v3(0, 0, 0);
    dls_v3_store(inverse + 3 * k, column);
  }
  const dls_tumble tumble = dls_tumble_of(inverse);
  dls_q_store(turn, dls_tumble_on(&tumble, dls_q_identity(), of->moment, S->h));
  return dls_ball_rotation(turn);
}

/* As who holds it moves. */
static void follow(dls_joint_stage *S, const dls_net *of, int i) {
  double x[DLS_NU(3)] = {0};
  const double *from = DLS_Q(S, S->w->q, of->given), *to = DLS_Q(S, S->q_n, of->given);
  dls_way_to(S->dim, to, from, x);
  place(S, i, dls_point_of(S->dim, from), dls_point_of(S->dim, to), dls_turn_of(S->dim, x));
}

/* Kinetic energy of body i, J: as it stands at the end, or as the solve left it. Free bodies have
** turned on since then, which the step knows of. */
static double kinetic_of_body(const dls_joint_stage *S, int i, bool solved) {
  const bool before = solved && S->held[i];
  const double *q = before ? S->q_weighed : S->q_n, *u = before ? S->rows->u : S->u_n;
  return dls_kinetic(S->dim, &S->w->bodies[i], DLS_Q(S, q, i), DLS_U(S, u, i));
}

/* Of a net, as the solve left it. */
static double kinetic_of(const dls_joint_stage *S, const dls_spring_nets *N, int net) {
  double sum = 0;
  for (int i = 0; i < S->w->n_bodies; i++)
    if (dls_is_in_net(S, N, i) && N->of[i] == net) sum += kinetic_of_body(S, i, true);
  return sum;
}

/* Energies of what is carried, J. */
static double energy_of_carried(const dls_joint_stage *S, const dls_spring_nets *N, bool solved) {
  double sum = 0;
  for (int i = 0; i < S->w->n_bodies; i++)
    if (dls_is_in_net(S, N, i) && N->at[N->of[i]].carried)
      sum += kinetic_of_body(S, i, solved) + dls_potential_at(S->w, i, DLS_Q(S, S->q_n, i));
  return sum;
}

/* The net's angular momentum, scaled down where the turn that it makes by the inertia at the start
** has more energy than the bodies had when they were solved. Momentum and inertia are of different
** places, half a step apart: at arms that no step resolves the momentum has a part along the axis
** of least inertia that it does not have at the other place, and that turns without bound. Energies
** within SWING are left alone; what is lost of the momentum is told. */
static void turn_no_faster(dls_joint_stage *S, dls_net *of, double kinetic) {
  static const double SWING = 0.03; /* as share_of in moment.c has it */
  const dls_vec3 turn = turn_of(S->dim, of);
  const double turning = 0.5 * dls_v3_dot(of->moment, turn),
               left = dls_max(0, kinetic - 0.5 * of->mass * dls_v3_dot(of->v, of->v));
  if (!(turning > (1 + SWING) * left)) return;
  const double share = sqrt(left / turning);
  of->moment = dls_v3_scale(share, of->moment);
  S->moment_lost = dls_max(S->moment_lost, 1 - share);
}

/* What projections moved beside velocities (moment.h) is in no angular momentum. */
static void take_moments(dls_joint_stage *S, const dls_spring_nets *N) {
  if (!dls_joints_hold(S)) return;
  for (int i = 0; i < S->w->n_bodies; i++) {
    double *moment = S->moment + 3 * (size_t)i;
    if (!S->carried[i]) continue;
    dls_net *of = &N->at[N->of[i]];
    of->moment = dls_v3_sub(of->moment, dls_v3_load(moment));
    dls_v3_store(moment, dls_v3(0, 0, 0));
  }
}

dls_status dls_spring_nets_carry(dls_joint_stage *S) {
  dls_world *w = S->w;
  bool any = false;
  for (int i = 0; i < w->n_springs && !any; i++)
    any = w->springs[i].alive && S->spring_try[i].carried;
  for (int k = 0; k < S->n_spring_rows && !any; k++)
    any = dls_spring_try_of(S, &S->spring_row[k])->carried;
  if (!any) return DLS_OK;
  dls_joints_spin_on(S);
  w->need_arena = dls_bytes_add(w->arena.size, dls_arena_bytes((size_t)w->n_bodies, 1));
  S->carried = DLS_TAKE(&w->arena, unsigned char, w->n_bodies);
  if (!S->carried) return DLS_FULL;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_spring_nets N;
  dls_status status = dls_nets_find(S, &N);
  if (status != DLS_OK) return status;
  for (int i = 0; i < w->n_bodies; i++)
    S->carried[i] = dls_is_in_net(S, &N, i) && N.at[N.of[i]].carried;
  const double energy = energy_of_carried(S, &N, true);
  /* momenta as the solve left them, about the centre at the end */
  dls_nets_find_motions(S, &N, S->q_n, S->u_n);
  take_moments(S, &N);
  dls_vec3 *to = DLS_TAKE(&w->arena, dls_vec3, w->n_bodies),
           *way = DLS_TAKE(&w->arena, dls_vec3, w->n_bodies);
  w->need_arena =
      dls_bytes_add(w->need_arena, 2 * dls_arena_bytes((size_t)w->n_bodies, sizeof(dls_vec3)));
  if (!to || !way) return DLS_FULL;
  for (int i = 0; i < w->n_bodies; i++) {
    to[i] = N.at[i].centre;
    N.at[i].centre = dls_v3(0, 0, 0);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_in_net(S, &N, i)) continue;
    dls_net *of = &N.at[N.of[i]];
    of->centre = dls_v3_add(of->centre, dls_v3_scale(w->bodies[i].mass / of->mass,
                                                     dls_point_of(S->dim, DLS_Q(S, w->q, i))));
  }
  weigh(S, &N, w->q);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!N.at[i].carried || N.at[i].given >= 0) continue;
    turn_no_faster(S, &N.at[i], kinetic_of(S, &N, i));
    way[i] = free_way(S, &N.at[i]);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_net *of = &N.at[N.of[i]];
    if (!dls_is_in_net(S, &N, i) || !of->carried) continue;
    if (of->given >= 0) follow(S, of, i);
    else place(S, i, of->centre, to[N.of[i]], way[N.of[i]]);
  }
  for (int i = 0; i < w->n_bodies; i++) N.at[i].centre = to[i];
  if (dls_trees_used(w)) {
    dls_trees_rest(w, S->carried, S->q_n);
    status = dls_joints_stand(S, S->q_n, false);
  }
  weigh(S, &N, S->q_n);
  for (int i = 0; i < w->n_bodies; i++)
    if (N.at[i].carried && N.at[i].given < 0) N.at[i].turn = turn_of(S->dim, &N.at[i]);
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_net *of = &N.at[N.of[i]];
    if (!dls_is_in_net(S, &N, i) || !of->carried) continue;
    dls_net_velocity(S, of, S->q_n, i, DLS_U(S, S->u_n, i));
  }
  S->sprung.scheme += energy - energy_of_carried(S, &N, false);
  dls_arena_release(&w->arena, mark);
  return status;
}
