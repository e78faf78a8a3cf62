/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

#include "core/base/dim.h"
#include "core/joints/joint_frame.h"
#include "core/world/listing.h"
#include "core/model/frames.h"
#include "core/model/motion.h"

/* world:contact{ a, b, ... }: a unilateral contact stated by hand. */

typedef struct user_contact_options {
  int dim; /* 2, 3: first, readers of vectors need it */
  double point_a[3], point_b[3], normal[3]; /* m, body frames; unit, that of a */
  double rope; /* m: its length */
  bool has_a, has_b, has_normal, has_rope, has_gap, has_gradient; /* which of these were given */
} user_contact_options;

#define READ_PLACE(what, flag)                                                                \
  static void read_##what(lua_State *L, int idx, const dls_at *at, const void *arg,           \
                          void *out) {                                                        \
    (void)arg;                                                                                \
    user_contact_options *o = out;                                                                     \
    dls_read_numbers(L, idx, at, o->dim, o->what);                                            \
    o->flag = true;                                                                           \
  }
READ_PLACE(point_a, has_a)
READ_PLACE(point_b, has_b)

static void read_normal(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  user_contact_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->normal);
  double most = 0;
  for (int i = 0; i < o->dim; i++) most = dls_max(most, fabs(o->normal[i]));
  for (int i = 0; i < o->dim && most > 1e100; i++) o->normal[i] /= most; /* no overflow */
  double length = dls_v3_norm(dls_v3_load(o->normal));
  if (!(length > 0)) dls_bad(L, at, "must not be the zero vector", idx);
  for (int i = 0; i < 3; i++) o->normal[i] /= length;
  o->has_normal = true;
}

static void read_rope(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  user_contact_options *o = out;
  dls_read_positive(L, idx, at, arg, &o->rope);
  o->has_rope = true;
}

static const dls_option rows[] = {
    {"a", NULL, 0, NULL, 0, 1},
    {"b", NULL, 0, NULL, 0, 2},
    {"point_a", read_point_a, 0, NULL, 0, 0},
    {"point_b", read_point_b, 0, NULL, 0, 0},
    {"normal", read_normal, 0, NULL, 0, 0},
    {"rope", read_rope, 0, NULL, 0, 0},
    {"gap", dls_read_function, offsetof(user_contact_options, has_gap), NULL, 0, 0},
    {"gradient", dls_read_function, offsetof(user_contact_options, has_gradient), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* --- gap functions ---------------------------------------------------------------------------- */

/* Calls the function kept as `name` for the contact at 3 with q at 2 and t at 4; its answer is on
** top. */
static void ask(lua_State *L, const char *name) {
  lua_getfield(L, 3, name);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 4);
  lua_call(L, 2, 1);
}

/* Reduced joints that a gradient may be of: each with the first of its velocities in the list. */
typedef struct gap_joints {
  int n;          /* joints                       */
  int index[3];   /* of them in the world         */
  int first[3];   /* in the list, 0-based         */
} gap_joints;

static bool is_static(const dls_world *w, int body) { return w->bodies[body].type == DLS_STATIC; }

/* Those that carry one of the contact's two bodies and lead to the other, or to what stands still:
** whatever they push there is felt by these two alone. */
static gap_joints joints_of(const dls_world *w, const dls_user_contact *user) {
  const dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  gap_joints out = {0};
  for (int k = 0; t && k < t->n_links && out.n < 3; k++) {
    const int index = t->link_joint[k];
    const dls_joint *j = index >= 0 ? &w->joints[index] : NULL;
    if (!j) continue;
    const bool a = j->a == user->a || j->a == user->b, b = j->b == user->a || j->b == user->b;
    if (!(a || b) || !((a || is_static(w, j->a)) && (b || is_static(w, j->b)))) continue;
    out.index[out.n] = index;
    out.first[out.n++] = t->forest->links[k].iu;
  }
  return out;
}

/* A gradient by the velocities of a joint: their functional of its bodies' twists. */
static void add_joint_gradient(const dls_world *w, int index, const double *q, const double *g,
                               double *gradient) {
  const size_t nu = (size_t)DLS_NU(w->dim);
  const dls_joint_frame f = dls_joint_frame_at(w, index, q);
  double d[6] = {0}, J[2 * DLS_NU(3)];
  const bool back = f.joint->kind == DLS_KIND_SPHERICAL && f.joint->turned; /* of a beside b */
  for (int k = 0; k < f.joint->nu; k++)
    for (int m = 0; m < 6; m++) d[m] += back ? (m == k ? -g[k] : 0) : g[k] * f.dual[6 * k + m];
  /* of turns alone round-off is no way: gaps are measured along ways where there are some */
  const dls_vec3 turn = dls_v3_load(d), way = dls_v3_load(d + 3);
  const double length = dls_joint_length(w, f.joint);
  if (dls_v3_norm(way) * length <= 1e-9 * dls_v3_norm(turn)) d[3] = d[4] = d[5] = 0;
  dls_joint_frame_row(w, &f, q, d, J);
  for (int e = 0; e < 2; e++) {
    double *out = gradient + (size_t)(e == 0 ? f.joint->a : f.joint->b) * nu;
    for (size_t i = 0; i < nu; i++) out[i] += J[(size_t)e * nu + i];
  }
}

/* The gradient on top of the stack into the rows of the contact's two bodies: it must be zero
** elsewhere. */
static int read_gradient(lua_State *L, const dls_world *w, const dls_user_contact *user,
                         const double *q, double *gradient) {
  static const dls_at at = {"world:contact", "gradient", 0, 0};
  const int nu = DLS_NU(w->dim), bodies[2] = {user->a, user->b};
  const gap_joints joints = joints_of(w, user);
  const int first[2] = {dls_listing_first(w, user->a), dls_listing_first(w, user->b)};
  int want = 0;
  const dls_vector_arg g = dls_take_vector(L, lua_gettop(L), &at);
  (void)dls_listing_count(w, &want);
  if (g.n != want)
    return dls_raise(L, at.function, "'gradient' must return %d numbers (one a velocity), got %d",
                     want, g.n);
  for (int i = 0; i < want; i++) {
    bool own = false;
    for (int e = 0; e < 2; e++) own = own || (first[e] >= 0 && i >= first[e] && i < first[e] + nu);
    for (int k = 0; k < joints.n; k++)
      own = own || (i >= joints.first[k] && i < joints.first[k] + w->joints[joints.index[k]].nu);
    if (!own && g.x[i] != 0)
      return dls_raise(L, at.function,
                       "'gradient' must be zero but for the contact's two bodies, where they are "
                       "free, and reduced joints between them or to what stands still (number %d "
                       "is not)",
                       i + 1);
  }
  for (int k = 0; k < joints.n; k++)
    add_joint_gradient(w, joints.index[k], q, g.x + joints.first[k], gradient);
  double linear = 0;
  for (int e = 0; e < 2; e++) {
    if (first[e] < 0) continue;
    double *out = gradient + (size_t)bodies[e] * (size_t)nu;
    dls_listing_gradient(w, bodies[e], q, g.x + first[e], out);
    for (int k = 0; k < w->dim; k++) linear += fabs(out[k]);
  }
  if (!(linear > 0) && (user->material.friction > 0 || user->material.law > 0))
    return dls_raise(
        L, at.function,
        "'gradient' must move with the position of a body: the contact has 'friction'");
  return 0;
}

/* --- which way a gradient points -------------------------------------------------------------- */

/* Along a gradient g a gap grows by |g|^2. One of the other sign is told by the gap itself, at two
** places beside q: bodies would fall through. All else passes: a gap that answers the same
** anywhere, as of what is not there yet, has steps, or noise. */
static const double BESIDE = 1e-6;   /* of a body's radius of gyration: far above round-off of q */
static const double OPPOSITE = 0.01; /* what the gap's change is off by from -|g|^2 at most      */

/* |g|^2 of the two bodies that move freely, rotations by radii of gyration; 0: none does. The least
** of these radii in *size. */
static double square_of(const dls_world *w, const dls_user_contact *user, const double *gradient,
                        double *size) {
  const int nu = DLS_NU(w->dim), bodies[2] = {user->a, user->b};
  double sum = 0;
  *size = DLS_INF;
  for (int e = 0; e < 2; e++) {
    const double *g = gradient + (size_t)bodies[e] * (size_t)nu, r = w->bodies[bodies[e]].gyration;
    if (dls_listing_first(w, bodies[e]) < 0) continue;
    for (int k = 0; k < nu; k++) sum += k < w->dim ? g[k] * g[k] : g[k] * g[k] / (r * r);
    *size = dls_min(*size, r);
  }
  return sum;
}

/* The gap where the two bodies have gone by s along their gradients; *known: it is a number. The
** list of coordinates at 2 is that from then on. */
static double gap_beside(lua_State *L, const dls_world *w, const dls_user_contact *user,
                         const double *q, const double *gradient, double s, bool *known) {
  const size_t nq = dls_nq_of(w), nu = dls_nu_of(w), size = (size_t)w->n_bodies * nq;
  const int bodies[2] = {user->a, user->b};
  double *there = lua_newuserdatauv(L, size * sizeof *there, 0), way[DLS_NU(3)];
  memcpy(there, q, size * sizeof *there);
  for (int e = 0; e < 2; e++) {
    const size_t i = (size_t)bodies[e];
    const double *g = gradient + i * nu, r = w->bodies[i].gyration;
    if (dls_listing_first(w, bodies[e]) < 0) continue;
    for (size_t k = 0; k < nu; k++) way[k] = (int)k < w->dim ? g[k] : g[k] / (r * r);
    dls_drift(w->dim, there + i * nq, s, way);
  }
  dls_listing_fill(w, there, dls_push_vector(L, dls_listing_count(w, NULL), NULL));
  lua_replace(L, 2);
  ask(L, "gap");
  *known = lua_type(L, -1) == LUA_TNUMBER && *known;
  const double gap = lua_tonumber(L, -1);
  lua_pop(L, 2);
  return gap;
}

/* Asked for once, and once more where the gap closes, unless the first answer was one. In the
** contact's table at 3 `sided` is how often that still is. */
static void check_side(lua_State *L, const dls_world *w, const dls_user_contact *user,
                       const double *q, double gap, const double *gradient) {
  double size;
  const double square = square_of(w, user, gradient, &size);
  lua_getfield(L, 3, "sided");
  const int left = lua_isnil(L, -1) ? 2 : (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (left == 0 || (left == 1 && gap > 0)) return;
  bool known = square > 0 && dls_is_finite(square);
  const double s = known ? BESIDE * size / sqrt(square) : 0;
  double change = 0;
  if (known) change = gap_beside(L, w, user, q, gradient, s, &known);
  if (known) change -= gap_beside(L, w, user, q, gradient, -s, &known);
  const double share = known ? change / (2 * s * square) : 0;
  if (fabs(share + 1) < OPPOSITE)
    dls_raise(L, "world:contact",
              "'gradient' points the other way: 'gap' falls along it as it should grow");
  lua_pushinteger(L, fabs(share) > 0.5 || left == 1 || gap <= 0 ? 0 : 1);
  lua_setfield(L, 3, "sided");
}

/* Protected: world, user, t, q (light), gap (light), gradient (light). */
static int call_gap(lua_State *L) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, 1))->world;
  const lua_Integer user = lua_tointeger(L, 2);
  const lua_Number t = lua_tonumber(L, 3);
  const double *q = lua_touserdata(L, 4);
  double *gap = lua_touserdata(L, 5), *gradient = lua_touserdata(L, 6);
  lua_settop(L, 1);
  dls_listing_fill(w, q, dls_push_vector(L, dls_listing_count(w, NULL), NULL)); /* 2 */
  dls_push_kept(L, 1, "user_contacts");
  lua_rawgeti(L, -1, w->user_contacts[user].slot + 1);
  lua_replace(L, 3); /* { gap =, gradient = } */
  lua_pushnumber(L, t); /* 4 */
  ask(L, "gap");
  *gap = lua_tonumber(L, -1);
  if (lua_type(L, -1) != LUA_TNUMBER || !dls_is_finite(*gap)) {
    static const dls_at at = {"world:contact", "gap", 0, 0};
    return dls_bad(L, &at, "must return a finite number", lua_gettop(L));
  }
  ask(L, "gradient");
  read_gradient(L, w, &w->user_contacts[user], q, gradient);
  check_side(L, w, &w->user_contacts[user], q, *gap, gradient);
  return 0;
}

static dls_status gap(void *ud, int user, double t, const double *q, double *out,
                      double *gradient) {
  dls_world_box *box = ud;
  lua_State *L = box->call->L;
  luaL_checkstack(L, 12, "callback");
  lua_pushcfunction(L, call_gap);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, user);
  lua_pushnumber(L, t);
  lua_pushlightuserdata(L, (void *)(uintptr_t)q);
  lua_pushlightuserdata(L, out);
  lua_pushlightuserdata(L, gradient);
  return dls_call_locked(box, 6, 0, "world:contact", "'gap' and 'gradient'");
}

/* --- making ----------------------------------------------------------------------------------- */

static void check_kind(lua_State *L, const char *function, const user_contact_options *o) {
  int given = (o->has_normal ? 1 : 0) + (o->has_rope ? 1 : 0) + (o->has_gap ? 1 : 0);
  if (given != 1) dls_raise(L, function, "needs one of 'normal', 'rope' and 'gap'");
  if (o->has_gap != o->has_gradient)
    dls_raise(L, function, "'gap' and 'gradient' go together");
}

int dls_world_contact_lua(lua_State *L) {
  static const char function[] = "world:contact";
  static const dls_at at_a = {function, "a", 0, 0}, at_b = {function, "b", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  user_contact_options o = {.dim = w->dim};
  dls_material_def material = dls_material_def_default();
  material.friction = material.kinetic = 0;
  const dls_option_set sets[] = {{rows, &o}, {dls_material_rows, &material}};
  lua_settop(L, 2);
  dls_read_option_sets(L, 2, function, sets, 2);
  check_kind(L, function, &o);
  if (o.has_gap) dls_refuse_lent(L, box, function, "'gap'");
  dls_user_contact user = {.alive = true, .active = true, .length = o.rope};
  user.kind = o.has_normal ? DLS_USER_POINT : (o.has_rope ? DLS_USER_ROPE : DLS_USER_GAP);
  user.a = dls_take_body(L, dls_push_end(L, "a", 1), 1, &at_a);
  user.b = dls_take_body(L, dls_push_end(L, "b", 2), 1, &at_b);
  if (user.a == user.b) dls_raise(L, function, "needs two different bodies");
  if (user.kind == DLS_USER_ROPE && (material.has_law || material.friction > 0))
    dls_raise(L, function, "'friction' does not go with 'rope'");
  for (int i = 0; i < 3; i++) {
    user.point_a[i] = (o.has_a ? o.point_a[i] : 0) - w->bodies[user.a].com[i];
    user.point_b[i] = (o.has_b ? o.point_b[i] : 0) - w->bodies[user.b].com[i];
    user.normal[i] = o.normal[i];
  }
  user.material = dls_material_default();
  dls_material_apply(&material, &user.material);
  if (material.has_law) {
    lua_getfield(L, 2, "friction");
    user.material.law = dls_keep_law(L, 1, lua_gettop(L));
    dls_hook_friction(box);
  }
  const int slot = dls_world_user_contact_slot(w);
  int index = 0;
  if (o.has_gap) {
    dls_push_kept(L, 1, "user_contacts");
    lua_createtable(L, 0, 2);
    lua_getfield(L, 2, "gap");
    lua_setfield(L, -2, "gap");
    lua_getfield(L, 2, "gradient");
    lua_setfield(L, -2, "gradient");
    lua_rawseti(L, -2, slot + 1);
    w->hooks.gap = gap;
  }
  dls_child_ref *ref = dls_push_new_user_contact(L, 1, slot, user.a, user.b);
  dls_check_status(L, dls_world_user_contact_add(w, &user, &index), function);
  ref->generation = w->user_contacts[index].generation;
  if (user.material.law > 0) dls_tidy_world(L, 1);
  return 1;
}
