/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_PIECES_H
#define DLS_COLLIDE_PIECES_H

#include "core/collide/seam.h"

/* The convex pieces about a point of a floor, for seam.c. */

/* pieces about one point; beyond these none is asked */
#define DLS_AROUND_MOST 48
/* relative: what is that close to a piece is on it (convex3.c lets corners stand out) */
#define DLS_PIECE_ON 1e-6
/* relative: a length, or the sine of an angle, that is round-off */
#define DLS_PIECE_TINY 1e-9

/* One convex piece, in its own frame. */
typedef struct dls_piece {
  const dls_shape *shape; /* whose piece it is */
  const dls_pose3 *pose; /* of that, world */
  dls_pose3 own_pose;    /* of a compound's child                          */
  int triangle;          /* of a mesh; -1                                  */
  bool own;              /* p is on it, and it is of the body touched      */
  bool alike;            /* its body touches as that one does              */
  double size;           /* m                                              */
} dls_piece;

typedef struct dls_piece_face {
  dls_vec3 m; /* unit, outward     */
  double d;   /* m . x = d on it   */
} dls_piece_face;

typedef struct dls_around {
  dls_vec3 p, n;  /* of the touch, world, n outward */
  dls_vec3 body;  /* from p to the body's centre    */
  dls_vec3 point; /* of the body, that touches      */
  double slack;   /* m                              */
  int count, n_own; /* pieces; those that the touch is on */
  dls_piece all[DLS_AROUND_MOST]; /* count */
} dls_around;

int dls_piece_faces(const dls_piece *c);

/* Face i; of a sheet first those that it lies between, then those at its edges. */
dls_piece_face dls_piece_face_at(const dls_piece *c, int i);

/* How far x is outside of a piece, at most: the largest of m . x - d. */
double dls_piece_beyond(const dls_piece *c, dls_vec3 x);

double dls_piece_support(const dls_piece *c, dls_vec3 n);

static inline dls_vec3 dls_piece_into(const dls_piece *c, dls_vec3 x) {
  return dls_m3_apply_t(&c->pose->R, x);
}

/* Whether a shape is one piece. */
bool dls_is_piece(const dls_shape *s);

/* Adds the pieces of the ground that are within the slack of at->p. */
void dls_around_gather(dls_around *at, const dls_ground *ground, bool of_body);

/* The face that a point in a, in its frame, is nearest to; -1: it is not in a. */
int dls_piece_way_out(const dls_piece *a, dls_vec3 x);

#endif
