/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/box3.h"

/* of both reaches and places: of a separation, many times what it is */
#define ROUNDOFF 1e-12
/* the same over the sine of two axes that cross: that of the direction they give */
#define CROSSED 1e-13
/* squared sine below which axes give no direction: half of what look_crossing asks for */
#define PARALLEL 0.5e-14

static const int other[3][2] = {{1, 2}, {2, 0}, {0, 1}};

typedef struct boxes {
  double C[9], size[9]; /* A' B, and its absolute values */
  double t[2][3];       /* d along the axes of a and of b */
  double half[2][3];    /* of a and of b, m */
  double unsure;        /* round-off of a separation, m  */
} boxes;

static void measure(const dls_body3 *a, const dls_body3 *b, dls_vec3 d, boxes *w) {
  dls_v3_store(w->t[0], dls_m3_apply_t(&a->R, d));
  dls_v3_store(w->t[1], dls_m3_apply_t(&b->R, d));
  dls_v3_store(w->half[0], a->shape->half);
  dls_v3_store(w->half[1], b->shape->half);
  const dls_vec3 p = a->p, q = b->p;
  const double places = (fabs(p.x) + fabs(p.y) + fabs(p.z)) + (fabs(q.x) + fabs(q.y) + fabs(q.z));
  w->unsure = ROUNDOFF * (a->shape->reach + b->shape->reach + places);
}

static void compare(const dls_body3 *a, const dls_body3 *b, boxes *w) {
  const dls_mat3 C = dls_m3_t_mul(&a->R, &b->R);
  for (int i = 0; i < 9; i++) w->C[i] = C.m[i], w->size[i] = fabs(C.m[i]);
}

static double sum_along(const double half[3], const double t[3]) {
  return half[0] * fabs(t[0]) + half[1] * fabs(t[1]) + half[2] * fabs(t[2]);
}

static double between(const boxes *w, double distance) {
  return distance - (sum_along(w->half[0], w->t[0]) + sum_along(w->half[1], w->t[1])) / distance;
}

/* Separations along the three axes of one box: of a, rows of C, of b, columns. */
static void faces(const boxes *w, int of, double s[3]) {
  const int next = of == 0 ? 3 : 1, along = of == 0 ? 1 : 3;
  const double *h = w->half[1 - of];
  for (int i = 0; i < 3; i++) {
    const double *c = w->size + next * i;
    s[i] =
        fabs(w->t[of][i]) - w->half[of][i] - (h[0] * c[0] + h[1] * c[along] + h[2] * c[2 * along]);
  }
}

double dls_apart3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                  const dls_pose3 *pose_b) {
  static const double FAR = 1.1;
  if (!a->bounded || !b->bounded) return -DLS_INF;
  const dls_vec3 d = dls_v3_sub(pose_b->p, pose_a->p);
  const double reach = a->reach + b->reach, square = dls_v3_dot(d, d);
  const bool flat = a->kind == DLS_SHAPE_BOX && b->kind == DLS_SHAPE_BOX;
  if (!flat || square > FAR * FAR * reach * reach)
    return square > reach * reach ? sqrt(square) - reach : -DLS_INF;
  const dls_body3 body_a = dls_body3_make(a, pose_a, pose_a->p),
                  body_b = dls_body3_make(b, pose_b, pose_a->p);
  boxes w;
  double s[3], most = -DLS_INF;
  measure(&body_a, &body_b, d, &w);
  compare(&body_a, &body_b, &w);
  for (int of = 0; of < 2; of++) {
    faces(&w, of, s);
    for (int i = 0; i < 3; i++) most = dls_max(most, s[i]);
  }
  return most - w.unsure;
}

/* Bits of the faces of one box that are as good as `most`. */
static unsigned good_faces(const boxes *w, int of, const double s[3], double most) {
  unsigned bits = 0;
  for (int i = 0; i < 3; i++) {
    if (s[i] < most - w->unsure) continue;
    const double t = of == 0 ? w->t[0][i] : -w->t[1][i]; /* a is left along n, b along -n */
    if (t <= w->unsure) bits |= 1u << (2 * i);
    if (t >= -w->unsure) bits |= 2u << (2 * i);
  }
  return bits << (DLS_BOXES_FACE + 6 * of);
}

/* Bits of the crossings that may be as good as `most`. */
static unsigned good_crossings(const boxes *w, double most) {
  unsigned bits = 0;
  for (int i = 0; i < 3; i++) {
    const int k = other[i][0], l = other[i][1];
    for (int j = 0; j < 3; j++) {
      const double ck = w->C[3 * k + j], cl = w->C[3 * l + j], square = ck * ck + cl * cl;
      if (square <= PARALLEL) continue;
      const int m = other[j][0], n = other[j][1];
      const double *a = w->half[0], *b = w->half[1], *c = w->size;
      const double apart = w->t[0][l] * ck - w->t[0][k] * cl;
      const double both =
          (a[k] * c[3 * l + j] + a[l] * c[3 * k + j]) + (b[m] * c[3 * i + n] + b[n] * c[3 * i + m]);
      const double unsure = CROSSED / ROUNDOFF * w->unsure; /* times the sine */
      const double least = (most - w->unsure) * sqrt(square) + both - unsure;
      if (fabs(apart) < least) continue;
      const unsigned signs = (apart < least ? 0 : 1) + (-apart < least ? 0 : 2);
      bits |= signs << (DLS_BOXES_CROSSING + 2 * (3 * i + j));
    }
  }
  return bits;
}

/* Whether a separation is enough: 1 or 0; -1: within round-off of it. */
static int is_enough(const boxes *w, double s, double enough) {
  if (s > enough + w->unsure) return 1;
  return s < enough - w->unsure ? 0 : -1;
}

unsigned dls_boxes_directions(const dls_body3 *a, const dls_body3 *b, double enough) {
  const dls_vec3 d = dls_v3_sub(b->p, a->p);
  const double distance = dls_v3_norm(d);
  boxes w;
  double s[2][3], most;
  unsigned bits = 0;
  measure(a, b, d, &w);
  if (!(distance > w.unsure)) return DLS_BOXES_ALL;
  const double middle = most = between(&w, distance);
  int end = is_enough(&w, most, enough);
  if (end > 0) return DLS_BOXES_BETWEEN;
  compare(a, b, &w);
  for (int of = 0; of < 2 && end == 0; of++) {
    faces(&w, of, s[of]);
    for (int i = 0; i < 3; i++) most = dls_max(most, s[of][i]);
    bits = middle < most - w.unsure ? 0 : DLS_BOXES_BETWEEN;
    for (int k = 0; k <= of; k++) bits |= good_faces(&w, k, s[k], most);
    end = is_enough(&w, most, enough);
    if (end > 0) return bits;
  }
  return end < 0 ? DLS_BOXES_ALL : bits | good_crossings(&w, most);
}
