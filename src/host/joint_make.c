/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/add.h"
#include "core/joints/penalties.h"
#include "core/joints/reactions.h"
#include "core/joints/trees.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

/* Joints are made: the definition is checked and taken over into the core's. */

#define FUNCTION "delassus_joint_create"

delassus_joint_def delassus_joint_def_default(void) {
  return (delassus_joint_def){.kind = DELASSUS_REVOLUTE, .cone = DLS_INF, .motor_max = DLS_INF,
                              .alpha = -1, .beta = -1, .alpha_rotation = -1, .beta_rotation = -1,
                              .limit_alpha = -1, .limit_beta = -1};
}

static delassus_status bad(delassus_world *host, const char *what) {
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what);
}

static bool is_zero(const double x[3]) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

static bool is_framed(const delassus_joint_def *d) { return d->has_frame_a || d->has_frame_b; }

/* A joint that turns or slides about one axis. */
static bool is_simple(const delassus_joint_def *d) {
  return d->kind == DELASSUS_REVOLUTE || d->kind == DELASSUS_PRISMATIC;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static delassus_status check_frame(delassus_world *host, const char *name, const char *position,
                                   const delassus_frame *frame) {
  const bool planar = host->world->dim == 2,
             turned = !is_zero(frame->rotation) || frame->rotation[3] != 0;
  double unit[4];
  const char *what = NULL;
  const delassus_status status = dls_host_vector(host, FUNCTION, position, frame->position);
  if (status != DELASSUS_OK) return status;
  if (turned && !dls_host_rotation(frame->rotation, unit)) what = "rotation' must be finite";
  else if (!dls_is_finite(frame->angle)) what = "angle' must be finite";
  else if (planar && turned) what = "rotation' is for spatial worlds ('angle' for planar ones)";
  else if (!planar && frame->angle != 0)
    what = "angle' is for planar worlds ('rotation' for spatial ones)";
  return what ? dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s.%s", name, what)
              : DELASSUS_OK;
}

static delassus_status check_vectors(delassus_world *host, const delassus_joint_def *d) {
  delassus_status status = dls_host_vector(host, FUNCTION, "anchor", d->anchor);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "axis", d->axis);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "axis2", d->axis2);
  if (status == DELASSUS_OK && d->has_frame_a)
    status = check_frame(host, "frame_a", "frame_a.position", &d->frame_a);
  if (status == DELASSUS_OK && d->has_frame_b)
    status = check_frame(host, "frame_b", "frame_b.position", &d->frame_b);
  if (status == DELASSUS_OK && !dls_host_finite(d->torque, 6))
    status = bad(host, "'torque' must be finite");
  return status;
}

static delassus_status check_numbers(delassus_world *host, const delassus_joint_def *d) {
  const struct {
    const char *name; /* of the field */
    double x; /* its value */
    bool or_infinite; /* infinity is allowed */
  } fields[] = {{"stiffness", d->stiffness, false},     {"damping", d->damping, false},
                {"friction", d->friction, false},       {"inertia", d->inertia, false},
                {"motor_stiffness", d->motor_stiffness, false},
                {"motor_damping", d->motor_damping, false}, {"motor_max", d->motor_max, true},
                {"cone", d->cone, true}};
  const delassus_status status = check_vectors(host, d);
  if (status != DELASSUS_OK) return status;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].x >= 0) || (!fields[i].or_infinite && !dls_is_finite(fields[i].x)))
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                           "'%s' must be finite and >= 0, got %g", fields[i].name, fields[i].x);
  if (!dls_is_finite(d->motor_target)) return bad(host, "'motor_target' must be finite");
  if (d->has_limits && !(d->lo <= d->hi)) return bad(host, "'lo' must be <= 'hi'");
  if (d->has_limits && d->kind == DELASSUS_UNIVERSAL && !(d->lo2 <= d->hi2))
    return bad(host, "'lo2' must be <= 'hi2'");
  if (d->has_twist && !(d->twist_lo <= d->twist_hi))
    return bad(host, "'twist_lo' must be <= 'twist_hi'");
  return DELASSUS_OK;
}

/* --- penalties -------------------------------------------------------------------------------- */

static delassus_status check_gains(delassus_world *host, const delassus_joint_def *d) {
  const struct {
    const char *name; /* of the field */
    double gain; /* its value */
  } fields[] = {{"alpha", d->alpha},           {"beta", d->beta},
                {"alpha_rotation", d->alpha_rotation}, {"beta_rotation", d->beta_rotation},
                {"limit_alpha", d->limit_alpha}, {"limit_beta", d->limit_beta}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (fields[i].gain == -1) continue;
    if (!(fields[i].gain >= 0) || !dls_is_finite(fields[i].gain))
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                           "'%s' must be finite and >= 0, or -1, got %g", fields[i].name,
                           fields[i].gain);
    if (d->formulation != DELASSUS_FORMULATION_PENALTY)
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                           "'%s' goes with the penalty formulation", fields[i].name);
  }
  return DELASSUS_OK;
}

static delassus_status make_penalty(delassus_world *host, const delassus_joint_def *d,
                                    dls_joint *joint) {
  dls_world *w = host->world;
  for (int e = 0; e < 2; e++) {
    const dls_body *body = &w->bodies[e == 0 ? joint->a : joint->b];
    if (body->type == DLS_DYNAMIC && !(body->mass > 0))
      return bad(host, "a penalty joint needs bodies with mass");
  }
  const bool given =
      d->alpha != -1 || d->beta != -1 || d->alpha_rotation != -1 || d->beta_rotation != -1;
  joint->gains =
      (dls_gain_def){.gains = given ? DLS_GAINS_GIVEN : DLS_GAINS_AUTO,
                     .alpha = d->alpha >= 0 ? d->alpha : 5000,
                     .beta = d->beta >= 0 ? d->beta : 25,
                     .alpha_rotation = d->alpha_rotation >= 0 ? d->alpha_rotation : 10000,
                     .beta_rotation = d->beta_rotation >= 0 ? d->beta_rotation : 10,
                     .limit_alpha = d->limit_alpha,
                     .limit_beta = d->limit_beta};
  if (!dls_penalty_make(w, joint))
    return bad(host, "'formulation' of this joint cannot be penalty");
  if (joint->like == DLS_KIND_CUSTOM && d->beta_rotation != -1)
    return bad(host, "'beta_rotation' is not used by custom and driven joints and general chains");
  return DELASSUS_OK;
}

/* The kinds of the header are those of the core, number by number; none is missing. */
static dls_joint_name name_of(delassus_joint_kind kind) {
#define X(code, text) _Static_assert((int)DELASSUS_##code == (int)DLS_KIND_##code, text);
  DLS_JOINT_NAMES(X)
#undef X
  return (dls_joint_name)kind;
}

/* --- what goes together ----------------------------------------------------------------------- */

static delassus_status check_names(delassus_world *host, const delassus_joint_def *d) {
  if ((int)d->kind < 0 || (int)d->kind >= DLS_N_KINDS)
    return bad(host, "'kind' must be one of delassus_joint_kind");
  if ((int)d->formulation < 0 || (int)d->formulation > DELASSUS_FORMULATION_RIGID)
    return bad(host, "'formulation' must be one of delassus_formulation");
  if ((int)d->motor < 0 || (int)d->motor > DELASSUS_MOTOR_POSITION)
    return bad(host, "'motor' must be one of delassus_motor_kind");
  if (host->world->dim == 2 && dls_joint_makes[name_of(d->kind)].plane == DLS_NOT_IN_PLANE)
    return bad(host, "'kind' in a planar world is revolute, prismatic, fixed or chain");
  if (d->a.index == d->b.index) return bad(host, "'a' and 'b' must be two bodies");
  return DELASSUS_OK;
}

/* Axes, frames, motions and screws. */
static delassus_status check_place(delassus_world *host, const delassus_joint_def *d) {
  const bool framed = is_framed(d);
  const dls_joint_make *made = &dls_joint_makes[name_of(d->kind)];
  const bool about_z = dls_joint_is_about_z(name_of(d->kind), host->world->dim);
  const bool needs_axis = made->axis == DLS_NEEDED && !about_z;
  const bool own =
      d->kind == DELASSUS_CHAIN || d->kind == DELASSUS_CUSTOM || d->kind == DELASSUS_FREE;
  if (framed && d->has_anchor) return bad(host, "give 'has_anchor' or frames, not both");
  if (d->kind == DELASSUS_FREE && d->has_anchor)
    return bad(host, "'has_anchor' is not used by a free joint");
  if (needs_axis && is_zero(d->axis) && !framed)
    return bad(host, "'axis' is needed by this kind of joint");
  if (own && !(is_zero(d->axis) && is_zero(d->axis2)))
    return bad(host, "'axis' and 'axis2' are not used by free, chain and custom joints");
  if (about_z && !is_zero(d->axis))
    return bad(host, "'axis' is not used by a revolute joint in the plane");
  if (made->second == DLS_NEEDED && is_zero(d->axis2) && !framed)
    return bad(host, "'axis2' is needed by this kind of joint");
  if (d->n_motions != 0 && d->kind != DELASSUS_CHAIN)
    return bad(host, "'n_motions' is for chain joints");
  if (d->n_motions < 0 || d->n_motions > DLS_MAX_MOTIONS || (d->n_motions > 0 && !d->motions))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'n_motions' must be 0 .. %d and that many be in 'motions', got %d%s",
                         DLS_MAX_MOTIONS, d->n_motions, d->motions ? "" : " and NULL");
  if ((d->n_screws != 0) != (d->kind == DELASSUS_CUSTOM))
    return bad(host, d->n_screws != 0 ? "'n_screws' is for custom joints"
                                      : "a custom joint needs 'n_screws'");
  if (d->n_screws < 0 || d->n_screws > 6 || (d->n_screws > 0 && !d->subspace))
    return dls_host_fail(
        host, DELASSUS_BAD_ARGUMENT, FUNCTION,
        "'n_screws' must be 1 .. 6 and 6 x n_screws numbers be in 'subspace', got %d%s",
        d->n_screws, d->subspace ? "" : " and NULL");
  if (d->n_screws > 0 && !dls_host_finite(d->subspace, 6 * d->n_screws))
    return bad(host, "'subspace' must be finite");
  return DELASSUS_OK;
}

static delassus_status check_limits(delassus_world *host, const delassus_joint_def *d) {
  if (d->has_limits && !is_simple(d) && d->kind != DELASSUS_UNIVERSAL)
    return bad(host, "'has_limits' is for revolute, prismatic and universal joints");
  if (d->cone < DLS_INF && (d->kind != DELASSUS_SPHERICAL || !(d->cone > 0 && d->cone <= DLS_PI)))
    return bad(host, "'cone' is for spherical joints, > 0 and <= pi");
  if (d->has_twist && d->kind != DELASSUS_SPHERICAL)
    return bad(host, "'has_twist' is for spherical joints");
  if (d->motor == DELASSUS_MOTOR_POSITION && d->motor_stiffness == 0 && d->motor_damping == 0)
    return bad(host, "'motor' for a position needs 'motor_stiffness'");
  if (d->motor == DELASSUS_MOTOR_SPEED && (d->motor_stiffness != 0 || d->motor_damping != 0))
    return bad(host, "'motor_stiffness' and 'motor_damping' go with a position");
  return DELASSUS_OK;
}

/* What depends on the motions that it has. */
static delassus_status check_motions(delassus_world *host, const delassus_joint_def *d,
                                     const dls_joint *joint) {
  const bool chain = dls_joint_is_chain(joint);
  if (d->drive && !(chain && joint->n_motions == 1))
    return bad(host, "'drive' needs a joint of one degree of freedom");
  if (d->motor != DELASSUS_MOTOR_NONE && !(chain && joint->nu == 1 && joint->n_driven == 0))
    return bad(host, "'motor' needs a joint of one degree of freedom");
  if ((joint->kind == DLS_KIND_FIXED || joint->kind == DLS_KIND_FREE) &&
      (d->stiffness != 0 || d->damping != 0 || d->friction != 0))
    return bad(host, "a fixed or free joint has no 'stiffness', 'damping' or 'friction'");
  const bool driven =
      d->drive || (joint->n_motions > 0 && joint->n_motions == joint->n_driven);
  if (driven && (d->stiffness != 0 || d->damping != 0 || d->friction != 0))
    return bad(host, "a joint that is driven has no 'stiffness', 'damping' or 'friction'");
  if (d->inertia != 0 && (!chain || driven))
    return bad(host,
               "'inertia' of a rotor needs a joint that turns or slides freely about an axis");
  for (int i = joint->nu; i < 6; i++)
    if (d->torque[i] != 0)
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                           "'torque' of this joint has %d numbers", joint->nu);
  return DELASSUS_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The unit vector along x (not zero). */
static dls_vec3 unit_of(const double x[3]) {
  double unit[3] = {x[0], x[1], x[2]};
  (void)dls_make_unit(unit, 3);
  return dls_v3_load(unit);
}

static dls_place frame_of(const dls_world *w, const delassus_frame *f) {
  double turn[4] = {1, 0, 0, 0};
  if (w->dim == 2) dls_sincos(0.5 * f->angle, &turn[3], &turn[0]);
  else if (!is_zero(f->rotation) || f->rotation[3] != 0) (void)dls_host_rotation(f->rotation, turn);
  return (dls_place){dls_q_matrix(dls_q_load(turn)), dls_v3_load(f->position)};
}

/* Frames on the bodies; answers the joint's frame in the world. */
static dls_place frames(const dls_world *w, const delassus_joint_def *d, dls_joint *joint) {
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  dls_place F = B;
  if (d->kind == DELASSUS_FREE && !is_framed(d)) {
    joint->on_a = joint->on_b = dls_place_identity();
    if (joint->a != 0) joint->on_a = dls_joint_in_body(w, joint->a, &B);
    return B;
  }
  if (d->has_anchor) F.p = dls_v3_load(d->anchor);
  if (d->has_frame_a) joint->on_a = frame_of(w, &d->frame_a);
  if (d->has_frame_b) joint->on_b = frame_of(w, &d->frame_b);
  if (d->has_frame_a) F = dls_place_mul(&A, &joint->on_a);
  else if (d->has_frame_b) F = dls_place_mul(&B, &joint->on_b);
  if (!d->has_frame_a) joint->on_a = dls_joint_in_body(w, joint->a, &F);
  if (!d->has_frame_b) joint->on_b = dls_joint_in_body(w, joint->b, &F);
  return F;
}

/* --- motions ---------------------------------------------------------------------------------- */

/* Motion k of a chain. */
static delassus_status chain_motion(delassus_world *host, const delassus_chain_motion *from, int k,
                                    dls_motion *out) {
  const bool planar = host->world->dim == 2, turns = from->kind == DELASSUS_ROTATE;
  const char *what = NULL;
  if (!turns && from->kind != DELASSUS_SLIDE) what = "kind' must be one of delassus_elementary";
  else if (!dls_host_finite(from->axis, 3)) what = "axis' must be finite";
  else if (is_zero(from->axis) && !(planar && turns)) what = "axis' must not be zero";
  else if (planar && turns && (from->axis[0] != 0 || from->axis[1] != 0))
    what = "axis' must be z, or zeros, in a planar world";
  else if (planar && !turns && from->axis[2] != 0) what = "axis' must lie in the plane";
  if (what) return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'motions[%d].%s", k, what);
  *out = (dls_motion){.kind = turns ? DLS_MOTION_ROTATE : DLS_MOTION_SLIDE,
                      .drive = from->drive ? 0 : -1};
  dls_v3_store(out->axis, is_zero(from->axis) ? dls_v3(0, 0, 1) : unit_of(from->axis));
  return DELASSUS_OK;
}

static delassus_status chain(delassus_world *host, const delassus_joint_def *d, dls_joint *joint,
                             dls_motion *out) {
  for (int k = 0; k < d->n_motions; k++) {
    const delassus_status status = chain_motion(host, &d->motions[k], k, &out[k]);
    if (status != DELASSUS_OK) return status;
    joint->n_driven += out[k].drive == 0 ? 1 : 0;
  }
  joint->n_motions = d->n_motions;
  if (joint->n_motions - joint->n_driven > 6)
    return bad(host, "'motions' has more than 6 free ones");
  const int fault = dls_joint_chain_fault(d->n_motions, out);
  if (fault >= 0)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'motions[%d]' depends on those before it", fault);
  return DELASSUS_OK;
}

static delassus_status custom(delassus_world *host, const delassus_joint_def *d, dls_joint *joint,
                              dls_motion *out) {
  const char *why;
  const int wrong = dls_joint_make_screws(d->subspace, d->n_screws, out, &why);
  joint->n_motions = d->n_screws;
  if (wrong < 0) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "column %d of 'subspace' %s", wrong,
                       why);
}

/* Motions of the named kinds, about 'axis' and 'axis2' in the frame F. */
static delassus_status named(delassus_world *host, const delassus_joint_def *d, const dls_place *F,
                             dls_joint *joint, dls_motion *out) {
  const bool framed = is_framed(d), given = !is_zero(d->axis2);
  const dls_vec3 x = dls_v3(1, 0, 0), y = dls_v3(0, 1, 0), z = dls_v3(0, 0, 1);
  dls_vec3 e = d->kind == DELASSUS_PLANAR && !framed ? dls_m3_apply_t(&F->R, z) : x, second = y;
  if (!is_zero(d->axis)) e = dls_m3_apply_t(&F->R, unit_of(d->axis));
  if (dls_joint_is_about_z(name_of(d->kind), host->world->dim)) e = z;
  if (given) second = dls_m3_apply_t(&F->R, unit_of(d->axis2));
  else if (!framed) {
    second = dls_m3_apply_t(&F->R, x);
    if (fabs(dls_v3_dot(second, e)) > 1 - 1e-9) second = dls_m3_apply_t(&F->R, y);
  }
  joint->n_motions = dls_joint_make_motions(joint, e, second, given, out);
  return joint->n_motions < 0 ? bad(host, "'axis2' lies along 'axis'") : DELASSUS_OK;
}

/* Frames, motions, number of coordinates. */
static delassus_status place(delassus_world *host, const delassus_joint_def *d, dls_joint *joint,
                             dls_motion *motions) {
  const dls_place F = frames(host->world, d, joint);
  delassus_status status = named(host, d, &F, joint, motions);
  if (status == DELASSUS_OK && d->kind == DELASSUS_CHAIN) status = chain(host, d, joint, motions);
  if (status == DELASSUS_OK && d->kind == DELASSUS_CUSTOM) status = custom(host, d, joint, motions);
  if (status != DELASSUS_OK) return status;
  if (d->drive && joint->n_motions == 1 && joint->n_driven == 0)
    motions[0].drive = 0, joint->n_driven = 1;
  for (int i = 0; i < joint->n_motions; i++)
    if (motions[i].drive < 0) motions[i].rotor = d->inertia;
  dls_joint_count(joint);
  return check_motions(host, d, joint);
}

static void limit(const delassus_joint_def *d, dls_joint *joint) {
  joint->cone = d->cone;
  joint->twist[0] = d->has_twist ? d->twist_lo : -DLS_INF;
  joint->twist[1] = d->has_twist ? d->twist_hi : DLS_INF;
  joint->motor = (dls_motor){.kind = (int)d->motor, .most = DLS_INF};
  if (d->motor != DELASSUS_MOTOR_NONE) {
    joint->motor.target = d->motor_target;
    joint->motor.stiffness = d->motor_stiffness;
    joint->motor.damping = d->motor_damping;
    joint->motor.most = d->motor_max;
  }
  if (!d->has_limits) return;
  joint->n_limits = d->kind == DELASSUS_UNIVERSAL ? 2 : 1;
  joint->lo[0] = d->lo, joint->hi[0] = d->hi;
  if (joint->n_limits == 2) joint->lo[1] = d->lo2, joint->hi[1] = d->hi2;
}

static delassus_status formulate(delassus_world *host, const delassus_joint_def *d,
                                 dls_joint *joint) {
  static const int asked[] = {-1, DLS_REDUCED, DLS_PENALTY, DLS_RIGID};
  switch (dls_joint_choose(host->world, asked[d->formulation], joint)) {
    case DLS_JOINT_GOOD: break;
    case DLS_JOINT_NOTHING_MOVES: return bad(host, "'a' or 'b' must be a dynamic body");
    case DLS_JOINT_LOOP: return bad(host, "'formulation' reduced cannot close a loop (rigid can)");
    case DLS_JOINT_BOTH_CARRIED:
      return bad(host, "'formulation' reduced: both bodies have a parent already (rigid can)");
  }
  if (d->inertia != 0 && joint->formulation != DLS_REDUCED)
    return bad(host, "'inertia' of a rotor needs the reduced formulation");
  return joint->formulation == DLS_PENALTY ? make_penalty(host, d, joint) : DELASSUS_OK;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Keeps the functions of the motions of the joint that gets a slot. */
static delassus_status keep_drives(delassus_world *host, const delassus_joint_def *d,
                                   const dls_joint *joint, int slot) {
  if (joint->n_driven == 0) return DELASSUS_OK;
  delassus_status status = dls_host_own(host, FUNCTION);
  if (status != DELASSUS_OK) return status;
  dls_host_drive *drives = dls_host_drives(host, slot);
  if (!drives) return dls_host_report(host, DLS_NOMEM, FUNCTION);
  for (int k = 0; k < joint->n_motions; k++)
    drives[k] = d->drive ? (dls_host_drive){d->drive, d->drive_user}
                         : (dls_host_drive){d->motions[k].drive, d->motions[k].drive_user};
  dls_host_hook_drive(host);
  return DELASSUS_OK;
}

/* The joint into the world, and the child to where it admits it. */
static delassus_status add(delassus_world *host, const dls_joint *made, const double torque[6],
                           int *index) {
  dls_world *w = host->world;
  dls_forest_fault fault;
  delassus_status status = dls_host_report(host, dls_world_joint_add(w, made, index), FUNCTION);
  if (status != DELASSUS_OK) return status;
  if (made->formulation == DLS_REDUCED && !dls_joint_is_settled(w, *index)) {
    status = dls_host_report(host, dls_trees_follow(w, *index, &fault), FUNCTION);
    if (status != DELASSUS_OK) {
      dls_world_joint_remove(w, *index);
      return status;
    }
  }
  memcpy(w->joint_state[*index].torque, torque, 6 * sizeof *torque);
  return DELASSUS_OK;
}

delassus_status delassus_joint_create(delassus_world *world, const delassus_joint_def *def,
                                      delassus_joint_id *joint) {
  dls_motion motions[DLS_MAX_MOTIONS];
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !joint)
    return bad(world, def ? "'joint' must not be NULL" : "'def' must not be NULL");
  dls_world *w = world->world;
  int a = 0, b = 0;
  delassus_status status = dls_host_unlocked(world, FUNCTION);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, FUNCTION, "a", def->a, &a);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, FUNCTION, "b", def->b, &b);
  if (status == DELASSUS_OK) status = check_numbers(world, def);
  if (status == DELASSUS_OK) status = check_names(world, def);
  if (status == DELASSUS_OK) status = check_place(world, def);
  if (status == DELASSUS_OK) status = check_limits(world, def);
  if (status == DELASSUS_OK) status = check_gains(world, def);
  if (status != DELASSUS_OK) return status;
  dls_joint made = {.alive = true, .kind = (int)name_of(def->kind), .a = a,
                    .b = b, .stiffness = def->stiffness, .damping = def->damping,
                    .friction = def->friction, .motions = motions};
  int index = 0;
  status = place(world, def, &made, motions);
  limit(def, &made);
  if (status == DELASSUS_OK) status = formulate(world, def, &made);
  if (status == DELASSUS_OK) status = keep_drives(world, def, &made, dls_world_joint_slot(w));
  if (status == DELASSUS_OK) status = add(world, &made, def->torque, &index);
  if (status == DELASSUS_OK)
    *joint = (delassus_joint_id){w->joints[index].slot, w->joints[index].generation};
  return status;
}
#undef FUNCTION
