/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_parts.h"

#include "core/joints/add.h"
#include "core/math/elementary.h"

/* Where a joint is: frames given, or an anchor in the world. */

static const char function[] = DLS_JOINT_FUNCTION;

#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
typedef struct frame_options {
  int dim; /* 2, 3: first, readers of vectors need it */
  double position[3], rotation[4]; /* m; unit quaternion */
} frame_options;

static void read_position(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  frame_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->position);
}

static void read_rotation(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  frame_options *o = out;
  if (o->dim == 3) {
    dls_read_rotation3(L, idx, at, arg, o->rotation);
    return;
  }
  double s, c;
  dls_sincos(0.5 * dls_check_number(L, idx, at), &s, &c);
  o->rotation[0] = c;
  o->rotation[3] = s;
}

static const dls_option frame_rows[] = {WHOLE("position", read_position),
                                        WHOLE("rotation", read_rotation),
                                        {NULL, NULL, 0, NULL, 0, 0}};

/* frame_a, frame_b: { position =, rotation = }; false where not given. */
static bool read_frame(lua_State *L, const char *name, int dim, dls_place *out) {
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_settop(L, top);
    return false;
  }
  const dls_at at = {function, name, 0, 0};
  if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be { position =, rotation = }", top + 1);
  frame_options o = {.dim = dim, .rotation = {1, 0, 0, 0}};
  dls_read_options(L, top + 1, function, frame_rows, &o);
  *out = (dls_place){dls_q_matrix(dls_q_load(o.rotation)), dls_v3_load(o.position)};
  lua_settop(L, top);
  return true;
}

/* on_a, on_b; the joint's frame on a in the world is returned. */
dls_place dls_joint_frames(lua_State *L, const dls_world *w, const dls_joint_options *o,
                             dls_joint *joint, bool *framed) {
  const bool has_a = read_frame(L, "frame_a", o->dim, &joint->on_a);
  const bool has_b = read_frame(L, "frame_b", o->dim, &joint->on_b);
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  *framed = has_a || has_b;
  if (*framed && o->has_anchor) dls_raise(L, function, "give 'anchor' or frames, not both");
  if (joint->kind == DLS_KIND_FREE && !*framed) {
    if (o->has_anchor) dls_raise(L, function, "'anchor' is not used by a free joint");
    joint->on_a = joint->on_b = dls_place_identity();
    if (joint->a != 0) joint->on_a = dls_joint_in_body(w, joint->a, &B);
    return B;
  }
  dls_place F = B;
  if (o->has_anchor) F.p = dls_v3_load(o->anchor);
  if (has_a) F = dls_place_mul(&A, &joint->on_a);
  else if (has_b) F = dls_place_mul(&B, &joint->on_b);
  if (!has_a) joint->on_a = dls_joint_in_body(w, joint->a, &F);
  if (!has_b) joint->on_b = dls_joint_in_body(w, joint->b, &F);
  return F;
}
