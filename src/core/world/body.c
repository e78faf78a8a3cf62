/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/elementary.h"
#include "core/math/quat.h"
#include "core/joints/penalties.h"
#include "core/joints/trees.h"
#include "core/model/material.h"
#include "core/world/state.h"

#include "core/base/dim.h"

/* Bodies: made, changed between steps, taken out. */

/* Skin of the neighbour lists, as a share of half the thickness of the thinnest dynamic body. Wide
** enough to last for some steps (a list costs as much to make as to read twenty times, in the
** plane, where pairs of disks are read in lanes, forty times), narrow beside the smallest body, for
** every pair in it is looked at. */
static const double SKIN_PLANE = 2, SKIN_SPACE = 1;

/* About half of what the shape measures across its thinnest side. */
static double thinness(const dls_shape *shape) {
  const double r = shape->radius;
  switch (shape->kind) {
    case DLS_SHAPE_CYLINDER: return dls_min(r, shape->half.x);
    case DLS_SHAPE_CONE: return dls_min(0.5 * (r + shape->radius2), shape->half.x);
    case DLS_SHAPE_ELLIPSOID: return dls_shape_girth(shape);
    case DLS_SHAPE_BOX: {
      const double least = dls_min(shape->half.x, shape->half.y);
      return shape->dims & DLS_SPATIAL ? dls_min(least, shape->half.z) : least;
    }
    case DLS_SHAPE_DISK: case DLS_SHAPE_SPHERE: case DLS_SHAPE_CAPSULE: return r;
    default: return 0.4 * shape->reach;
  }
}

/* Room for so many columns, where `block` has it. */
static void share_columns(dls_columns *c, double *block, size_t room) {
  c->known = false;
  c->block = block;
  c->radius = block, c->inverse = block + room;
  c->inv_mass = block + 4 * room, c->inv_inertia = block + 5 * room;
  c->mass = block + 6 * room, c->inertia = block + 7 * room;
  c->law = (int *)(void *)(block + 8 * room), c->general = c->law + room;
  c->idle = (unsigned char *)(block + 9 * room);
}

static dls_status room_for_body(dls_world *w) {
  int have = w->body_room;
  if (w->n_bodies == have && dls_slots_are_sparse(&w->body_slots, w->n_bodies))
    dls_bodies_move_up(w);
  if (w->n_bodies < have) return dls_slots_reserve(&w->body_slots, &w->alloc);
  size_t old = (size_t)have, more = have < 8 ? 16 : 2 * (size_t)have;
  size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
  dls_body *bodies = dls_new(&w->alloc, more, sizeof(dls_body));
  double *q = dls_new(&w->alloc, more * nq, sizeof(double));
  double *q_before = dls_new(&w->alloc, more * nq, sizeof(double));
  double *q_next = dls_new(&w->alloc, more * nq, sizeof(double));
  double *u = dls_new(&w->alloc, more * nu, sizeof(double));
  double *u_next = dls_new(&w->alloc, more * nu, sizeof(double));
  double *load = dls_new(&w->alloc, more * nu, sizeof(double));
  double *columns = w->dim == 2 ? dls_new(&w->alloc, DLS_COLUMNS * more, sizeof(double)) : NULL;
  if (!bodies || !q || !q_before || !q_next || !u || !u_next || !load ||
      (w->dim == 2 && !columns)) {
    dls_free(&w->alloc, bodies, more, sizeof(dls_body));
    dls_free(&w->alloc, q, more * nq, sizeof(double));
    dls_free(&w->alloc, q_before, more * nq, sizeof(double));
    dls_free(&w->alloc, q_next, more * nq, sizeof(double));
    dls_free(&w->alloc, u, more * nu, sizeof(double));
    dls_free(&w->alloc, u_next, more * nu, sizeof(double));
    dls_free(&w->alloc, load, more * nu, sizeof(double));
    dls_free(&w->alloc, columns, DLS_COLUMNS * more, sizeof(double));
    return DLS_NOMEM;
  }
#define MOVE(name, width)                                                      \
  if (w->name) memcpy(name, w->name, old * (width) * sizeof *name);            \
  dls_free(&w->alloc, w->name, old * (width), sizeof *name);                   \
  w->name = name;
  MOVE(bodies, 1)
  MOVE(q, nq)
  MOVE(q_before, nq)
  MOVE(q_next, nq)
  MOVE(u, nu)
  MOVE(u_next, nu)
  MOVE(load, nu)
#undef MOVE
  dls_free(&w->alloc, w->columns.block, DLS_COLUMNS * old, sizeof(double));
  if (columns) share_columns(&w->columns, columns, more);
  w->body_room = (int)more;
  return dls_slots_reserve(&w->body_slots, &w->alloc);
}

dls_body_def dls_body_def_default(int dim) {
  dls_body_def def = {.type = DLS_DYNAMIC, .mass = -1, .group = 1, .collides = ~(uint32_t)0};
  if (dim == 3) def.rotation[0] = 1;
  return def;
}

/* Mass, centre and inertia (row-major 3 x 3; plane: [0]) of a definition. */
static dls_body_fault weigh(const dls_world *w, const dls_body_def *def, double *mass,
                            double com[3], double inertia[9]) {
  bool planar = w->dim == 2;
  memset(inertia, 0, 9 * sizeof(double));
  memcpy(com, def->com, 3 * sizeof(double));
  *mass = dls_max(def->mass, 0);
  dls_mass body = {0};
  if (def->shape) {
    if (!(def->shape->dims & (planar ? DLS_PLANAR : DLS_SPATIAL))) return DLS_BODY_WRONG_DIM;
    if (def->type == DLS_DYNAMIC && !def->shape->solid) return DLS_BODY_NOT_SOLID;
    dls_shape_mass(def->shape, planar, def->density > 0 ? def->density : 1000, &body);
    if (!def->has_com) dls_v3_store(com, body.centre);
    double scale = def->mass >= 0 && body.mass > 0 ? def->mass / body.mass : 1;
    if (def->mass < 0) *mass = body.mass;
    for (int i = 0; i < 9; i++) inertia[i] = scale * body.inertia.m[i];
    if (planar) {
      inertia[0] = inertia[8];
      memset(inertia + 1, 0, 8 * sizeof(double));
    }
  }
  if (def->has_inertia) {
    const double *I = def->inertia;
    if (planar) inertia[0] = I[0];
    else {
      dls_mat3 full = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
      memcpy(inertia, full.m, sizeof full.m);
    }
  }
  if (def->type == DLS_DYNAMIC && !(*mass > 0) && !def->massless) return DLS_BODY_NO_MASS;
  return DLS_BODY_GOOD;
}

/* The inverse; of an inertia that is zero (a point), zero: nothing turns it. */
static dls_body_fault invert(int dim, const double inertia[9], double inverse[9]) {
  memset(inverse, 0, 9 * sizeof(double));
  bool zero = true;
  for (int i = 0; i < 9; i++) zero = zero && inertia[i] == 0;
  if (zero) return DLS_BODY_GOOD;
  if (dim == 2) {
    if (!(inertia[0] > 0)) return DLS_BODY_INDEFINITE;
    inverse[0] = 1 / inertia[0];
    return DLS_BODY_GOOD;
  }
  dls_mat3 J = dls_m3_load(inertia), out;
  double minor = inertia[0] * inertia[4] - inertia[1] * inertia[1];
  if (!(inertia[0] > 0) || !(minor > 0) || !(dls_m3_det(&J) > 0)) return DLS_BODY_INDEFINITE;
  if (!dls_m3_inverse(&J, &out)) return DLS_BODY_INDEFINITE;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[3 * i + j] = 0.5 * (out.m[3 * i + j] + out.m[3 * j + i]);
  if (inertia[0] == inertia[4] && inertia[4] == inertia[8] && inertia[1] == 0 &&
      inertia[2] == 0 && inertia[5] == 0)
    for (int i = 0; i < 3; i++) inverse[4 * i] = 1 / inertia[0];
  /* No body has one moment larger than the sum of the others: trace - 2 J must not be negative. */
  dls_mat3 rest = dls_m3_diag(0, 0, 0);
  double trace = inertia[0] + inertia[4] + inertia[8];
  for (int i = 0; i < 9; i++) rest.m[i] = (i % 4 == 0 ? trace * (1 + 1e-9) : 0) - 2 * inertia[i];
  double rest_minor = rest.m[0] * rest.m[4] - rest.m[1] * rest.m[1];
  if (rest.m[0] < 0 || rest_minor < 0 || dls_m3_det(&rest) < 0) return DLS_BODY_LOPSIDED;
  return DLS_BODY_GOOD;
}

/* Where nobody gave the inertia, round-off or underflow made it what it is. */
static dls_body_fault of_given(dls_body_fault fault, bool given) {
  return fault >= DLS_BODY_INDEFINITE && !given ? DLS_BODY_BAD_INERTIA : fault;
}

const char *dls_body_inertia_rule(dls_body_fault fault) {
  if (fault == DLS_BODY_INDEFINITE) return "'inertia' must be positive definite, or 0";
  if (fault == DLS_BODY_LOPSIDED)
    return "'inertia' must have no principal moment larger than the sum of the other two";
  return "'inertia', 'mass' or 'density' is one that no body can have";
}

dls_body_fault dls_body_check(const dls_world *w, const dls_body_def *def) {
  double mass, com[3], inertia[9], inverse[9];
  dls_body_fault fault = weigh(w, def, &mass, com, inertia);
  if (fault != DLS_BODY_GOOD || def->type != DLS_DYNAMIC) return fault;
  fault = of_given(invert(w->dim, inertia, inverse), def->has_inertia);
  /* What overflows is as bad as what is not positive. */
  bool finite_inverse = dls_is_finite(mass) && (mass == 0 || dls_is_finite(1 / mass));
  for (int i = 0; i < 9; i++)
    finite_inverse = finite_inverse && dls_is_finite(inertia[i]) && dls_is_finite(inverse[i]);
  return fault == DLS_BODY_GOOD && !finite_inverse ? DLS_BODY_BAD_INERTIA : fault;
}

/* The radius of a disk about its mass centre; 0: of nothing such. */
static double round_of(const dls_world *w, const dls_body *body) {
  const bool round = w->dim == 2 && body->shape && body->shape->kind == DLS_SHAPE_DISK &&
                     body->com[0] == 0 && body->com[1] == 0;
  return round ? body->shape->radius : 0;
}

static double gyration_of(int dim, const dls_body *body) {
  double turning =
      dim == 2 ? body->inertia[0] : (body->inertia[0] + body->inertia[4] + body->inertia[8]) / 3;
  return body->mass > 0 && turning > 0 ? sqrt(turning / body->mass) : 1;
}

static double skin_of(const dls_world *w, const dls_body *body) {
  return (w->dim == 2 ? SKIN_PLANE : SKIN_SPACE) * thinness(body->shape);
}

/* The skin of the neighbour list: wide enough to last for some steps, narrow beside the smallest
** body, this one, too. */
static void narrow_skin(dls_world *w, const dls_body *body) {
  if (!body->shape || body->type != DLS_DYNAMIC) return;
  const double skin = skin_of(w, body);
  if (w->skinned && !(skin < w->broad.skin)) return;
  w->broad.skin = skin;
  w->skinned = true;
}

/* The neighbour list with a body that is new to it. */
static void widen(dls_world *w, const dls_body *body) {
  narrow_skin(w, body);
  dls_broad_reset(&w->broad);
}

void dls_bodies_skin(dls_world *w) {
  if (!w->skin_is_of_gone) return;
  w->skin_is_of_gone = w->skinned = false;
  w->broad.skin = DLS_FIRST_SKIN;
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive) narrow_skin(w, &w->bodies[i]);
}

dls_status dls_world_body_add(dls_world *w, const dls_body_def *def, int *index) {
  dls_body body = {.alive = true, .type = def->type, .material = def->material,
                   .group = def->group, .collides = def->collides, .sensor = def->sensor,
                   .moved = def->moved, .shape = def->shape};
  dls_body_fault fault = weigh(w, def, &body.mass, body.com, body.inertia);
  if (fault == DLS_BODY_GOOD && def->type == DLS_DYNAMIC)
    fault = invert(w->dim, body.inertia, body.inverse);
  if (fault != DLS_BODY_GOOD) return DLS_ARG;
  const dls_status status = room_for_body(w);
  if (status != DLS_OK) return status;
  const int i = w->n_bodies;
  const dls_placed begin = dls_slots_begin(&w->body_slots);
  body.gyration = gyration_of(w->dim, &body);
  body.disk_radius = round_of(w, &body);
  body.slot = begin.slot, body.generation = begin.generation;
  if (def->massless && def->type == DLS_DYNAMIC) w->n_massless++;
  w->n_made++;
  if (body.shape) dls_shape_hold(body.shape);
  w->bodies[i] = body;
  dls_slots_take(&w->body_slots, w->n_bodies++);
  w->columns.known = false;
  int nu = DLS_NU(w->dim), d = w->dim;
  memset(w->load + (size_t)i * (size_t)nu, 0, (size_t)nu * sizeof(double));
  double *u = w->u + (size_t)i * (size_t)nu;
  memcpy(u, def->velocity, (size_t)d * sizeof(double));
  memcpy(u + d, def->angular, (size_t)(nu - d) * sizeof(double));
  dls_body_place(w, i, def->position, def->rotation);
  size_t nq = (size_t)DLS_NQ(d);
  memcpy(w->q_before + (size_t)i * nq, w->q + (size_t)i * nq, nq * sizeof(double));
  if (body.shape) widen(w, &body);
  if (w->trees) w->trees->stale = true;
  *index = i;
  return DLS_OK;
}

void dls_world_user_contact_remove(dls_world *w, int index) {
  if (index >= w->n_user_contacts || !w->user_contacts[index].alive) return;
  dls_user_contact *user = &w->user_contacts[index];
  user->alive = false;
  w->bodies[user->a].bonds--, w->bodies[user->b].bonds--;
  w->contacts_of_gone = true;
  dls_slots_give(&w->user_contact_slots, user->slot);
}

/* What names the body goes with it. */
static void untie(dls_world *w, int index) {
  const dls_body *body = &w->bodies[index];
  for (int i = w->n_springs - 1; i >= 0 && body->bonds > 0; i--)
    if (w->springs[i].a == index || w->springs[i].b == index) dls_world_spring_remove(w, i);
  for (int i = w->n_user_contacts - 1; i >= 0 && body->bonds > 0; i--)
    if (w->user_contacts[i].a == index || w->user_contacts[i].b == index)
      dls_world_user_contact_remove(w, i);
  for (int i = w->n_joints - 1; i >= 0 && body->bonds > 0; i--)
    if (w->joints[i].a == index || w->joints[i].b == index) dls_world_joint_remove(w, i);
  if (body->bonds == 0) return;
  int kept = 0;
  for (int i = 0; i < w->n_pairings; i++) {
    const dls_pairing *p = &w->pairings[i];
    if (!p->of_bodies || (p->a != index && p->b != index)) w->pairings[kept++] = *p;
    else w->bodies[p->a].bonds--, w->bodies[p->b].bonds--;
  }
  w->n_pairings = kept;
  dls_pairings_list(w);
}

/* Contacts, also hand-made ones, joints, springs and laws of pairs go with it. */
void dls_world_body_remove(dls_world *w, int index) {
  dls_body *body = &w->bodies[index];
  if (!body->alive) return;
  dls_shape_drop(body->shape);
  body->shape = NULL;
  body->alive = false;
  w->columns.known = false;
  if (body->type == DLS_DYNAMIC && !(body->mass > 0)) w->n_massless--;
  w->contacts_of_gone = true;
  untie(w, index);
  if (w->trees) w->trees->stale = true;
  dls_slots_give(&w->body_slots, body->slot);
  dls_broad_reset(&w->broad);
  w->skin_is_of_gone = true;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* What depends on masses follows. */
static void reweighed(dls_world *w, dls_body *body) {
  body->gyration = gyration_of(w->dim, body);
  w->columns.known = false;
  w->tuned_dt = 0; /* gains of penalty joints */
  if (w->trees) w->trees->stale = true;
}

/* What depends on who may touch whom, and where, follows. */
static void reshaped(dls_world *w, int index) {
  w->bodies[index].disk_radius = round_of(w, &w->bodies[index]);
  w->columns.known = false;
  dls_contacts_forget(w, index);
  widen(w, &w->bodies[index]);
}

/* Another mass and inertia, where a body can have them. */
static dls_body_fault reweigh(dls_world *w, dls_body *body, double mass, const double inertia[9]) {
  double inverse[9] = {0};
  if (!(mass > 0)) return DLS_BODY_NO_MASS;
  dls_body_fault fault = invert(w->dim, inertia, inverse);
  bool good = dls_is_finite(mass) && dls_is_finite(1 / mass);
  for (int i = 0; i < 9; i++)
    good = good && dls_is_finite(inertia[i]) && dls_is_finite(inverse[i]);
  if (fault == DLS_BODY_GOOD && !good) fault = DLS_BODY_BAD_INERTIA;
  if (fault != DLS_BODY_GOOD) return fault;
  body->mass = mass;
  memcpy(body->inertia, inertia, 9 * sizeof(double));
  memcpy(body->inverse, inverse, 9 * sizeof(double));
  reweighed(w, body);
  return DLS_BODY_GOOD;
}

dls_body_fault dls_body_set_mass(dls_world *w, int index, double mass) {
  dls_body *body = &w->bodies[index];
  double inertia[9];
  const double scale = body->mass > 0 ? mass / body->mass : 1;
  for (int i = 0; i < 9; i++) inertia[i] = scale * body->inertia[i];
  return of_given(reweigh(w, body, mass, inertia), false);
}

dls_body_fault dls_body_set_inertia(dls_world *w, int index, const double I[6]) {
  dls_body *body = &w->bodies[index];
  double inertia[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  if (w->dim == 2) memset(inertia + 1, 0, 8 * sizeof(double));
  return reweigh(w, body, body->mass, inertia);
}

/* Moves the numbers of the mass centre in q (one body's) by d, given in the body's axes. */
static void move_centre(const dls_world *w, double *q, dls_vec3 d) {
  if (w->dim == 2) {
    double s = 0, c = 1;
    if (q[2] != 0) dls_sincos(q[2], &s, &c);
    q[0] += c * d.x - s * d.y;
    q[1] += s * d.x + c * d.y;
    return;
  }
  dls_v3_store(q, dls_v3_add(dls_v3_load(q), dls_q_rotate(dls_q_load(q + 3), d)));
}

/* The body frame stays where it is and moves as it did. */
void dls_body_set_com(dls_world *w, int index, const double com[3]) {
  dls_body *body = &w->bodies[index];
  const dls_vec3 d = dls_v3_sub(dls_v3_load(com), dls_v3_load(body->com));
  const size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim), at = (size_t)index;
  double *u = w->u + at * nu;
  const dls_vec3 r = dls_body_turn(w, index, d);
  move_centre(w, w->q + at * nq, d);
  move_centre(w, w->q_before + at * nq, d);
  if (w->dim == 2) {
    u[0] -= u[2] * r.y;
    u[1] += u[2] * r.x;
  } else {
    dls_v3_store(u, dls_v3_add(dls_v3_load(u), dls_v3_cross(dls_v3_load(u + 3), r)));
  }
  memcpy(body->com, com, 3 * sizeof(double));
  body->disk_radius = round_of(w, body);
  reweighed(w, body);
}

void dls_body_hold_anchors(dls_world *w, int index, const double com_before[3]) {
  double y[3];
  dls_v3_store(y, dls_v3_sub(dls_v3_load(w->bodies[index].com), dls_v3_load(com_before)));
  for (int i = 0; i < w->n_springs; i++) {
    dls_spring *spring = &w->springs[i];
    for (int k = 0; k < 3; k++) {
      if (spring->a == index) spring->anchor_a[k] -= y[k];
      if (spring->b == index) spring->anchor_b[k] -= y[k];
    }
  }
  for (int i = 0; i < w->n_joints; i++) {
    dls_joint *joint = &w->joints[i];
    dls_penalty *p = &joint->penalty;
    if (!dls_is_penalty(joint)) continue;
    if (joint->a == index) p->p_i = dls_v3_sub(p->p_i, dls_v3_load(y));
    if (joint->b == index) p->p_j = dls_v3_sub(p->p_j, dls_v3_load(y));
  }
  for (int i = 0; i < w->n_user_contacts; i++) {
    dls_user_contact *user = &w->user_contacts[i];
    for (int k = 0; k < 3; k++) {
      if (user->a == index) user->point_a[k] -= y[k];
      if (user->b == index) user->point_b[k] -= y[k];
    }
  }
}

dls_body_fault dls_body_set_type(dls_world *w, int index, int type) {
  dls_body *body = &w->bodies[index];
  const size_t nu = (size_t)DLS_NU(w->dim);
  if (body->type == type) return DLS_BODY_GOOD;
  if (type == DLS_DYNAMIC) {
    if (body->shape && !body->shape->solid) return DLS_BODY_NOT_SOLID;
    dls_body_fault fault = reweigh(w, body, body->mass, body->inertia);
    if (fault != DLS_BODY_GOOD) return fault;
  }
  body->type = type;
  if (type == DLS_STATIC) memset(w->u + (size_t)index * nu, 0, nu * sizeof(double));
  reweighed(w, body);
  reshaped(w, index);
  return DLS_BODY_GOOD;
}

dls_body_fault dls_body_set_shape(dls_world *w, int index, const dls_shape *shape) {
  dls_body *body = &w->bodies[index];
  if (shape && !(shape->dims & (w->dim == 2 ? DLS_PLANAR : DLS_SPATIAL))) return DLS_BODY_WRONG_DIM;
  if (shape && body->type == DLS_DYNAMIC && !shape->solid) return DLS_BODY_NOT_SOLID;
  if (shape) dls_shape_hold(shape);
  dls_shape_drop(body->shape);
  body->shape = shape;
  reshaped(w, index);
  return DLS_BODY_GOOD;
}

void dls_body_set_filter(dls_world *w, int index, uint32_t group, uint32_t collides, bool sensor) {
  dls_body *body = &w->bodies[index];
  body->group = group;
  body->collides = collides;
  body->sensor = sensor;
  reshaped(w, index);
}

void dls_body_set_material(dls_world *w, int index, int material) {
  w->bodies[index].material = material;
  w->columns.known = false;
}
