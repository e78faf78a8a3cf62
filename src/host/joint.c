/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/make.h"
#include "core/joints/penalties.h"
#include "core/joints/reactions.h"
#include "core/joints/trees.h"
#include "core/math/quat.h"

/* Joints: made and taken out; their coordinates, torques, reactions. */

delassus_joint_def delassus_joint_def_default(void) {
  return (delassus_joint_def){.kind = DELASSUS_REVOLUTE, .cone = DLS_INF, .motor_max = DLS_INF,
                              .alpha = -1, .beta = -1, .alpha_rotation = -1, .beta_rotation = -1};
}

static bool lives(const delassus_world *host, delassus_joint_id joint) {
  const dls_world *w = host->world;
  if (joint.index < 0 || joint.index >= w->n_joints) return false;
  const dls_joint *model = &w->joints[joint.index];
  return model->alive && model->generation == joint.generation;
}

bool delassus_joint_alive(const delassus_world *world, delassus_joint_id joint) {
  return world && lives(world, joint);
}

static delassus_status joint_of(delassus_world *host, const char *function,
                                delassus_joint_id joint) {
  if (lives(host, joint)) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_STALE_ID, function, "'joint' is no joint of this world (%d, %u)",
                       (int)joint.index, (unsigned)joint.generation);
}

static delassus_status changeable(delassus_world *host, const char *function,
                                  delassus_joint_id joint) {
  const delassus_status status = dls_host_unlocked(host, function);
  return status == DELASSUS_OK ? joint_of(host, function, joint) : status;
}

/* --- making ------------------------------------------------------------------------------------- */

#define FUNCTION "delassus_joint_create"

static delassus_status bad(delassus_world *host, const char *what) {
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what);
}

static bool is_zero(const double x[3]) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

static bool is_simple(const delassus_joint_def *d) {
  return d->kind == DELASSUS_REVOLUTE || d->kind == DELASSUS_PRISMATIC;
}

static delassus_status check_numbers(delassus_world *host, const delassus_joint_def *d) {
  const struct {
    const char *name;
    double x;
    bool or_infinite;
  } fields[] = {{"stiffness", d->stiffness, false},     {"damping", d->damping, false},
                {"friction", d->friction, false},       {"inertia", d->inertia, false},
                {"motor_stiffness", d->motor_stiffness, false},
                {"motor_damping", d->motor_damping, false}, {"motor_max", d->motor_max, true},
                {"cone", d->cone, true}};
  delassus_status status = dls_host_vector(host, FUNCTION, "anchor", d->anchor);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "axis", d->axis);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "axis2", d->axis2);
  if (status != DELASSUS_OK) return status;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].x >= 0) || (!fields[i].or_infinite && !dls_is_finite(fields[i].x)))
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                           "'%s' must be finite and >= 0, got %g", fields[i].name, fields[i].x);
  if (!dls_is_finite(d->motor_target)) return bad(host, "'motor_target' must be finite");
  if (d->has_limits && !(d->lo <= d->hi)) return bad(host, "'lo' must be <= 'hi'");
  if (d->has_limits && d->kind == DELASSUS_UNIVERSAL && !(d->lo2 <= d->hi2))
    return bad(host, "'lo2' must be <= 'hi2'");
  return DELASSUS_OK;
}

/* Whether a gain of a penalty joint is given. */
static bool has_gains(const delassus_joint_def *d) {
  return d->alpha != -1 || d->beta != -1 || d->alpha_rotation != -1 || d->beta_rotation != -1;
}

static delassus_status check_gains(delassus_world *host, const delassus_joint_def *d) {
  const double gains[] = {d->alpha, d->beta, d->alpha_rotation, d->beta_rotation};
  for (int i = 0; i < 4; i++)
    if (gains[i] != -1 && (!(gains[i] >= 0) || !dls_is_finite(gains[i])))
      return bad(host, "'alpha', 'beta' and those of rotations must be finite and >= 0, or -1");
  if (has_gains(d) && d->formulation != DELASSUS_FORMULATION_PENALTY)
    return bad(host, "'alpha' and 'beta' go with the penalty formulation");
  return DELASSUS_OK;
}

/* What does not go together. */
static delassus_status check_fields(delassus_world *host, const delassus_joint_def *d) {
  const bool planar = host->world->dim == 2;
  const bool needs_axis = (d->kind == DELASSUS_REVOLUTE && !planar) ||
                          d->kind == DELASSUS_PRISMATIC || d->kind == DELASSUS_CYLINDRICAL ||
                          d->kind == DELASSUS_UNIVERSAL;
  if ((int)d->kind < 0 || (int)d->kind > DELASSUS_FIXED)
    return bad(host, "'kind' must be one of delassus_joint_kind");
  if ((int)d->formulation < 0 || (int)d->formulation > DELASSUS_FORMULATION_RIGID)
    return bad(host, "'formulation' must be one of delassus_formulation");
  if ((int)d->motor < 0 || (int)d->motor > DELASSUS_MOTOR_POSITION)
    return bad(host, "'motor' must be one of delassus_motor_kind");
  if (planar && !is_simple(d) && d->kind != DELASSUS_FIXED)
    return bad(host, "'kind' in a planar world is revolute, prismatic or fixed");
  if (d->a.index == d->b.index) return bad(host, "'a' and 'b' must be two bodies");
  if (needs_axis && is_zero(d->axis)) return bad(host, "'axis' is needed by this kind of joint");
  if (planar && d->kind == DELASSUS_REVOLUTE && !is_zero(d->axis))
    return bad(host, "'axis' is not used by a revolute joint in the plane");
  if (d->kind == DELASSUS_UNIVERSAL && is_zero(d->axis2))
    return bad(host, "'axis2' is needed by a universal joint");
  if (d->has_limits && !is_simple(d) && d->kind != DELASSUS_UNIVERSAL)
    return bad(host, "'has_limits' is for revolute, prismatic and universal joints");
  if (d->cone < DLS_INF && (d->kind != DELASSUS_SPHERICAL || !(d->cone > 0 && d->cone <= DLS_PI)))
    return bad(host, "'cone' is for spherical joints, > 0 and <= pi");
  if (d->motor != DELASSUS_MOTOR_NONE && !is_simple(d))
    return bad(host, "'motor' needs a revolute or prismatic joint");
  if (d->motor == DELASSUS_MOTOR_POSITION && d->motor_stiffness == 0 && d->motor_damping == 0)
    return bad(host, "'motor' for a position needs 'motor_stiffness'");
  if (d->motor == DELASSUS_MOTOR_SPEED && (d->motor_stiffness != 0 || d->motor_damping != 0))
    return bad(host, "'motor_stiffness' and 'motor_damping' go with a position");
  if (d->kind == DELASSUS_FIXED && (d->stiffness != 0 || d->damping != 0 || d->friction != 0))
    return bad(host, "a fixed joint has no 'stiffness', 'damping' or 'friction'");
  if (d->inertia != 0 && (d->kind == DELASSUS_FIXED || d->kind == DELASSUS_SPHERICAL))
    return bad(host, "'inertia' of a rotor needs a joint that turns or slides about an axis");
  return DELASSUS_OK;
}

static dls_joint_name name_of(delassus_joint_kind kind) {
  static const dls_joint_name names[] = {DLS_KIND_SPHERICAL, DLS_KIND_REVOLUTE, DLS_KIND_UNIVERSAL,
                                         DLS_KIND_PRISMATIC, DLS_KIND_CYLINDRICAL, DLS_KIND_PLANAR,
                                         DLS_KIND_FIXED};
  return names[kind];
}

/* A direction of the world in the frame F. */
static dls_vec3 direction(const dls_place *F, const double x[3]) {
  double most = dls_max(fabs(x[0]), dls_max(fabs(x[1]), fabs(x[2])));
  const double unit[3] = {x[0] / most, x[1] / most, x[2] / most};
  const double length = dls_v3_norm(dls_v3_load(unit));
  return dls_m3_apply_t(&F->R, dls_v3(unit[0] / length, unit[1] / length, unit[2] / length));
}

/* Frames and motions. */
static delassus_status place(delassus_world *host, const delassus_joint_def *d, dls_joint *joint,
                             dls_motion *motions) {
  const dls_world *w = host->world;
  const dls_vec3 x = dls_v3(1, 0, 0), y = dls_v3(0, 1, 0), z = dls_v3(0, 0, 1);
  dls_place F = dls_body_frame(w, joint->b);
  if (d->has_anchor) F.p = dls_v3_load(d->anchor);
  joint->on_a = dls_joint_in_body(w, joint->a, &F);
  joint->on_b = dls_joint_in_body(w, joint->b, &F);
  dls_vec3 e = d->kind == DELASSUS_PLANAR ? dls_m3_apply_t(&F.R, z) : x;
  if (!is_zero(d->axis)) e = direction(&F, d->axis);
  if (w->dim == 2 && d->kind == DELASSUS_REVOLUTE) e = z;
  const bool given = !is_zero(d->axis2);
  dls_vec3 second = given ? direction(&F, d->axis2) : dls_m3_apply_t(&F.R, x);
  if (!given && fabs(dls_v3_dot(second, e)) > 1 - 1e-9) second = dls_m3_apply_t(&F.R, y);
  joint->n_motions = dls_joint_make_motions(joint, e, second, given, motions);
  if (joint->n_motions < 0) return bad(host, "'axis2' lies along 'axis'");
  for (int i = 0; i < joint->n_motions; i++) motions[i].rotor = d->inertia;
  dls_joint_count(joint);
  return DELASSUS_OK;
}

static void limit(const delassus_joint_def *d, dls_joint *joint) {
  joint->cone = d->cone;
  joint->twist[0] = -DLS_INF;
  joint->twist[1] = DLS_INF;
  joint->motor = (dls_motor){.kind = (int)d->motor, .target = d->motor_target, .most = DLS_INF};
  if (d->motor != DELASSUS_MOTOR_NONE) {
    joint->motor.stiffness = d->motor_stiffness;
    joint->motor.damping = d->motor_damping;
    joint->motor.most = d->motor_max;
  } else {
    joint->motor.target = 0;
  }
  if (!d->has_limits) return;
  joint->n_limits = d->kind == DELASSUS_UNIVERSAL ? 2 : 1;
  joint->lo[0] = d->lo, joint->hi[0] = d->hi;
  if (joint->n_limits == 2) joint->lo[1] = d->lo2, joint->hi[1] = d->hi2;
}

static delassus_status formulate(delassus_world *host, const delassus_joint_def *d,
                                 dls_joint *joint) {
  static const int asked[] = {-1, DLS_REDUCED, DLS_PENALTY, DLS_RIGID};
  dls_world *w = host->world;
  switch (dls_joint_choose(w, asked[d->formulation], joint)) {
    case DLS_JOINT_GOOD: break;
    case DLS_JOINT_NOTHING_MOVES: return bad(host, "'a' or 'b' must be a dynamic body");
    case DLS_JOINT_LOOP: return bad(host, "'formulation' reduced cannot close a loop (rigid can)");
    case DLS_JOINT_BOTH_CARRIED:
      return bad(host, "'formulation' reduced: both bodies have a parent already (rigid can)");
  }
  if (d->inertia != 0 && joint->formulation != DLS_REDUCED)
    return bad(host, "'inertia' of a rotor needs the reduced formulation");
  if (joint->formulation != DLS_PENALTY) return DELASSUS_OK;
  for (int e = 0; e < 2; e++) {
    const dls_body *body = &w->bodies[e == 0 ? joint->a : joint->b];
    if (body->type == DLS_DYNAMIC && !(body->mass > 0))
      return bad(host, "a penalty joint needs bodies with mass");
  }
  joint->gains = (dls_gain_def){.gains = has_gains(d) ? DLS_GAINS_GIVEN : DLS_GAINS_AUTO,
                                .alpha = d->alpha >= 0 ? d->alpha : 5000,
                                .beta = d->beta >= 0 ? d->beta : 25,
                                .alpha_rotation = d->alpha_rotation >= 0 ? d->alpha_rotation : 10000,
                                .beta_rotation = d->beta_rotation >= 0 ? d->beta_rotation : 10,
                                .limit_alpha = -1, .limit_beta = -1};
  if (!dls_penalty_make(w, joint)) return bad(host, "'formulation' of this joint cannot be penalty");
  return DELASSUS_OK;
}

delassus_status delassus_joint_create(delassus_world *world, const delassus_joint_def *def,
                                      delassus_joint_id *joint) {
  dls_motion motions[DLS_MAX_MOTIONS];
  dls_forest_fault fault;
  int index = -1;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !joint) return bad(world, def ? "'joint' must not be NULL" : "'def' must not be NULL");
  dls_world *w = world->world;
  delassus_status status = dls_host_unlocked(world, FUNCTION);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, FUNCTION, "a", def->a);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, FUNCTION, "b", def->b);
  if (status == DELASSUS_OK) status = check_numbers(world, def);
  if (status == DELASSUS_OK) status = check_fields(world, def);
  if (status == DELASSUS_OK) status = check_gains(world, def);
  if (status != DELASSUS_OK) return status;
  dls_joint made = {.alive = true, .kind = (int)name_of(def->kind), .a = def->a.index,
                    .b = def->b.index, .stiffness = def->stiffness, .damping = def->damping,
                    .friction = def->friction, .motions = motions};
  status = place(world, def, &made, motions);
  if (status != DELASSUS_OK) return status;
  limit(def, &made);
  status = formulate(world, def, &made);
  if (status != DELASSUS_OK) return status;
  status = dls_host_report(world, dls_world_joint_add(w, &made, &index), FUNCTION);
  if (status != DELASSUS_OK) return status;
  if (made.formulation == DLS_REDUCED && !dls_joint_is_settled(w, index)) {
    status = dls_host_report(world, dls_trees_follow(w, index, &fault), FUNCTION);
    if (status != DELASSUS_OK) {
      dls_world_joint_remove(w, index);
      return status;
    }
  }
  *joint = (delassus_joint_id){index, w->joints[index].generation};
  return DELASSUS_OK;
}
#undef FUNCTION

delassus_status delassus_joint_destroy(delassus_world *world, delassus_joint_id joint) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = changeable(world, "delassus_joint_destroy", joint);
  if (status == DELASSUS_OK) dls_world_joint_remove(world->world, joint.index);
  return status;
}

/* --- one joint -------------------------------------------------------------------------------------- */

delassus_status delassus_joint_state(delassus_world *world, delassus_joint_id joint, double q[7],
                                     int *nq, double u[6], int *nu) {
  if (!world || !q || !u) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = joint_of(world, "delassus_joint_state", joint);
  if (status != DELASSUS_OK) return status;
  if (nq) *nq = world->world->joints[joint.index].nq;
  if (nu) *nu = world->world->joints[joint.index].nu;
  dls_joint_now(world->world, joint.index, q, u);
  return DELASSUS_OK;
}

delassus_status delassus_joint_set_state(delassus_world *world, delassus_joint_id joint,
                                         const double *q, const double *u) {
  static const char function[] = "delassus_joint_set_state";
  dls_forest_fault fault;
  if (!world || !q || !u) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = changeable(world, function, joint);
  if (status != DELASSUS_OK) return status;
  dls_world *w = world->world;
  const dls_joint *model = &w->joints[joint.index];
  dls_joint_state *state = &w->joint_state[joint.index];
  double unit[7];
  if (model->formulation != DLS_REDUCED)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'joint' must be one of the reduced formulation");
  if (!dls_host_finite(q, model->nq) || !dls_host_finite(u, model->nu))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'q' and 'u' must be finite");
  memcpy(unit, q, (size_t)model->nq * sizeof *q);
  if (model->kind == DLS_KIND_SPHERICAL) {
    if (!(fabs(dls_q_norm(dls_q_load(q)) - 1) < 1e-6))
      return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'q' must be a unit quaternion");
    dls_q_store(unit, dls_q_unit(dls_q_load(q)));
  }
  const dls_joint_state before = *state;
  memcpy(state->q, unit, (size_t)model->nq * sizeof *q);
  memcpy(state->u, u, (size_t)model->nu * sizeof *u);
  const dls_status done = dls_trees_follow(w, -1, &fault);
  if (done != DLS_OK) *state = before;
  return dls_host_report(world, done, function);
}

delassus_status delassus_joint_set_motor(delassus_world *world, delassus_joint_id joint,
                                         double target) {
  static const char function[] = "delassus_joint_set_motor";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = changeable(world, function, joint);
  if (status != DELASSUS_OK) return status;
  dls_motor *motor = &world->world->joints[joint.index].motor;
  if (motor->kind == DLS_MOTOR_NONE || !dls_is_finite(target))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "%s",
                         motor->kind == DLS_MOTOR_NONE ? "'joint' has no motor"
                                                       : "'target' must be finite");
  motor->target = target;
  return DELASSUS_OK;
}

delassus_status delassus_joint_reaction(delassus_world *world, delassus_joint_id joint,
                                        double force[3], double moment[3]) {
  static const char function[] = "delassus_joint_reaction";
  if (!world || !force || !moment) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = joint_of(world, function, joint);
  if (status != DELASSUS_OK) return status;
  if (!dls_joint_reaction(world->world, joint.index, force, moment))
    return dls_host_fail(world, DELASSUS_NOT_KNOWN, function, "reactions are known after a step");
  return DELASSUS_OK;
}

/* --- all joints at once ------------------------------------------------------------------------------- */

void delassus_world_joint_counts(const delassus_world *world, int *nq, int *nu) {
  const dls_world *w = world->world;
  int n_q = 0, n_u = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive) n_q += w->joints[i].nq, n_u += w->joints[i].nu;
  if (nq) *nq = n_q;
  if (nu) *nu = n_u;
}

delassus_status delassus_world_joint_states(delassus_world *world, double *q, int nq, double *u,
                                            int nu) {
  int n_q, n_u;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const dls_world *w = world->world;
  delassus_world_joint_counts(world, &n_q, &n_u);
  if ((q && nq != n_q) || (u && nu != n_u))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, "delassus_world_joint_states",
                         "'q' must hold %d and 'u' %d numbers, got %d and %d", n_q, n_u, nq, nu);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    double now[7], rates[6];
    if (!joint->alive) continue;
    dls_joint_now(w, i, now, rates);
    if (q) memcpy(q, now, (size_t)joint->nq * sizeof *q), q += joint->nq;
    if (u) memcpy(u, rates, (size_t)joint->nu * sizeof *u), u += joint->nu;
  }
  return DELASSUS_OK;
}

delassus_status delassus_world_set_torques(delassus_world *world, const double *torques, int nu) {
  static const char function[] = "delassus_world_set_torques";
  int n_u;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  delassus_world_joint_counts(world, NULL, &n_u);
  if (nu != n_u || (nu > 0 && (!torques || !dls_host_finite(torques, nu))))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'torques' must hold %d finite numbers, got %d", n_u, nu);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive) continue;
    memcpy(w->joint_state[i].torque, torques, (size_t)joint->nu * sizeof *torques);
    torques += joint->nu;
  }
  return DELASSUS_OK;
}
