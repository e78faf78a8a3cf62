/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Joints through the C interface. joint_host scene: hashes of the scenes of spec/host/joint_spec.lua;
** joint_host: what the header promises, "ok". */
#include "host_checks.h"

static delassus_body_id box(delassus_world *world, double x, double z) {
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body = {0, 0};
  def.shape.kind = DELASSUS_BOX;
  def.shape.size[0] = 0.4, def.shape.size[1] = 0.1;
  def.shape.size[2] = delassus_world_planar(world) ? 0 : 0.1;
  def.position[0] = x;
  def.position[delassus_world_planar(world) ? 1 : 2] = z;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  return body;
}

/* Links of 0.4 m in a row: kinds in turn, a motor, limits, a spring; the end tied to the ground. */
static void scene(bool planar, delassus_formulation formulation) {
  static const delassus_joint_kind kinds[] = {DELASSUS_REVOLUTE, DELASSUS_SPHERICAL,
                                              DELASSUS_UNIVERSAL, DELASSUS_PRISMATIC};
  delassus_world *world = world_of(planar);
  delassus_body_id last = delassus_world_ground(world);
  delassus_joint_id joint;
  for (int i = 0; i < 6; i++) {
    delassus_joint_def def = delassus_joint_def_default();
    const delassus_body_id link = box(world, 0.2 + 0.4 * i, 1);
    def.kind = planar ? (i == 3 ? DELASSUS_PRISMATIC : DELASSUS_REVOLUTE) : kinds[i % 4];
    def.formulation = formulation;
    def.a = last, def.b = link;
    def.has_anchor = true;
    def.anchor[0] = 0.4 * i, def.anchor[planar ? 1 : 2] = 1;
    if (def.kind == DELASSUS_PRISMATIC) def.axis[0] = 1;
    else if (!planar && def.kind != DELASSUS_SPHERICAL) def.axis[1] = 1;
    if (def.kind == DELASSUS_UNIVERSAL) def.axis2[2] = 1;
    if (def.kind == DELASSUS_PRISMATIC) def.has_limits = true, def.lo = -0.05, def.hi = 0.1;
    if (i == 0) def.motor = DELASSUS_MOTOR_SPEED, def.motor_target = 0.5, def.motor_max = 20;
    if (i == 4) def.stiffness = 50, def.damping = 1;
    if (i == 5) def.friction = 0.1;
    CHECK(delassus_joint_create(world, &def, &joint) == DELASSUS_OK);
    last = link;
  }
  delassus_joint_def close = delassus_joint_def_default(); /* the loop: rigid by itself */
  close.kind = planar ? DELASSUS_REVOLUTE : DELASSUS_SPHERICAL;
  close.a = delassus_world_ground(world), close.b = last;
  close.has_anchor = true, close.anchor[0] = 2.4, close.anchor[planar ? 1 : 2] = 1;
  CHECK(delassus_joint_create(world, &close, &joint) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 100) == DELASSUS_OK);
  printf("%016llx\n", (unsigned long long)delassus_world_hash(world));
  delassus_world_destroy(world);
}

static delassus_joint_def hinge_of(delassus_world *world, delassus_body_id body) {
  delassus_joint_def def = delassus_joint_def_default();
  def.a = delassus_world_ground(world), def.b = body;
  def.axis[1] = 1;
  def.has_anchor = true, def.anchor[2] = 1;
  return def;
}

static void mistakes(void) {
  delassus_world *world = world_of(false);
  const delassus_body_id body = box(world, 0.2, 1), ground = delassus_world_ground(world);
  const uint64_t hash = delassus_world_hash(world);
  delassus_joint_id joint = {5, 5};
  delassus_joint_def def;
#define BAD(set, status, words)                                              \
  def = hinge_of(world, body);                                               \
  set;                                                                       \
  REFUSED(world, delassus_joint_create(world, &def, &joint), status, words); \
  CHECK(joint.index == 5 && delassus_world_hash(world) == hash);
  BAD(def.a = body, DELASSUS_BAD_ARGUMENT, "two bodies")
  BAD(def.b.generation = 9, DELASSUS_STALE_ID, "'b'")
  BAD(def.axis[1] = 0, DELASSUS_BAD_ARGUMENT, "'axis' is needed")
  BAD(def.axis[1] = NAN, DELASSUS_BAD_ARGUMENT, "'axis' must be finite")
  BAD((def.has_limits = true, def.lo = 1), DELASSUS_BAD_ARGUMENT, "'lo' must be <= 'hi'")
  BAD(def.kind = DELASSUS_UNIVERSAL, DELASSUS_BAD_ARGUMENT, "'axis2'")
  BAD((def.kind = DELASSUS_UNIVERSAL, def.axis2[1] = 3), DELASSUS_BAD_ARGUMENT, "lies along")
  BAD(def.kind = (delassus_joint_kind)50, DELASSUS_BAD_ARGUMENT, "'kind'")
  BAD(def.stiffness = -1, DELASSUS_BAD_ARGUMENT, "'stiffness' must be finite and >= 0, got -1")
  BAD(def.motor = DELASSUS_MOTOR_POSITION, DELASSUS_BAD_ARGUMENT, "'motor_stiffness'")
  BAD(def.alpha = 1, DELASSUS_BAD_ARGUMENT, "'alpha' goes with the penalty formulation")
  BAD((def.formulation = DELASSUS_FORMULATION_PENALTY, def.beta = NAN), DELASSUS_BAD_ARGUMENT, "'beta'")
  BAD(def.cone = 1, DELASSUS_BAD_ARGUMENT, "'cone'")
#undef BAD
  def = hinge_of(world, body);
  CHECK(delassus_joint_create(world, &def, &joint) == DELASSUS_OK);
  delassus_joint_id second;
  def.formulation = DELASSUS_FORMULATION_REDUCED;
  REFUSED(world, delassus_joint_create(world, &def, &second), DELASSUS_BAD_ARGUMENT, "rigid can");
  double q[7], u[6], f[3];
  int nq = 0, nu = 0;
  REFUSED(world, delassus_joint_reaction(world, joint, f, f), DELASSUS_NOT_KNOWN, "after a step");
  REFUSED(world, delassus_body_set_velocity(world, body, f, f), DELASSUS_BAD_ARGUMENT, "reduced");
  REFUSED(world, delassus_joint_set_motor(world, joint, 1), DELASSUS_BAD_ARGUMENT, "no motor");
  CHECK(delassus_joint_state(world, joint, q, &nq, u, &nu) == DELASSUS_OK && nq == 1 && nu == 1);
  CHECK(delassus_joint_destroy(world, joint) == DELASSUS_OK && !delassus_joint_alive(world, joint));
  REFUSED(world, delassus_joint_state(world, joint, q, NULL, u, NULL), DELASSUS_STALE_ID, "'joint'");
  CHECK(delassus_joint_create(world, &def, &second) == DELASSUS_OK && second.index == joint.index);
  CHECK(!delassus_joint_alive(world, joint) && delassus_joint_alive(world, second));
  CHECK(delassus_body_destroy(world, body) == DELASSUS_OK); /* its joint goes with it */
  CHECK(!delassus_joint_alive(world, second) && delassus_body_alive(world, ground));
  delassus_world_destroy(world);
}

/* A body without mass and nothing on it; a tolerance that cannot be met. */
static void failing_steps(void) {
  delassus_world *world = world_of(false);
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body;
  def.mass = 0, def.has_inertia = true;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  REFUSED(world, delassus_world_step(world, 1), DELASSUS_SINGULAR, "without inertia");
  CHECK(delassus_body_destroy(world, body) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 1) == DELASSUS_OK);
  def = ball_of(1, 0, 0, 0);
  def.velocity[0] = 1e308;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  const uint64_t hash = delassus_world_hash(world);
  REFUSED(world, delassus_world_step(world, 1), DELASSUS_OUT_OF_RANGE, "range of numbers");
  CHECK(delassus_world_hash(world) == hash);
  delassus_world_destroy(world);

  delassus_world_def strict = delassus_world_def_default();
  strict.strict = true, strict.max_iterations = 1, strict.solver = DELASSUS_SOLVER_NSGS;
  CHECK(delassus_world_create(&strict, &world) == DELASSUS_OK);
  (void)floor_of(world, 0.5);
  for (int i = 0; i < 5; i++) {
    def = ball_of(0.1, 0.02 * i, 0, 0.1 + 0.199 * i);
    def.density = i == 4 ? 100000 : 100;
    CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  }
  REFUSED(world, delassus_world_step(world, 200), DELASSUS_UNSOLVED, "'strict'");
  delassus_world_destroy(world);
}

/* Penalty forces too stiff for the step, told by their number; a shorter step bears them. */
static void unstable(void) {
  delassus_world *world = world_of(false);
  delassus_joint_id joint;
  const delassus_body_id body = box(world, 0.2, 1);
  delassus_joint_def def = hinge_of(world, body);
  def.formulation = DELASSUS_FORMULATION_PENALTY;
  def.alpha = 2e7, def.beta = 1, def.alpha_rotation = 100, def.beta_rotation = 0.1;
  CHECK(delassus_joint_create(world, &def, &joint) == DELASSUS_OK);
  const uint64_t hash = delassus_world_hash(world);
  REFUSED(world, delassus_world_step(world, 3), DELASSUS_UNSTABLE, "penalty joint 0");
  CHECK(delassus_world_hash(world) == hash);
  CHECK(delassus_world_set_dt(world, 1e-4) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 3) == DELASSUS_OK);
  delassus_world_destroy(world);
}

/* A pendulum: at rest below its hinge the reaction is its weight; a torque by array turns it with
** the acceleration torque/inertia; the state by array is that of the joint. */
static void physics(void) {
  delassus_world *world = world_of(false);
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body;
  delassus_joint_id joint;
  def.mass = 2, def.has_inertia = true;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.3;
  def.position[2] = 0.5;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  delassus_joint_def hinge = hinge_of(world, body);
  CHECK(delassus_joint_create(world, &hinge, &joint) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 1) == DELASSUS_OK);
  double force[3], moment[3], q[1], u[1], state[7], rates[6];
  CHECK(delassus_joint_reaction(world, joint, force, moment) == DELASSUS_OK);
  CHECK(fabs(force[2] - 2 * 9.81) < 1e-9 && fabs(force[0]) < 1e-9);
  int nq, nu;
  delassus_world_joint_counts(world, &nq, &nu);
  CHECK(nq == 1 && nu == 1);
  const double none[3] = {0, 0, 0}, torque[1] = {0.4};
  CHECK(delassus_world_set_gravity(world, none) == DELASSUS_OK);
  CHECK(delassus_world_set_torques(world, torque, 1) == DELASSUS_OK);
  REFUSED(world, delassus_world_set_torques(world, torque, 2), DELASSUS_BAD_ARGUMENT, "'torques'");
  REFUSED(world, delassus_world_joint_states(world, q, 2, u, 1), DELASSUS_BAD_ARGUMENT, "'q'");
  CHECK(delassus_world_step(world, 1000) == DELASSUS_OK);
  CHECK(delassus_world_joint_states(world, q, 1, u, 1) == DELASSUS_OK);
  const double inertia = 0.3 + 2 * 0.5 * 0.5; /* about the hinge */
  CHECK(fabs(u[0] - 0.4 / inertia) < 1e-7 && fabs(q[0] - 0.5 * 0.4 / inertia) < 1e-3);
  CHECK(delassus_joint_state(world, joint, state, NULL, rates, NULL) == DELASSUS_OK);
  CHECK(state[0] == q[0] && rates[0] == u[0]);
  const double turned[1] = {1}, still[1] = {0};
  CHECK(delassus_joint_set_state(world, joint, turned, still) == DELASSUS_OK);
  const double *x = delassus_world_poses(world, NULL) + 7 * body.index;
  CHECK(fabs(x[0] + 0.5 * sin(1)) < 1e-12 && fabs(x[2] - 1 + 0.5 * cos(1)) < 1e-12);
  delassus_world_destroy(world);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "scene") == 0) {
    for (int planar = 0; planar < 2; planar++)
      for (int i = DELASSUS_FORMULATION_AUTO; i <= DELASSUS_FORMULATION_RIGID; i++)
        scene(planar, (delassus_formulation)i);
    return n_failed > 0;
  }
  mistakes();
  failing_steps();
  unstable();
  physics();
  return told();
}
