/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A host of src/delassus.h whose requests to libc for memory fail, singly and in pairs (linked with
** --wrap=realloc --wrap=free):
**   failing_c_host SCENES PAIRS [EVERY]   the first SCENES scenes; PAIRS random pairs each; of the
**                                         single failures every EVERY-th
** A call that fails answers DELASSUS_NO_MEMORY and leaves the world's hash as it was, the same call
** then goes through, the scene ends with the hash that it has without failures, and not a block is
** left. Prints a line a fault, then "scenes <n>, failures <n>, faults <n>". */
#include "delassus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- libc's memory ------------------------------------------------------------------------------ */

void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long n_requests, n_live, n_refused, fail_at[2] = {-1, -1};

void *__wrap_realloc(void *block, size_t size) {
  const long k = n_requests++;
  if (k == fail_at[0] || k == fail_at[1]) {
    n_refused++;
    return NULL;
  }
  void *moved = __real_realloc(block, size);
  if (!block && moved) n_live++;
  return moved;
}

void __wrap_free(void *block) {
  if (block) n_live--;
  __real_free(block);
}

/* --- calls -------------------------------------------------------------------------------------------- */

static long n_faults, n_failures;
static int scene_now;

static void fault(const char *what) {
  if (++n_faults <= 20) printf("scene %d, failing %ld and %ld: %s\n", scene_now, fail_at[0], fail_at[1], what);
}

/* Makes a call; where memory was short, looks whether the world is as it was, and makes it again. */
#define TRY(world, call)                                                              \
  do {                                                                                \
    for (int try_ = 0; try_ < 4; try_++) {                                            \
      const uint64_t was_ = delassus_world_hash(world);                               \
      const long refused_ = n_refused;                                                \
      const delassus_status status_ = (call);                                         \
      if (status_ == DELASSUS_OK) break;                                              \
      n_failures++;                                                                   \
      if (status_ != DELASSUS_NO_MEMORY) fault(#call ": another status"), try_ = 4;   \
      if (n_refused == refused_) fault(#call ": nothing was refused"), try_ = 4;      \
      if (delassus_world_hash(world) != was_) fault(#call ": the world is another");  \
    }                                                                                 \
  } while (0)

enum { BODIES = 8 };
typedef struct scene {
  delassus_world *world;
  delassus_body_id body[BODIES];
  bool planar;
} scene;

static delassus_status begin(scene *s, delassus_impact impact) {
  delassus_world_def def = delassus_world_def_default();
  def.planar = s->planar;
  def.impact = impact;
  for (int k = 0; k < 4; k++) {
    const long refused = n_refused;
    const delassus_status status = delassus_world_create(&def, &s->world);
    if (status == DELASSUS_OK) return status;
    n_failures++;
    if (status != DELASSUS_NO_MEMORY || n_refused == refused || s->world) fault("delassus_world_create");
  }
  return DELASSUS_NO_MEMORY;
}

static delassus_shape_def shape_of(const scene *s, int k) {
  static const double corners_2[] = {-0.1, -0.1, 0.12, -0.08, 0, 0.15};
  static const double corners_3[] = {-0.1, -0.1, -0.1, 0.12, -0.1, -0.1, 0, 0.15, -0.1, 0, 0, 0.12};
  static delassus_child children[2];
  delassus_shape_def d = delassus_shape_def_default();
  d.radius = 0.1, d.length = 0.2;
  for (int i = 0; i < (s->planar ? 2 : 3); i++) d.size[i] = 0.2;
  if (k % 5 == 0) d.kind = s->planar ? DELASSUS_DISK : DELASSUS_SPHERE;
  if (k % 5 == 1) d.kind = DELASSUS_BOX;
  if (k % 5 == 2) d.kind = DELASSUS_CAPSULE;
  if (k % 5 == 3) {
    d.kind = s->planar ? DELASSUS_POLYGON : DELASSUS_CONVEX;
    d.points = s->planar ? corners_2 : corners_3, d.n_points = s->planar ? 3 : 4;
  }
  if (k % 5 == 4) {
    d.kind = DELASSUS_COMPOUND, d.children = children, d.n_children = 2;
    for (int i = 0; i < 2; i++) {
      children[i] = (delassus_child){.shape = shape_of(s, i), .position = {i ? 0.1 : -0.1, 0, 0}};
    }
  }
  return d;
}

static void add(scene *s, int k, double x, double height) {
  delassus_body_def d = delassus_body_def_default();
  d.shape = shape_of(s, k);
  d.position[0] = x, d.position[s->planar ? 1 : 2] = height;
  d.material.restitution = 0.3;
  d.velocity[0] = 0.2;
  TRY(s->world, delassus_body_create(s->world, &d, &s->body[k]));
}

static void add_floor(scene *s, bool mesh) {
  static const double points[] = {-5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5, 0};
  static const int faces[] = {0, 1, 2, 0, 2, 3};
  delassus_body_id floor;
  delassus_body_def d = delassus_body_def_default();
  d.type = DELASSUS_STATIC;
  d.shape.kind = mesh ? DELASSUS_MESH : DELASSUS_PLANE;
  d.shape.points = points, d.shape.n_points = 4, d.shape.faces = faces, d.shape.n_faces = 2;
  TRY(s->world, delassus_body_create(s->world, &d, &floor));
}

static void step(scene *s, int n) {
  for (int i = 0; i < n; i++) TRY(s->world, delassus_world_step(s->world, 1));
}

/* --- scenes ---------------------------------------------------------------------------------------------- */

static void pile(scene *s) {
  add_floor(s, false);
  for (int k = 0; k < BODIES; k++) add(s, k, 0.02 * k, 0.12 + 0.25 * k);
  step(s, 40);
}

static void on_mesh(scene *s) {
  add_floor(s, !s->planar);
  for (int k = 0; k < 5; k++) add(s, k, 0.3 * k, 0.11);
  step(s, 20);
}

static void in_drum(scene *s) {
  delassus_body_id drum;
  delassus_body_def d = delassus_body_def_default();
  d.type = DELASSUS_KINEMATIC;
  d.shape.kind = DELASSUS_DRUM, d.shape.radius = 1, d.shape.length = 2;
  d.shape.lifter_count = 4, d.shape.lifter_height = 0.1, d.shape.lifter_width = 0.1, d.shape.ends = true;
  d.angular_velocity[s->planar ? 2 : 0] = 1;
  TRY(s->world, delassus_body_create(s->world, &d, &drum));
  for (int k = 0; k < 6; k++) add(s, 5 * (k % 2) < BODIES ? 5 * (k % 2) : 0, 0.25 * k - 0.6, -0.4);
  step(s, 20);
}

/* A chain from the ground, its last link over the floor, with a motor and limits. */
static void chain(scene *s, delassus_formulation formulation) {
  add_floor(s, false);
  for (int k = 0; k < 4; k++) {
    delassus_joint_def d = delassus_joint_def_default();
    delassus_joint_id joint;
    add(s, k, 0.3 * k, 1);
    d.formulation = formulation;
    d.kind = s->planar || k % 2 ? DELASSUS_REVOLUTE : DELASSUS_SPHERICAL;
    d.a = k ? s->body[k - 1] : delassus_world_ground(s->world);
    d.b = s->body[k];
    d.axis[s->planar ? 2 : 1] = d.kind == DELASSUS_REVOLUTE ? 1 : 0;
    if (s->planar) d.axis[2] = 0;
    d.has_anchor = true, d.anchor[0] = 0.3 * k - 0.15, d.anchor[s->planar ? 1 : 2] = 1;
    if (d.kind == DELASSUS_REVOLUTE) d.has_limits = true, d.lo = -1, d.hi = 1;
    TRY(s->world, delassus_joint_create(s->world, &d, &joint));
    step(s, 2);
  }
  step(s, 20);
}
static void reduced(scene *s) { chain(s, DELASSUS_FORMULATION_REDUCED); }
static void rigid(scene *s) { chain(s, DELASSUS_FORMULATION_RIGID); }
static void penalty(scene *s) { chain(s, DELASSUS_FORMULATION_PENALTY); }

/* Chains with drives, custom joints, gears, springs, contacts by functions: many, so that what is kept of them grows. */
static delassus_status drive(void *user, double t, delassus_drive *out) {
  (void)user;
  *out = (delassus_drive){0.2 * t, 0.2, 0};
  return DELASSUS_OK;
}

static delassus_status above(void *user, double t, const double *pose_a, const double *pose_b, delassus_gap *gap) {
  const int up = *(const int *)user;
  (void)t, (void)pose_a;
  gap->gap = pose_b[up], gap->gradient_b[up] = 1;
  return DELASSUS_OK;
}

static void mechanisms(scene *s) {
  static const int up[] = {2, 1};
  static const double screw[] = {0, 0, 1, 0, 0, 0.1};
  delassus_joint_id hinge[2] = {{0, 0}, {0, 0}}, joint;
  delassus_gear_id gear;
  delassus_spring_id spring;
  delassus_contact_id contact;
  for (int k = 0; k < BODIES; k++) add(s, k, 0.4 * k, 0.5);
  for (int k = 0; k < 4; k++) {
    delassus_joint_def d = delassus_joint_def_default();
    const delassus_chain_motion motions[2] = {{.kind = DELASSUS_SLIDE, .axis = {1, 0, 0}, .drive = drive},
                                              {.kind = DELASSUS_ROTATE, .axis = {0, 0, 1}}};
    d.a = delassus_world_ground(s->world), d.b = s->body[k];
    if (k < 2) d.kind = DELASSUS_CHAIN, d.n_motions = 2, d.motions = motions;
    else if (k == 2 && !s->planar) d.kind = DELASSUS_CUSTOM, d.n_screws = 1, d.subspace = screw;
    else d.axis[1] = s->planar ? 0 : 1, d.drive = drive;
    if (k == 1) d.formulation = DELASSUS_FORMULATION_RIGID;
    TRY(s->world, delassus_joint_create(s->world, &d, k < 2 ? &hinge[k] : &joint));
  }
  delassus_gear_def g = delassus_gear_def_default();
  g.joint1 = hinge[0], g.joint2 = hinge[1];
  TRY(s->world, delassus_gear_create(s->world, &g, &gear));
  for (int k = 0; k < 20; k++) {
    delassus_spring_def d = delassus_spring_def_default();
    delassus_contact_def c = delassus_contact_def_default();
    d.a = s->body[k % 4], d.b = s->body[4 + k % 3], d.stiffness = 20;
    TRY(s->world, delassus_spring_create(s->world, &d, &spring));
    c.a = delassus_world_ground(s->world), c.b = s->body[4 + k % 4], c.gap = above, c.gap_user = (void *)(uintptr_t)&up[s->planar];
    TRY(s->world, delassus_contact_create(s->world, &c, &contact));
  }
  step(s, 20);
}

/* Bodies come and go, contacts by hand, laws of pairs, snapshots. */
static void coming_and_going(scene *s) {
  delassus_contact_id rope;
  delassus_contact_def c = delassus_contact_def_default();
  delassus_material_def laws = delassus_material_def_default();
  add_floor(s, false);
  for (int k = 0; k < 6; k++) add(s, k, 0.3 * k, 0.4);
  c.a = delassus_world_ground(s->world), c.b = s->body[0], c.rope = 0.3, c.point_a[s->planar ? 1 : 2] = 0.6;
  TRY(s->world, delassus_contact_create(s->world, &c, &rope));
  laws.friction = 0.1;
  TRY(s->world, delassus_world_pair(s->world, s->body[1], s->body[2], &laws));
  step(s, 10);
  size_t size = 0;
  TRY(s->world, delassus_world_snapshot(s->world, NULL, 0, &size));
  static char bytes[1 << 20];
  if (size > sizeof bytes) fault("room of a snapshot");
  TRY(s->world, delassus_world_snapshot(s->world, bytes, size, &size));
  step(s, 5);
  TRY(s->world, delassus_world_restore(s->world, bytes, size));
  TRY(s->world, delassus_body_destroy(s->world, s->body[3]));
  step(s, 5);
  add(s, 3, 1, 1);
  TRY(s->world, delassus_contact_destroy(s->world, rope));
  for (int k = 0; k < 4; k++) {
    int n;
    delassus_world_contacts(s->world, &n);
    if (n >= 0) break;
    n_failures++;
  }
  step(s, 5);
}

typedef struct entry {
  const char *name;
  void (*run)(scene *s);
  delassus_impact impact;
} entry;
static const entry scenes[] = {
  {"coming and going", coming_and_going, DELASSUS_IMPACT_NEWTON}, {"pile", pile, DELASSUS_IMPACT_NEWTON},
  {"reduced chain", reduced, DELASSUS_IMPACT_NEWTON},   {"rigid chain", rigid, DELASSUS_IMPACT_NEWTON},
  {"penalty chain", penalty, DELASSUS_IMPACT_NEWTON},   {"drum", in_drum, DELASSUS_IMPACT_NEWTON},
  {"mesh", on_mesh, DELASSUS_IMPACT_NEWTON},            {"pile, Poisson", pile, DELASSUS_IMPACT_POISSON},
  {"pile, in sequence", pile, DELASSUS_IMPACT_SEQUENTIAL}, {"chain, Poisson", reduced, DELASSUS_IMPACT_POISSON},
  {"mechanisms", mechanisms, DELASSUS_IMPACT_NEWTON},
};
enum { N_SCENES = 2 * sizeof scenes / sizeof *scenes };

static uint64_t play(int k) {
  scene s = {.planar = k % 2 == 1};
  const entry *e = &scenes[k / 2];
  const long live = n_live;
  uint64_t hash = 0;
  scene_now = k;
  n_requests = 0;
  if (begin(&s, e->impact) == DELASSUS_OK) {
    e->run(&s);
    hash = delassus_world_hash(s.world);
  }
  delassus_world_destroy(s.world);
  if (n_live != live) fault("memory is left");
  return hash;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : N_SCENES, pairs = argc > 2 ? atoi(argv[2]) : 0, every = argc > 3 ? atoi(argv[3]) : 1;
  uint64_t random = 1;
  for (int k = 0; k < n && k < N_SCENES; k++) {
    fail_at[0] = fail_at[1] = -1;
    const uint64_t expected = play(k);
    const long total = n_requests;
    for (long i = 0; i < total; i += every) {
      fail_at[0] = i;
      if (play(k) != expected) fault("another end");
    }
    for (int i = 0; i < pairs; i++)
      for (int e = 0; e < 2; e++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        fail_at[e] = (long)((random >> 33) % (uint64_t)total);
        if (e == 1 && play(k) != expected) fault("another end");
      }
  }
  printf("scenes %d, failures %ld, faults %ld\n", n < N_SCENES ? n : N_SCENES, n_failures, n_faults);
  return n_faults > 0;
}
