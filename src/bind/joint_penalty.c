/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_penalty.h"

#include "bind/joint_parts.h"
#include "core/joints/penalties.h"
#include "core/accelerations/rigid_rows.h"

static const char function[] = "world:joint";

static const char *const gain_names[] = {"auto", "published", "sound", NULL};
static const char *const law_names[] = {"general", "published", NULL};

#define ROW(name, reader, arg) {#name, reader, offsetof(dls_penalty_options, name), arg, 0, 0}
const dls_option dls_penalty_option_rows[] = {
    ROW(gains, dls_read_choice, gain_names),
    ROW(alpha, dls_read_nonnegative, NULL),
    ROW(beta, dls_read_nonnegative, NULL),
    ROW(alpha_rotation, dls_read_nonnegative, NULL),
    ROW(beta_rotation, dls_read_nonnegative, NULL),
    {"limit_law", dls_read_choice, offsetof(dls_penalty_options, law), law_names, 0, 0},
    ROW(limit_alpha, dls_read_nonnegative, NULL),
    ROW(limit_beta, dls_read_nonnegative, NULL),
    {NULL, NULL, 0, NULL, 0, 0}};

dls_penalty_options dls_penalty_options_default(void) {
  return (dls_penalty_options){-1, -1, -1, -1, -1, -1, -1, -1};
}

static bool has_numbers(const dls_penalty_options *o) {
  return o->alpha >= 0 || o->beta >= 0 || o->alpha_rotation >= 0 || o->beta_rotation >= 0;
}

static void refuse_all(lua_State *L, const dls_penalty_options *o) {
  const char *name = NULL;
  if (o->gains >= 0) name = "gains";
  if (o->alpha >= 0) name = "alpha";
  if (o->beta >= 0) name = "beta";
  if (o->alpha_rotation >= 0) name = "alpha_rotation";
  if (o->beta_rotation >= 0) name = "beta_rotation";
  if (o->law >= 0) name = "limit_law";
  if (o->limit_alpha >= 0) name = "limit_alpha";
  if (o->limit_beta >= 0) name = "limit_beta";
  if (name) dls_raise(L, function, "'%s' goes with formulation = 'penalty'", name);
}

static double or_else(double given, double otherwise) { return given >= 0 ? given : otherwise; }

static void take_gains(lua_State *L, const dls_penalty_options *o, dls_gain_def *def) {
  const bool numbers = has_numbers(o);
  if (numbers && o->gains >= 0)
    dls_raise(L, function, "give 'gains' or numbers ('alpha', 'beta', ...), not both");
  def->gains = numbers ? DLS_GAINS_GIVEN : (o->gains >= 0 ? o->gains : DLS_GAINS_AUTO);
  def->alpha = or_else(o->alpha, 5000);
  def->beta = or_else(o->beta, 25);
  def->alpha_rotation = or_else(o->alpha_rotation, 10000);
  def->beta_rotation = or_else(o->beta_rotation, 10);
  def->limit_alpha = o->limit_alpha;
  def->limit_beta = o->limit_beta;
}

/* The sine law knows one bound for both sides, and no angle from a quarter turn on. */
static void check_sine_law(lua_State *L, const dls_joint *joint) {
  const bool cone = joint->cone < DLS_INF || joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF;
  if (cone)
    dls_raise(L, function, "limit_law = 'published' has no limits of spherical joints");
  for (int k = 0; k < joint->n_limits; k++) {
    if (joint->lo[k] != -joint->hi[k] || !(joint->hi[k] < DLS_INF))
      dls_raise(L, function, "limit_law = 'published' needs symmetric limits, got {%f, %f}",
                joint->lo[k], joint->hi[k]);
    if (joint->kind != DLS_KIND_PRISMATIC && !(joint->hi[k] < DLS_PI / 2))
      dls_raise(L, function, "limit_law = 'published' needs limits below pi/2, got %f", joint->hi[k]);
  }
}

void dls_read_penalty(lua_State *L, const dls_world *w, const dls_penalty_options *o, bool rotor,
                      dls_joint *joint) {
  if (rotor && joint->formulation != DLS_REDUCED)
    dls_raise(L, function, "'inertia' (of a rotor) needs the reduced formulation");
  if (joint->formulation != DLS_PENALTY) {
    refuse_all(L, o);
    return;
  }
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? joint->a : joint->b;
    if (w->bodies[body].type == DLS_DYNAMIC && !(w->bodies[body].mass > 0))
      dls_raise(L, function, "a penalty joint needs bodies with mass, body #%d has none", w->bodies[body].slot);
  }
  take_gains(L, o, &joint->gains);
  joint->penalty.published = o->law == 1;
  if (joint->penalty.published) check_sine_law(L, joint);
  if (!dls_penalty_make(w, joint))
    dls_raise(L, function, "a %s joint that holds nothing cannot be a penalty (formulation = 'reduced' or 'rigid' can)",
              dls_joint_kind_names[joint->kind]);
  if (joint->like == DLS_KIND_CUSTOM && o->beta_rotation >= 0)
    dls_raise(L, function, "'beta_rotation' is not used by this joint: custom and driven joints and general chains have "
                           "one 'beta', and a radian counts as sqrt(alpha_rotation / alpha) metres");
}

void dls_ready_penalties(lua_State *L, dls_world *w, const char *name) {
  dls_check_status(L, dls_penalties_tune(w), name);
}

/* --- joint.rows ------------------------------------------------------------------------------- */

static void push_side(lua_State *L, const dls_world *w, const double *J, const char *name) {
  if (w->dim == 3) {
    (void)dls_push_vector(L, 6, J);
  } else {
    const double flat[3] = {J[0], J[1], J[5]};
    (void)dls_push_vector(L, 3, flat);
  }
  lua_setfield(L, -2, name);
}

static void push_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static void push_row(lua_State *L, const dls_world *w, int index, int k, const dls_penalty_now *now) {
  static const char *const names[2][2] = {{"R", "T"}, {"LR", "LT"}};
  const dls_joint *joint = &w->joints[index];
  const dls_penalty_row *row = &joint->penalty.row[k];
  const bool limit = dls_penalty_is_limit(row);
  lua_createtable(L, 0, 12);
  lua_pushstring(L, names[limit][dls_penalty_is_linear(row)]);
  lua_setfield(L, -2, "kind");
  push_number(L, "G", now->G);
  push_number(L, "Gdot", now->rate);
  push_number(L, "lambda", now->lambda);
  push_number(L, "alpha", now->share * row->alpha);
  push_number(L, "beta", now->share * row->beta);
  push_number(L, "stability", dls_penalty_row_number(w, index, k, now));
  push_side(L, w, now->J, "Ji");
  push_side(L, w, now->J + 6, "Jj");
  if (!limit) return;
  push_number(L, "chi", now->chi);
  if (joint->penalty.published) {
    push_number(L, "bound", row->hi);
  } else {
    push_number(L, "lo", row->lo);
    push_number(L, "hi", row->hi);
  }
}

static void push_rigid(lua_State *L, const dls_world *w, const dls_rigid_row *row) {
  const int n = w->dim == 3 ? 6 : 3;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, row->linear ? "T" : "R");
  lua_setfield(L, -2, "kind");
  push_number(L, "G", row->G);
  push_number(L, "Gdot", row->rate);
  push_number(L, "lambda", row->lambda);
  (void)dls_push_vector(L, n, row->J);
  lua_setfield(L, -2, "Ji");
  (void)dls_push_vector(L, n, row->J + n);
  lua_setfield(L, -2, "Jj");
}

static int rigid_rows(lua_State *L, dls_world *w, int index) {
  dls_rigid_row rows[DLS_RIGID_ROWS];
  const int n = dls_rigid_rows(w, index, rows);
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    push_rigid(L, w, &rows[k]);
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

int dls_joint_rows_lua(lua_State *L) {
  const dls_joint_ref *ref = dls_check_joint(L, 1);
  dls_world *w = ref->box->world;
  const dls_joint *joint = &w->joints[ref->index];
  if (joint->formulation == DLS_RIGID) return rigid_rows(L, w, ref->index);
  if (joint->formulation != DLS_PENALTY)
    dls_raise(L, "joint", "'rows' are those of penalty and rigid joints");
  dls_ready_penalties(L, w, "joint");
  dls_penalty_now rows[DLS_PENALTY_ROWS];
  dls_penalty_rows_at(w, ref->index, w->q, w->u, rows);
  lua_createtable(L, joint->penalty.n_rows, 0);
  for (int k = 0; k < joint->penalty.n_rows; k++) {
    push_row(L, w, ref->index, k, &rows[k]);
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

/* --- a step too large ------------------------------------------------------------------------- */

void dls_raise_unstable(lua_State *L, int idx, dls_status status, const char *name) {
  if (status != DLS_UNSTABLE) return;
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  dls_raise(L, name,
            "joint %s would be lost: its penalty rows have a stability of %f, and hold below 4 (a "
            "smaller 'dt', or softer gains)",
            dls_push_joint_called(L, idx, w->fault), w->fault_value);
}
