/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/collide.h"
#include "core/collide/tree3.h"

/* Rays in the shape's frame: p(t) = o + t d, 0 <= t <= 1. Each function lowers *t and sets *n where
** it finds an entry earlier than *t, and says so. */
typedef struct ray {
  dls_vec3 o, d; /* start and way */
} ray;

static dls_vec3 at(ray p, double t) { return dls_v3_axpy(p.o, t, p.d); }

/* Both roots of a t^2 + 2 b t + k = 0, a > 0, without cancellation; false where there are none. */
static bool roots(double a, double b, double k, double *lo, double *hi) {
  double disc = b * b - a * k;
  if (!(a > 0) || disc < 0) return false;
  double q = b > 0 ? -b - sqrt(disc) : -b + sqrt(disc);
  double r1 = q / a, r2 = q != 0 ? k / q : 0;
  *lo = dls_min(r1, r2), *hi = dls_max(r1, r2);
  return true;
}

static bool enter_ball(ray p, dls_vec3 c, double r, double *t, dls_vec3 *n) {
  dls_vec3 m = dls_v3_sub(p.o, c);
  double k = dls_v3_dot(m, m) - r * r, b = dls_v3_dot(m, p.d), lo, hi;
  if (k < 0 || b >= 0 || !roots(dls_v3_dot(p.d, p.d), b, k, &lo, &hi)) return false;
  if (!(lo >= 0 && lo < *t)) return false;
  *t = lo;
  *n = dls_v3_scale(1 / r, dls_v3_axpy(m, lo, p.d));
  return true;
}

/* A convex body as an interval of t inside of all its boundaries. */
typedef struct span {
  double in, out; /* last entry, first exit so far */
  dls_vec3 n;     /* normal at the last entry      */
} span;

static span whole(void) { return (span){-DLS_INF, DLS_INF, {0, 0, 0}}; }

static void cut_plane(ray p, dls_vec3 n, double offset, span *s) {
  double h = dls_v3_dot(n, p.o) - offset, rate = dls_v3_dot(n, p.d);
  if (rate == 0) {
    if (h > 0) s->out = -DLS_INF;
  } else if (rate < 0) {
    if (h / -rate > s->in) s->in = h / -rate, s->n = n;
  } else {
    s->out = dls_min(s->out, h / -rate);
  }
}

static bool take(const span *s, double *t, dls_vec3 *n) {
  if (!(s->in >= 0 && s->in <= s->out && s->in < *t)) return false;
  *t = s->in, *n = s->n;
  return true;
}

static bool enter_hull(ray p, const dls_shape *shape, double *t, dls_vec3 *n) {
  span s = whole();
  for (int i = 0; i < shape->n_faces; i++)
    cut_plane(p, shape->faces[i].normal, shape->faces[i].offset, &s);
  return take(&s, t, n);
}

/* Within the cone of radius r1 + slope (x + h) about the axis, on its side r >= 0. */
static void cut_cone(ray p, double h, double r1, double slope, span *s) {
  double r0 = r1 + slope * (p.o.x + h), rate = slope * p.d.x;
  double a = p.d.y * p.d.y + p.d.z * p.d.z - rate * rate;
  double b = p.o.y * p.d.y + p.o.z * p.d.z - r0 * rate;
  double k = p.o.y * p.o.y + p.o.z * p.o.z - r0 * r0, lo = 0, hi = 0;
  if (a <= 0) { /* steeper than the cone: one crossing of the side r >= 0 bounds the inside */
    if (a == 0 && b == 0) {
      if (k > 0) s->out = -DLS_INF;
      return;
    }
    double far = -DLS_INF;
    if (a == 0) {
      far = -k / (2 * b);
    } else if (roots(-a, -b, -k, &lo, &hi)) {
      far = rate > 0 ? hi : lo; /* the inside is where the radius grows */
    } else {
      return;
    }
    bool entering = rate > 0;
    dls_vec3 q = at(p, far);
    if (entering && far > s->in)
      s->in = far, s->n = dls_v3_unit(dls_v3(-slope * (r1 + slope * (q.x + h)), q.y, q.z));
    if (!entering) s->out = dls_min(s->out, far);
    return;
  }
  if (!roots(a, b, k, &lo, &hi)) {
    s->out = -DLS_INF;
    return;
  }
  if (lo > s->in) {
    dls_vec3 q = at(p, lo);
    s->in = lo;
    s->n = dls_v3_unit(dls_v3(-slope * (r1 + slope * (q.x + h)), q.y, q.z));
  }
  s->out = dls_min(s->out, hi);
}

static bool enter_round(ray p, const dls_shape *shape, double *t, dls_vec3 *n) {
  double h = shape->half.x, r1 = shape->radius;
  double slope = shape->kind == DLS_SHAPE_CONE ? (shape->radius2 - r1) / (2 * h) : 0;
  span s = whole();
  cut_plane(p, dls_v3(1, 0, 0), h, &s);
  cut_plane(p, dls_v3(-1, 0, 0), h, &s);
  cut_cone(p, h, r1, slope, &s);
  return take(&s, t, n);
}

static bool enter_capsule(ray p, const dls_shape *shape, double *t, dls_vec3 *n) {
  double h = shape->half.x, r = shape->radius, along = dls_clamp(p.o.x, -h, h), dx = p.o.x - along;
  if (dx * dx + p.o.y * p.o.y + p.o.z * p.o.z < r * r) return false; /* begins inside */
  bool hit = enter_ball(p, dls_v3(-h, 0, 0), r, t, n);
  hit = enter_ball(p, dls_v3(h, 0, 0), r, t, n) || hit;
  span s = whole();
  cut_cone(p, h, r, 0, &s);
  double x = at(p, s.in).x;
  return (fabs(x) <= h && take(&s, t, n)) || hit;
}

/* Where the semi-axes are units it is a ball of radius 1; normals are those of x -> |D^-1 x|. */
static bool enter_ellipsoid(ray p, const dls_shape *shape, double *t, dls_vec3 *n) {
  const dls_vec3 a = shape->half;
  const ray q = {dls_v3(p.o.x / a.x, p.o.y / a.y, p.o.z / a.z),
                 dls_v3(p.d.x / a.x, p.d.y / a.y, p.d.z / a.z)};
  if (!enter_ball(q, dls_v3(0, 0, 0), 1, t, n)) return false;
  *n = dls_v3_unit(dls_v3(n->x / a.x, n->y / a.y, n->z / a.z));
  return true;
}

static bool enter_plane(ray p, const dls_shape *shape, double *t, dls_vec3 *n) {
  double h = dls_v3_dot(shape->normal, p.o) - shape->offset, rate = dls_v3_dot(shape->normal, p.d);
  if (!(h >= 0 && rate < 0 && h / -rate < *t)) return false;
  *t = h / -rate, *n = shape->normal;
  return true;
}

/* From either side; of two at the same place the face of the lower number. Source: Moller &
** Trumbore, J. Graphics Tools 2 (1997). */
static bool cross_triangle(ray p, const dls_shape *mesh, int f, double *t, int *first) {
  const int *v = mesh->face_points + mesh->faces[f].first;
  dls_vec3 a = mesh->points[v[0]], e = dls_v3_sub(mesh->points[v[1]], a);
  dls_vec3 g = dls_v3_sub(mesh->points[v[2]], a), q = dls_v3_cross(p.d, g);
  double det = dls_v3_dot(e, q);
  if (det == 0) return false;
  dls_vec3 s = dls_v3_sub(p.o, a), r = dls_v3_cross(s, e);
  double u = dls_v3_dot(s, q) / det, w = dls_v3_dot(p.d, r) / det, when = dls_v3_dot(g, r) / det;
  if (!(u >= 0 && w >= 0 && u + w <= 1 && when >= 0)) return false;
  if (!(when < *t || (when == *t && f < *first))) return false;
  *t = when;
  *first = f;
  return true;
}

static bool enter_mesh(ray p, const dls_shape *mesh, double *t, dls_vec3 *n) {
  const double slack = 1e-12 * mesh->reach;
  int first = -1;
  bool hit = false;
  for (int i = 0; i < mesh->n_nodes;) {
    const dls_node3 *node = &mesh->nodes[i];
    if (!dls_node3_crossed(node, p.o, p.d, *t, slack)) {
      i = node->skip;
      continue;
    }
    for (int k = 0; k < node->count; k++)
      hit = cross_triangle(p, mesh, mesh->tree_faces[node->first + k], t, &first) || hit;
    i++;
  }
  if (!hit) return false;
  dls_vec3 normal = mesh->faces[first].normal;
  *n = dls_v3_dot(normal, p.d) > 0 ? dls_v3_neg(normal) : normal;
  return true;
}

/* A lifter: the bar from R - height outward, as long as the drum. */
static bool enter_lifter(ray p, const dls_shape *drum, int k, double *t, dls_vec3 *n) {
  dls_vec3 d = {0, drum->dirs[k].x, drum->dirs[k].y}, l = {0, -d.z, d.y};
  double half = 0.5 * drum->lifters.width, h = drum->half.x;
  span s = whole();
  cut_plane(p, dls_v3_neg(d), drum->lifters.height - drum->radius, &s);
  cut_plane(p, l, half, &s);
  cut_plane(p, dls_v3_neg(l), half, &s);
  if (h < DLS_INF) {
    cut_plane(p, dls_v3(1, 0, 0), h, &s);
    cut_plane(p, dls_v3(-1, 0, 0), h, &s);
  }
  return take(&s, t, n);
}

/* From the free inside out through the shell, within its length, and through closed ends. */
static bool enter_drum(ray p, const dls_shape *drum, double *t, dls_vec3 *n) {
  double R = drum->radius, h = drum->half.x, lo, hi;
  bool hit = false;
  if (roots(p.d.y * p.d.y + p.d.z * p.d.z, p.o.y * p.d.y + p.o.z * p.d.z,
            p.o.y * p.o.y + p.o.z * p.o.z - R * R, &lo, &hi) &&
      hi >= 0 && hi < *t && fabs(at(p, hi).x) <= h) {
    dls_vec3 q = at(p, hi);
    *t = hi, *n = dls_v3(0, -q.y / R, -q.z / R), hit = true;
  }
  for (int side = -1; side <= 1 && drum->ends; side += 2) {
    double gap = h - side * p.o.x, rate = side * p.d.x;
    if (!(gap >= 0 && rate > 0 && gap / rate < *t)) continue;
    dls_vec3 q = at(p, gap / rate);
    if (q.y * q.y + q.z * q.z > R * R) continue;
    *t = gap / rate, *n = dls_v3(-side, 0, 0), hit = true;
  }
  for (int i = 0; i < drum->lifters.count; i++) hit = enter_lifter(p, drum, i, t, n) || hit;
  return hit;
}

static bool enter(const dls_shape *shape, ray p, double *t, dls_vec3 *n) {
  switch (shape->kind) {
    case DLS_SHAPE_SPHERE: return enter_ball(p, dls_v3(0, 0, 0), shape->radius, t, n);
    case DLS_SHAPE_CAPSULE: return enter_capsule(p, shape, t, n);
    case DLS_SHAPE_CYLINDER:
    case DLS_SHAPE_CONE: return enter_round(p, shape, t, n);
    case DLS_SHAPE_ELLIPSOID: return enter_ellipsoid(p, shape, t, n);
    case DLS_SHAPE_BOX:
    case DLS_SHAPE_CONVEX: return enter_hull(p, shape, t, n);
    case DLS_SHAPE_PLANE: return enter_plane(p, shape, t, n);
    case DLS_SHAPE_DRUM: return enter_drum(p, shape, t, n);
    case DLS_SHAPE_MESH: return enter_mesh(p, shape, t, n);
    default: return false;
  }
}

bool dls_raycast3(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 from, dls_vec3 to,
                  dls_hit *hit) {
  if (shape->kind == DLS_SHAPE_COMPOUND) {
    bool any = false;
    for (int i = 0; i < shape->n_children; i++) {
      dls_hit one;
      dls_pose3 child = dls_pose3_mul(pose, &shape->children[i].pose3);
      if (!dls_raycast3(shape->children[i].shape, &child, from, to, &one)) continue;
      if (!any || one.fraction < hit->fraction) *hit = one;
      any = true;
    }
    return any;
  }
  dls_vec3 way = dls_v3_sub(to, from), n = {0, 0, 0};
  ray p = {dls_pose3_back(pose, from), dls_m3_apply_t(&pose->R, way)};
  double t = 1 + 1e-15;
  if (!enter(shape, p, &t, &n)) return false;
  t = dls_min(t, 1);
  *hit = (dls_hit){t, dls_v3_axpy(from, t, way), dls_m3_apply(&pose->R, n)};
  return true;
}
