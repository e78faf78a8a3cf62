/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* random_host N: N random sequences of 120 calls of the C interface, sensible and not. After each call:
** a refusal has words and changed nothing, what is alive answers, what was destroyed does not. Each
** sequence is made twice and ends with the same bits. "ok", or the seed. */
#include "host_checks.h"

enum { CALLS = 120, MOST = 64 };

static uint64_t generator;

static uint32_t draw(void) {
  generator = generator * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(generator >> 33);
}
static int below(int n) { return (int)(draw() % (uint32_t)n); }
static double between(double lo, double hi) { return lo + (hi - lo) * (draw() / 2147483648.0); }

typedef struct scene {
  delassus_world *world;
  bool planar;
  int n_bodies, n_joints, n_contacts, n_gears, n_springs;
  delassus_body_id bodies[MOST];
  delassus_joint_id joints[MOST];
  delassus_contact_id contacts[MOST];
  delassus_gear_id gears[MOST];
  delassus_spring_id springs[MOST];
  bool there[MOST]; /* the body should be */
  unsigned char *bytes;
  size_t size;
} scene;

static delassus_body_id any_body(const scene *s) {
  const delassus_body_id odd[] = {{0, 0}, {-3, 2}, {1 << 20, 1}, {1, 77}};
  if (s->n_bodies == 0 || below(12) == 0) return odd[below(4)];
  if (below(8) == 0) return delassus_world_ground(s->world);
  return s->bodies[below(s->n_bodies)];
}

/* A number that is none, now and then. */
static double number(double lo, double hi) {
  const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e300};
  return below(40) == 0 ? odd[below(6)] : between(lo, hi);
}

static delassus_status create_body(scene *s) {
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body = {0, 0};
  const int kinds[] = {s->planar ? DELASSUS_DISK : DELASSUS_SPHERE, DELASSUS_BOX, DELASSUS_CAPSULE,
                       DELASSUS_PLANE, DELASSUS_NO_SHAPE, DELASSUS_CYLINDER, DELASSUS_ELLIPSOID, 99};
  def.type = (delassus_body_type)(below(8) == 0 ? below(4) : 0);
  def.shape.kind = (delassus_shape_kind)kinds[below(below(3) == 0 ? 8 : 3)];
  def.shape.radius = number(0.05, 0.2), def.shape.length = number(0.1, 0.3);
  for (int i = 0; i < (s->planar ? 2 : 3); i++) {
    def.shape.size[i] = number(0.1, 0.3);
    def.shape.radii[i] = number(0.05, 0.2);
    def.position[i] = number(-1, 1);
    if (def.type == DELASSUS_DYNAMIC) def.velocity[i] = number(-1, 1);
  }
  def.material.friction = number(0, 1), def.material.restitution = number(0, 1);
  def.density = below(4) == 0 ? number(100, 1000) : 0;
  if (below(6) == 0) def.mass = number(1, 3);
  const delassus_status status = delassus_body_create(s->world, &def, &body);
  if (status == DELASSUS_OK && s->n_bodies < MOST) {
    s->there[s->n_bodies] = true;
    s->bodies[s->n_bodies++] = body;
  }
  CHECK((status == DELASSUS_OK) == (body.generation > 0));
  return status;
}

static delassus_status destroy_body(scene *s) {
  const delassus_body_id body = any_body(s);
  const delassus_status status = delassus_body_destroy(s->world, body);
  for (int i = 0; i < s->n_bodies && status == DELASSUS_OK; i++)
    if (s->bodies[i].index == body.index && s->bodies[i].generation == body.generation)
      s->there[i] = false;
  return status;
}

/* Functions of the host's that fail late, or answer what is no number. */
static delassus_status drive(void *user, double t, delassus_drive *out) {
  const double rate = *(const double *)user;
  *out = (delassus_drive){rate * t, rate, t > 0.02 && rate < 0 ? NAN : 0};
  return t > 0.03 && rate < -0.5 ? DELASSUS_STOPPED : DELASSUS_OK;
}

static delassus_status above(void *user, double t, const double *pose_a, const double *pose_b, delassus_gap *gap) {
  const int up = *(const int *)user;
  gap->gap = pose_b[up] - pose_a[up] + 1;
  gap->gradient_b[up] = 1, gap->gradient_a[up] = t > 0.04 ? INFINITY : -1;
  return DELASSUS_OK;
}

static void make_motions(scene *s, delassus_joint_def *def) {
  static double rates[3];
  static delassus_chain_motion motions[3];
  static double subspace[12];
  for (int i = 0; i < 3; i++) {
    rates[i] = number(-1, 1);
    motions[i] = (delassus_chain_motion){.kind = (delassus_elementary)below(2)};
    motions[i].axis[s->planar ? (motions[i].kind == DELASSUS_ROTATE ? 2 : below(2)) : below(3)] = number(-1, 1);
    if (below(4) == 0) motions[i].drive = drive, motions[i].drive_user = &rates[below(3)];
  }
  for (int i = 0; i < 12; i++) subspace[i] = below(2) ? number(-1, 1) : 0;
  if (def->kind == DELASSUS_CHAIN) def->n_motions = below(4), def->motions = motions;
  if (def->kind == DELASSUS_CUSTOM) def->n_screws = below(3), def->subspace = subspace;
  if (below(6) == 0) def->drive = drive, def->drive_user = &rates[below(3)];
  if (below(6) == 0) def->torque[below(3)] = number(-1, 1);
}

static delassus_status create_joint(scene *s) {
  delassus_joint_def def = delassus_joint_def_default();
  delassus_joint_id joint = {0, 0};
  def.kind = (delassus_joint_kind)below(s->planar && below(4) ? 2 : 11);
  if (below(3) == 0) def.kind = below(2) ? DELASSUS_CHAIN : DELASSUS_CUSTOM;
  make_motions(s, &def);
  def.formulation = (delassus_formulation)below(4);
  if (def.formulation == DELASSUS_FORMULATION_PENALTY) def.formulation = DELASSUS_FORMULATION_AUTO;
  def.a = any_body(s), def.b = any_body(s);
  if (!s->planar && def.kind < DELASSUS_FREE) def.axis[below(3)] = number(-1, 1), def.axis2[below(3)] = number(-1, 1);
  if (below(3) == 0) def.has_limits = true, def.lo = number(-1, 0), def.hi = number(0, 1);
  if (below(3) == 0) def.motor = DELASSUS_MOTOR_SPEED, def.motor_target = number(-1, 1);
  def.motor_max = 5;
  const delassus_status status = delassus_joint_create(s->world, &def, &joint);
  if (status == DELASSUS_OK && s->n_joints < MOST) s->joints[s->n_joints++] = joint;
  return status;
}

static delassus_status of_joint(scene *s) {
  if (s->n_joints == 0) return DELASSUS_OK;
  const delassus_joint_id joint = s->joints[below(s->n_joints)];
  double q[7] = {1}, u[6] = {0}, force[3], moment[3];
  switch (below(6)) {
    case 0: return delassus_joint_destroy(s->world, joint);
    case 4: return delassus_joint_drive_force(s->world, joint, force);
    case 5: return delassus_joint_violation(s->world, joint, &force[0], &force[1]);
    case 1: return delassus_joint_reaction(s->world, joint, force, moment);
    case 2: return delassus_joint_set_motor(s->world, joint, number(-1, 1));
    default: return delassus_joint_state(s->world, joint, q, NULL, u, NULL);
  }
}

static delassus_status of_contact(scene *s) {
  delassus_contact_def def = delassus_contact_def_default();
  delassus_contact_id contact = {0, 0};
  if (s->n_contacts > 0 && below(2)) {
    contact = s->contacts[below(s->n_contacts)];
    return below(2) ? delassus_contact_destroy(s->world, contact)
                    : delassus_contact_set_active(s->world, contact, below(2));
  }
  def.a = any_body(s), def.b = any_body(s);
  static const int up[] = {2, 1};
  if (below(3) == 0) def.gap = above, def.gap_user = (void *)(uintptr_t)&up[s->planar];
  else if (below(2)) def.rope = number(0.5, 3);
  else def.normal[below(2)] = number(-1, 1);
  const delassus_status status = delassus_contact_create(s->world, &def, &contact);
  if (status == DELASSUS_OK && s->n_contacts < MOST) s->contacts[s->n_contacts++] = contact;
  return status;
}

static delassus_status of_spring(scene *s) {
  delassus_spring_def def = delassus_spring_def_default();
  delassus_spring_id spring = {0, 0};
  if (s->n_springs > 0 && below(2)) {
    spring = s->springs[below(s->n_springs)];
    return below(2) ? delassus_spring_destroy(s->world, spring)
                    : delassus_spring_set(s->world, spring, number(0, 100), number(0, 1), number(0, 1));
  }
  def.a = any_body(s), def.b = any_body(s);
  def.stiffness = number(0, 100), def.damping = number(0, 1);
  if (below(2)) def.has_anchor_b = true, def.anchor_b[0] = number(-0.1, 0.1);
  if (below(2)) def.length = number(0, 1);
  const delassus_status status = delassus_spring_create(s->world, &def, &spring);
  if (status == DELASSUS_OK && s->n_springs < MOST) s->springs[s->n_springs++] = spring;
  return status;
}

static delassus_status of_gear(scene *s) {
  delassus_gear_def def = delassus_gear_def_default();
  delassus_gear_id gear = {0, 0};
  if (s->n_gears > 0 && below(2)) return delassus_gear_destroy(s->world, s->gears[below(s->n_gears)]);
  if (s->n_joints == 0) return DELASSUS_OK;
  def.joint1 = s->joints[below(s->n_joints)], def.joint2 = s->joints[below(s->n_joints)];
  def.ratio = number(-2, 2);
  const delassus_status status = delassus_gear_create(s->world, &def, &gear);
  if (status == DELASSUS_OK && s->n_gears < MOST) s->gears[s->n_gears++] = gear;
  return status;
}

static delassus_status of_body(scene *s) {
  const delassus_body_id body = any_body(s);
  double x[3] = {number(-1, 1), number(-1, 1), s->planar ? 0 : number(-1, 1)};
  double w[3] = {0, 0, number(-1, 1)}, r[4] = {number(0.5, 1), 0, 0, s->planar ? 0 : 0.3};
  const delassus_material_def laws = delassus_material_def_default();
  double mass;
  switch (below(8)) {
    case 0: return delassus_body_set_pose(s->world, body, x, r);
    case 1: return delassus_body_set_velocity(s->world, body, x, w);
    case 2: return delassus_body_set_force(s->world, body, x, w);
    case 3: return delassus_body_impulse(s->world, body, x, w, below(2) ? x : NULL);
    case 4: return delassus_body_mass(s->world, body, &mass, x);
    case 5: return delassus_body_set_filter(s->world, body, (uint32_t)below(4), ~0u, below(5) == 0);
    case 6: return delassus_world_pair(s->world, body, any_body(s), &laws);
    default: return delassus_body_pose(s->world, body, between(0, 1), x, r);
  }
}

static delassus_status of_state(scene *s) {
  size_t size;
  delassus_status status;
  if (s->bytes && below(2)) return delassus_world_restore(s->world, s->bytes, s->size - (size_t)below(2));
  status = delassus_world_snapshot(s->world, NULL, 0, &size);
  free(s->bytes);
  s->bytes = (unsigned char *)malloc(size);
  s->size = size;
  return status == DELASSUS_OK ? delassus_world_snapshot(s->world, s->bytes, size, &size) : status;
}

static delassus_status call(scene *s, bool *steps) {
  *steps = false;
  switch (below(14)) {
    case 12: return of_spring(s);
    case 13: return of_gear(s);
    case 0: case 1: case 2: return create_body(s);
    case 3: return below(3) ? DELASSUS_OK : destroy_body(s);
    case 4: return create_joint(s);
    case 5: return of_joint(s);
    case 6: return of_contact(s);
    case 7: case 8: return of_body(s);
    case 9: return of_state(s);
    case 10:
      *steps = true;
      return delassus_world_advance(s->world, number(0, 0.005), below(6), NULL);
    default: *steps = true; return delassus_world_step(s->world, below(4));
  }
}

static void look(const scene *s) {
  int n, count = 0;
  const double *q = delassus_world_poses(s->world, &n);
  for (int i = 0; i < s->n_bodies; i++) {
    CHECK(delassus_body_alive(s->world, s->bodies[i]) == s->there[i]);
    if (!s->there[i]) continue;
    CHECK(s->bodies[i].index > 0 && s->bodies[i].index < n);
    const double *x = q + (s->planar ? 3 : 7) * s->bodies[i].index;
    CHECK(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
    count++;
  }
  CHECK(s->n_bodies == MOST || count == delassus_world_body_count(s->world));
  const delassus_contact *c = delassus_world_contacts(s->world, &n);
  for (int i = 0; i < n; i++)
    CHECK(delassus_body_alive(s->world, c[i].a) && delassus_body_alive(s->world, c[i].b));
}

static uint64_t run(uint64_t seed) {
  scene s = {.planar = seed % 2 == 1};
  generator = seed * 2654435761u + 1;
  s.world = world_of(s.planar);
  for (int i = 0; i < CALLS && n_failed == 0; i++) {
    bool steps;
    const uint64_t before = delassus_world_hash(s.world);
    const delassus_status status = call(&s, &steps);
    if (status != DELASSUS_OK) {
      CHECK(strncmp(delassus_world_error(s.world), "delassus_", 9) == 0);
      CHECK(steps || delassus_world_hash(s.world) == before);
    }
    look(&s);
  }
  const uint64_t hash = delassus_world_hash(s.world);
  free(s.bytes);
  delassus_world_destroy(s.world);
  return hash;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 200;
  for (int seed = 1; seed <= n && n_failed == 0; seed++) {
    CHECK(run((uint64_t)seed) == run((uint64_t)seed));
    if (n_failed > 0) printf("seed %d\n", seed);
  }
  return told();
}
