/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A host without Lua. plain_host scene: the hash of a scene after 200 steps, made as in
** spec/host/plain_spec.lua; plain_host checks: what the interface promises; "ok". */
#include "host_checks.h"

/* --- the scene of the spec ------------------------------------------------------------------ */

static void scene(bool planar) {
  delassus_world *world = world_of(planar);
  (void)floor_of(world, 0.3);
  delassus_body_id body;
  for (int i = 0; i < 20; i++) {
    delassus_body_def def = ball_of(0.1 + 0.005 * i, 0.05 * (i % 3), 0.03 * (i % 2), 0.2 + 0.35 * i);
    if (planar) {
      def.position[1] = def.position[2], def.position[2] = 0;
      def.shape.kind = DELASSUS_DISK;
    }
    if (i % 4 == 1) {
      def.shape.kind = DELASSUS_BOX;
      def.shape.size[0] = 0.3, def.shape.size[1] = 0.2, def.shape.size[2] = 0.25;
      for (int k = 0; k < 4; k++) def.rotation[k] = 0.3 + 0.2 * k; /* of any length */
      def.angle = 0.5;
    }
    if (i % 4 == 2) {
      def.shape.kind = DELASSUS_CAPSULE;
      def.shape.length = 0.3;
    }
    if (i % 4 == 3 && !planar) {
      def.shape.kind = DELASSUS_ELLIPSOID;
      def.shape.radii[0] = def.shape.radius, def.shape.radii[1] = 0.1, def.shape.radii[2] = 0.08;
    }
    def.density = 850;
    def.velocity[0] = 0.1 * i;
    def.angular_velocity[2] = 1;
    def.material.friction = i % 2 ? 0.3 : 0.5;
    def.material.restitution = 0.4;
    CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  }
  CHECK(delassus_world_step(world, 200) == DELASSUS_OK);
  printf("%016llx\n", (unsigned long long)delassus_world_hash(world));
  delassus_world_destroy(world);
}

/* --- statuses and their words --------------------------------------------------------------- */

static void definitions(void) {
  delassus_world *world = NULL;
  delassus_world_def def = delassus_world_def_default();
  CHECK(delassus_world_def_error(&def)[0] == 0);
  const struct {
    double dt, theta, tolerance;
    int max_iterations;
    const char *field;
  } bad[] = {{0, 0, 0, 1, "'dt'"},      {-1, 0, 0, 1, "'dt'"},         {NAN, 0, 0, 1, "'dt'"},
             {1, 0.4, 0, 1, "'theta'"}, {1, 0, -1, 1, "'tolerance'"}, {1, 0, 0, 0, "'max_iter"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    def = delassus_world_def_default();
    def.dt = bad[i].dt, def.theta = bad[i].theta, def.tolerance = bad[i].tolerance;
    def.max_iterations = bad[i].max_iterations;
    CHECK(strstr(delassus_world_def_error(&def), bad[i].field) != NULL);
    world = (delassus_world *)&def;
    CHECK(delassus_world_create(&def, &world) == DELASSUS_BAD_ARGUMENT && world == NULL);
  }
  CHECK(delassus_world_create(NULL, &world) == DELASSUS_BAD_ARGUMENT);
  for (int i = DELASSUS_OK; i <= DELASSUS_NOT_OURS; i++)
    CHECK(strcmp(delassus_status_text((delassus_status)i), "unknown status") != 0);
  CHECK(strcmp(delassus_status_text((delassus_status)99), "unknown status") == 0);
  CHECK(strcmp(delassus_world_error(NULL), "") == 0);
  delassus_world_destroy(NULL);
}

static void bad_bodies(void) {
  delassus_world *world = world_of(false);
  const uint64_t hash = delassus_world_hash(world);
  delassus_body_id body = {7, 7};
  delassus_body_def def = delassus_body_def_default();
#define BAD(set, words)                                                                       \
  def = ball_of(0.1, 0, 0, 1);                                                                \
  set;                                                                                        \
  REFUSED(world, delassus_body_create(world, &def, &body), DELASSUS_BAD_ARGUMENT, words);     \
  CHECK(body.index == 7 && delassus_world_hash(world) == hash);
  BAD(def.shape.kind = DELASSUS_NO_SHAPE, "needs 'mass'")
  BAD(def.shape.radius = -1, "'shape.radius' must be finite and > 0, got -1")
  BAD(def.shape.kind = DELASSUS_DISK, "none of spatial worlds")
  BAD(def.shape.kind = DELASSUS_PLANE, "must be static or kinematic")
  BAD(def.shape.kind = (delassus_shape_kind)77, "'shape.kind'")
  BAD(def.shape.kind = DELASSUS_CONVEX, "'shape.n_points' must be at least 4")
  BAD(def.shape.kind = DELASSUS_MESH, "'shape.n_points' must be at least 3")
  BAD(def.shape.kind = DELASSUS_COMPOUND, "'shape.children'")
  BAD(def.shape.kind = DELASSUS_BOX, "'shape.size'")
  BAD(def.shape.kind = DELASSUS_ELLIPSOID, "'shape.radii' must be finite and > 0, got 0")
  BAD(def.density = NAN, "'density'")
  BAD((def.density = 1, def.mass = 1), "'mass' or 'density'")
  BAD(def.mass = -2, "'mass' must be > 0")
  BAD(def.position[1] = INFINITY, "'position' must be finite")
  BAD(def.rotation[0] = 0, "'rotation' must not be zero")
  BAD((def.type = DELASSUS_STATIC, def.velocity[0] = 1), "a static body has no 'velocity'")
  BAD(def.group = 0, "'group'")
  BAD(def.material.friction = -1, "'material.friction' must be finite and >= 0, got -1")
  BAD(def.material.restitution = 2, "'material.restitution' must be between 0 and 1, got 2")
  BAD(def.material.stiffness = 0, "'material.stiffness'")
  BAD((def.has_inertia = true, def.inertia[0] = -1), "'inertia' must be positive definite")
#undef BAD
  REFUSED(world, delassus_body_create(world, NULL, &body), DELASSUS_BAD_ARGUMENT, "'def'");
  REFUSED(world, delassus_world_step(world, -1), DELASSUS_BAD_ARGUMENT, "'n' must be >= 0");
  REFUSED(world, delassus_world_advance(world, NAN, 1, NULL), DELASSUS_BAD_ARGUMENT, "'elapsed'");
  REFUSED(world, delassus_world_set_dt(world, 0), DELASSUS_BAD_ARGUMENT, "'dt'");
  delassus_world_destroy(world);
}

/* A pointer that is NULL is told by its name, not by the words of an earlier failure. */
static void missing_pointers(void) {
  delassus_world *world = world_of(false);
  delassus_body_def def = ball_of(0.1, 0, 0, 1);
  delassus_body_id body, none = {0, 0};
  delassus_joint_def hinge = delassus_joint_def_default();
  delassus_joint_id joint;
  double x[7] = {0};
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  hinge.a = delassus_world_ground(world), hinge.b = body, hinge.axis[1] = 1;
  CHECK(delassus_joint_create(world, &hinge, &joint) == DELASSUS_OK);
  const uint64_t hash = delassus_world_hash(world);
#define MISSING(call, field)                                                                      \
  CHECK(delassus_body_destroy(world, none) == DELASSUS_STALE_ID);                                 \
  REFUSED(world, delassus_##call, DELASSUS_BAD_ARGUMENT, ": '" field "' must not be NULL");       \
  CHECK(strncmp("delassus_" #call, delassus_world_error(world), strcspn("delassus_" #call, "(")) == 0); \
  CHECK(delassus_world_hash(world) == hash);
  MISSING(body_pose(world, body, 1, NULL, x), "position")
  MISSING(body_pose(world, body, 1, x, NULL), "rotation")
  MISSING(body_set_pose(world, body, NULL, x), "position")
  MISSING(body_set_pose(world, body, x, NULL), "rotation")
  MISSING(body_velocity(world, body, NULL, x), "linear")
  MISSING(body_velocity(world, body, x, NULL), "angular")
  MISSING(body_set_velocity(world, body, NULL, x), "linear")
  MISSING(body_set_velocity(world, body, x, NULL), "angular")
  MISSING(body_set_force(world, body, NULL, x), "force")
  MISSING(body_set_force(world, body, x, NULL), "torque")
  MISSING(body_impulse(world, body, NULL, x, x), "impulse")
  MISSING(body_impulse(world, body, x, NULL, NULL), "angular")
  MISSING(body_mass(world, body, NULL, x), "mass")
  MISSING(body_mass(world, body, x, NULL), "com")
  MISSING(world_pair(world, body, body, NULL), "laws")
  MISSING(joint_state(world, joint, NULL, NULL, x, NULL), "q")
  MISSING(joint_state(world, joint, x, NULL, NULL, NULL), "u")
  MISSING(joint_set_state(world, joint, NULL, x), "q")
  MISSING(joint_set_state(world, joint, x, NULL), "u")
  MISSING(joint_reaction(world, joint, NULL, x), "force")
  MISSING(joint_reaction(world, joint, x, NULL), "moment")
  MISSING(joint_drive_force(world, joint, NULL), "force")
  MISSING(joint_violation(world, joint, NULL, x), "distance")
  MISSING(joint_violation(world, joint, x, NULL), "angle")
  MISSING(world_set_gravity(world, NULL), "gravity")
  MISSING(world_set_forces(world, NULL, 1), "forces")
  MISSING(world_set_torques(world, NULL, 1), "torques")
  MISSING(world_snapshot(world, x, sizeof x, NULL), "size")
  MISSING(world_restore(world, NULL, 0), "bytes")
#undef MISSING
  const delassus_material_def laws = delassus_material_def_default();
  REFUSED(world, delassus_world_pair(world, body, body, &laws), DELASSUS_BAD_ARGUMENT, "two different");
  delassus_world_destroy(world);
}

static void stale_ids(void) {
  delassus_world *world = world_of(false);
  delassus_body_def def = ball_of(0.1, 0, 0, 1);
  delassus_body_id first, second;
  double x[3], r[4];
  int here = 0;
  def.data = &here;
  CHECK(delassus_body_create(world, &def, &first) == DELASSUS_OK);
  CHECK(delassus_body_alive(world, first) && delassus_body_data(world, first) == &here);
  CHECK(delassus_world_body_count(world) == 1);
  CHECK(delassus_body_destroy(world, first) == DELASSUS_OK);
  CHECK(delassus_world_body_count(world) == 0 && !delassus_body_alive(world, first));
  REFUSED(world, delassus_body_destroy(world, first), DELASSUS_STALE_ID, "delassus_body_destroy");
  CHECK(delassus_body_create(world, &def, &second) == DELASSUS_OK);
  CHECK(second.index == first.index && second.generation != first.generation);
  CHECK(!delassus_body_alive(world, first) && delassus_body_alive(world, second));
  CHECK(delassus_body_data(world, first) == NULL);
  REFUSED(world, delassus_body_pose(world, first, 1, x, r), DELASSUS_STALE_ID, "'body'");
  REFUSED(world, delassus_body_set_velocity(world, first, x, x), DELASSUS_STALE_ID, "'body'");
  const delassus_body_id none = {0, 0}, far = {1000, 1}, below = {-1, 1};
  CHECK(!delassus_body_alive(world, none) && !delassus_body_alive(world, far));
  CHECK(!delassus_body_alive(world, below) && !delassus_body_alive(NULL, second));
  REFUSED(world, delassus_body_destroy(world, delassus_world_ground(world)), DELASSUS_BAD_ARGUMENT,
          "the ground");
  delassus_world_destroy(world);
}

/* --- callbacks ------------------------------------------------------------------------------ */

typedef struct ear {
  delassus_world *world;
  int impacts, steps, locked, stop_at;
  double speed;
} ear;

static delassus_status hear(void *user, const delassus_event *event) {
  ear *e = (ear *)user;
  delassus_body_def def = ball_of(0.1, 5, 5, 5);
  delassus_body_id body;
  if (event->kind == DELASSUS_EVENT_IMPACT) e->impacts++, e->speed = event->speed;
  if (event->kind == DELASSUS_EVENT_STEP) e->steps++;
  e->locked += delassus_world_step(e->world, 1) == DELASSUS_LOCKED;
  e->locked += delassus_body_create(e->world, &def, &body) == DELASSUS_LOCKED;
  e->locked += delassus_world_set_field(e->world, NULL, NULL) == DELASSUS_LOCKED;
  return e->steps == e->stop_at ? DELASSUS_STOPPED : DELASSUS_OK;
}

/* Acceleration of 3 m/s^2 along x, and a stop at a time. */
static delassus_status wind(void *user, delassus_body_id body, double t, double force[3],
                            double torque[3]) {
  (void)body, (void)torque;
  force[0] += 3 * *(double *)user;
  return t > 0.5 ? DELASSUS_BAD_ARGUMENT : DELASSUS_OK;
}

static bool never(void *user, delassus_body_id a, delassus_body_id b) {
  ++*(int *)user;
  return a.index == b.index;
}

/* x = sin t */
static delassus_status swing(void *user, delassus_body_id body, double t, delassus_motion *m) {
  (void)user, (void)body;
  m->position[0] = sin(t);
  m->velocity[0] = cos(t);
  m->acceleration[0] = -sin(t);
  return DELASSUS_OK;
}

static void callbacks(void) {
  delassus_world *world = world_of(false);
  ear e = {world, 0, 0, 0, 0, 0};
  (void)floor_of(world, 0.5);
  delassus_body_def def = ball_of(0.1, 0, 0, 0.3);
  delassus_body_id ball, plate;
  def.material.restitution = 0.5;
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_world_set_events(world, DELASSUS_EVENT_IMPACT | DELASSUS_EVENT_STEP, hear, &e) ==
        DELASSUS_OK);
  REFUSED(world, delassus_world_set_events(world, 4096, hear, &e), DELASSUS_BAD_ARGUMENT, "'kinds'");
  CHECK(delassus_world_step(world, 250) == DELASSUS_OK);
  CHECK(e.steps == 250 && e.impacts >= 1 && e.locked == 3 * (e.steps + e.impacts));
  const uint64_t hash = delassus_world_hash(world);
  e.stop_at = e.steps + 1;
  REFUSED(world, delassus_world_step(world, 5), DELASSUS_STOPPED, "stopped by a callback");
  CHECK(delassus_world_hash(world) == hash && delassus_world_steps(world) == 250);
  CHECK(delassus_world_set_events(world, 0, NULL, NULL) == DELASSUS_OK);
  delassus_world_destroy(world);

  world = world_of(false); /* a field, and a body that goes as it is told */
  double mass, com[3];
  def = ball_of(0.1, 0, 0, 100);
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_body_mass(world, ball, &mass, com) == DELASSUS_OK);
  def = ball_of(0.1, 0, 9, 0);
  def.type = DELASSUS_KINEMATIC;
  def.motion = swing;
  CHECK(delassus_body_create(world, &def, &plate) == DELASSUS_OK);
  CHECK(delassus_world_set_field(world, wind, &mass) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 400) == DELASSUS_OK);
  const double *u = delassus_world_velocities(world, NULL), *q = delassus_world_poses(world, NULL);
  CHECK(fabs(u[6 * ball.index] - 3 * 0.4) < 1e-12);
  CHECK(fabs(q[7 * plate.index] - sin(0.4)) < 1e-9);
  CHECK(fabs(u[6 * plate.index] - cos(0.4)) < 1e-9);
  CHECK(delassus_world_step(world, 400) == DELASSUS_STOPPED && delassus_world_time(world) < 0.51);
  delassus_world_destroy(world);
}

/* A filter that lets nothing touch: both fall freely. In the plane and in space. */
static void filters(bool planar) {
  delassus_world *world = world_of(planar);
  int asked = 0;
  (void)floor_of(world, 0.5);
  delassus_body_def def = ball_of(0.1, 0, planar ? 0.15 : 0, planar ? 0 : 0.15);
  if (planar) def.shape.kind = DELASSUS_DISK;
  delassus_body_id ball;
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK);
  CHECK(delassus_world_stats(world).contacts == 1);
  CHECK(delassus_world_set_filter(world, never, &asked) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK);
  CHECK(asked > 0 && delassus_world_stats(world).contacts == 0);
  int n;
  const double *u = delassus_world_velocities(world, &n);
  CHECK(n == 3 && fabs(u[planar ? 3 * ball.index + 1 : 6 * ball.index + 2] + 9.81 * 0.3) < 1e-9);
  CHECK(delassus_world_set_filter(world, NULL, NULL) == DELASSUS_OK);
  delassus_world_destroy(world);
}

typedef struct purse {
  long blocks, requests, fail_at;
} purse;

static void *lend(void *user, void *block, size_t old_size, size_t new_size) {
  purse *p = (purse *)user;
  (void)old_size;
  if (new_size == 0) {
    p->blocks -= block != NULL;
    free(block);
    return NULL;
  }
  if (++p->requests == p->fail_at) return NULL;
  p->blocks += block == NULL;
  return realloc(block, new_size);
}

/* Every request fails once: an honest status, no block lost, and what stands is as it was. */
static void allocator(void) {
  for (long k = 1; k < 1000; k++) {
    purse p = {0, 0, k};
    delassus_world_def def = delassus_world_def_default();
    delassus_world *world;
    def.alloc = lend, def.alloc_user = &p;
    delassus_status status = delassus_world_create(&def, &world);
    if (status == DELASSUS_OK) {
      delassus_body_def floor = delassus_body_def_default(), ball = ball_of(0.1, 0, 0, 0.1);
      delassus_body_id body;
      floor.type = DELASSUS_STATIC, floor.shape.kind = DELASSUS_PLANE;
      status = delassus_body_create(world, &floor, &body);
      for (int i = 0; i < 20 && status == DELASSUS_OK; i++)
        ball.position[0] = 0.3 * i, status = delassus_body_create(world, &ball, &body);
      if (status == DELASSUS_OK) status = delassus_world_step(world, 3);
      int n = 0;
      if (status == DELASSUS_OK && !delassus_world_contacts(world, &n)) status = DELASSUS_NO_MEMORY;
      if (status != DELASSUS_OK) {
        CHECK(strstr(delassus_world_error(world), "out of memory") != NULL);
        CHECK(delassus_world_step(world, 1) == DELASSUS_OK);
      }
      delassus_world_destroy(world);
    }
    CHECK(p.blocks == 0);
    if (p.requests < k) {
      CHECK(status == DELASSUS_OK && k > 20);
      return;
    }
    CHECK(status == DELASSUS_NO_MEMORY);
  }
  CHECK(!"requests end");
}

/* --- state ---------------------------------------------------------------------------------- */

static void snapshots(void) {
  delassus_world *world = world_of(false), *other = world_of(false);
  (void)floor_of(world, 0.5);
  delassus_body_id body;
  for (int i = 0; i < 5; i++) {
    delassus_body_def def = ball_of(0.1, 0.01 * i, 0, 0.2 + 0.25 * i);
    CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  }
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK);
  size_t size = 0, again = 0;
  CHECK(delassus_world_snapshot(world, NULL, 0, &size) == DELASSUS_OK && size > 0);
  unsigned char *bytes = (unsigned char *)malloc(size);
  REFUSED(world, delassus_world_snapshot(world, bytes, size - 1, &again), DELASSUS_BAD_ARGUMENT,
          "'room'");
  CHECK(delassus_world_snapshot(world, bytes, size, &again) == DELASSUS_OK && again == size);
  const uint64_t then = delassus_world_hash(world);
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK);
  const uint64_t end = delassus_world_hash(world);
  CHECK(delassus_world_restore(world, bytes, size) == DELASSUS_OK);
  CHECK(delassus_world_hash(world) == then && then != end);
  CHECK(delassus_world_step(world, 300) == DELASSUS_OK && delassus_world_hash(world) == end);
  REFUSED(world, delassus_world_restore(world, bytes, size - 1), DELASSUS_BAD_SNAPSHOT, "damaged");
  REFUSED(other, delassus_world_restore(other, bytes, size), DELASSUS_BAD_SNAPSHOT, "differently");
  for (size_t i = 0; i < size; i += 1 + size / 997) { /* a bit flipped somewhere */
    bytes[i] ^= 4;
    CHECK(delassus_world_restore(world, bytes, size) == DELASSUS_BAD_SNAPSHOT);
    bytes[i] ^= 4;
  }
  CHECK(delassus_world_hash(world) == end);
  free(bytes);
  delassus_world_destroy(world);
  delassus_world_destroy(other);
}

/* A thousand poses are where the bodies are, and cost a pointer: asking does not move them. */
static void bulk(void) {
  delassus_world *world = world_of(false);
  delassus_body_id ids[1000];
  double x[3], r[4];
  for (int i = 0; i < 1000; i++) {
    delassus_body_def def = ball_of(0.1, i % 10, i / 10 % 10, i / 100);
    CHECK(delassus_body_create(world, &def, &ids[i]) == DELASSUS_OK);
  }
  int n = 0;
  const double *q = delassus_world_poses(world, &n);
  CHECK(n == 1001 && delassus_world_poses(world, NULL) == q);
  for (int i = 0; i < 1000; i++) {
    CHECK(delassus_body_pose(world, ids[i], 1, x, r) == DELASSUS_OK);
    CHECK(memcmp(q + 7 * ids[i].index, x, sizeof x) == 0);
    CHECK(memcmp(q + 7 * ids[i].index + 3, r, sizeof r) == 0);
    CHECK(delassus_world_body(world, ids[i].index).generation == ids[i].generation);
  }
  double *forces = (double *)calloc((size_t)n, 6 * sizeof *forces), mass;
  CHECK(delassus_body_mass(world, ids[0], &mass, x) == DELASSUS_OK);
  for (int i = 1; i < n; i++) forces[6 * i + 2] = 9.81 * mass, forces[6 * i] = mass * i;
  CHECK(delassus_world_set_forces(world, forces, n) == DELASSUS_OK);
  REFUSED(world, delassus_world_set_forces(world, forces, n + 1), DELASSUS_BAD_ARGUMENT, "'forces'");
  forces[6 * 500] = NAN;
  REFUSED(world, delassus_world_set_forces(world, forces, n), DELASSUS_BAD_ARGUMENT, "body 500");
  for (int i = 0; i < 1000; i++)
    CHECK(delassus_body_set_filter(world, ids[i], 2, 0, false) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 10) == DELASSUS_OK);
  const double *u = delassus_world_velocities(world, &n);
  for (int i = 1; i < n; i++)
    CHECK(fabs(u[6 * i] - 0.01 * i) < 1e-12 * i && fabs(u[6 * i + 2]) < 1e-14);
  free(forces);
  delassus_world_destroy(world);
}

static void contacts(void) {
  delassus_world *world = world_of(false);
  const delassus_body_id floor = floor_of(world, 0.5);
  delassus_body_def def = ball_of(0.1, 0, 0, 0.1);
  delassus_body_id ball;
  double mass, com[3];
  int n = -7;
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_world_contacts(world, &n) == NULL && n == 0);
  CHECK(delassus_world_step(world, 100) == DELASSUS_OK);
  const delassus_contact *c = delassus_world_contacts(world, &n);
  CHECK(delassus_body_mass(world, ball, &mass, com) == DELASSUS_OK);
  CHECK(n == 1 && c[0].a.index == floor.index && c[0].b.index == ball.index);
  CHECK(c[0].normal[2] == 1 && fabs(c[0].normal_force - 9.81 * mass) < 1e-9);
  CHECK(c[0].state == DELASSUS_STICK && c[0].by_hand.generation == 0 && c[0].age > 90);
  delassus_hit hit;
  const double from[3] = {0, 0, 3}, to[3] = {0, 0, -3}, off[3] = {9, 9, 3};
  CHECK(delassus_world_raycast(world, from, to, &hit) && hit.body.index == ball.index);
  CHECK(fabs(hit.point[2] - 0.2) < 1e-6 && hit.normal[2] > 0.999);
  CHECK(!delassus_world_raycast(world, from, off, NULL));
  /* A rope of 0.4 m from a point 1 m above holds a ball. */
  delassus_contact_def rope = delassus_contact_def_default();
  delassus_contact_id id;
  def = ball_of(0.1, 3, 0, 0.7);
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  rope.a = delassus_world_ground(world), rope.b = ball;
  rope.point_a[0] = 3, rope.point_a[2] = 1;
  REFUSED(world, delassus_contact_create(world, &rope, &id), DELASSUS_BAD_ARGUMENT, "'rope'");
  rope.rope = 0.4;
  CHECK(delassus_contact_create(world, &rope, &id) == DELASSUS_OK && delassus_contact_alive(world, id));
  CHECK(delassus_world_step(world, 1000) == DELASSUS_OK);
  double x[3], r[4];
  CHECK(delassus_body_pose(world, ball, 1, x, r) == DELASSUS_OK && fabs(x[2] - 0.6) < 1e-6);
  CHECK(delassus_contact_set_active(world, id, false) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 500) == DELASSUS_OK);
  CHECK(delassus_body_pose(world, ball, 1, x, r) == DELASSUS_OK && x[2] < 0.2);
  CHECK(delassus_contact_destroy(world, id) == DELASSUS_OK && !delassus_contact_alive(world, id));
  REFUSED(world, delassus_contact_destroy(world, id), DELASSUS_STALE_ID, "'contact'");
  delassus_world_destroy(world);
}

static void advance(void) {
  delassus_world *world = world_of(false);
  int64_t done = -1, sum = 0;
  CHECK(delassus_world_set_dt(world, 0.01) == DELASSUS_OK);
  for (int i = 0; i < 60; i++) {
    CHECK(delassus_world_advance(world, 1.0 / 60, 5, &done) == DELASSUS_OK);
    CHECK(done == 1 || done == 2);
    sum += done;
  }
  CHECK(sum == 100 || (sum == 99 && delassus_world_left(world) > 0.0099));
  CHECK(delassus_world_advance(world, 10, 5, &done) == DELASSUS_OK && done == 5);
  CHECK(delassus_world_advance(world, 0, 5, &done) == DELASSUS_OK && done == 0);
  delassus_world_destroy(world);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "scene") == 0) {
    scene(false);
    scene(true);
    return n_failed > 0;
  }
  definitions();
  bad_bodies();
  missing_pointers();
  stale_ids();
  callbacks();
  filters(false);
  filters(true);
  allocator();
  snapshots();
  bulk();
  contacts();
  advance();
  return told();
}
