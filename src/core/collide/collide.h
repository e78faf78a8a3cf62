/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_COLLIDE_H
#define DLS_COLLIDE_COLLIDE_H

#include "core/base/alloc.h"
#include "core/math/mat.h"

/* Shapes and the gaps between them. Pure geometry: no bodies, no velocities, no materials.
**
** A shape is a closed set S in its own frame; at a pose (R, p) it occupies { R x + p : x in S }.
** The signed gap of two shapes a and b along the unit normal n, which points from a to b, is
**
**     gap = n . (point_b - point_a),      point_a on the surface of a, point_b on that of b,
**
** positive where they are apart, negative where they penetrate: then n is a direction of least
** penetration, so that the gap has one slope through zero. Moving b by x changes the gap by
** n . x to first order.
**
** One kind of shape serves the plane (2) and space (3) where that makes sense: which is told by
** `dims`. In the plane the frame is (x, y) and the third components of results are zero. In space
** the axis of capsules, cylinders, cones and drums is x.
**
**   kind       2 3   the set
**   disk       x     |x| <= radius
**   sphere       x   |x| <= radius
**   capsule    x x   distance to the segment (-half.x..half.x) on x <= radius
**   cylinder     x   |x| <= half.x, (y, z) within radius
**   cone         x   |x| <= half.x, (y, z) within radius at -half.x, radius2 at +half.x
**   ellipsoid    x   sum (x_i / half_i)^2 <= 1
**   box        x x   |x_i| <= half_i; made for the plane OR for space (two or three sizes)
**   polygon    x     hull of points, counterclockwise
**   convex       x   hull of points
**   segment    x     the points from points[0] to points[1], two-sided, no inside
**   plane      x x   x . normal <= offset
**   drum       x x   everything outside of the circle (of the cylinder about x, |x| <= half.x with
**                    ends), and the lifters: bars of `height` (radial) and `width` (tangential) on
**                    the shell, number k at the angle 2 pi k / count from x to y (from y to z)
**   mesh         x   triangles, counterclockwise seen from their fronts; a surface without inside, met from both sides
**   compound   x x   the union of its children, each at a pose
** Planes, segments, drums and meshes have no mass.
** Sources: C. Ericson, Real-Time Collision Detection, 2005; G. van den Bergen, Collision Detection
** in Interactive 3D Environments, 2003; D. Eberly, "Polyhedral mass properties", 2002. */

/* --- poses ------------------------------------------------------------------------------ */

typedef struct dls_pose2 {
  double x, y; /* origin of the shape's frame, world, m            */
  double c, s; /* cosine and sine of its angle, counterclockwise   */
} dls_pose2;

typedef struct dls_pose3 {
  dls_mat3 R; /* rotation, shape to world                   */
  dls_vec3 p; /* origin of the shape's frame, world, m      */
} dls_pose3;

static inline dls_vec2 dls_pose2_turn(const dls_pose2 *T, dls_vec2 r) {
  return dls_v2(T->c * r.x - T->s * r.y, T->s * r.x + T->c * r.y);
}
static inline dls_vec2 dls_pose2_apply(const dls_pose2 *T, dls_vec2 r) {
  dls_vec2 t = dls_pose2_turn(T, r);
  return dls_v2(T->x + t.x, T->y + t.y);
}
static inline dls_vec2 dls_pose2_turn_back(const dls_pose2 *T, dls_vec2 r) {
  return dls_v2(T->c * r.x + T->s * r.y, T->c * r.y - T->s * r.x);
}
static inline dls_vec2 dls_pose2_back(const dls_pose2 *T, dls_vec2 r) {
  return dls_pose2_turn_back(T, dls_v2(r.x - T->x, r.y - T->y));
}
static inline dls_vec3 dls_pose3_apply(const dls_pose3 *T, dls_vec3 r) {
  return dls_v3_add(T->p, dls_m3_apply(&T->R, r));
}
static inline dls_vec3 dls_pose3_back(const dls_pose3 *T, dls_vec3 r) {
  return dls_m3_apply_t(&T->R, dls_v3_sub(r, T->p));
}
static inline dls_pose2 dls_pose2_identity(void) { return (dls_pose2){0, 0, 1, 0}; }
static inline dls_pose3 dls_pose3_identity(void) {
  return (dls_pose3){dls_m3_identity(), dls_v3(0, 0, 0)};
}

/* T U: first U, then T. */
dls_pose2 dls_pose2_mul(const dls_pose2 *T, const dls_pose2 *U);
dls_pose3 dls_pose3_mul(const dls_pose3 *T, const dls_pose3 *U);

/* --- shapes ------------------------------------------------------------------------------ */

#define DLS_SHAPE_LIST(X)                                                                   \
  X(DISK, "disk") X(SPHERE, "sphere") X(CAPSULE, "capsule") X(CYLINDER, "cylinder")         \
  X(CONE, "cone") X(BOX, "box") X(POLYGON, "polygon") X(CONVEX, "convex")                   \
  X(SEGMENT, "segment") X(PLANE, "plane") X(DRUM, "drum") X(MESH, "mesh")                   \
  X(COMPOUND, "compound") X(ELLIPSOID, "ellipsoid")

typedef enum dls_shape_kind {
#define X(code, text) DLS_SHAPE_##code,
  DLS_SHAPE_LIST(X)
#undef X
  DLS_N_SHAPES
} dls_shape_kind;

enum { DLS_PLANAR = 1, DLS_SPATIAL = 2 }; /* bits of dls_shape.dims */

typedef struct dls_mass {
  double mass;      /* kg: density times area (plane, kg/m^2) or volume                    */
  dls_vec3 centre;  /* centre of mass in the shape's frame, m                              */
  dls_mat3 inertia; /* about the centre, along the shape's axes, kg m^2; plane: only zz    */
} dls_mass;

typedef struct dls_lifters {
  int count;     /* >= 0                                                        */
  double height; /* how far they stand out of the shell towards the axis, m     */
  double width;  /* tangential, m                                               */
} dls_lifters;

typedef struct dls_shape dls_shape;
typedef struct dls_node3 dls_node3; /* see tree3.h */

typedef struct dls_child {
  const dls_shape *shape; /* held (see dls_shape_hold)                          */
  dls_pose2 pose2;        /* its pose in the compound, planar use               */
  dls_pose3 pose3;        /* its pose in the compound, spatial use              */
} dls_child;

typedef struct dls_hull_face {
  int first, count; /* its corners in face_points, counterclockwise seen from outside  */
  dls_vec3 normal;  /* unit, outward                                                   */
  double offset;    /* normal . x <= offset in the hull                                */
} dls_hull_face;

/* Immutable once made. Fields a kind does not use are zero. */
struct dls_shape {
  dls_shape_kind kind; /* which                                                              */
  unsigned dims;       /* DLS_PLANAR, DLS_SPATIAL or both                                    */
  bool solid;          /* has mass: may be a dynamic body                                    */
  bool bounded;        /* has finite bounds: not a plane, not a drum                         */
  double radius;       /* m; disk, sphere, capsule, cylinder, cone at -x, drum               */
  double radius2;      /* m; cone at +x                                                      */
  /* m; box half sizes; semi-axes; x: half straight length, half drum length */
  dls_vec3 half;
  dls_vec3 normal;     /* unit; plane                                                        */
  double offset;       /* m; plane                                                           */
  double reach;        /* largest distance of its points from its origin, m; DLS_INF: none   */
  double narrowest;    /* its smallest width, m: see make.h                                  */
  dls_lifters lifters; /* drum                                                               */
  bool ends;           /* drum: closed by walls at x = -half.x and half.x (space only)       */
  int n_points;        /* corners of box, polygon, segment, convex, mesh; ends of a capsule;  */
  dls_vec3 *points;    /* n_points; centre of a disk, sphere; owned                          */
  int n_faces;         /* sides in the plane, faces in space, triangles of a mesh            */
  dls_hull_face *faces; /* n_faces; owned                                                    */
  int n_face_points;   /* length of face_points; 0 in the plane: side i goes from i to i + 1 */
  int *face_points;    /* indices into points, see dls_hull_face; owned                      */
  int n_edges;         /* edges of box, convex                                               */
  int *edges;          /* 2 n_edges, indices into points, the smaller first; owned           */
  /* directions of edges, no two parallel: box, convex; the axis of capsule, */
  int n_axes;
  dls_vec3 *axes;      /* cylinder, cone; n_axes unit vectors; owned                         */
  dls_vec2 *dirs;      /* lifters.count: direction of each from the axis; owned              */
  int n_nodes;         /* mesh: of the tree over its faces (tree3.h)                         */
  struct dls_node3 *nodes; /* room for n_faces; owned                                        */
  int *tree_faces;     /* n_faces: the faces as the tree's leaves hold them; owned           */
  int n_children;      /* compound                                                           */
  dls_child *children; /* n_children; owned                                                  */
  dls_mass mass2;      /* planar mass properties at density 1                                */
  dls_mass mass3;      /* spatial mass properties at density 1                               */
  dls_alloc alloc;     /* where its memory came from                                         */
  int holders;         /* how many hold it; the last to let go frees it                      */
};

/* What an overlap is measured against, halved: the radius of a capsule, that of a cylinder or a cone
** or its half length, the shortest edge of a box, the shortest axis of an ellipsoid, the least width
** of what has faces, or of the thinnest part of a compound; otherwise the reach. */
static inline double dls_shape_girth(const dls_shape *shape) {
  const double radius = dls_max(shape->radius, shape->radius2);
  switch (shape->kind) {
    case DLS_SHAPE_BOX: case DLS_SHAPE_ELLIPSOID: {
      const double side = dls_min(shape->half.x, shape->half.y);
      return shape->half.z > 0 ? dls_min(side, shape->half.z) : side;
    }
    case DLS_SHAPE_CAPSULE: return radius;
    case DLS_SHAPE_CYLINDER: case DLS_SHAPE_CONE: return dls_min(radius, shape->half.x);
    case DLS_SHAPE_POLYGON: case DLS_SHAPE_CONVEX: case DLS_SHAPE_COMPOUND:
      return dls_min(0.5 * shape->narrowest, shape->reach);
    default: return shape->reach;
  }
}

/* The radius by which it is round wherever others touch it, m: of balls, capsules, cylinders and
** cones at their sides; 0: none. */
static inline double dls_shape_roundness(const dls_shape *shape) {
  const bool round = shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE ||
                     shape->kind == DLS_SHAPE_CAPSULE || shape->kind == DLS_SHAPE_CYLINDER ||
                     shape->kind == DLS_SHAPE_CONE;
  return round ? dls_max(shape->radius, shape->radius2) : 0;
}

/* Whether others may be within it, or behind a side of it, and touch nothing there: its support is
** not where it is touched. */
static inline bool dls_shape_is_hollow(const dls_shape *shape) {
  return shape->kind == DLS_SHAPE_MESH || shape->kind == DLS_SHAPE_DRUM;
}

const char *dls_shape_name(dls_shape_kind kind);

/* Makers. *out is untouched on failure. DLS_ARG: fault->index tells which argument (counted from
** 0 after alloc) or which point, face, child; fault->value its value. DLS_NOMEM. The maker holds
** the result once. Lengths in m; all > 0 but capsule length >= 0, one cone radius >= 0. */
dls_status dls_shape_disk(const dls_alloc *alloc, double radius, dls_shape **out,
                          dls_fault *fault);
dls_status dls_shape_sphere(const dls_alloc *alloc, double radius, dls_shape **out,
                            dls_fault *fault);
dls_status dls_shape_capsule(const dls_alloc *alloc, double radius, double length,
                             dls_shape **out, dls_fault *fault);
dls_status dls_shape_cylinder(const dls_alloc *alloc, double radius, double length,
                              dls_shape **out, dls_fault *fault);
dls_status dls_shape_cone(const dls_alloc *alloc, double radius1, double radius2, double length,
                          dls_shape **out, dls_fault *fault);

/* semi: the semi-axes along x, y, z. */
dls_status dls_shape_ellipsoid(const dls_alloc *alloc, const double semi[3], dls_shape **out,
                               dls_fault *fault);

/* n_sizes 2 is a rectangle of the plane, 3 a box of space. */
dls_status dls_shape_box(const dls_alloc *alloc, int n_sizes, const double size[],
                         dls_shape **out, dls_fault *fault);

#define DLS_MAX_CORNERS 128

/* points 2 n, n <= DLS_MAX_CORNERS. A convex polygon in either sense, kept counterclockwise;
** corners within a straight side are dropped. DLS_ARG with the corner's index where it is concave
** (value 1) or repeats its neighbour (value 0); index -1: too few, too many, or no area. */
dls_status dls_shape_polygon(const dls_alloc *alloc, int n, const double *points,
                             dls_shape **out, dls_fault *fault);
dls_status dls_shape_segment(const dls_alloc *alloc, const double a[2], const double b[2],
                             dls_shape **out, dls_fault *fault);

/* normal need not be unit; the offset is along the unit normal. A normal within the plane z = 0
** serves both, any other only space. */
dls_status dls_shape_plane(const dls_alloc *alloc, const double normal[3], double offset,
                           dls_shape **out, dls_fault *fault);

/* length 0 means none given: then it serves only the plane, or space without ends. DLS_ARG,
** fault->index 3: lifters not below the radius, 4: not below the diameter, 5: ends without length,
** 6: lifters that do not stand side by side. */
dls_status dls_shape_drum(const dls_alloc *alloc, double radius, double length,
                          const dls_lifters *lifters, bool ends, dls_shape **out,
                          dls_fault *fault);

/* points 3 n; the hull of at least four points not in one plane (else DLS_SINGULAR, index -1). */
dls_status dls_shape_convex(const dls_alloc *alloc, int n, const double *points, dls_shape **out,
                            dls_fault *fault);

/* vertices 3 n_vertices; faces 3 n_faces, indices from 0. */
dls_status dls_shape_mesh(const dls_alloc *alloc, int n_vertices, const double *vertices,
                          int n_faces, const int *faces, dls_shape **out, dls_fault *fault);

/* Children are held by the compound; no compounds, planes or drums among them. dims is what all
** children share; DLS_ARG where that is nothing. The mass is the sum: overlaps count twice. */
dls_status dls_shape_compound(const dls_alloc *alloc, int n, const dls_child *children,
                              dls_shape **out, dls_fault *fault);

/* One more holder; one less (NULL is accepted). */
dls_shape *dls_shape_hold(const dls_shape *shape);
void dls_shape_drop(const dls_shape *shape);

/* Mass, centre and inertia at a density; planar where planar is set. All zero where the shape has
** no mass. */
void dls_shape_mass(const dls_shape *shape, bool planar, double density, dls_mass *out);

/* The smallest axis-parallel box around the shape at a pose; infinite where it is not bounded. */
void dls_shape_bounds2(const dls_shape *shape, const dls_pose2 *pose, dls_vec2 *lo, dls_vec2 *hi);
void dls_shape_bounds3(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 *lo, dls_vec3 *hi);

/* A point of a bounded shape farthest in the direction d, all in the shape's frame. Planar shapes
** ignore d.z. */
dls_vec3 dls_shape_support(const dls_shape *shape, bool planar, dls_vec3 d);

/* How far a bounded shape of space reaches along the unit vector d from its origin, in its
** frame. */
double dls_shape_extent3(const dls_shape *shape, dls_vec3 d);

/* --- narrow phase --------------------------------------------------------------------------- */

typedef struct dls_touch {
  dls_vec3 point_a; /* on the surface of a, world                                       */
  dls_vec3 point_b; /* on the surface of b, world                                       */
  dls_vec3 normal;  /* unit, from a to b, world                                         */
  double gap;       /* normal . (point_b - point_a), m; < 0 penetration                 */
  uint64_t key;     /* which features meet: the same while the same features meet       */
  uint64_t part;    /* which parts of the two shapes: 0 where both are whole            */
  int child_a, child_b; /* of compounds the child that touches, from 1 on; else 0       */
} dls_touch;

/* The points at which two shapes are closer than margin (>= 0). Returns their number; the first
** `room` of them are written; more than `room` may count points at edges of a mesh twice. A pair of
** convex shapes has at most 2 (plane) or 4 (space) points, one where an ellipsoid is among them,
** the deepest one among them; a drum adds 1 set for the shell, 1 for each end and 1 for each lifter
** in reach; compounds and meshes one set for each child or triangle in reach. Pairs without any
** solid (plane and drum, segment and plane, ...) have none. No memory is taken. Swapping the
** shapes swaps points and turns normals. */
int dls_collide2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                 const dls_pose2 *pose_b, double margin, dls_touch *out, int room);
int dls_collide3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                 const dls_pose3 *pose_b, double margin, dls_touch *out, int room);

/* The same with features that a neighbour covers, which make no contact: for who follows shapes on
** their ways. */
int dls_approach2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                  const dls_pose2 *pose_b, double margin, dls_touch *out, int room);
int dls_approach3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                  const dls_pose3 *pose_b, double margin, dls_touch *out, int room);

/* The point of least gap at any distance. False where the pair has none. */
bool dls_distance2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                   const dls_pose2 *pose_b, dls_touch *out);
bool dls_distance3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                   const dls_pose3 *pose_b, dls_touch *out);

/* --- rays ------------------------------------------------------------------------------------ */

typedef struct dls_hit {
  double fraction; /* point = from + fraction (to - from), 0..1   */
  dls_vec3 point;  /* world                                       */
  dls_vec3 normal; /* unit, outward, against the ray              */
} dls_hit;

/* Where the segment from..to first enters the shape. A ray that begins inside does not hit there:
** it enters nothing. Segments and meshes are hit from both sides. */
bool dls_raycast2(const dls_shape *shape, const dls_pose2 *pose, dls_vec2 from, dls_vec2 to,
                  dls_hit *hit);
bool dls_raycast3(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 from, dls_vec3 to,
                  dls_hit *hit);

#endif
