/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/make.h"

static dls_mass plane_mass(double mass, double zz) {
  return (dls_mass){mass, {0, 0, 0}, dls_m3_diag(0, 0, zz)};
}

void dls_mass_disk(double r, dls_mass *out) {
  double m = DLS_PI * r * r;
  *out = plane_mass(m, 0.5 * m * r * r);
}

/* A rectangle of length x 2 r and a disk cut in two halves whose centres, 4 r / (3 pi) from their
** straight sides, stand at length / 2: inertia of the halves by the parallel axis theorem. */
void dls_mass_capsule2(double r, double length, dls_mass *out) {
  double h = 0.5 * length, bar = 2 * r * length, disk = DLS_PI * r * r;
  double zz = bar * (length * length + 4 * r * r) / 12;
  zz += disk * (0.5 * r * r + h * h + 8 * r * h / (3 * DLS_PI));
  *out = plane_mass(bar + disk, zz);
}

void dls_mass_sphere(double r, dls_mass *out) {
  double m = 4 * DLS_PI * r * r * r / 3, i = 0.4 * m * r * r;
  *out = (dls_mass){m, {0, 0, 0}, dls_m3_diag(i, i, i)};
}

/* A cylinder and two half balls, each 2 pi r^3 / 3 with its centre 3 r / 8 from the flat side. */
void dls_mass_capsule3(double r, double length, dls_mass *out) {
  double h = 0.5 * length, rod = DLS_PI * r * r * length, ball = 4 * DLS_PI * r * r * r / 3;
  double axial = 0.5 * rod * r * r + 0.4 * ball * r * r;
  double across = rod * (3 * r * r + length * length) / 12;
  across += ball * (0.4 * r * r + h * h + 0.75 * r * h);
  *out = (dls_mass){rod + ball, {0, 0, 0}, dls_m3_diag(axial, across, across)};
}

/* Truncated cone along x from -L/2 (radius r1) to L/2 (radius r2). With t in 0..1 along the axis,
** r(t) = r1 + (r2 - r1) t, the moments are integrals of polynomials in t:
**   A_k = int t^k r^2 dt (k = 0, 1, 2),  B = int r^4 dt. */
void dls_mass_cone(double r1, double r2, double length, dls_mass *out) {
  double p = r1 * r1, q = r1 * r2, s = r2 * r2, L = length;
  double A0 = (p + q + s) / 3, A1 = (p + 2 * q + 3 * s) / 12, A2 = (p + 3 * q + 6 * s) / 30;
  double B = (p * p + p * q + p * s + q * s + s * s) / 5;
  double m = DLS_PI * L * A0, centre = L * (A1 / A0 - 0.5);
  double along = DLS_PI * L * (L * L) * (A2 - A1 * A1 / A0); /* int x^2 about the centre */
  double axial = 0.5 * DLS_PI * L * B;
  *out =
      (dls_mass){m, {centre, 0, 0}, dls_m3_diag(axial, 0.5 * axial + along, 0.5 * axial + along)};
}

void dls_mass_ellipsoid(const double semi[3], dls_mass *out) {
  double x = semi[0] * semi[0], y = semi[1] * semi[1], z = semi[2] * semi[2];
  double m = 4 * DLS_PI * semi[0] * semi[1] * semi[2] / 3;
  dls_mat3 I = dls_m3_diag(0.2 * m * (y + z), 0.2 * m * (x + z), 0.2 * m * (x + y));
  *out = (dls_mass){m, {0, 0, 0}, I};
}

void dls_mass_box(const double size[3], dls_mass *out) {
  double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
  double m = size[0] * size[1] * size[2];
  dls_mat3 I = dls_m3_diag(m * (y + z) / 12, m * (x + z) / 12, m * (x + y) / 12);
  *out = (dls_mass){m, {0, 0, 0}, I};
}

/* Triangles from corner 0, which is also the origin of the sums so that nothing cancels. */
void dls_mass_polygon(int n, const dls_vec3 *points, dls_mass *out) {
  dls_vec2 o = {points[0].x, points[0].y};
  double area = 0, mx = 0, my = 0, zz = 0;
  for (int i = 1; i + 1 < n; i++) {
    dls_vec2 a = {points[i].x - o.x, points[i].y - o.y};
    dls_vec2 b = {points[i + 1].x - o.x, points[i + 1].y - o.y};
    double t = 0.5 * dls_v2_cross(a, b);
    area += t;
    mx += t * (a.x + b.x) / 3;
    my += t * (a.y + b.y) / 3;
    zz += t * (dls_v2_dot(a, a) + dls_v2_dot(a, b) + dls_v2_dot(b, b)) / 6;
  }
  double cx = mx / area, cy = my / area;
  *out = plane_mass(area, zz - area * (cx * cx + cy * cy));
  out->centre = dls_v3(o.x + cx, o.y + cy, 0);
}

/* Tetrahedra from corner 0 of the body. One with edges a, b, c from the apex has the volume
** v = a . (b x c) / 6 and the second moments  int x x' = v/20 (s s' + a a' + b b' + c c'),
** s = a + b + c. */
void dls_mass_polyhedron(const dls_shape *shape, dls_mass *out) {
  dls_vec3 o = shape->points[0], first = {0, 0, 0};
  double volume = 0;
  dls_mat3 second = {{0}};
  for (int f = 0; f < shape->n_faces; f++) {
    const int *corner = shape->face_points + shape->faces[f].first;
    for (int k = 1; k + 1 < shape->faces[f].count; k++) {
      dls_vec3 a = dls_v3_sub(shape->points[corner[0]], o);
      dls_vec3 b = dls_v3_sub(shape->points[corner[k]], o);
      dls_vec3 c = dls_v3_sub(shape->points[corner[k + 1]], o);
      dls_vec3 s = dls_v3_add(a, dls_v3_add(b, c));
      double v = dls_v3_dot(a, dls_v3_cross(b, c)) / 6;
      volume += v;
      first = dls_v3_axpy(first, v / 4, s);
      dls_vec3 all[4] = {s, a, b, c};
      for (int i = 0; i < 4; i++) {
        dls_mat3 xx = dls_m3_outer(all[i], all[i]);
        for (int j = 0; j < 9; j++) second.m[j] += v / 20 * xx.m[j];
      }
    }
  }
  dls_vec3 c = dls_v3_scale(1 / volume, first);
  dls_mat3 cc = dls_m3_outer(c, c);
  for (int j = 0; j < 9; j++) second.m[j] -= volume * cc.m[j];
  double trace = second.m[0] + second.m[4] + second.m[8];
  dls_mat3 I;
  for (int j = 0; j < 9; j++) I.m[j] = (j % 4 == 0 ? trace : 0) - second.m[j];
  *out = (dls_mass){volume, dls_v3_add(o, c), I};
}

void dls_mass_add(dls_mass *out, const dls_mass *part, const dls_mat3 *R, dls_vec3 p) {
  if (part->mass == 0) return;
  dls_vec3 centre = dls_v3_add(p, dls_m3_apply(R, part->centre));
  dls_mat3 I = dls_m3_congruent(R, &part->inertia);
  double m = out->mass + part->mass;
  dls_vec3 d = dls_v3_sub(centre, out->centre);
  dls_mat3 between = dls_m3_point_inertia(out->mass * (part->mass / m), d);
  out->inertia = dls_m3_add(&out->inertia, &I);
  out->inertia = dls_m3_add(&out->inertia, &between);
  out->centre = dls_v3_axpy(out->centre, part->mass / m, d);
  out->mass = m;
}

void dls_shape_mass(const dls_shape *shape, bool planar, double density, dls_mass *out) {
  *out = planar ? shape->mass2 : shape->mass3;
  out->mass *= density;
  out->inertia = dls_m3_scale(density, &out->inertia);
  if (!planar) return;
  for (int j = 0; j < 8; j++) out->inertia.m[j] = 0;
}
