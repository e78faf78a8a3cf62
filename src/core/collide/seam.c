/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/seam.h"

#include "core/collide/pieces.h"

#define RISE 1e-7     /* of a size: a piece rises above a touch by more than round-off */
#define PARALLEL 1e-6 /* sine below which a face lies along n */
#define STANDS 0.02 /* sine between n and a face up to which a body stands on the edge: mm by cm */
/* The same up to which they are one: a flat of the body comes to lie on it. */
#define NEARLY 1e-5
#define DEEP 2    /* slacks: an overlap that is more than that of an uneven place */
#define SUNK 0.25 /* of the thickness of what touches: it came in within a step */
/* Cosine between the sides of a gap that a body is in or cannot reach: a right angle or less. */
#define SHARP 0.1
#define LEVEL 1e-7 /* relative: pieces that are no more uneven are level */

/* --- who answers ----------------------------------------------------------------------------- */

/* p moved onto A, where it is outside of faces towards n, or deep under one that n leaves by. */
static dls_vec3 onto(const dls_around *at, const dls_piece *a) {
  dls_vec3 p = dls_pose3_back(a->pose, at->p);
  const dls_vec3 n = dls_piece_into(a, at->n);
  for (int i = 0; i < dls_piece_faces(a); i++) {
    const dls_piece_face f = dls_piece_face_at(a, i);
    const double h = dls_v3_dot(f.m, p) - f.d;
    if (fabs(h) <= at->slack && dls_v3_dot(f.m, n) > 0.9) p = dls_v3_axpy(p, -h, f.m);
  }
  return p;
}

/* How far A rises above the touch along n, m: its support there less that of the point. */
static double excess(const dls_around *at, const dls_piece *a) {
  const dls_vec3 n = dls_piece_into(a, at->n);
  return dls_piece_support(a, n) - dls_v3_dot(n, onto(at, a));
}

static bool rises(const dls_around *at, const dls_piece *a) {
  return excess(at, a) > RISE * a->size;
}

/* Whether x, world, is in a piece of the body touched but for a; no farther out than p was. */
static bool on_own(const dls_around *at, const dls_piece *a, dls_vec3 x) {
  for (int k = 0; k < at->count; k++) {
    const dls_piece *c = &at->all[k];
    if (!c->own || c == a) continue;
    const double before = dls_max(0, dls_piece_beyond(c, dls_pose3_back(c->pose, at->p)));
    if (dls_piece_beyond(c, dls_pose3_back(c->pose, x)) <= before + DLS_PIECE_TINY * c->size)
      return true;
  }
  return false;
}

/* A piece but a, which rises along n, that holds x, world, within the slack; NULL: none. */
static const dls_piece *holder_but(const dls_around *at, const dls_piece *a, dls_vec3 x) {
  for (int k = 0; k < at->count; k++) {
    const dls_piece *c = &at->all[k];
    if (c != a && dls_piece_beyond(c, dls_pose3_back(c->pose, x)) <= at->slack && rises(at, c))
      return c;
  }
  return NULL;
}

/* Whether what the body touches goes on from x, world, beyond a, towards the body: what opens away
** from it, as the joint between two pieces that are narrower below, it cannot reach. Where another
** piece begins at once it may go on beyond that one as well, as in the corner between three walls:
** so many times. */
static bool goes_on_from(const dls_around *at, const dls_piece *a, dls_vec3 from, int times) {
  const dls_vec3 n = dls_piece_into(a, at->n), p = dls_pose3_back(a->pose, from),
      body = dls_piece_into(a, at->body), point = dls_pose3_back(a->pose, at->point);
  const int out = dls_piece_way_out(a, point);
  for (int i = 0; i < dls_piece_faces(a); i++) {
    const dls_piece_face f = dls_piece_face_at(a, i);
    const double h = dls_v3_dot(f.m, p) - f.d;
    const double sunk = i == out ? f.d - dls_v3_dot(f.m, point) : 0; /* of the body, there */
    if (h < -at->slack - sunk) continue;
    const dls_vec3 across = dls_v3_axpy(f.m, -dls_v3_dot(f.m, n), n);
    const double lift = dls_v3_norm(across);
    const bool facing = dls_v3_dot(f.m, n) < SHARP;
    if (lift <= PARALLEL || (facing && dls_v3_dot(across, body) < 0)) continue;
    const double way = at->slack * (1 + 1e-6) - h; /* to the slack beyond the face */
    const dls_vec3 x = dls_pose3_apply(a->pose, dls_v3_axpy(p, way / (lift * lift), across));
    if (!on_own(at, a, x)) continue;
    const dls_piece *next = holder_but(at, a, x);
    if (!next || (times > 1 && goes_on_from(at, next, x, times - 1))) return true;
  }
  return false;
}

static bool goes_on(const dls_around *at, const dls_piece *a) {
  enum { TIMES = 3 };
  return goes_on_from(at, a, at->p, TIMES);
}

/* The face of a that n leaves it by, and how much higher the touched piece stands. */
static double rise(const dls_around *at, const dls_piece *a, dls_vec3 *m) {
  const dls_vec3 n = dls_piece_into(a, at->n), p = dls_pose3_back(a->pose, at->p);
  double most = -DLS_INF, height = 0;
  for (int i = 0; i < dls_piece_faces(a); i++) {
    const dls_piece_face f = dls_piece_face_at(a, i);
    if (dls_v3_dot(f.m, p) - f.d < -at->slack || !(dls_v3_dot(f.m, n) > most)) continue;
    most = dls_v3_dot(f.m, n);
    *m = dls_m3_apply(&a->pose->R, f.m);
    height = dls_v3_dot(f.m, p) - f.d;
  }
  return height;
}

/* Whether a face has the point x, in the frame of its piece, straight above or below it. */
static bool is_along(const dls_piece *c, dls_piece_face f, dls_vec3 x) {
  const dls_vec3 foot = dls_v3_axpy(x, f.d - dls_v3_dot(f.m, x), f.m);
  return dls_piece_beyond(c, foot) <= DLS_PIECE_TINY * c->size;
}

/* Whether n is nearly the normal m of a face that p is on, of a piece touched: as that of a flat of
** the body which is about to lie on the floor, and leans to a neighbour by less than shows. A
** corner of the body, if not NULL, presses into the face that it is straight above along m, however
** the flat behind it leans. */
static bool is_nearly_level(const dls_around *at, const dls_vec3 *corner, dls_vec3 *m) {
  for (int k = 0; k < at->count; k++) {
    const dls_piece *c = &at->all[k];
    if (!c->own) continue;
    const bool sheet = c->triangle >= 0 || c->shape->kind == DLS_SHAPE_SEGMENT;
    const dls_vec3 n = dls_piece_into(c, at->n), p = dls_pose3_back(c->pose, at->p);
    for (int i = 0; i < dls_piece_faces(c); i++) {
      const dls_piece_face f = dls_piece_face_at(c, i);
      const double along = dls_v3_dot(f.m, n);
      const bool faces = along > 0 || (sheet && i == 0);
      if (!faces || fabs(dls_v3_dot(f.m, p) - f.d) > DLS_PIECE_ON * c->size) continue;
      const double aside = dls_v3_norm(dls_v3_axpy(n, -along, f.m));
      if (!(aside <= NEARLY || (aside <= STANDS && corner &&
                                is_along(c, f, dls_pose3_back(c->pose, *corner))))) continue;
      *m = dls_m3_apply(&c->pose->R, along > 0 ? f.m : dls_v3_neg(f.m));
      return true;
    }
  }
  return false;
}

enum { STAYS, GOES, STANDS_HIGHER };

static int judge(const dls_around *at, dls_vec3 *m) {
  if (at->n_own == 0 || at->count < 2) return STAYS;
  for (int k = 0; k < at->count; k++) {
    const dls_piece *a = &at->all[k];
    if (a->own && at->n_own == 1) continue; /* the touched one */
    if (!rises(at, a) || goes_on(at, a)) continue;
    const double height = rise(at, a, m);
    const dls_vec3 aside = dls_v3_axpy(at->n, -dls_v3_dot(at->n, *m), *m);
    const bool upright = dls_v3_dot(at->n, *m) > 0 && dls_v3_norm(aside) <= STANDS;
    return height > LEVEL * a->size && upright ? STANDS_HIGHER : GOES;
  }
  return STAYS;
}

/* --- flats that go on over a seam ------------------------------------------------------------ */

/* Whether x, body frame, is a corner, on a rim, or at an end of a capsule (without its radius). */
static bool is_corner(const dls_shape *s, dls_vec3 x) {
  const double near = DLS_PIECE_ON * s->reach;
  if (s->kind == DLS_SHAPE_CYLINDER || s->kind == DLS_SHAPE_CONE) {
    const double r = x.x > 0 && s->kind == DLS_SHAPE_CONE ? s->radius2 : s->radius;
    return fabs(fabs(x.x) - s->half.x) <= near && fabs(sqrt(x.y * x.y + x.z * x.z) - r) <= near;
  }
  for (int i = 0; i < s->n_points; i++)
    if (dls_v3_norm(dls_v3_sub(x, s->points[i])) <= near) return true;
  return false;
}

static bool has_flats(const dls_shape *s) {
  return s->kind == DLS_SHAPE_BOX || s->kind == DLS_SHAPE_CONVEX || s->kind == DLS_SHAPE_POLYGON ||
      s->kind == DLS_SHAPE_CAPSULE ||
         s->kind == DLS_SHAPE_CYLINDER || s->kind == DLS_SHAPE_CONE;
}

/* A touch's point of the body, in its frame and without its radius; n outward from the ground. */
static dls_vec3 in_body(const dls_gliding *body, dls_vec3 on_body, dls_vec3 n) {
  return dls_pose3_back(&body->pose, dls_v3_axpy(on_body, body->round, n));
}

/* Whether x, world, is on a face along n of a piece that is alike, level with p. */
static bool is_level_at(const dls_around *at, dls_vec3 x) {
  for (int k = 0; k < at->count; k++) {
    const dls_piece *c = &at->all[k];
    const dls_vec3 n = dls_piece_into(c, at->n), p = dls_pose3_back(c->pose, at->p),
        y = dls_pose3_back(c->pose, x);
    if (!c->alike || dls_piece_beyond(c, y) > LEVEL * c->size) continue;
    for (int i = 0; i < dls_piece_faces(c); i++) {
      const dls_piece_face f = dls_piece_face_at(c, i);
      const bool along = dls_v3_norm(dls_v3_axpy(n, -dls_v3_dot(n, f.m), f.m)) <= LEVEL;
      if (along && fabs(dls_v3_dot(f.m, p) - f.d) <= LEVEL * c->size &&
          fabs(dls_v3_dot(f.m, y) - f.d) <= LEVEL * c->size)
        return true;
    }
  }
  return false;
}

/* Whether the union is level all about p, which is at the side of a touched piece. */
static bool is_seam(const dls_around *at) {
  bool sides = false;
  for (int k = 0; k < at->count; k++) {
    const dls_piece *a = &at->all[k];
    if (!a->own) continue;
    const dls_vec3 n = dls_piece_into(a, at->n), p = dls_pose3_back(a->pose, at->p);
    dls_vec3 both = dls_v3(0, 0, 0);
    for (int i = 0; i < dls_piece_faces(a); i++) {
      const dls_piece_face f = dls_piece_face_at(a, i);
      dls_vec3 across = dls_v3_axpy(f.m, -dls_v3_dot(f.m, n), n);
      if (fabs(dls_v3_dot(f.m, p) - f.d) > DLS_PIECE_ON * a->size || !(dls_v3_norm(across) > 0.5))
        continue;
      across = dls_v3_unit(across);
      sides = true;
      both = dls_v3_add(both, across);
      if (!is_level_at(at, dls_pose3_apply(a->pose, dls_v3_axpy(p, at->slack, across))))
        return false;
    }
    if (!is_level_at(at, dls_pose3_apply(a->pose, dls_v3_axpy(p, at->slack, both)))) return false;
  }
  return sides;
}

/* Whether a touch is of a flat of the body that goes on over a seam, lower (springs: or level). */
static bool goes_over(const dls_around *at, const dls_gliding *body, dls_vec3 on_body) {
  const dls_shape *s = body->shape;
  if (!has_flats(s) || at->count < 2) return false;
  const dls_vec3 x = in_body(body, on_body, at->n);
  const dls_vec3 down = dls_v3_neg(dls_m3_apply_t(&body->pose.R, at->n)),
      y = dls_shape_support(s, body->planar, down);
  const double lower = dls_v3_dot(down, dls_v3_sub(y, x)) - body->round;
  return (body->sprung || lower > DLS_PIECE_ON * s->reach) && !is_corner(s, x) && is_seam(at);
}

static double slack_of(const dls_gliding *body) {
  return body->shape->bounded ? dls_min(DLS_SEAM_SLACK, DLS_SEAM_SHARE * body->shape->reach) :
      DLS_SEAM_SLACK;
}

/* The body's lowest point along m, where a face along m that is level with p is above it, and the
** point of that face above it. */
static bool find_carrier(const dls_ground *ground, int n, const dls_gliding *body, dls_vec3 level,
                         dls_vec3 m,
                         dls_vec3 *low, dls_vec3 *top) {
  if (!body->shape->bounded) return false;
  const dls_vec3 down = dls_v3_neg(dls_m3_apply_t(&body->pose.R, m));
  *low = dls_pose3_apply(&body->pose, dls_shape_support(body->shape, body->planar, down));
  const double depth = dls_v3_dot(m, dls_v3_sub(level, *low));
  dls_around at = {.p = dls_v3_axpy(*low, depth, m), .n = m, .slack = slack_of(body)};
  if (!(depth > 0 && depth <= SUNK * body->shape->narrowest)) return false;
  for (int k = 0; k < n; k++) dls_around_gather(&at, &ground[k], k == 0);
  for (int k = 0; k < at.count; k++) {
    const dls_piece *c = &at.all[k];
    const dls_vec3 up = dls_piece_into(c, m), p = dls_pose3_back(c->pose, at.p);
    for (int i = 0; i < dls_piece_faces(c); i++) {
      const dls_piece_face f = dls_piece_face_at(c, i);
      const double height = dls_v3_dot(f.m, p) - f.d, along = dls_v3_dot(f.m, up);
      if (!(fabs(height) <= at.slack && fabs(along) > 1 - STANDS * STANDS)) continue;
      *top = dls_v3_axpy(at.p, along > 0 ? -height : height, m);
      return true;
    }
  }
  return false;
}

/* Whether another piece than c begins at x, world. */
static bool is_in_other(const dls_around *at, const dls_piece *c, dls_vec3 x) {
  for (int k = 0; k < at->count; k++) {
    const dls_piece *a = &at->all[k];
    if (a != c && dls_piece_beyond(a, dls_pose3_back(a->pose, x)) <= DLS_PIECE_TINY * a->size)
      return true;
  }
  return false;
}

/* The touch along m between two points. */
static void carry(dls_touch *t, bool turned, dls_vec3 top, dls_vec3 low, dls_vec3 m) {
  *(turned ? &t->point_b : &t->point_a) = top;
  *(turned ? &t->point_a : &t->point_b) = low;
  t->normal = turned ? dls_v3_neg(m) : m;
  t->gap = dls_v3_dot(m, dls_v3_sub(low, top));
}

/* The corner about x, in the frame of a body, that is lowest along -m, world: of a rim that is not
** level its lowest point. */
static dls_vec3 corner_along(const dls_gliding *body, dls_vec3 x, dls_vec3 m) {
  static const double UPRIGHT = 0.1; /* sine of the angle between the axis and m */
  const int kind = body->shape->kind;
  if (kind != DLS_SHAPE_CYLINDER && kind != DLS_SHAPE_CONE) return x;
  const dls_vec3 down = dls_v3_neg(dls_m3_apply_t(&body->pose.R, m));
  const double across = sqrt(down.y * down.y + down.z * down.z), r = sqrt(x.y * x.y + x.z * x.z);
  return across > UPRIGHT ? dls_v3(x.x, r / across * down.y, r / across * down.z) : x;
}

/* The nearest open face of a touched piece that a corner about x, in the frame of the body, is
** straight below: what has sunk in beside a seam farther than it is from it. Answered: the touch
** along its normal. */
static bool find_foot(const dls_around *at, const dls_gliding *body, dls_vec3 x, bool turned,
                      dls_touch *touch) {
  const double most = SUNK * body->shape->narrowest;
  double least = DLS_INF;
  for (int k = 0; k < at->count; k++) {
    const dls_piece *c = &at->all[k];
    for (int i = 0; c->own && i < dls_piece_faces(c); i++) {
      const dls_piece_face f = dls_piece_face_at(c, i);
      const dls_vec3 m = dls_m3_apply(&c->pose->R, f.m),
          corner = dls_pose3_apply(&body->pose, corner_along(body, x, m));
      const dls_vec3 low = dls_v3_axpy(corner, -body->round, m), own = dls_pose3_back(c->pose, low);
      const double depth = f.d - dls_v3_dot(f.m, own);
      if (!(depth <= most && depth < least && depth > -most) || !is_along(c, f, own)) continue;
      const dls_vec3 foot = dls_pose3_apply(c->pose, dls_v3_axpy(own, depth, f.m));
      if (is_in_other(at, c, dls_v3_axpy(foot, at->slack, m))) continue;
      least = depth;
      carry(touch, turned, foot, low, m);
    }
  }
  return least < DLS_INF;
}

/* Whether one of n touches is at the same point of the body as t, and along its normal where
** `along`. What has no bounds, a plane, has no points. */
static bool is_twice(const dls_gliding *body, bool turned, const dls_touch *touch, int n,
                     const dls_touch *t, bool along) {
  const double near = DLS_PIECE_ON * body->shape->reach;
  const dls_vec3 on = turned ? t->point_a : t->point_b;
  for (int i = 0; i < n && body->shape->bounded; i++) {
    const dls_vec3 d = dls_v3_sub(on, turned ? touch[i].point_a : touch[i].point_b);
    if (!(fabs(d.x) <= near && dls_v3_norm(d) <= near)) continue;
    if (!along || dls_v3_norm(dls_v3_sub(t->normal, touch[i].normal)) <= DLS_PIECE_ON) return true;
  }
  return false;
}

/* Of n touches one of each point of the body and normal, the first: a corner above an edge of two
** pieces is one touch. How many are left. */
static int tell_once(const dls_gliding *body, bool turned, dls_touch *touch, int n) {
  int left = 0;
  for (int i = 0; i < n; i++)
    if (!is_twice(body, turned, touch, left, &touch[i], true) && left++ != i)
      touch[left - 1] = touch[i];
  return left;
}

/* The touch along m, outward from the ground, at the same height of the ground. */
static void upright(dls_touch *t, bool turned, dls_vec3 n, dls_vec3 m, double round) {
  dls_vec3 *ground = turned ? &t->point_b : &t->point_a, *body = turned ? &t->point_a : &t->point_b;
  *body = dls_v3_axpy(dls_v3_axpy(*body, round, n), -round, m);
  t->gap = dls_v3_dot(m, dls_v3_sub(*body, *ground));
  *ground = dls_v3_axpy(*body, -t->gap, m);
  t->normal = turned ? dls_v3_neg(m) : m;
}

bool dls_may_be_ground(const dls_shape *shape) {
  return dls_is_piece(shape) || dls_is_of_pieces(shape);
}

bool dls_seams_any(const dls_ground *ground, int n) {
  int pieces = 0;
  for (int i = 0; i < n; i++)
    pieces += dls_is_of_pieces(ground[i].shape) ? 2 : dls_is_piece(ground[i].shape);
  return pieces > 1 && dls_may_be_ground(ground[0].shape);
}

bool dls_seams_carry(const dls_ground *ground, int n, const dls_gliding *body, dls_vec3 p,
                     dls_vec3 m) {
  dls_vec3 low, top;
  return find_carrier(ground, n, body, p, m, &low, &top);
}

/* What is known of the touches so far: normals of those that a neighbour covers or turned, and
** touches that a piece offers beside its nearest point, with the normal there. */
enum { SETS_MOST = 16 };
typedef struct sets {
  int n_gone, n_aside; /* of gone; of aside */
  dls_vec3 gone[SETS_MOST]; /* normals of touches that were taken out, unit */
  struct {
    int touch;     /* into the touches */
    dls_vec3 n, m; /* outward from the ground: its own, and that of the face it is on */
    double round;  /* of the body there */
  } aside[SETS_MOST];
} sets;

static void note_gone(sets *s, dls_vec3 n) {
  if (s->n_gone < SETS_MOST) s->gone[s->n_gone++] = n;
}

/* A touch that stays, whose normal is none of the piece at that place; one that stands out of the
** piece leans away. */
static void note_aside(sets *s, const dls_around *at, int touch, double round) {
  if (at->n_own == 0 && s->n_aside < SETS_MOST) {
    s->aside[s->n_aside].touch = touch, s->aside[s->n_aside].n = at->n;
    s->aside[s->n_aside].round = round;
    s->aside[s->n_aside++].m = dls_v3_neg(at->n);
  }
  for (int k = 0; k < at->count && s->n_aside < SETS_MOST; k++) {
    const dls_piece *a = &at->all[k];
    if (!a->own || !(excess(at, a) > DLS_PIECE_TINY * a->size)) continue;
    s->aside[s->n_aside].touch = touch, s->aside[s->n_aside].n = at->n;
    s->aside[s->n_aside].round = round, s->aside[s->n_aside].m = at->n;
    rise(at, a, &s->aside[s->n_aside].m);
    s->n_aside++;
    return;
  }
}

/* What stands beside a nearest point that is none is a touch of the face it is on, or none where
** that one leans away; how many are left of n. */
static int raise_aside(const sets *s, bool turned, dls_touch *touch, int n) {
  int dropped = 0;
  for (int i = 0; i < s->n_aside; i++) {
    bool gone = false;
    for (int k = 0; k < s->n_gone && !gone; k++)
      gone = dls_v3_norm(dls_v3_sub(s->gone[k], s->aside[i].n)) <= DLS_PIECE_TINY;
    if (!gone) continue;
    dls_touch *t = &touch[s->aside[i].touch];
    const bool faces = dls_v3_dot(s->aside[i].n, s->aside[i].m) > 0.5;
    if (faces) upright(t, turned, s->aside[i].n, s->aside[i].m, s->aside[i].round);
    else t->gap = DLS_INF, dropped++;
  }
  int left = 0;
  for (int i = 0; dropped > 0 && i < n; i++)
    if (touch[i].gap < DLS_INF) touch[left++] = touch[i];
  return dropped > 0 ? left : n;
}

/* What touches of a compound: one of its children. */
static dls_gliding part_of(const dls_gliding *body, const dls_touch *t, bool turned) {
  const int child = turned ? t->child_a : t->child_b;
  dls_gliding part = *body;
  if (child == 0 || body->shape->kind != DLS_SHAPE_COMPOUND) return part;
  const dls_child *c = &body->shape->children[child - 1];
  const dls_pose2 *T = &c->pose2;
  const dls_pose3 flat = {{{T->c, -T->s, 0, T->s, T->c, 0, 0, 0, 1}}, {T->x, T->y, 0}};
  part.shape = c->shape;
  part.pose = dls_pose3_mul(&body->pose, body->planar ? &flat : &c->pose3);
  part.round = dls_gliding_round(c->shape);
  return part;
}

int dls_seams_clear(const dls_ground *ground, int n, bool turned, const dls_gliding *whole,
                    dls_touch *touch, int n_touch) {
  dls_around at;
  dls_touch deepest = {.gap = 0};
  int left = 0;
  sets about; /* its lists are large */
  about.n_gone = about.n_aside = 0;
  for (int i = 0; i < n_touch; i++) {
    const dls_gliding part = part_of(whole, &touch[i], turned), *body = &part;
    at.slack = slack_of(body);
    at.p = turned ? touch[i].point_b : touch[i].point_a;
    at.n = turned ? dls_v3_neg(touch[i].normal) : touch[i].normal;
    at.body = dls_v3_sub(body->centre, at.p);
    at.point = turned ? touch[i].point_a : touch[i].point_b;
    at.count = at.n_own = 0;
    for (int k = 0; k < n; k++) dls_around_gather(&at, &ground[k], k == 0);
    dls_vec3 m = at.n;
    const dls_vec3 x = in_body(body, turned ? touch[i].point_a : touch[i].point_b, at.n),
        corner = dls_pose3_apply(&body->pose, x);
    const bool presses = body->sprung && has_flats(body->shape) && is_corner(body->shape, x);
    if (is_nearly_level(&at, presses ? &corner : NULL, &m) &&
        dls_v3_norm(dls_v3_sub(m, at.n)) > DLS_PIECE_TINY * 1e-3) {
      upright(&touch[i], turned, at.n, m, body->round);
      at.p = turned ? touch[i].point_b : touch[i].point_a, at.n = m;
    }
    const int what = judge(&at, &m);
    if (what == STAYS && goes_over(&at, body, turned ? touch[i].point_a : touch[i].point_b)) {
      if (touch[i].gap < deepest.gap) deepest = touch[i];
      continue;
    }
    if (what == GOES && presses && find_foot(&at, body, x, turned, &touch[i])) {
      if (!is_twice(body, turned, touch, left, &touch[i], false)) touch[left++] = touch[i];
      continue;
    }
    /* it came in at once, or sank: whatever gets it out */
    if (what != STAYS && !body->sprung && touch[i].gap < -DEEP * at.slack) {
      dls_vec3 low, top;
      if (left != i) touch[left] = touch[i];
      if (find_carrier(ground, n, body, at.p, m, &low, &top)) {
        note_gone(&about, at.n);
        carry(&touch[left], turned, top, low, m);
      }
      left++;
      continue;
    }
    if (what == GOES) {
      if (touch[i].gap < deepest.gap) deepest = touch[i];
      note_gone(&about, at.n);
      continue;
    }
    if (left != i) touch[left] = touch[i];
    if (what == STAYS) note_aside(&about, &at, left, body->round);
    if (what == STANDS_HIGHER)
      note_gone(&about, at.n), upright(&touch[left], turned, at.n, m, body->round);
    left++;
  }
  left = raise_aside(&about, turned, touch, left);
  left = tell_once(whole, turned, touch, left);
  /* What overlaps one mesh or compound touches it somewhere. */
  if (left == 0 && n == 1 && !whole->some && deepest.gap < 0) touch[left++] = deepest;
  return left;
}
