/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/accelerations/smooth.h"
#include "core/base/dim.h"
#include "core/joints/trees.h"
#include "core/math/quat.h"

/* Bodies: made, moved, pushed, taken out. */

delassus_body_def delassus_body_def_default(void) {
  return (delassus_body_def){.type = DELASSUS_DYNAMIC, .shape = delassus_shape_def_default(),
                             .material = delassus_material_def_default(), .mass = -1,
                             .rotation = {1, 0, 0, 0}, .group = 1, .collides = ~(uint32_t)0};
}

delassus_body_id dls_host_id(const dls_world *w, int body) {
  if (body < 0) return (delassus_body_id){0, 0};
  return (delassus_body_id){w->bodies[body].slot, w->bodies[body].generation};
}

int dls_host_place(const delassus_world *host, delassus_body_id body) {
  return dls_slots_place(&host->world->body_slots, body.index, body.generation);
}

delassus_status dls_host_body_of(delassus_world *host, const char *function, const char *field,
                                 delassus_body_id body, int *place) {
  *place = dls_host_place(host, body);
  if (*place >= 0) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_STALE_ID, function, "'%s' is no body of this world (%d, %u)",
                       field, (int)body.index, (unsigned)body.generation);
}

bool delassus_body_alive(const delassus_world *world, delassus_body_id body) {
  return world && dls_host_place(world, body) >= 0;
}

delassus_body_id delassus_world_ground(const delassus_world *world) {
  return world ? dls_host_id(world->world, 0) : (delassus_body_id){0, 0};
}

delassus_body_id delassus_world_body(const delassus_world *world, int index) {
  if (!world) return (delassus_body_id){0, 0};
  const dls_slots *slots = &world->world->body_slots;
  if (index < 0 || index >= slots->n) return (delassus_body_id){0, 0};
  return (delassus_body_id){index, slots->slot[index].generation};
}

int delassus_world_body_count(const delassus_world *world) {
  return world ? world->world->n_bodies - world->world->body_slots.n_gaps - 1 : 0;
}

void *delassus_body_data(const delassus_world *world, delassus_body_id body) {
  if (!delassus_body_alive(world, body) || body.index >= world->body_room) return NULL;
  const dls_host_body *kept = &world->bodies[body.index];
  return kept->generation == body.generation ? kept->data : NULL;
}

/* --- making --------------------------------------------------------------------------------- */

#define FUNCTION "delassus_body_create"

/* Numbers of the definition that the core has to be spared. */
static delassus_status check_numbers(delassus_world *host, const delassus_body_def *d) {
  const struct {
    const char *name; /* of the field */
    const double *x; /* 3 */
  } vectors[] = {{"com", d->com}, {"position", d->position}, {"velocity", d->velocity}};
  const bool planar = host->world->dim == 2;
  double unit[4];
  delassus_status status = DELASSUS_OK;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && status == DELASSUS_OK; i++)
    status = dls_host_vector(host, FUNCTION, vectors[i].name, vectors[i].x);
  if (status != DELASSUS_OK) return status;
  if (!dls_host_finite(d->angular_velocity, 3) ||
      (planar && (d->angular_velocity[0] != 0 || d->angular_velocity[1] != 0)))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'angular_velocity' must be finite%s",
                         planar ? ", and about z in a planar world" : "");
  if (!dls_host_finite(d->rotation, 4) || !dls_is_finite(d->angle))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'rotation' and 'angle' must be finite");
  if (!planar && !dls_host_rotation(d->rotation, unit))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'rotation' must not be zero");
  if (!(d->density >= 0) || !dls_is_finite(d->density))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'density' must be finite and >= 0, got %g", d->density);
  if (!(d->mass >= 0 || d->mass == -1) || !dls_is_finite(d->mass))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'mass' must be > 0, or -1, got %g", d->mass);
  if (!dls_host_finite(d->inertia, 6))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'inertia' must be finite");
  if (d->has_inertia && planar && !(d->inertia[2] >= 0))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'inertia[2]' must be >= 0 in a planar world, got %g", d->inertia[2]);
  return DELASSUS_OK;
}

/* What does not go together. */
static delassus_status check_fields(delassus_world *host, const delassus_body_def *d) {
  const char *what = NULL;
  bool moves = d->motion != NULL;
  for (int i = 0; i < 3; i++) moves = moves || d->velocity[i] != 0 || d->angular_velocity[i] != 0;
  if ((int)d->type < 0 || (int)d->type > DELASSUS_STATIC)
    what = "'type' must be one of delassus_body_type";
  else if (d->mass >= 0 && d->density > 0) what = "give 'mass' or 'density', not both";
  else if (d->density > 0 && d->shape.kind == DELASSUS_NO_SHAPE) what = "'density' needs a 'shape'";
  else if (d->mass == 0 && !d->has_inertia)
    what = "'mass' must be > 0, got 0 (inside a tree give 'inertia' 0 too)";
  else if (d->type == DELASSUS_STATIC && moves)
    what = "a static body has no 'velocity', 'angular_velocity' or 'motion' (make it kinematic)";
  else if (d->motion && d->type != DELASSUS_KINEMATIC) what = "'motion' needs a kinematic body";
  else if (d->group == 0) what = "'group' must have a bit";
  if (what) return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what);
  return d->motion ? dls_host_own(host, FUNCTION) : DELASSUS_OK;
}

static delassus_status fault_of(delassus_world *host, dls_body_fault fault) {
  const char *what = dls_body_inertia_rule(fault);
  if (fault == DLS_BODY_NO_MASS)
    what = "a dynamic body needs 'mass', or a solid 'shape' with a 'density'";
  if (fault == DLS_BODY_NOT_SOLID)
    what = "'shape' has no mass: 'type' must be static or kinematic";
  if (fault == DLS_BODY_WRONG_DIM)
    what = host->world->dim == 2 ? "'shape' is none of planar worlds"
                                 : "'shape' is none of spatial worlds";
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what);
}

static dls_body_def to_core(const dls_world *w, const delassus_body_def *d,
                            const dls_shape *shape) {
  dls_body_def def = dls_body_def_default(w->dim);
  def.type = (int)d->type;
  def.shape = shape;
  def.density = d->density;
  def.mass = d->mass;
  def.has_inertia = d->has_inertia;
  def.has_com = d->has_com;
  def.massless = d->mass == 0 && d->has_inertia;
  def.group = d->group;
  def.collides = d->collides;
  def.sensor = d->sensor;
  def.moved = d->motion != NULL;
  memcpy(def.com, d->com, sizeof def.com);
  memcpy(def.position, d->position, sizeof def.position);
  memcpy(def.velocity, d->velocity, sizeof def.velocity);
  if (w->dim == 2) {
    def.inertia[0] = d->inertia[2];
    def.rotation[0] = d->angle;
    def.angular[0] = d->angular_velocity[2];
  } else {
    memcpy(def.inertia, d->inertia, sizeof def.inertia);
    memcpy(def.angular, d->angular_velocity, sizeof def.angular);
    (void)dls_host_rotation(d->rotation, def.rotation);
  }
  return def;
}

/* The world's number of a material, which it learns here. */
static dls_status use_material(dls_world *w, const dls_material *material, int *index) {
  *index = dls_world_material_find(w, material);
  return *index >= 0 ? DLS_OK : dls_world_material_add(w, material, index);
}

static delassus_status add(delassus_world *host, const delassus_body_def *d, const dls_shape *shape,
                           delassus_body_id *body) {
  dls_world *w = host->world;
  dls_body_def def = to_core(w, d, shape);
  dls_material material;
  int index = 0;
  delassus_status status = dls_host_material(host, FUNCTION, "material", &d->material, &material);
  if (status != DELASSUS_OK) return status;
  const dls_body_fault fault = dls_body_check(w, &def);
  if (fault != DLS_BODY_GOOD) return fault_of(host, fault);
  if (d->density > 0 && !shape->solid) return fault_of(host, DLS_BODY_NOT_SOLID);
  const int slot = dls_slots_next(&w->body_slots);
  dls_status made =
      dls_host_reserve(host, (void **)&host->bodies, &host->body_room, slot, sizeof *host->bodies);
  if (made == DLS_OK) made = use_material(w, &material, &def.material);
  if (made == DLS_OK) made = dls_world_body_add(w, &def, &index);
  if (made != DLS_OK) return dls_host_report(host, made, FUNCTION);
  *body = dls_host_id(w, index);
  host->bodies[slot] =
      (dls_host_body){body->generation, d->motion, d->motion_user, d->data};
  if (d->motion) dls_host_hook_motion(host);
  (void)dls_world_tidy_materials(w);
  return DELASSUS_OK;
}

delassus_status delassus_body_create(delassus_world *world, const delassus_body_def *def,
                                     delassus_body_id *body) {
  dls_shape *shape = NULL;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !body)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must not be NULL",
                         def ? "body" : "def");
  delassus_status status = dls_host_unlocked(world, FUNCTION);
  if (status == DELASSUS_OK) status = check_numbers(world, def);
  if (status == DELASSUS_OK) status = check_fields(world, def);
  if (status == DELASSUS_OK) status = dls_host_shape(world, FUNCTION, &def->shape, &shape);
  if (status == DELASSUS_OK) status = add(world, def, shape, body);
  dls_shape_drop(shape); /* the body holds it */
  return status;
}
#undef FUNCTION

delassus_status delassus_body_destroy(delassus_world *world, delassus_body_id body) {
  static const char function[] = "delassus_body_destroy";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "body", body, &place);
  if (status != DELASSUS_OK) return status;
  if (place == 0)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "the ground cannot be destroyed");
  dls_world_body_remove(world->world, place);
  if (body.index < world->body_room) world->bodies[body.index] = (dls_host_body){0};
  return DELASSUS_OK;
}

/* --- where it is and how it moves ----------------------------------------------------------- */

/* A body that may be moved by hand: there, between steps, not the ground, carried by no joint. */
static delassus_status movable(delassus_world *host, const char *function, delassus_body_id body,
                               int *place) {
  delassus_status status = dls_host_unlocked(host, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, function, "body", body, place);
  if (status != DELASSUS_OK) return status;
  if (*place == 0)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function, "'body' is the ground");
  if (dls_trees_carrier(host->world, *place) >= 0)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                         "'body' is carried by a reduced joint: set the joint's coordinates");
  return DELASSUS_OK;
}

/* What hangs on the changed body follows, or nothing has changed. */
static delassus_status follow(delassus_world *host, const char *function, const dls_undo *undo) {
  dls_forest_fault fault;
  return dls_host_report(host, dls_trees_follow_change(host->world, undo, &fault), function);
}

delassus_status delassus_body_pose(delassus_world *world, delassus_body_id body, double alpha,
                                   double position[3], double rotation[4]) {
  static const char function[] = "delassus_body_pose";
  if (!dls_host_given(world, function, "position", position) ||
      !dls_host_given(world, function, "rotation", rotation))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = dls_host_body_of(world, function, "body", body, &place);
  if (status != DELASSUS_OK) return status;
  if (!dls_is_finite(alpha))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'alpha' must be finite");
  double x[3] = {0}, r[4] = {0};
  if (alpha == 1) dls_body_pose(world->world, place, x, r);
  else dls_body_between(world->world, place, alpha, x, r);
  if (world->world->dim == 2) x[2] = r[1] = r[2] = r[3] = 0;
  memcpy(position, x, sizeof x);
  memcpy(rotation, r, sizeof r);
  return DELASSUS_OK;
}

delassus_status delassus_body_set_pose(delassus_world *world, delassus_body_id body,
                                       const double position[3], const double rotation[4]) {
  static const char function[] = "delassus_body_set_pose";
  if (!dls_host_given(world, function, "position", position) ||
      !dls_host_given(world, function, "rotation", rotation))
    return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  double r[4] = {rotation[0], 0, 0, 0};
  int place = 0;
  delassus_status status = movable(world, function, body, &place);
  if (status == DELASSUS_OK) status = dls_host_vector(world, function, "position", position);
  if (status != DELASSUS_OK) return status;
  if (w->dim == 3 ? !dls_host_rotation(rotation, r) : !dls_is_finite(rotation[0]))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'rotation' must be finite and not zero");
  const dls_undo undo = dls_undo_of_body(w, place);
  dls_body_place(w, place, position, r);
  return follow(world, function, &undo);
}

delassus_status delassus_body_velocity(delassus_world *world, delassus_body_id body,
                                       double linear[3], double angular[3]) {
  if (!dls_host_given(world, "delassus_body_velocity", "linear", linear) ||
      !dls_host_given(world, "delassus_body_velocity", "angular", angular))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status =
      dls_host_body_of(world, "delassus_body_velocity", "body", body, &place);
  if (status != DELASSUS_OK) return status;
  const dls_world *w = world->world;
  const double *u = w->u + (size_t)place * (size_t)DLS_NU(w->dim);
  const bool planar = w->dim == 2;
  for (int i = 0; i < 3; i++) {
    linear[i] = planar && i == 2 ? 0 : u[i];
    angular[i] = planar ? (i == 2 ? u[2] : 0) : u[3 + i];
  }
  return DELASSUS_OK;
}

/* Six numbers, or three in the plane, as the core has them. */
static void to_row(int dim, const double linear[3], const double angular[3], double *out) {
  memcpy(out, linear, (size_t)dim * sizeof *out);
  if (dim == 2) out[2] = angular[2];
  else memcpy(out + 3, angular, 3 * sizeof *out);
}

static delassus_status check_angular(delassus_world *host, const char *function, const char *field,
                                     const double x[3]) {
  const bool planar = host->world->dim == 2;
  if (dls_host_finite(x, 3) && !(planar && (x[0] != 0 || x[1] != 0))) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function, "'%s' must be finite%s", field,
                       planar ? ", and about z in a planar world" : "");
}

delassus_status delassus_body_set_velocity(delassus_world *world, delassus_body_id body,
                                           const double linear[3], const double angular[3]) {
  static const char function[] = "delassus_body_set_velocity";
  if (!dls_host_given(world, function, "linear", linear) ||
      !dls_host_given(world, function, "angular", angular))
    return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  int place = 0;
  delassus_status status = movable(world, function, body, &place);
  if (status == DELASSUS_OK) status = dls_host_vector(world, function, "linear", linear);
  if (status == DELASSUS_OK) status = check_angular(world, function, "angular", angular);
  if (status != DELASSUS_OK) return status;
  if (w->bodies[place].type == DLS_STATIC)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "a static body has no velocity (make it kinematic)");
  const dls_undo undo = dls_undo_of_body(w, place);
  to_row(w->dim, linear, angular, w->u + (size_t)place * (size_t)DLS_NU(w->dim));
  return follow(world, function, &undo);
}

/* The forest of reduced joints at the world's state. */
static dls_status ready_trees(dls_world *w) {
  dls_forest_fault fault;
  dls_status status = dls_trees_update(w, &fault);
  if (status == DLS_OK) status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status == DLS_OK) status = dls_joints_drive(w, w->time);
  if (status != DLS_OK) return status;
  dls_forest_place(w->trees->forest, w->trees->state);
  dls_forest_move(w->trees->forest, w->trees->state);
  w->trees->known = DLS_KNOWN_NOTHING;
  return DLS_OK;
}

/* --- what acts on it ------------------------------------------------------------------------ */

delassus_status delassus_body_set_force(delassus_world *world, delassus_body_id body,
                                        const double force[3], const double torque[3]) {
  static const char function[] = "delassus_body_set_force";
  if (!dls_host_given(world, function, "force", force) ||
      !dls_host_given(world, function, "torque", torque))
    return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  int place = 0;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "body", body, &place);
  if (status == DELASSUS_OK) status = dls_host_vector(world, function, "force", force);
  if (status == DELASSUS_OK) status = check_angular(world, function, "torque", torque);
  if (status != DELASSUS_OK) return status;
  to_row(w->dim, force, torque, w->load + (size_t)place * (size_t)DLS_NU(w->dim));
  return DELASSUS_OK;
}

delassus_status delassus_body_impulse(delassus_world *world, delassus_body_id body,
                                      const double impulse[3], const double angular[3],
                                      const double at[3]) {
  static const char function[] = "delassus_body_impulse";
  if (!dls_host_given(world, function, "impulse", impulse) ||
      !dls_host_given(world, function, "angular", angular))
    return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  int place = 0;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "body", body, &place);
  if (status == DELASSUS_OK) status = dls_host_vector(world, function, "impulse", impulse);
  if (status == DELASSUS_OK) status = check_angular(world, function, "angular", angular);
  if (status == DELASSUS_OK && at) status = dls_host_vector(world, function, "at", at);
  if (status != DELASSUS_OK) return status;
  const dls_vec3 p = dls_v3_load(impulse), l = dls_v3_load(angular);
  const dls_vec3 point = at ? dls_v3_load(at) : dls_v3(0, 0, 0);
  if (dls_trees_used(w)) {
    const dls_status done = ready_trees(w);
    if (done == DLS_OK && w->trees->body_tree[place] >= 0)
      return dls_host_report(world, dls_tree_impulse(w, place, p, l, at ? &point : NULL),
                             function);
    if (done != DLS_OK) return dls_host_report(world, done, function);
  }
  double before[6], *u = w->u + (size_t)place * (size_t)DLS_NU(w->dim);
  const size_t n = (size_t)DLS_NU(w->dim);
  memcpy(before, u, n * sizeof *u);
  dls_body_impulse(w, place, p, l, at ? &point : NULL);
  if (dls_host_finite(u, (int)n)) return DELASSUS_OK;
  memcpy(u, before, n * sizeof *u);
  return dls_host_fail(world, DELASSUS_OUT_OF_RANGE, function,
                       "the velocity would be beyond the range of numbers");
}

/* --- its model ------------------------------------------------------------------------------ */

delassus_status delassus_body_mass(delassus_world *world, delassus_body_id body, double *mass,
                                   double com[3]) {
  if (!dls_host_given(world, "delassus_body_mass", "mass", mass) ||
      !dls_host_given(world, "delassus_body_mass", "com", com))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status =
      dls_host_body_of(world, "delassus_body_mass", "body", body, &place);
  if (status != DELASSUS_OK) return status;
  *mass = world->world->bodies[place].mass;
  memcpy(com, world->world->bodies[place].com, 3 * sizeof *com);
  return DELASSUS_OK;
}

delassus_status delassus_body_set_filter(delassus_world *world, delassus_body_id body,
                                         uint32_t group, uint32_t collides, bool sensor) {
  static const char function[] = "delassus_body_set_filter";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "body", body, &place);
  if (status != DELASSUS_OK) return status;
  if (group == 0)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'group' must have a bit");
  dls_body_set_filter(world->world, place, group, collides, sensor);
  return DELASSUS_OK;
}

delassus_status delassus_world_pair(delassus_world *world, delassus_body_id a, delassus_body_id b,
                                    const delassus_material_def *laws) {
  static const char function[] = "delassus_world_pair";
  if (!dls_host_given(world, function, "laws", laws)) return DELASSUS_BAD_ARGUMENT;
  dls_pairing pairing = {.of_bodies = true};
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "a", a, &pairing.a);
  if (status == DELASSUS_OK) status = dls_host_body_of(world, function, "b", b, &pairing.b);
  if (status == DELASSUS_OK)
    status = dls_host_material(world, function, "laws", laws, &pairing.material);
  if (status != DELASSUS_OK) return status;
  if (pairing.a == pairing.b)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'a' and 'b' must be two different bodies");
  return dls_host_report(world, dls_world_pair(world->world, &pairing), function);
}
