/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Every number of every definition, set to what is none (NaN, infinite, below zero, beyond its range) in definitions that are taken
** otherwise: each is taken, or refused with the field's name and nothing changed; NaN is refused wherever the field is looked at.
** Then every question to a world that is NULL. "ok", or what was found. */
#include "host_checks.h"

#include <stddef.h>

typedef struct field {
  const char *name;
  size_t at;
  int n;       /* numbers */
  bool whole;  /* an int or an enumeration */
  bool unread; /* may be NaN: only some definitions look at it */
} field;
#define REAL(type, x) {#x, offsetof(type, x), 1, false, false}
#define REALS(type, x, n) {#x, offsetof(type, x), n, false, false}
#define MAYBE(type, x, n) {#x, offsetof(type, x), n, false, true}
#define WHOLE(type, x) {#x, offsetof(type, x), 1, true, false}
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static delassus_world *world;
static bool planar;
static delassus_body_id first, second;
static delassus_joint_id hinges[2];
static int n_refused;
static const char *own_words; /* of what is no call on a world */

typedef delassus_status (*maker)(const void *def);

static void refused(const char *what, const field *f, delassus_status status, uint64_t before) {
  char name[80];
  const char *words = own_words ? own_words : delassus_world_error(world);
  snprintf(name, sizeof name, "'%s'", f->name);
  bool named = strstr(words, name) != NULL;
  name[strlen(name) - 1] = '[';
  named = named || strstr(words, name);
  const bool heavy = strncmp(f->name, "shape.", 6) == 0 && strstr(words, "'mass'"); /* a size that gives a mass beyond all numbers */
  n_refused++;
  if (status == DELASSUS_BAD_ARGUMENT && (named || heavy) && delassus_world_hash(world) == before) return;
  n_failed++;
  printf("%s.%s: status %d, said '%s'\n", what, f->name, (int)status, words);
}

static void sweep(const char *what, const void *base, size_t size, const field *fields, int n, maker make) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, -1e308, -1, 1e308};
  static const int whole[] = {-1, 99, 1000000, INT32_MIN, INT32_MAX};
  _Alignas(16) unsigned char def[2048];
  CHECK(size <= sizeof def);
  CHECK(make(base) == DELASSUS_OK);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < fields[i].n; k++)
      for (int j = 0; j < (fields[i].whole ? COUNT(whole) : COUNT(odd)); j++) {
        memcpy(def, base, size);
        if (fields[i].whole) memcpy(def + fields[i].at, &whole[j], sizeof(int));
        else memcpy(def + fields[i].at + (size_t)k * sizeof(double), &odd[j], sizeof(double));
        const uint64_t before = delassus_world_hash(world);
        const delassus_status status = make(def);
        if (status != DELASSUS_OK) refused(what, &fields[i], status, before);
        else if (!fields[i].whole && !fields[i].unread && j == 0)
          n_failed++, printf("%s.%s may be NaN\n", what, fields[i].name);
      }
}

/* What was made is taken out again; what was not made is untouched. */
#define MAKER(thing)                                                                     \
  static delassus_status make_##thing(const void *def) {                                 \
    delassus_##thing##_id id = {0, 0};                                                    \
    const delassus_status status = delassus_##thing##_create(world, def, &id);            \
    CHECK((status == DELASSUS_OK) == (id.generation != 0));                               \
    if (status == DELASSUS_OK) CHECK(delassus_##thing##_destroy(world, id) == DELASSUS_OK); \
    CHECK(!delassus_##thing##_alive(world, id));                                          \
    return status;                                                                        \
  }
MAKER(body)
MAKER(contact)
MAKER(spring)
MAKER(gear)

static delassus_status make_joint(const void *def) {
  delassus_joint_id id = {0, 0};
  double at[3], turn[4];
  CHECK(delassus_body_pose(world, second, 1, at, turn) == DELASSUS_OK);
  const delassus_status status = delassus_joint_create(world, def, &id);
  CHECK((status == DELASSUS_OK) == (id.generation != 0));
  if (status != DELASSUS_OK) return status;
  CHECK(delassus_joint_destroy(world, id) == DELASSUS_OK);
  CHECK(delassus_body_set_pose(world, second, at, turn) == DELASSUS_OK); /* reduced joints place it */
  return status;
}

static delassus_status make_pair(const void *def) { return delassus_world_pair(world, first, second, def); }

static delassus_status make_world(const void *def) {
  delassus_world *made = world;
  own_words = delassus_world_def_error(def);
  const delassus_status status = delassus_world_create(def, &made);
  CHECK((status == DELASSUS_OK) == (own_words[0] == 0));
  CHECK((status == DELASSUS_OK) == (made != NULL));
  delassus_world_destroy(made);
  return status;
}

/* --- bodies --------------------------------------------------------------------------------------- */

static const double tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, triangle[] = {0, 0, 1, 0, 0, 1};
static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static delassus_child children[2];

static delassus_body_def body_of(delassus_shape_kind kind) {
  delassus_body_def def = delassus_body_def_default();
  delassus_shape_def *s = &def.shape;
  s->kind = kind;
  s->radius = 0.1, s->radius2 = 0.05, s->length = 0.3;
  for (int i = 0; i < 3; i++) s->size[i] = planar && i == 2 ? 0 : 0.2, s->radii[i] = 0.2;
  if (kind == DELASSUS_NO_SHAPE || kind == DELASSUS_DISK || kind == DELASSUS_SPHERE) {
    def.mass = 1, def.has_inertia = def.has_com = true;
    for (int i = planar ? 2 : 0; i < 3; i++) def.inertia[i] = 1;
  }
  if (kind == DELASSUS_POLYGON) s->points = triangle, s->n_points = 3;
  if (kind == DELASSUS_SEGMENT) s->points = triangle, s->n_points = 2;
  if (kind == DELASSUS_CONVEX || kind == DELASSUS_MESH) s->points = tetrahedron, s->n_points = 4;
  if (kind == DELASSUS_MESH) s->faces = faces, s->n_faces = 4;
  if (kind == DELASSUS_SEGMENT || kind == DELASSUS_PLANE || kind == DELASSUS_DRUM || kind == DELASSUS_MESH)
    def.type = DELASSUS_STATIC;
  if (kind == DELASSUS_DRUM) {
    s->radius = 2, s->length = planar ? 0 : 1;
    s->lifter_count = 4, s->lifter_height = s->lifter_width = 0.1;
  }
  if (kind == DELASSUS_COMPOUND) {
    for (int i = 0; i < 2; i++) {
      children[i] = (delassus_child){.shape = delassus_shape_def_default(), .position = {i, 0, 0}};
      children[i].shape.kind = planar ? DELASSUS_DISK : DELASSUS_SPHERE, children[i].shape.radius = 0.1;
    }
    s->children = children, s->n_children = 2;
  }
  return def;
}

static void bodies(void) {
#define B delassus_body_def
  static const field fields[] = {
      WHOLE(B, type), WHOLE(B, shape.kind), MAYBE(B, shape.radius, 1), MAYBE(B, shape.radius2, 1), MAYBE(B, shape.length, 1),
      MAYBE(B, shape.size, 3), MAYBE(B, shape.radii, 3), MAYBE(B, shape.normal, 3), MAYBE(B, shape.offset, 1),
      MAYBE(B, shape.lifter_height, 1), MAYBE(B, shape.lifter_width, 1), REAL(B, material.friction),
      REAL(B, material.kinetic_friction), REAL(B, material.friction_decay), REAL(B, material.restitution),
      REAL(B, material.stiffness), REAL(B, material.damping), REAL(B, material.rolling_friction),
      REAL(B, material.spinning_friction), REAL(B, material.tangential_restitution), REAL(B, mass), REALS(B, inertia, 6),
      REALS(B, com, 3), REALS(B, position, 3), REALS(B, rotation, 4), REAL(B, angle), REALS(B, velocity, 3),
      REALS(B, angular_velocity, 3)};
#undef B
  static const bool in_plane[] = {true, true, false, true, false, false, false, true, true, false, true, true, true, false, true};
  static const bool in_space[] = {true, false, true, true, true, true, true, true, false, true, false, true, true, true, true};
  for (int kind = DELASSUS_NO_SHAPE; kind <= DELASSUS_COMPOUND; kind++) {
    char what[32];
    const delassus_body_def def = body_of((delassus_shape_kind)kind);
    delassus_body_id body;
    snprintf(what, sizeof what, "shape %d", kind);
    if (planar ? in_plane[kind] : in_space[kind]) sweep(what, &def, sizeof def, fields, COUNT(fields), make_body);
    else REFUSED(world, delassus_body_create(world, &def, &body), DELASSUS_BAD_ARGUMENT, "'shape'");
  }
}

/* --- what joins and touches ------------------------------------------------------------------------- */

static void laws(void) {
#define M delassus_material_def
  static const field fields[] = {REAL(M, friction), REAL(M, kinetic_friction), REAL(M, friction_decay), REAL(M, restitution),
                                 REAL(M, stiffness), REAL(M, damping), REAL(M, rolling_friction), REAL(M, spinning_friction),
                                 REAL(M, tangential_restitution)};
#undef M
  field named[COUNT(fields)];
  char names[COUNT(fields)][40];
  const delassus_material_def def = delassus_material_def_default();
  for (int i = 0; i < COUNT(fields); i++) {
    snprintf(names[i], sizeof names[i], "laws.%s", fields[i].name);
    named[i] = fields[i], named[i].name = names[i];
  }
  sweep("pair", &def, sizeof def, named, COUNT(named), make_pair);
}

static void touches(void) {
#define C delassus_contact_def
  static const field fields[] = {REALS(C, point_a, 3), REALS(C, point_b, 3), REALS(C, normal, 3), REAL(C, rope),
                                 REAL(C, material.friction)};
#undef C
#define S delassus_spring_def
  static const field of_springs[] = {MAYBE(S, anchor_a, 3), MAYBE(S, anchor_b, 3), REAL(S, stiffness), REAL(S, damping),
                                     REAL(S, length)};
#undef S
  delassus_contact_def contact = delassus_contact_def_default();
  delassus_spring_def spring = delassus_spring_def_default();
  contact.a = spring.a = first, contact.b = spring.b = second;
  contact.normal[planar ? 1 : 2] = 1;
  sweep("contact", &contact, sizeof contact, fields, COUNT(fields), make_contact);
  contact.normal[planar ? 1 : 2] = 0, contact.rope = 7;
  sweep("rope", &contact, sizeof contact, fields, COUNT(fields), make_contact);
  spring.stiffness = 1;
  sweep("spring", &spring, sizeof spring, of_springs, COUNT(of_springs), make_spring);
  spring.has_anchor_a = spring.has_anchor_b = true;
  sweep("spring", &spring, sizeof spring, of_springs, COUNT(of_springs), make_spring);
}

/* A joint of each kind, by an anchor or by frames, with what its kind may have. */
static delassus_joint_def joint_of(int kind, int formulation, bool framed) {
  static const delassus_chain_motion motions[2] = {{DELASSUS_ROTATE, {0, 0, 1}, NULL, NULL}, {DELASSUS_SLIDE, {1, 0, 0}, NULL, NULL}};
  static const double screw[] = {1, 0, 0, 0, 0, 0};
  delassus_joint_def def = delassus_joint_def_default();
  def.kind = (delassus_joint_kind)kind, def.formulation = (delassus_formulation)formulation;
  def.a = delassus_world_ground(world), def.b = second;
  def.has_anchor = !framed, def.has_frame_a = def.has_frame_b = framed;
  def.anchor[0] = def.frame_a.position[0] = 5;
  if (!framed && kind < DELASSUS_FREE && !(planar && kind == DELASSUS_REVOLUTE)) def.axis[planar ? 0 : 2] = 1;
  if (!framed && kind == DELASSUS_UNIVERSAL) def.axis2[0] = 1;
  if (kind == DELASSUS_CHAIN) def.motions = motions, def.n_motions = 2;
  if (kind == DELASSUS_CUSTOM) def.subspace = screw, def.n_screws = 1;
  if (kind == DELASSUS_REVOLUTE || kind == DELASSUS_PRISMATIC || kind == DELASSUS_UNIVERSAL) {
    def.has_limits = true;
    def.lo = def.lo2 = -1, def.hi = def.hi2 = 1;
  }
  if (kind == DELASSUS_REVOLUTE || kind == DELASSUS_PRISMATIC) {
    def.motor = framed ? DELASSUS_MOTOR_POSITION : DELASSUS_MOTOR_SPEED;
    def.motor_max = 10;
    if (framed) def.motor_stiffness = def.motor_damping = 1;
  }
  if (kind == DELASSUS_SPHERICAL && formulation != DELASSUS_FORMULATION_PENALTY) {
    def.has_twist = true;
    def.cone = 1, def.twist_lo = -1, def.twist_hi = 1;
  }
  return def;
}

static void joints(void) {
#define J delassus_joint_def
  static const field fields[] = {
      WHOLE(J, kind), WHOLE(J, formulation), WHOLE(J, motor), WHOLE(J, n_motions), WHOLE(J, n_screws), REALS(J, anchor, 3),
      MAYBE(J, frame_a.position, 3), MAYBE(J, frame_a.rotation, 4), MAYBE(J, frame_a.angle, 1), MAYBE(J, frame_b.position, 3),
      MAYBE(J, frame_b.rotation, 4), MAYBE(J, frame_b.angle, 1), REALS(J, axis, 3), REALS(J, axis2, 3), MAYBE(J, lo, 1),
      MAYBE(J, hi, 1), MAYBE(J, lo2, 1), MAYBE(J, hi2, 1), REAL(J, cone), MAYBE(J, twist_lo, 1), MAYBE(J, twist_hi, 1),
      REAL(J, motor_target), REAL(J, motor_stiffness), REAL(J, motor_damping), REAL(J, motor_max), REAL(J, stiffness),
      REAL(J, damping), REAL(J, friction), REAL(J, inertia), REALS(J, torque, 6), REAL(J, alpha), REAL(J, beta),
      REAL(J, alpha_rotation), REAL(J, beta_rotation), REAL(J, limit_alpha), REAL(J, limit_beta)};
#undef J
  for (int kind = 0; kind <= DELASSUS_CUSTOM; kind++)
    for (int formulation = 0; formulation < 4; formulation++)
      for (int framed = kind == DELASSUS_FREE; framed < 2; framed++) {
        char what[60];
        const bool simple = kind == DELASSUS_REVOLUTE || kind == DELASSUS_PRISMATIC || kind == DELASSUS_FIXED || kind == DELASSUS_CHAIN;
        const delassus_joint_def def = joint_of(kind, formulation, framed);
        if (planar ? !simple || (kind == DELASSUS_FIXED && !framed)
                   : kind == DELASSUS_FREE && formulation == DELASSUS_FORMULATION_PENALTY) continue;
        snprintf(what, sizeof what, "joint %d, formulation %d, %s", kind, formulation, framed ? "frames" : "anchor");
        sweep(what, &def, sizeof def, fields, COUNT(fields), make_joint);
      }
  static const field of_gears[] = {REAL(delassus_gear_def, ratio), REAL(delassus_gear_def, offset)};
  delassus_gear_def gear = delassus_gear_def_default();
  delassus_joint_def hinge = joint_of(DELASSUS_REVOLUTE, 0, true);
  for (int i = 0; i < 2; i++) {
    hinge.b = i == 0 ? first : second;
    CHECK(delassus_joint_create(world, &hinge, &hinges[i]) == DELASSUS_OK);
  }
  gear.joint1 = hinges[0], gear.joint2 = hinges[1];
  sweep("gear", &gear, sizeof gear, of_gears, COUNT(of_gears), make_gear);
}

/* --- a world that is not there -------------------------------------------------------------------------- */

static void nowhere(void) {
  int n = 7, m = 7;
  CHECK(delassus_world_poses(NULL, &n) == NULL && n == 0);
  n = 7;
  CHECK(delassus_world_velocities(NULL, &n) == NULL && n == 0);
  n = 7;
  CHECK(delassus_world_contacts(NULL, &n) == NULL && n == 0);
  delassus_world_joint_counts(NULL, &n, &m);
  CHECK(n == 0 && m == 0);
  CHECK(delassus_world_left(NULL) == 0 && delassus_world_time(NULL) == 0 && delassus_world_dt(NULL) == 0);
  CHECK(delassus_world_steps(NULL) == 0 && !delassus_world_planar(NULL) && delassus_world_hash(NULL) == 0);
  CHECK(delassus_world_energy(NULL).kinetic == 0 && delassus_world_stats(NULL).contacts == 0);
  CHECK(delassus_world_ground(NULL).generation == 0 && delassus_world_body(NULL, 0).generation == 0);
  CHECK(delassus_world_body_count(NULL) == 0 && delassus_world_error(NULL)[0] == 0);
  CHECK(delassus_world_step(NULL, 1) == DELASSUS_BAD_ARGUMENT);
}

int main(void) {
#define W delassus_world_def
  static const field fields[] = {REALS(W, gravity, 3), REAL(W, dt), REAL(W, theta), WHOLE(W, impact), WHOLE(W, solver),
                                 REAL(W, tolerance), WHOLE(W, max_iterations)};
#undef W
  nowhere();
  for (int i = 0; i < 2; i++) {
    planar = i == 1;
    delassus_world_def def = delassus_world_def_default();
    def.planar = planar;
    CHECK(delassus_world_create(&def, &world) == DELASSUS_OK);
    sweep("world", &def, sizeof def, fields, COUNT(fields), make_world);
    own_words = NULL;
    delassus_body_def body = body_of(DELASSUS_BOX);
    CHECK(delassus_body_create(world, &body, &first) == DELASSUS_OK);
    body.position[0] = 5;
    CHECK(delassus_body_create(world, &body, &second) == DELASSUS_OK);
    bodies();
    laws();
    touches();
    joints();
    delassus_world_destroy(world);
  }
  CHECK(n_refused > 10000);
  return told();
}
