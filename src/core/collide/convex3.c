/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/convex3.h"

#include "core/collide/manifold3.h"
#include "core/collide/pairs3.h"
#include "core/collide/segments.h"
#include "core/collide/separate3.h"

#define MOST 32        /* corners of a patch that are used                                       */
#define SIDE 0.8       /* cosine to its axis beyond which a cylinder offers its end              */
#define STEEP 0.1      /* a patch steeper than this to the normal cuts nothing                   */
#define SLACK 1e-7     /* relative: a corner this far outside still counts as inside: calm keys  */
#define ONE 1e-6       /* relative: candidates nearer to each other are one point                */
#define LEVEL 1e-9     /* relative: corners this much lower belong to the nearest feature too    */
/* relative to the radii: a crossing nearer by less than the ends is none */
#define LENS 1e-9
#define SAG 1e-3       /* relative to the radii: side lines that part by less touch along a line */
#define FLAT 1e-9      /* sine below which an end lies flat and its corners stay on the body     */
/* relative to the smaller body: so far apart they are moved for their nearest points */
#define CLEAR 0.1
#define NEAREST_KEY (UINT64_C(1) << 60)

typedef struct patch {
  int n;              /* 1 point, 2 line, more: polygon, counterclockwise seen from outside */
  int face;           /* which face of the body                                             */
  dls_vec3 v[MOST];   /* corners                                                            */
  dls_vec3 normal;    /* outward; of a polygon                                              */
  double round;       /* radius of curvature across a line, m                               */
  bool smooth;        /* of an ellipsoid                                                    */
} patch;

static double rounding(const dls_shape *s) {
  return s->kind == DLS_SHAPE_SPHERE || s->kind == DLS_SHAPE_CAPSULE ? s->radius : 0;
}

static dls_vec3 place(const dls_body3 *body, double x, double y, double z) {
  return dls_v3_add(body->p, dls_m3_apply(&body->R, dls_v3(x, y, z)));
}

/* An end of a cylinder or cone as the square on its rim with one corner towards n, or a side
** line. */
static void rim_patch(const dls_body3 *body, dls_vec3 n, patch *out) {
  const dls_shape *s = body->shape;
  dls_vec3 d = dls_m3_apply_t(&body->R, n);
  double across = sqrt(d.y * d.y + d.z * d.z), h = s->half.x;
  double y = across > FLAT ? d.y / across : 1, z = across > FLAT ? d.z / across : 0;
  double r1 = s->radius, r2 = s->kind == DLS_SHAPE_CONE ? s->radius2 : r1;
  double r = d.x > 0 ? r2 : r1;
  if (fabs(d.x) > SIDE && r > 0) {
    double x = d.x > 0 ? h : -h, turn = d.x > 0 ? 1 : -1;
    const double dirs[4][2] = {{y, z}, {-turn * z, turn * y}, {-y, -z}, {turn * z, -turn * y}};
    out->n = 4, out->face = d.x > 0;
    out->normal = dls_v3_scale(turn, dls_m3_column(&body->R, 0));
    for (int k = 0; k < 4; k++) out->v[k] = place(body, x, r * dirs[k][0], r * dirs[k][1]);
    return;
  }
  out->n = 2, out->face = 2, out->round = dls_max(r1, r2);
  out->v[0] = place(body, -h, r1 * y, r1 * z);
  out->v[1] = place(body, h, r2 * y, r2 * z);
}

/* How many corners of a face are as far along d. */
static int corners_at(const dls_shape *s, const dls_hull_face *face, dls_vec3 d, double level) {
  int n = 0;
  for (int k = 0; k < face->count; k++)
    n += dls_v3_dot(d, s->points[s->face_points[face->first + k]]) >= level;
  return n;
}

/* The face that faces n most: of all or, if `farthest`, of those with most of the farthest
** corners. */
static void face_patch(const dls_body3 *body, dls_vec3 n, bool farthest, patch *out) {
  const dls_shape *s = body->shape;
  dls_vec3 d = dls_m3_apply_t(&body->R, n);
  double most = -DLS_INF, level = -DLS_INF;
  int corners = 0;
  for (int i = 0; i < s->n_points && farthest; i++)
    level = dls_max(level, dls_v3_dot(d, s->points[i]));
  level -= LEVEL * s->reach;
  for (int i = 0; i < s->n_faces; i++) {
    const double dot = dls_v3_dot(s->faces[i].normal, d);
    const int on = farthest ? corners_at(s, &s->faces[i], d, level) : corners;
    if (on > corners || (on == corners && dot > most)) most = dot, corners = on, out->face = i;
  }
  const dls_hull_face *face = &s->faces[out->face];
  int stride = (face->count + MOST - 1) / MOST;
  out->normal = dls_m3_apply(&body->R, face->normal);
  for (int k = 0; k < face->count; k += stride) {
    dls_vec3 p = s->points[s->face_points[face->first + k]];
    out->v[out->n++] = place(body, p.x, p.y, p.z);
  }
}

/* What the body offers in the direction n; if `farthest`, with its farthest point in any case. */
static void offer(const dls_body3 *body, dls_vec3 n, bool farthest, patch *out) {
  const dls_shape *s = body->shape;
  out->n = 0, out->face = 0, out->normal = n, out->round = rounding(s),
  out->smooth = s->kind == DLS_SHAPE_ELLIPSOID;
  if (s->kind == DLS_SHAPE_CYLINDER || s->kind == DLS_SHAPE_CONE) {
    rim_patch(body, n, out);
  } else if (s->n_faces > 2 || (s->n_faces == 2 && s->kind != DLS_SHAPE_CAPSULE)) {
    face_patch(body, n, farthest, out);
  } else if (s->kind == DLS_SHAPE_ELLIPSOID) {
    out->v[out->n++] = dls_body3_support(body, n);
  } else {
    for (int i = 0; i < s->n_points; i++)
      out->v[out->n++] = place(body, s->points[i].x, s->points[i].y, s->points[i].z);
  }
}

/* The pair at work. */
typedef struct work {
  dls_separation3 s;     /* direction and separation without radii */
  double ra, rb;         /* rounding radii                         */
  double size;           /* m, of the pair                         */
  dls_vec3 origin;       /* of the coordinates                     */
  dls_manifold3 m;       /* candidates                             */
  bool met;              /* some of them are points of both        */
  const dls_sink *sink;  /* where touches go */
} work;

/* p on the core of a, q on that of b. Of two that are one point the deeper is told, by the key of
** the first. */
static void add(work *w, dls_vec3 p, dls_vec3 q, double gap, uint64_t key) {
  dls_vec3 n = w->s.n, on_a = dls_v3_add(w->origin, dls_v3_axpy(p, w->ra, n));
  dls_vec3 on_b = dls_v3_add(w->origin, dls_v3_axpy(q, -w->rb, n));
  gap -= w->ra + w->rb;
  for (int i = 0; i < w->m.n; i++) {
    dls_touch *t = &w->m.c[i];
    if (dls_v3_norm(dls_v3_sub(on_a, t->point_a)) > ONE * w->size) continue;
    if (gap < t->gap) t->point_a = on_a, t->point_b = on_b, t->gap = gap;
    return;
  }
  dls_manifold3_add(&w->m, w->sink, on_a, on_b, n, gap, key);
}

/* --- the one nearest point ------------------------------------------------------------------- */

/* The corners of the patch at the top along n: at most two, as a segment. */
static int tops(const patch *f, dls_vec3 n, double level, dls_vec3 *centre, dls_vec3 *u,
                double *h) {
  int count = 0;
  dls_vec3 end[2] = {f->v[0], f->v[0]};
  double most = -DLS_INF;
  for (int i = 0; i < f->n; i++) most = dls_max(most, dls_v3_dot(n, f->v[i]));
  for (int i = 0; i < f->n && count < 2; i++)
    if (dls_v3_dot(n, f->v[i]) >= most - level) end[count++] = f->v[i];
  dls_vec3 d = count == 2 ? dls_v3_sub(end[1], end[0]) : dls_v3(0, 0, 0);
  *h = 0.5 * dls_v3_norm(d);
  *u = *h > 0 ? dls_v3_scale(0.5 / *h, d) : dls_v3(1, 0, 0);
  *centre = count == 2 ? dls_v3_axpy(end[0], 0.5, d) : end[0];
  return count;
}

/* The points p and q of the tops of both that are nearest to each other seen along n, so that
** overlap does not matter. Answers how far they are apart sideways. */
static double nearest(const work *w, const patch *a, const patch *b, dls_vec3 *p, dls_vec3 *q) {
  dls_vec3 n = w->s.n, ca, cb, ua, ub;
  double ha, hb, level = LEVEL * w->size;
  tops(a, n, level, &ca, &ua, &ha);
  tops(b, dls_v3_neg(n), level, &cb, &ub, &hb);
  dls_vec3 d = dls_v3_sub(cb, ca);
  d = dls_v3_axpy(d, -dls_v3_dot(d, n), n);
  dls_nearest near = dls_segments_nearest(d, ua, ha, ub, hb);
  *p = dls_v3_axpy(ca, near.s, ua), *q = dls_v3_axpy(cb, near.t, ub);
  d = dls_v3_sub(*q, *p);
  return dls_v3_norm(dls_v3_axpy(d, -dls_v3_dot(d, n), n));
}

/* As nearest, of the whole bodies: those that GJK finds once b is moved along n until it is clear
** of a, for then the distance is along n. */
static void nearest_of_all(const work *w, const dls_body3 *a, const dls_body3 *b, dls_vec3 *p,
                           dls_vec3 *q) {
  const double clear = CLEAR * dls_min(a->shape->reach, b->shape->reach), way = clear - w->s.value;
  dls_body3 moved = *b;
  dls_vec3 x, y;
  moved.p = dls_v3_axpy(b->p, way, w->s.n);
  if (!dls_gjk3(a, &moved, &x, &y)) return;
  *p = x, *q = dls_v3_axpy(y, -way, w->s.n);
}

static void add_nearest(work *w, const dls_body3 *body_a, const dls_body3 *body_b, const patch *a,
                        const patch *b) {
  dls_vec3 n = w->s.n, p, q;
  if (nearest(w, a, b, &p, &q) > LEVEL * w->size) nearest_of_all(w, body_a, body_b, &p, &q);
  /* Onto the two supporting planes, the middle of what is left across n; corners and edges stay
  ** where they are, and an ellipsoid, whose points follow its normals, gives way. */
  dls_vec3 mid = dls_v3_scale(0.5, dls_v3_add(p, q));
  if (a->smooth != b->smooth) mid = a->smooth ? q : p;
  p = dls_v3_axpy(mid, dls_v3_dot(n, dls_v3_sub(w->s.x, mid)), n);
  q = dls_v3_axpy(mid, dls_v3_dot(n, dls_v3_sub(w->s.y, mid)), n);
  add(w, p, q, w->s.value, NEAREST_KEY);
}

/* --- patches cut against each other -------------------------------------------------------- */

typedef struct outline {
  int n;                  /* corners */
  dls_vec3 v[2 * MOST];   /* n: the corners, counterclockwise about the normal, m */
  int edge[2 * MOST];     /* name of the side that leaves corner i */
  int label[2 * MOST];    /* name of the corner                    */
} outline;

/* Heights of the corners over side k of the reference, inwards; whether all are within. */
static bool heights(const outline *in, dls_vec3 from, dls_vec3 inward, double slack,
                    double h[2 * MOST]) {
  bool all = true;
  for (int i = 0; i < in->n; i++) {
    h[i] = dls_v3_dot(inward, dls_v3_sub(in->v[i], from));
    all &= h[i] >= -slack;
  }
  return all;
}

/* Keeps the part of `in` on the inner side of side k of the reference: h >= 0. */
static void cut(const outline *in, const double h[2 * MOST], double slack, int k, outline *out) {
  out->n = 0;
  for (int i = 0; i < in->n && out->n < 2 * MOST - 2; i++) {
    const int j = i + 1 < in->n ? i + 1 : 0;
    const double hi = h[i], hj = h[j];
    bool in_i = hi >= -slack, in_j = hj >= -slack;
    if (in_i) {
      out->v[out->n] = in->v[i], out->edge[out->n] = in->edge[i];
      out->label[out->n++] = in->label[i];
    }
    if (in_i == in_j || (in->n == 2 && i == 1)) continue;
    if (!(hi * hj < 0)) continue; /* within the slack: the corner that is kept is the end */
    dls_vec3 z = dls_v3_axpy(in->v[i], hi / (hi - hj), dls_v3_sub(in->v[j], in->v[i]));
    out->v[out->n] = z;
    out->edge[out->n] = in_i ? MOST + k : in->edge[i];
    out->label[out->n++] = 2 * MOST * (k + 1) + in->edge[i]; /* edges are below 2 MOST */
  }
  if (in->n == 2 && out->n == 2 && out->edge[0] >= MOST) out->edge[0] = 0;
}

/* Corners of the incident patch within the outline of the reference polygon. */
static void add_cut(work *w, const patch *ref, const patch *inc, bool ref_is_a) {
  dls_vec3 n = ref_is_a ? w->s.n : dls_v3_neg(w->s.n); /* outward from the reference */
  double fall = dls_v3_dot(n, ref->normal);
  if (fall < STEEP) return;
  /* What lies beyond a steep outline is nearer or farther by the slope. */
  const double steep = sqrt(dls_max(0, 1 - fall * fall));
  const double slack = w->size * dls_min(SLACK, LEVEL * fall / dls_max(steep, LEVEL));
  outline one, two, *now = &one, *next = &two;
  double h[2 * MOST];
  one.n = inc->n;
  for (int i = 0; i < inc->n; i++) one.v[i] = inc->v[i], one.edge[i] = one.label[i] = i;
  for (int k = 0; k < ref->n && now->n > 0; k++) {
    dls_vec3 from = ref->v[k], side = dls_v3_sub(ref->v[k + 1 < ref->n ? k + 1 : 0], from);
    dls_vec3 inward = dls_v3_cross(n, side);
    double length = dls_v3_norm(inward);
    if (!(length > 0)) continue;
    if (heights(now, from, dls_v3_scale(1 / length, inward), slack, h) && now->n <= 2 * MOST - 2 &&
        now->n != 2)
      continue;
    cut(now, h, slack, k, next);
    outline *t = now;
    now = next, next = t;
  }
  uint64_t pair = (uint64_t)(ref_is_a ? ref->face : inc->face) << 16 |
                  (uint64_t)(ref_is_a ? inc->face : ref->face);
  for (int i = 0; i < now->n; i++) {
    dls_vec3 z = now->v[i];
    double height = dls_v3_dot(dls_v3_sub(z, ref->v[0]), ref->normal) / fall;
    height = dls_max(height, w->s.value); /* by the slack a corner may lie beyond the outline */
    dls_vec3 foot = dls_v3_axpy(z, -height, n);
    uint64_t key = inc->n == 1 ? NEAREST_KEY
                               : dls_key_mix(pair, 2 * (uint64_t)(now->label[i] + 1) + ref_is_a);
    add(w, ref_is_a ? foot : z, ref_is_a ? z : foot, height, key);
  }
}

/* Two side lines nearly parallel: the ends of their common part, farther by how far they have come
** apart sideways on their curved sides. False where they are no line contact. */
static bool line_ends(const work *w, const patch *a, const patch *b, dls_vec3 p[2], dls_vec3 q[2],
                      double gap[2]) {
  dls_vec3 da = dls_v3_sub(a->v[1], a->v[0]), db = dls_v3_sub(b->v[1], b->v[0]), n = w->s.n;
  double la = dls_v3_norm(da), lb = dls_v3_norm(db), radii = a->round + b->round;
  if (!(la > 0 && lb > 0 && radii > 0)) return false;
  dls_vec3 u = dls_v3_scale(1 / la, da), v = dls_v3_scale(1 / lb, db);
  double s0 = dls_v3_dot(dls_v3_sub(b->v[0], a->v[0]), u), s1 = s0 + dls_v3_dot(db, u);
  double lo = dls_max(0, dls_min(s0, s1)), hi = dls_min(la, dls_max(s0, s1));
  if (!(hi - lo > 0.1 * radii)) return false;
  for (int k = 0; k < 2; k++) {
    p[k] = dls_v3_axpy(a->v[0], k == 0 ? lo : hi, u);
    double t = dls_clamp(dls_v3_dot(dls_v3_sub(p[k], b->v[0]), v), 0, lb);
    q[k] = dls_v3_axpy(b->v[0], t, v);
    dls_vec3 d = dls_v3_sub(q[k], p[k]);
    double height = dls_v3_dot(d, n);
    dls_vec3 aside = dls_v3_axpy(d, -height, n);
    double sag = dls_v3_dot(aside, aside) / (2 * radii);
    if (sag > SAG * radii) return false;
    gap[k] = height + sag;
    dls_vec3 mid = dls_v3_axpy(p[k], 0.5, aside);
    p[k] = mid, q[k] = dls_v3_axpy(mid, gap[k], n);
  }
  return true;
}

/* Side lines: where they cross, seen along n, and the ends of their common part where they touch
** along it. The crossing is left out where it is no nearer than the ends: on parallel lines it may
** be anywhere. */
static void add_lines(work *w, const patch *a, const patch *b) {
  dls_vec3 n = w->s.n, p[2], q[2], x, y;
  double gap[2];
  const bool line = line_ends(w, a, b, p, q, gap);
  w->met = nearest(w, a, b, &x, &y) <= LEVEL * w->size;
  const double height = dls_v3_dot(n, dls_v3_sub(y, x));
  if (w->met && !(line && height >= dls_min(gap[0], gap[1]) - LENS * (a->round + b->round)))
    add(w, x, dls_v3_axpy(x, height, n), height, NEAREST_KEY);
  for (int k = 0; k < 2 && line; k++) add(w, p[k], q[k], gap[k], 1 + (uint64_t)k);
}

static double least_gap(const dls_manifold3 *m) {
  double least = DLS_INF;
  for (int i = 0; i < m->n; i++) least = dls_min(least, m->c[i].gap);
  return least;
}

/* Whether a pair of points proves that no direction separates by more than w->s: where the bodies
** are apart, points of the unrounded ones at that distance; where they overlap, a point of one so
** deep in the other. The points are those told, and their mean: the middle of a face is deeper
** inside than its corners. Two bodies with flat faces that overlap have no other directions than
** those looked at. */
static bool proved(const work *w, const dls_body3 *a, const dls_body3 *b) {
  const double s = w->s.value;
  if (s >= 0) return w->met;
  if (!(dls_body3_round(a) || dls_body3_round(b))) return true;
  const double tolerance = dls_separate3_tolerance(a, b, s);
  dls_vec3 p[DLS_MAX_CANDIDATES + 1], q[DLS_MAX_CANDIDATES + 1];
  dls_vec3 mean_p = {0, 0, 0}, mean_q = mean_p;
  int n = 0;
  for (int i = 0; i < w->m.n; i++) {
    const dls_touch *t = &w->m.c[i];
    if (t->gap > s - w->ra - w->rb + LEVEL * w->size) continue;
    p[n] = dls_v3_axpy(dls_v3_sub(t->point_a, w->origin), -w->ra, w->s.n);
    q[n] = dls_v3_axpy(dls_v3_sub(t->point_b, w->origin), w->rb, w->s.n);
    mean_p = dls_v3_add(mean_p, p[n]), mean_q = dls_v3_add(mean_q, q[n]);
    n++;
  }
  if (n == 0) return false;
  p[n] = dls_v3_scale(1.0 / n, mean_p), q[n] = dls_v3_scale(1.0 / n, mean_q);
  for (int i = n; i >= 0; i--)
    if (dls_body3_depth(b, p[i]) >= -s - tolerance || dls_body3_depth(a, q[i]) >= -s - tolerance)
      return true;
  return false;
}

/* Points along the direction w->s.n; false where none is as deep as the separation there says, so
** that the direction is not stationary (or the nearest features are a corner or a crossing). */
static bool cut_points(work *w, const dls_body3 *a, const dls_body3 *b, bool farthest, patch *pa,
                       patch *pb) {
  w->m.n = 0, w->met = true;
  offer(a, w->s.n, farthest, pa);
  offer(b, dls_v3_neg(w->s.n), farthest, pb);
  /* a flat body may be steep */
  const bool by_a = pa->n > 2 && (dls_v3_dot(w->s.n, pa->normal) >= STEEP || pb->n <= 2);
  if (by_a) add_cut(w, pa, pb, true);
  else if (pb->n > 2) add_cut(w, pb, pa, false);
  else if (pa->n == 2 && pb->n == 2) add_lines(w, pa, pb);
  return least_gap(&w->m) <= w->s.value - w->ra - w->rb + LEVEL * w->size;
}

static bool add_points(work *w, const dls_body3 *a, const dls_body3 *b, patch *pa, patch *pb) {
  return cut_points(w, a, b, false, pa, pb) || cut_points(w, a, b, true, pa, pb);
}

/* Whether bodies overlap and the way out is not the one allowed: that of least overlap among those
** allowed is told. */
static bool turned(const work *w, dls_vec3 front) {
  return w->s.value <= 0 && dls_behind(w->s.n, front);
}

void dls_convex3_put(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                     const dls_pose3 *pose_b, dls_vec3 front, dls_sink *sink) {
  work w;
  patch pa, pb;
  w.origin = pose_a->p;
  w.size = a->reach + b->reach;
  w.ra = rounding(a), w.rb = rounding(b);
  w.sink = sink;
  dls_body3 ba = dls_body3_make(a, pose_a, w.origin), bb = dls_body3_make(b, pose_b, w.origin);
  double far = w.size + sink->margin, enough = sink->margin + w.ra + w.rb;
  dls_vec3 between = dls_v3_sub(bb.p, ba.p);
  if (dls_v3_dot(between, between) > far * far) return;
  const dls_vec3 any = {0, 0, 0};
  const dls_separation3 first = dls_separate3_candidates(&ba, &bb, enough, any);
  w.s = first;
  if (turned(&w, front)) w.s = dls_separate3_candidates(&ba, &bb, enough, front);
  if (w.s.value > enough) return;
  bool found = add_points(&w, &ba, &bb, &pa, &pb);
  if (!found || !proved(&w, &ba, &bb)) {
    w.s = dls_separate3(&ba, &bb, enough, any, &first);
    if (turned(&w, front)) {
      const dls_separation3 ahead = dls_separate3_candidates(&ba, &bb, enough, front);
      w.s = dls_separate3(&ba, &bb, enough, front, &ahead);
    }
    if (w.s.value > enough) return;
    found = add_points(&w, &ba, &bb, &pa, &pb);
  }
  if (sink->least) w.m.n = 0;
  if (!found || sink->least) add_nearest(&w, &ba, &bb, &pa, &pb);
  dls_manifold3_put(&w.m, sink);
}

void dls_pair3_convex(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                      const dls_pose3 *pose_b, dls_sink *sink) {
  dls_convex3_put(a, pose_a, b, pose_b, dls_v3(0, 0, 0), sink);
}
