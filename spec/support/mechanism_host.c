/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Chains, custom, free and driven joints, frames, gears, springs and gap functions through the C interface.
** mechanism_host scene: hashes of the scenes of spec/host/mechanism_spec.lua; mechanism_host: what the header
** promises, "ok". */
#include "host_checks.h"

static delassus_body_id block(delassus_world *world, double x, double z) {
  const bool planar = delassus_world_planar(world);
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body = {0, 0};
  def.shape.kind = DELASSUS_BOX;
  def.shape.size[0] = 0.4, def.shape.size[1] = 0.1, def.shape.size[2] = planar ? 0 : 0.2;
  def.position[0] = x, def.position[planar ? 1 : 2] = z;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  return body;
}

static delassus_joint_def joint_of(delassus_body_id a, delassus_body_id b, delassus_joint_kind kind,
                                   delassus_formulation formulation) {
  delassus_joint_def def = delassus_joint_def_default();
  def.a = a, def.b = b, def.kind = kind, def.formulation = formulation;
  return def;
}

static delassus_joint_id made(delassus_world *world, const delassus_joint_def *def) {
  delassus_joint_id joint = {0, 0};
  const delassus_status status = delassus_joint_create(world, def, &joint);
  if (status != DELASSUS_OK) printf("%s\n", delassus_world_error(world));
  CHECK(status == DELASSUS_OK && delassus_joint_alive(world, joint));
  return joint;
}

/* value = c t^2 */
static delassus_status square(void *user, double t, delassus_drive *drive) {
  const double c = *(const double *)user;
  *drive = (delassus_drive){c * t * t, 2 * c * t, 2 * c};
  return DELASSUS_OK;
}

/* Above z = x^2 / 2 (plane: y). */
static delassus_status parabola(void *user, double t, const double *pose_a, const double *pose_b,
                                delassus_gap *gap) {
  const int up = *(const int *)user;
  (void)pose_a, (void)t;
  gap->gap = pose_b[up] - 0.5 * pose_b[0] * pose_b[0];
  gap->gradient_b[0] = -pose_b[0], gap->gradient_b[up] = 1;
  return DELASSUS_OK;
}

/* --- the same bits as through Lua ----------------------------------------------------------------- */

static void add_chain(delassus_world *world, delassus_formulation formulation) {
  static double rate = 0.3;
  const bool planar = delassus_world_planar(world);
  const delassus_body_id link = block(world, 0, 1);
  delassus_joint_def def = joint_of(delassus_world_ground(world), link, DELASSUS_CHAIN, formulation);
  const delassus_chain_motion motions[3] = {
      {.kind = DELASSUS_SLIDE, .axis = {1, 0, 0}, .drive = square, .drive_user = &rate},
      {.kind = DELASSUS_ROTATE, .axis = {0, planar ? 0 : 1, 0}},
      {.kind = DELASSUS_SLIDE, .axis = {planar ? 3 : 0, planar ? 4 : 0, planar ? 0 : 2}}};
  def.has_anchor = true;
  def.anchor[0] = -0.2, def.anchor[planar ? 1 : 2] = 1;
  def.n_motions = 3, def.motions = motions;
  def.stiffness = 30, def.damping = 0.5;
  (void)made(world, &def);
}

/* A screw of pitch 0.1 m/rad about the vertical, and one across. */
static void add_custom(delassus_world *world, delassus_formulation formulation) {
  static const double subspace[12] = {0, 0, 0, 1, 1, 0, 0, 0.2, 0, 0, 0.1, 0};
  const delassus_body_id link = block(world, 2, 1);
  delassus_joint_def def = joint_of(delassus_world_ground(world), link, DELASSUS_CUSTOM, formulation);
  def.n_screws = 2, def.subspace = subspace;
  def.torque[1] = 0.2;
  (void)made(world, &def);
}

static void add_framed(delassus_world *world, delassus_formulation formulation) {
  const delassus_body_id link = block(world, 4, 1);
  delassus_joint_def def = joint_of(delassus_world_ground(world), link, DELASSUS_SPHERICAL, formulation);
  def.has_frame_a = def.has_frame_b = true;
  def.frame_a.position[0] = 3.8, def.frame_a.position[2] = 1;
  def.frame_a.rotation[0] = 0.8, def.frame_a.rotation[3] = 0.6;
  def.frame_b.position[0] = -0.2;
  def.frame_b.rotation[0] = 0.8, def.frame_b.rotation[3] = 0.6;
  def.cone = 0.5;
  def.has_twist = true, def.twist_lo = -0.1, def.twist_hi = 0.2;
  (void)made(world, &def);
}

/* Two hinges with a gear, the first driven by a torque; a driven one where the formulation has no gears. */
static void add_hinges(delassus_world *world, delassus_formulation formulation) {
  static double rate = -0.7;
  const bool planar = delassus_world_planar(world);
  delassus_joint_id hinge[2];
  for (int i = 0; i < 2; i++) {
    const delassus_body_id link = block(world, 6 + i, 1);
    delassus_joint_def def = joint_of(delassus_world_ground(world), link, DELASSUS_REVOLUTE, formulation);
    if (planar) {
      def.has_frame_b = true;
      def.frame_b.position[0] = -0.2, def.frame_b.angle = 0.25;
    } else {
      def.axis[1] = 1;
    }
    if (i == 0) def.torque[0] = 4;
    if (formulation == DELASSUS_FORMULATION_PENALTY && i == 1) def.drive = square, def.drive_user = &rate, def.torque[0] = 0;
    hinge[i] = made(world, &def);
  }
  if (formulation == DELASSUS_FORMULATION_PENALTY) return;
  delassus_gear_id gear = {0, 0};
  delassus_gear_def def = delassus_gear_def_default();
  def.joint1 = hinge[0], def.joint2 = hinge[1], def.ratio = -2, def.offset = 0.01;
  CHECK(delassus_gear_create(world, &def, &gear) == DELASSUS_OK && delassus_gear_alive(world, gear));
}

static void add_springs(delassus_world *world) {
  static const int up[] = {2, 1};
  const bool planar = delassus_world_planar(world);
  delassus_spring_id spring = {0, 0};
  delassus_contact_id contact = {0, 0};
  const delassus_body_id a = block(world, 0.5, 3), b = block(world, 1, 4);
  delassus_spring_def def = delassus_spring_def_default();
  def.a = a, def.b = b, def.stiffness = 2000, def.damping = 3;
  def.has_anchor_b = true, def.anchor_b[0] = 0.2;
  CHECK(delassus_spring_create(world, &def, &spring) == DELASSUS_OK);
  def.a = delassus_world_ground(world), def.length = 0.5;
  CHECK(delassus_spring_create(world, &def, &spring) == DELASSUS_OK);
  for (int i = 0; i < 2; i++) {
    delassus_contact_def gap = delassus_contact_def_default();
    gap.a = delassus_world_ground(world), gap.b = i ? b : a;
    gap.gap = parabola, gap.gap_user = (void *)(uintptr_t)&up[planar];
    gap.material.friction = 0.1 * i, gap.material.restitution = 0.3;
    CHECK(delassus_contact_create(world, &gap, &contact) == DELASSUS_OK);
  }
}

static void scene(bool planar, delassus_formulation formulation) {
  delassus_world *world = world_of(planar);
  add_chain(world, formulation);
  if (!planar) add_custom(world, formulation);
  if (!planar) add_framed(world, formulation);
  add_hinges(world, formulation);
  add_springs(world);
  if (!planar) {
    delassus_body_id last = block(world, 9, 1);
    for (int i = 0; i < 2; i++) { /* a free body that carries a tree */
      delassus_joint_def def = joint_of(delassus_world_ground(world), last, DELASSUS_FREE, DELASSUS_FORMULATION_AUTO);
      if (i == 1) def = joint_of(last, block(world, 9.4, 1), DELASSUS_SPHERICAL, DELASSUS_FORMULATION_AUTO);
      (void)made(world, &def);
    }
  }
  const delassus_status status = delassus_world_step(world, 400);
  if (status != DELASSUS_OK) printf("%s\n", delassus_world_error(world));
  CHECK(status == DELASSUS_OK);
  printf("%016llx\n", (unsigned long long)delassus_world_hash(world));
  delassus_world_destroy(world);
}

/* --- physics -------------------------------------------------------------------------------------- */

static void without_gravity(delassus_world *world) {
  const double none[3] = {0, 0, 0};
  CHECK(delassus_world_set_gravity(world, none) == DELASSUS_OK);
}

/* A driven hinge goes where it is driven to, and needs inertia times acceleration. */
static void driven(void) {
  for (int k = 0; k < 3; k++) {
    static double rate = 0.6;
    delassus_world *world = world_of(false);
    const delassus_body_id link = block(world, 0, 1);
    delassus_joint_def def = joint_of(delassus_world_ground(world), link, DELASSUS_REVOLUTE,
                                      k == 2 ? DELASSUS_FORMULATION_RIGID : DELASSUS_FORMULATION_REDUCED);
    double q[7], u[6], mass, com[3], force = 0, x[3], r[4], apart[2];
    int nq = 7, nu = 7;
    without_gravity(world);
    def.axis[1] = 1;
    def.drive = square, def.drive_user = &rate;
    const delassus_chain_motion motion = {.kind = DELASSUS_ROTATE, .axis = {0, 1, 0}, .drive = square, .drive_user = &rate};
    if (k == 1) { /* the same as a chain */
      def.kind = DELASSUS_CHAIN, def.axis[1] = 0, def.drive = NULL;
      def.n_motions = 1, def.motions = &motion;
    }
    const delassus_joint_id joint = made(world, &def);
    CHECK(delassus_joint_state(world, joint, q, &nq, u, &nu) == DELASSUS_OK && nq == 0 && nu == 0);
    REFUSED(world, delassus_joint_drive_force(world, joint, &force), DELASSUS_NOT_KNOWN, "after a step");
    CHECK(delassus_world_step(world, 500) == DELASSUS_OK);
    CHECK(delassus_body_pose(world, link, 1, x, r) == DELASSUS_OK);
    CHECK(fabs(2 * atan2(r[2], r[0]) - 0.6 * 0.25) < 1e-7);
    CHECK(delassus_body_mass(world, link, &mass, com) == DELASSUS_OK);
    const double inertia = mass * (0.4 * 0.4 + 0.2 * 0.2) / 12;
    CHECK(delassus_joint_drive_force(world, joint, &force) == DELASSUS_OK);
    CHECK(fabs(force - 1.2 * inertia) < 1e-9 * inertia);
    CHECK(delassus_joint_violation(world, joint, &apart[0], &apart[1]) == DELASSUS_OK);
    CHECK(apart[0] < 1e-9 && apart[1] < 1e-7);
    delassus_world_destroy(world);
  }
}

/* Down a screw of pitch p the weight accelerates m p^2 + I: u' = m g p / (m p^2 + I). */
static void down_a_screw(void) {
  static const double subspace[6] = {0, 0, 1, 0, 0, 0.1};
  delassus_world *world = world_of(false);
  const delassus_body_id nut = block(world, 0, 1);
  delassus_joint_def def = joint_of(delassus_world_ground(world), nut, DELASSUS_CUSTOM, DELASSUS_FORMULATION_AUTO);
  double q[7], u[6], mass, com[3];
  def.n_screws = 1, def.subspace = subspace;
  const delassus_joint_id joint = made(world, &def);
  CHECK(delassus_world_step(world, 500) == DELASSUS_OK);
  CHECK(delassus_body_mass(world, nut, &mass, com) == DELASSUS_OK);
  CHECK(delassus_joint_state(world, joint, q, NULL, u, NULL) == DELASSUS_OK);
  const double inertia = mass * (0.4 * 0.4 + 0.1 * 0.1) / 12;
  const double expected = -mass * 9.81 * 0.1 / (mass * 0.01 + inertia) * 0.5;
  CHECK(fabs(u[0] - expected) < 1e-9 * fabs(expected) && fabs(q[0] - 0.25 * expected) < 1e-9);
  const double *pose = delassus_world_poses(world, NULL) + 7 * nut.index;
  CHECK(fabs(pose[2] - 1 - 0.1 * q[0]) < 1e-9);
  delassus_world_destroy(world);
}

/* A weight on a damped spring comes to rest m g / k below its length; another stiffness, another place. */
static void on_a_spring(void) {
  delassus_world *world = world_of(true);
  delassus_body_def ball = delassus_body_def_default();
  delassus_body_id body;
  delassus_spring_id spring, second;
  ball.mass = 2, ball.has_inertia = true, ball.inertia[2] = 0.1, ball.position[1] = -1;
  CHECK(delassus_body_create(world, &ball, &body) == DELASSUS_OK);
  delassus_spring_def def = delassus_spring_def_default();
  def.a = delassus_world_ground(world), def.b = body, def.stiffness = 100, def.damping = 20;
  CHECK(delassus_spring_create(world, &def, &spring) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 8000) == DELASSUS_OK);
  const double *pose = delassus_world_poses(world, NULL) + 3 * body.index;
  CHECK(fabs(pose[1] + 1 + 2 * 9.81 / 100) < 1e-9);
  CHECK(delassus_spring_set(world, spring, 50, 20, 2) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 12000) == DELASSUS_OK);
  pose = delassus_world_poses(world, NULL) + 3 * body.index;
  CHECK(fabs(pose[1] + 2 + 2 * 9.81 / 50) < 1e-9);
  CHECK(delassus_spring_destroy(world, spring) == DELASSUS_OK && !delassus_spring_alive(world, spring));
  REFUSED(world, delassus_spring_set(world, spring, 1, 1, 1), DELASSUS_STALE_ID, "'spring'");
  REFUSED(world, delassus_spring_destroy(world, spring), DELASSUS_STALE_ID, "'spring'");
  CHECK(delassus_spring_create(world, &def, &second) == DELASSUS_OK && second.index == spring.index);
  CHECK(!delassus_spring_alive(world, spring) && delassus_spring_alive(world, second));
  CHECK(delassus_body_destroy(world, body) == DELASSUS_OK && !delassus_spring_alive(world, second));
  delassus_world_destroy(world);
}

/* A gear holds its ratio; it goes with its joints. */
static void geared(void) {
  delassus_world *world = world_of(false);
  delassus_joint_id hinge[2];
  delassus_gear_id gear;
  double q[2][7], u[2][6];
  for (int i = 0; i < 2; i++) {
    delassus_joint_def def = joint_of(delassus_world_ground(world), block(world, i, 1), DELASSUS_REVOLUTE,
                                      i ? DELASSUS_FORMULATION_RIGID : DELASSUS_FORMULATION_REDUCED);
    def.axis[0] = 1, def.torque[0] = i ? 0 : 0.3;
    hinge[i] = made(world, &def);
  }
  delassus_gear_def def = delassus_gear_def_default();
  def.joint1 = hinge[0], def.joint2 = hinge[1], def.ratio = -3;
  CHECK(delassus_gear_create(world, &def, &gear) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK);
  for (int i = 0; i < 2; i++) CHECK(delassus_joint_state(world, hinge[i], q[i], NULL, u[i], NULL) == DELASSUS_OK);
  CHECK(fabs(u[1][0] + 3 * u[0][0]) < 1e-9 && fabs(q[1][0] + 3 * q[0][0]) < 1e-7 && fabs(u[0][0]) > 1e-3);
  def.ratio = 0;
  REFUSED(world, delassus_gear_create(world, &def, &gear), DELASSUS_BAD_ARGUMENT, "'ratio'");
  def.ratio = 1, def.joint2 = hinge[0];
  REFUSED(world, delassus_gear_create(world, &def, &gear), DELASSUS_BAD_ARGUMENT, "two joints");
  CHECK(delassus_joint_destroy(world, hinge[1]) == DELASSUS_OK && !delassus_gear_alive(world, gear));
  REFUSED(world, delassus_gear_destroy(world, gear), DELASSUS_STALE_ID, "'gear'");
  def.joint2 = hinge[1];
  REFUSED(world, delassus_gear_create(world, &def, &gear), DELASSUS_STALE_ID, "'joint2'");
  delassus_world_destroy(world);
}

/* A floor by function is the floor by plane, under a free body and under one that a joint carries. */
static delassus_status level(void *user, double t, const double *pose_a, const double *pose_b, delassus_gap *gap) {
  (void)user, (void)t;
  gap->gap = 2 * (pose_b[2] - pose_a[2]); /* any length of the gradient will do */
  gap->gradient_b[2] = 2, gap->gradient_a[2] = -2;
  return DELASSUS_OK;
}

static double fall(bool carried, bool by_function) {
  delassus_world *world = world_of(false);
  delassus_contact_id contact;
  const delassus_body_id body = block(world, 0.5, 0.3);
  delassus_contact_def def = delassus_contact_def_default();
  if (carried) {
    delassus_joint_def hinge = joint_of(delassus_world_ground(world), body, DELASSUS_REVOLUTE, DELASSUS_FORMULATION_REDUCED);
    hinge.axis[1] = 1, hinge.has_anchor = true, hinge.anchor[2] = 0.3;
    (void)made(world, &hinge);
  }
  def.a = delassus_world_ground(world), def.b = body;
  def.material.restitution = 0.5, def.material.friction = 0.2;
  if (by_function) def.gap = level;
  else def.normal[2] = 1;
  CHECK(delassus_contact_create(world, &def, &contact) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 400) == DELASSUS_OK);
  const double z = delassus_world_poses(world, NULL)[7 * body.index + 2];
  delassus_world_destroy(world);
  return z;
}

static void gaps(void) {
  for (int carried = 0; carried < 2; carried++) {
    const double plane = fall(carried, false), function = fall(carried, true);
    CHECK(fabs(plane - function) < 1e-9 && plane > 1e-3);
  }
}

/* --- mistakes ------------------------------------------------------------------------------------- */

static void refused_joints(void) {
  static const double zero[6], same[12] = {0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0}, none[6] = {0, 0, NAN, 0, 0, 0};
  static double rate = 1;
  delassus_world *world = world_of(false);
  const delassus_body_id body = block(world, 0, 1), ground = delassus_world_ground(world);
  const uint64_t hash = delassus_world_hash(world);
  delassus_chain_motion motions[13] = {{.axis = {0, 1, 0}}, {.kind = DELASSUS_SLIDE, .axis = {1, 0, 0}}};
  delassus_joint_id joint = {5, 5};
  delassus_joint_def def;
  for (int i = 2; i < 13; i++) motions[i] = motions[0];
#define BAD(which, set, words)                                                                                    \
  def = joint_of(ground, body, which, DELASSUS_FORMULATION_AUTO);                                                 \
  if (which == DELASSUS_CHAIN) def.n_motions = 2, def.motions = motions;                                          \
  if (which == DELASSUS_REVOLUTE) def.axis[0] = 1;                                                                \
  set;                                                                                                            \
  REFUSED(world, delassus_joint_create(world, &def, &joint), DELASSUS_BAD_ARGUMENT, words);                       \
  CHECK(joint.index == 5 && delassus_world_hash(world) == hash);
  BAD(DELASSUS_CHAIN, def.n_motions = 13, "'n_motions' must be 0 .. 12")
  BAD(DELASSUS_CHAIN, def.n_motions = -1, "be in 'motions'")
  BAD(DELASSUS_CHAIN, def.motions = NULL, "be in 'motions'")
  BAD(DELASSUS_CHAIN, def.n_motions = 7, "more than 6 free")
  BAD(DELASSUS_CHAIN, def.axis[0] = 1, "'axis'")
  BAD(DELASSUS_CHAIN, def.drive = square, "'drive'")
  BAD(DELASSUS_CHAIN, def.motor = DELASSUS_MOTOR_SPEED, "'motor'")
  BAD(DELASSUS_CHAIN, def.has_limits = true, "'has_limits'")
  BAD(DELASSUS_CHAIN, (motions[1].axis[0] = 0), "'motions[1].axis' must not be zero")
  BAD(DELASSUS_CHAIN, (motions[1].axis[0] = NAN), "'motions[1].axis' must be finite")
  BAD(DELASSUS_CHAIN, (motions[1].axis[0] = 1, motions[0].kind = (delassus_elementary)7), "'motions[0].kind'")
  motions[0].kind = DELASSUS_ROTATE;
  BAD(DELASSUS_CHAIN, def.n_screws = 1, "'n_screws'")
  BAD(DELASSUS_REVOLUTE, def.n_motions = 1, "'n_motions'")
  BAD(DELASSUS_CUSTOM, def.kind = DELASSUS_CUSTOM, "needs 'n_screws'")
  BAD(DELASSUS_CUSTOM, def.n_screws = 7, "'n_screws' must be 1 .. 6")
  BAD(DELASSUS_CUSTOM, (def.n_screws = 1, def.subspace = zero), "column 0 of 'subspace'")
  BAD(DELASSUS_CUSTOM, (def.n_screws = 2, def.subspace = same), "column 1 of 'subspace'")
  BAD(DELASSUS_CUSTOM, (def.n_screws = 1, def.subspace = none), "'subspace' must be finite")
  BAD(DELASSUS_REVOLUTE, (def.has_frame_a = def.has_anchor = true), "not both")
  BAD(DELASSUS_REVOLUTE, (def.has_frame_a = true, def.frame_a.rotation[3] = NAN), "'frame_a.rotation'")
  BAD(DELASSUS_REVOLUTE, (def.has_frame_b = true, def.frame_b.angle = 1), "'frame_b.angle'")
  BAD(DELASSUS_REVOLUTE, (def.has_frame_b = true, def.frame_b.position[1] = INFINITY), "'frame_b.position'")
  BAD(DELASSUS_REVOLUTE, def.torque[1] = 1, "'torque' of this joint has 1 numbers")
  BAD(DELASSUS_REVOLUTE, def.torque[0] = NAN, "'torque' must be finite")
  BAD(DELASSUS_REVOLUTE, (def.drive = square, def.drive_user = &rate, def.torque[0] = 1), "'torque' of this joint has 0")
  BAD(DELASSUS_REVOLUTE, (def.drive = square, def.drive_user = &rate, def.inertia = 1), "'inertia'")
  BAD(DELASSUS_REVOLUTE, def.has_twist = true, "'has_twist'")
  BAD(DELASSUS_SPHERICAL, (def.has_twist = true, def.twist_lo = 1), "'twist_lo'")
  BAD(DELASSUS_SPHERICAL, (def.drive = square, def.drive_user = &rate), "'drive'")
  BAD(DELASSUS_FREE, def.has_anchor = true, "'has_anchor'")
  BAD(DELASSUS_FREE, def.stiffness = 1, "'stiffness'")
  BAD(DELASSUS_FREE, def.formulation = DELASSUS_FORMULATION_PENALTY, "cannot be penalty")
  BAD(DELASSUS_REVOLUTE, def.limit_beta = 3, "'limit_beta' goes with the penalty formulation")
  BAD(DELASSUS_CUSTOM, (def.n_screws = 1, def.subspace = same + 4, def.formulation = DELASSUS_FORMULATION_PENALTY,
                        def.beta_rotation = 3), "'beta_rotation'")
#undef BAD
  delassus_world_destroy(world);
}

static void refused_things(void) {
  delassus_world *world = world_of(true);
  const delassus_body_id body = block(world, 0, 1), ground = delassus_world_ground(world);
  const uint64_t hash = delassus_world_hash(world);
  delassus_spring_def s;
  delassus_spring_id spring = {5, 5};
  delassus_contact_def c;
  delassus_contact_id contact = {5, 5};
  delassus_joint_def chain = joint_of(ground, body, DELASSUS_CHAIN, DELASSUS_FORMULATION_AUTO);
  delassus_joint_id joint = {5, 5};
  delassus_chain_motion motion = {.kind = DELASSUS_ROTATE, .axis = {1, 0, 0}};
#define BAD(set, status, words)                                                      \
  s = delassus_spring_def_default(), s.a = ground, s.b = body, s.stiffness = 1;       \
  set;                                                                               \
  REFUSED(world, delassus_spring_create(world, &s, &spring), status, words);         \
  CHECK(spring.index == 5 && delassus_world_hash(world) == hash);
  BAD(s.b = ground, DELASSUS_BAD_ARGUMENT, "two bodies")
  BAD(s.b.generation++, DELASSUS_STALE_ID, "'b'")
  BAD(s.stiffness = -1, DELASSUS_BAD_ARGUMENT, "'stiffness' must be finite and >= 0, got -1")
  BAD(s.damping = NAN, DELASSUS_BAD_ARGUMENT, "'damping'")
  BAD(s.length = -2, DELASSUS_BAD_ARGUMENT, "'length'")
  BAD((s.has_anchor_a = true, s.anchor_a[0] = INFINITY), DELASSUS_BAD_ARGUMENT, "'anchor_a'")
  BAD((s.has_anchor_b = true, s.anchor_b[2] = 1), DELASSUS_BAD_ARGUMENT, "'anchor_b'")
#undef BAD
  REFUSED(world, delassus_spring_create(world, NULL, &spring), DELASSUS_BAD_ARGUMENT, "'def'");
  REFUSED(world, delassus_gear_create(world, NULL, NULL), DELASSUS_BAD_ARGUMENT, "'def'");
#define BAD(set, words)                                                                        \
  c = delassus_contact_def_default(), c.a = ground, c.b = body, c.gap = parabola;              \
  set;                                                                                         \
  REFUSED(world, delassus_contact_create(world, &c, &contact), DELASSUS_BAD_ARGUMENT, words);  \
  CHECK(contact.index == 5 && delassus_world_hash(world) == hash);
  BAD(c.rope = 1, "needs one of")
  BAD(c.normal[0] = 1, "needs one of")
  BAD(c.gap = NULL, "needs one of")
  BAD((c.gap = NULL, c.rope = 1, c.material.friction = 1), "does not go with 'rope'")
#undef BAD
  chain.n_motions = 1, chain.motions = &motion;
  REFUSED(world, delassus_joint_create(world, &chain, &joint), DELASSUS_BAD_ARGUMENT, "must be z");
  motion = (delassus_chain_motion){.kind = DELASSUS_SLIDE, .axis = {1, 0, 1}};
  REFUSED(world, delassus_joint_create(world, &chain, &joint), DELASSUS_BAD_ARGUMENT, "in the plane");
  chain.kind = DELASSUS_CUSTOM;
  REFUSED(world, delassus_joint_create(world, &chain, &joint), DELASSUS_BAD_ARGUMENT, "planar world");
  CHECK(delassus_world_hash(world) == hash);
  delassus_world_destroy(world);
}

/* --- functions that misbehave --------------------------------------------------------------------- */

typedef struct mischief {
  delassus_world *world;
  double until; /* s */
  delassus_status answer;
  int tried;
} mischief;

static delassus_status bad_drive(void *user, double t, delassus_drive *drive) {
  mischief *m = (mischief *)user;
  const double none[3] = {0, 0, 0};
  CHECK(delassus_world_set_gravity(m->world, none) == DELASSUS_LOCKED);
  CHECK(delassus_world_step(m->world, 1) == DELASSUS_LOCKED);
  m->tried++;
  if (t > m->until) drive->value = NAN;
  return t > m->until ? m->answer : DELASSUS_OK;
}

static delassus_status bad_gap(void *user, double t, const double *pose_a, const double *pose_b, delassus_gap *gap) {
  mischief *m = (mischief *)user;
  (void)pose_a;
  CHECK(delassus_world_set_dt(m->world, 1) == DELASSUS_LOCKED);
  m->tried++;
  gap->gap = pose_b[2];
  gap->gradient_b[2] = t > m->until && m->answer == DELASSUS_OK ? 0 : 1;
  return t > m->until ? m->answer : DELASSUS_OK;
}

static void misbehaving(void) {
  static const char *const words[2][2] = {{"stopped by a callback: a drive must be finite", "stopped by a callback"},
                                          {"a gradient must move with the position", "stopped by a callback"}};
  for (int kind = 0; kind < 2; kind++)
    for (int says = 0; says < 2; says++) {
      mischief m = {.world = world_of(false), .until = 0.05, .answer = says ? DELASSUS_UNSOLVED : DELASSUS_OK};
      const delassus_body_id body = block(m.world, 0, 0.01), ground = delassus_world_ground(m.world);
      delassus_joint_def def = joint_of(ground, body, DELASSUS_PRISMATIC, DELASSUS_FORMULATION_AUTO);
      delassus_joint_id joint = {5, 5};
      delassus_contact_id contact;
      delassus_contact_def gap = delassus_contact_def_default();
      def.axis[0] = 1, def.drive = bad_drive, def.drive_user = &m;
      gap.a = ground, gap.b = body, gap.gap = bad_gap, gap.gap_user = &m, gap.material.friction = 0.5;
      if (kind == 0) {
        const uint64_t hash = delassus_world_hash(m.world);
        m.until = -1;
        REFUSED(m.world, delassus_joint_create(m.world, &def, &joint), DELASSUS_STOPPED, words[kind][says]);
        CHECK(joint.index == 5 && delassus_world_hash(m.world) == hash);
        m.until = 0.05;
        (void)made(m.world, &def);
      } else {
        CHECK(delassus_contact_create(m.world, &gap, &contact) == DELASSUS_OK);
      }
      REFUSED(m.world, delassus_world_step(m.world, 200), DELASSUS_STOPPED, words[kind][says]);
      CHECK(m.tried > 40 && fabs(delassus_world_time(m.world) - m.until) < 2e-3);
      const uint64_t hash = delassus_world_hash(m.world);
      CHECK(delassus_world_step(m.world, 1) == DELASSUS_STOPPED && delassus_world_hash(m.world) == hash);
      m.until = 1;
      CHECK(delassus_world_step(m.world, 10) == DELASSUS_OK);
      delassus_world_destroy(m.world);
    }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "scene") == 0) {
    for (int planar = 0; planar < 2; planar++)
      for (int i = DELASSUS_FORMULATION_AUTO; i <= DELASSUS_FORMULATION_RIGID; i++)
        scene(planar, (delassus_formulation)i);
    return n_failed > 0;
  }
  driven();
  down_a_screw();
  on_a_spring();
  geared();
  gaps();
  refused_joints();
  refused_things();
  misbehaving();
  return told();
}
