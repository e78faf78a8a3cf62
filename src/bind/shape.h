/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_SHAPE_H
#define DLS_BIND_SHAPE_H

#include "bind/array.h"
#include "bind/options.h"
#include "core/collide/collide.h"

/* Shapes for Lua: immutable userdata. */
typedef struct dls_shape_value {
  dls_shape *shape; /* held; NULL only while it is being made */
} dls_shape_value;

/* The options of every shape in one definition: a form names those it takes. */
typedef struct dls_shape_def {
  double radius, radius1, radius2; /* m                                           */
  double length;                   /* m; 0 where not given                        */
  int n_sizes;                     /* box: 2 or 3                                 */
  double size[3];                  /* box, m                                      */
  double radii[3];                 /* ellipsoid: semi-axes, m                     */
  int n_normal;                    /* plane: 2 for one of the plane alone         */
  double normal[3];                /* plane; the third is 0 where two are given, unit */
  double offset;                   /* plane, m                                    */
  double from[2], to[2];           /* segment, m                                  */
  dls_lifters lifters;             /* drum                                        */
  int ends;                        /* drum: 0, 1, or -1 where not given           */
  dls_matrix_arg points;           /* polygon n x 2, convex n x 3; mesh: vertices */
  dls_matrix_arg faces;            /* mesh: n x 3, counted from 1                 */
} dls_shape_def;

/* One constructor: its name ("disk"), its options, and how it is made. */
typedef struct dls_shape_form {
  const char *name;         /* also the name of the function in the module    */
  const dls_option *rows;   /* options into dls_shape_def, ends with NULL     */
  /* new, held once */
  dls_status (*make)(const dls_alloc *, const dls_shape_def *, dls_shape **, dls_fault *);
} dls_shape_form;

/* The form of that name, or NULL: short forms (world:disk{...}) read form->rows together with their
** own rows by dls_read_option_sets, then call dls_shape_push. */
const dls_shape_form *dls_shape_form_find(const char *name);
dls_shape_def dls_shape_def_default(void);

/* Makes and pushes the shape; raises what is wrong with the definition. */
const dls_shape *dls_shape_push(lua_State *L, const char *function, const dls_shape_form *form,
                                const dls_shape_def *def);

/* The shape at idx, or NULL where it is something else. It lives as long as the Lua value; hold it
** (dls_shape_hold) to keep it longer. */
const dls_shape *dls_test_shape(lua_State *L, int idx);

/* Reader of an option that is a shape; out: const dls_shape *. */
void dls_read_shape(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);

/* A pose as Lua gives it: { position =, rotation = }. */
typedef struct dls_pose_arg {
  int dims;        /* bits DLS_PLANAR, DLS_SPATIAL it can serve       */
  dls_pose2 pose2; /* where DLS_PLANAR                                */
  dls_pose3 pose3; /* where DLS_SPATIAL                               */
} dls_pose_arg;

/* Reads the pose table at idx; nil is the identity. */
dls_pose_arg dls_take_pose(lua_State *L, int idx, const char *function);

extern const dls_class dls_shape_class;

#endif
