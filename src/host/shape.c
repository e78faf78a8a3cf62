/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/math/elementary.h"
#include "core/math/quat.h"

/* Shapes and materials from their definitions. */

delassus_shape_def delassus_shape_def_default(void) {
  return (delassus_shape_def){.kind = DELASSUS_NO_SHAPE};
}

typedef struct maker {
  delassus_world *host; /* whose mistakes are told */
  const char *function; /* that was called */
  const delassus_shape_def *def; /* as given */
  dls_fault fault; /* of a shape that cannot be made */
} maker;

static delassus_status positive(maker *m, const char *field, double x, bool or_zero) {
  if (dls_is_finite(x) && (x > 0 || (or_zero && x == 0))) return DELASSUS_OK;
  return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                       "'shape.%s' must be finite and %s 0, got %g", field, or_zero ? ">=" : ">",
                       x);
}

/* n_points corners of so many numbers each, all finite. */
static delassus_status corners(maker *m, int numbers, int least) {
  const delassus_shape_def *d = m->def;
  if (!d->points || d->n_points < least || d->n_points > INT32_MAX / numbers)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.n_points' must be at least %d and that many be in 'shape.points', got %d%s", least,
                         d->n_points, d->points ? "" : " and NULL");
  if (!dls_host_finite(d->points, numbers * d->n_points))
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.points' must be finite");
  return DELASSUS_OK;
}

static delassus_status make_mesh(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const delassus_status status = corners(m, 3, 3);
  if (status != DELASSUS_OK) return status;
  if (!d->faces || d->n_faces < 1 || d->n_faces > INT32_MAX / 3)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.n_faces' must be at least 1 and that many be in 'shape.faces', got %d%s", d->n_faces,
                         d->faces ? "" : " and NULL");
  for (int i = 0; i < 3 * d->n_faces; i++)
    if (d->faces[i] < 0 || d->faces[i] >= d->n_points)
      return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                           "'shape.faces' must be points 0 .. %d, got %d in face %d",
                           d->n_points - 1, d->faces[i], i / 3);
  return dls_host_report(m->host,
                         dls_shape_mesh(&m->host->alloc, d->n_points, d->points, d->n_faces,
                                        d->faces, out, &m->fault),
                         m->function);
}

/* The pose of a child, of the plane or of space. */
static delassus_status place(maker *m, const delassus_child *child, dls_child *out) {
  double unit[4] = {1, 0, 0, 0};
  const delassus_status status =
      dls_host_vector(m->host, m->function, "position", child->position);
  if (status != DELASSUS_OK) return status;
  if (!dls_host_finite(child->rotation, 4) || !dls_is_finite(child->angle))
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'rotation' of a child must be finite");
  for (int i = 0; i < 4; i++)
    if (child->rotation[i] != 0) (void)dls_host_rotation(child->rotation, unit);
  out->pose3 = (dls_pose3){dls_q_matrix(dls_q_load(unit)), dls_v3_load(child->position)};
  out->pose2 = (dls_pose2){child->position[0], child->position[1], dls_cos(child->angle),
                           dls_sin(child->angle)};
  return DELASSUS_OK;
}

static delassus_status make_compound(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const dls_alloc *alloc = &m->host->alloc;
  if (!d->children || d->n_children < 1)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.n_children' must be at least 1 and that many be in 'shape.children', got %d%s",
                         d->n_children, d->children ? "" : " and NULL");
  dls_child *list = dls_new(alloc, (size_t)d->n_children, sizeof *list);
  if (!list) return dls_host_report(m->host, DLS_NOMEM, m->function);
  delassus_status status = DELASSUS_OK;
  int n = 0;
  for (; n < d->n_children && status == DELASSUS_OK; n++) {
    const delassus_child *child = &d->children[n];
    dls_shape *shape = NULL;
    if (child->shape.kind == DELASSUS_NO_SHAPE || child->shape.kind == DELASSUS_COMPOUND)
      status = dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                             "child %d of 'shape' must be a shape, and no compound", n);
    if (status == DELASSUS_OK) status = place(m, child, &list[n]);
    if (status == DELASSUS_OK)
      status = dls_host_shape(m->host, m->function, &child->shape, &shape);
    list[n].shape = shape;
  }
  if (status == DELASSUS_OK)
    status = dls_host_report(
        m->host, dls_shape_compound(alloc, d->n_children, list, out, &m->fault), m->function);
  for (int i = 0; i < n; i++) dls_shape_drop(list[i].shape); /* the compound holds them */
  dls_free(alloc, list, (size_t)d->n_children, sizeof *list);
  return status;
}

static delassus_status make_drum(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const dls_lifters lifters = {d->lifter_count, d->lifter_height, d->lifter_width};
  delassus_status status = positive(m, "radius", d->radius, false);
  if (status == DELASSUS_OK) status = positive(m, "length", d->length, true);
  if (status == DELASSUS_OK) status = positive(m, "lifter_count", lifters.count, true);
  if (status == DELASSUS_OK && lifters.count > 0)
    status = positive(m, "lifter_height", lifters.height, false);
  if (status == DELASSUS_OK && lifters.count > 0)
    status = positive(m, "lifter_width", lifters.width, false);
  if (status != DELASSUS_OK) return status;
  const dls_status made = dls_shape_drum(&m->host->alloc, d->radius, d->length, &lifters, d->ends,
                                         out, &m->fault);
  if (made == DLS_ARG)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function, "%s",
                         m->fault.index == 5 ? "'shape.ends' needs a 'shape.length'"
                                             : "'shape.lifter_count', 'shape.lifter_height' and 'shape.lifter_width' do not fit into 'shape.radius'");
  return dls_host_report(m->host, made, m->function);
}

static delassus_status make_plane(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const int dim = m->host->world->dim;
  double normal[3];
  const delassus_status status = dls_host_vector(m->host, m->function, "shape.normal", d->normal);
  if (status != DELASSUS_OK) return status;
  if (!dls_is_finite(d->offset))
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.offset' must be finite, got %g", d->offset);
  memcpy(normal, d->normal, sizeof normal);
  if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) normal[dim - 1] = 1;
  const dls_status made = dls_shape_plane(&m->host->alloc, normal, d->offset, out, &m->fault);
  if (made == DLS_ARG)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function, "'shape.normal' is too long or too short");
  if (made == DLS_OK && dim == 2) (*out)->dims = DLS_PLANAR;
  return dls_host_report(m->host, made, m->function);
}

/* Shapes of a radius, and of a radius and a length. */
static delassus_status make_round(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const dls_alloc *alloc = &m->host->alloc;
  const bool cone = d->kind == DELASSUS_CONE, capsule = d->kind == DELASSUS_CAPSULE;
  const bool ball = d->kind == DELASSUS_DISK || d->kind == DELASSUS_SPHERE;
  delassus_status status = positive(m, "radius", d->radius, cone);
  if (status == DELASSUS_OK && cone) status = positive(m, "radius2", d->radius2, d->radius > 0);
  if (status == DELASSUS_OK && !ball) status = positive(m, "length", d->length, capsule);
  if (status != DELASSUS_OK) return status;
  dls_status made = DLS_ARG;
  switch (d->kind) {
    case DELASSUS_DISK: made = dls_shape_disk(alloc, d->radius, out, &m->fault); break;
    case DELASSUS_SPHERE: made = dls_shape_sphere(alloc, d->radius, out, &m->fault); break;
    case DELASSUS_CAPSULE:
      made = dls_shape_capsule(alloc, d->radius, d->length, out, &m->fault);
      break;
    case DELASSUS_CYLINDER:
      made = dls_shape_cylinder(alloc, d->radius, d->length, out, &m->fault);
      break;
    default: made = dls_shape_cone(alloc, d->radius, d->radius2, d->length, out, &m->fault);
  }
  return dls_host_report(m->host, made, m->function);
}

static delassus_status make_box(maker *m, dls_shape **out) {
  const int dim = m->host->world->dim;
  for (int i = 0; i < dim; i++) {
    const delassus_status status = positive(m, "size", m->def->size[i], false);
    if (status != DELASSUS_OK) return status;
  }
  const dls_status made = dls_shape_box(&m->host->alloc, dim, m->def->size, out, &m->fault);
  return dls_host_report(m->host, made, m->function);
}

static delassus_status make_ellipsoid(maker *m, dls_shape **out) {
  for (int i = 0; i < 3; i++) {
    const delassus_status status = positive(m, "radii", m->def->radii[i], false);
    if (status != DELASSUS_OK) return status;
  }
  const dls_status made = dls_shape_ellipsoid(&m->host->alloc, m->def->radii, out, &m->fault);
  return dls_host_report(m->host, made, m->function);
}

static delassus_status make_cornered(maker *m, dls_shape **out) {
  const delassus_shape_def *d = m->def;
  const dls_alloc *alloc = &m->host->alloc;
  const int least = d->kind == DELASSUS_CONVEX ? 4 : (d->kind == DELASSUS_POLYGON ? 3 : 2);
  const delassus_status status = corners(m, d->kind == DELASSUS_CONVEX ? 3 : 2, least);
  if (status != DELASSUS_OK) return status;
  dls_status made;
  if (d->kind == DELASSUS_POLYGON)
    made = dls_shape_polygon(alloc, d->n_points, d->points, out, &m->fault);
  else if (d->kind == DELASSUS_SEGMENT)
    made = dls_shape_segment(alloc, d->points, d->points + 2, out, &m->fault);
  else
    made = dls_shape_convex(alloc, d->n_points, d->points, out, &m->fault);
  if (made == DLS_ARG)
    return dls_host_fail(m->host, DELASSUS_BAD_ARGUMENT, m->function,
                         "'shape.points' do not make such a shape (point %d)", m->fault.index);
  return dls_host_report(m->host, made, m->function);
}

delassus_status dls_host_shape(delassus_world *host, const char *function,
                               const delassus_shape_def *def, dls_shape **out) {
  maker m = {host, function, def, {-1, 0}};
  *out = NULL;
  switch (def->kind) {
    case DELASSUS_NO_SHAPE: return DELASSUS_OK;
    case DELASSUS_DISK: case DELASSUS_SPHERE: case DELASSUS_CAPSULE: case DELASSUS_CYLINDER:
    case DELASSUS_CONE: return make_round(&m, out);
    case DELASSUS_BOX: return make_box(&m, out);
    case DELASSUS_ELLIPSOID: return make_ellipsoid(&m, out);
    case DELASSUS_POLYGON: case DELASSUS_CONVEX: case DELASSUS_SEGMENT:
      return make_cornered(&m, out);
    case DELASSUS_PLANE: return make_plane(&m, out);
    case DELASSUS_DRUM: return make_drum(&m, out);
    case DELASSUS_MESH: return make_mesh(&m, out);
    case DELASSUS_COMPOUND: return make_compound(&m, out);
  }
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                       "'shape.kind' must be one of delassus_shape_kind, got %d", (int)def->kind);
}

/* --- materials ------------------------------------------------------------------------------ */

delassus_material_def delassus_material_def_default(void) {
  const dls_material m = dls_material_default();
  return (delassus_material_def){.friction = m.friction, .kinetic_friction = -1,
                                 .restitution = m.restitution, .stiffness = m.stiffness,
                                 .damping = m.damping, .rolling_friction = m.rolling,
                                 .spinning_friction = m.spinning,
                                 .tangential_restitution = m.tangential_restitution};
}

delassus_status dls_host_material(delassus_world *host, const char *function, const char *field,
                                  const delassus_material_def *def, dls_material *out) {
  const struct {
    const char *name; /* of the field */
    double x;   /* its value */
    bool share; /* from 0 to 1 */
  } fields[] = {{"friction", def->friction, false},
                {"friction_decay", def->friction_decay, false},
                {"restitution", def->restitution, true},
                {"damping", def->damping, false},
                {"rolling_friction", def->rolling_friction, false},
                {"spinning_friction", def->spinning_friction, false},
                {"tangential_restitution", def->tangential_restitution, true}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].x >= 0) || !dls_is_finite(fields[i].x) || (fields[i].share && fields[i].x > 1))
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                           "'%s.%s' must be %s, got %g", field, fields[i].name,
                           fields[i].share ? "between 0 and 1" : "finite and >= 0", fields[i].x);
  if (!(def->stiffness > 0))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                         "'%s.stiffness' must be > 0, got %g", field, def->stiffness);
  const bool one = def->kinetic_friction == -1;
  if (!one && (!(def->kinetic_friction >= 0) || !dls_is_finite(def->kinetic_friction)))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                         "'%s.kinetic_friction' must be finite and >= 0, or -1, got %g", field,
                         def->kinetic_friction);
  *out = dls_material_default();
  out->friction = def->friction;
  out->kinetic = one ? def->friction : def->kinetic_friction;
  if (!one) out->decay = def->friction_decay;
  out->restitution = def->restitution;
  out->stiffness = def->stiffness;
  out->damping = def->damping;
  out->rolling = def->rolling_friction;
  out->spinning = def->spinning_friction;
  out->tangential_restitution = def->tangential_restitution;
  return DELASSUS_OK;
}
