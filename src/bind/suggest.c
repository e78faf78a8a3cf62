/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/suggest.h"

DLS_OUTSIDE
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
DLS_INSIDE

/* Names longer than this are near to nothing. */
enum { MOST = 31, FAR = 9 };

/* --- words of others -------------------------------------------------------------------------- */

/* What engines, formats and textbooks call what we call otherwise; of several rows of a word the
** first whose name there is. */
static const struct {
  const char *word; /* of others              */
  const char *ours; /* an option, or a method */
} WORDS[] = {
    {"h", "dt"},
    {"step", "dt"},
    {"timestep", "dt"},
    {"time_step", "dt"},
    {"step_size", "dt"},
    {"delta", "dt"},
    {"delta_t", "dt"},
    {"g", "gravity"},
    {"iterations", "max_iterations"},
    {"eps", "tolerance"},
    {"epsilon", "tolerance"},
    {"dim", "planar"},
    {"dimension", "planar"},
    {"dimensions", "planar"},
    {"integrator", "scheme"},
    {"simulate", "step"},
    {"update", "step"},
    {"tick", "step"},
    {"steps", "step"},
    {"pos", "position"},
    {"location", "position"},
    {"translation", "position"},
    {"x", "position"},
    {"origin", "position"},
    {"angle", "rotation"},
    {"orientation", "rotation"},
    {"quat", "rotation"},
    {"quaternion", "rotation"},
    {"euler", "rotation"},
    {"rpy", "rotation"},
    {"rot", "rotation"},
    {"vel", "velocity"},
    {"v", "velocity"},
    {"linear_velocity", "velocity"},
    {"w", "angular_velocity"},
    {"omega", "angular_velocity"},
    {"spin", "angular_velocity"},
    {"rotational_velocity", "angular_velocity"},
    {"m", "mass"},
    {"rho", "density"},
    {"moment", "inertia"},
    {"moment_of_inertia", "inertia"},
    {"mu", "friction"},
    {"friction_coefficient", "friction"},
    {"bounce", "restitution"},
    {"bounciness", "restitution"},
    {"elasticity", "restitution"},
    {"cor", "restitution"},
    {"e", "restitution"},
    {"static", "type"},
    {"kinematic", "type"},
    {"dynamic", "type"},
    {"fixed", "type"},
    {"immovable", "type"},
    {"body_type", "type"},
    {"extents", "size"},
    {"half_extents", "size"},
    {"dimensions", "size"},
    {"r", "radius"},
    {"height", "length"},
    {"points", "vertices"},
    {"vertices", "points"},
    {"triangles", "faces"},
    {"indices", "faces"},
    {"mask", "collides"},
    {"collision_mask", "collides"},
    {"category", "group"},
    {"layer", "group"},
    {"collision_group", "group"},
    {"user_data", "data"},
    {"userdata", "data"},
    {"tag", "name"},
    {"label", "name"},
    {"id", "name"},
    {"pivot", "anchor"},
    {"point", "anchor"},
    {"position", "anchor"},
    {"limit", "limits"},
    {"range", "limits"},
    {"min", "limits"},
    {"max", "limits"},
    {"lower", "limits"},
    {"upper", "limits"},
    {"k", "stiffness"},
    {"spring", "stiffness"},
    {"c", "damping"},
    {"damper", "damping"},
    {"type", "kind"},
    {"speed", "motor"},
    {"max_torque", "motor"},
    {"max_force", "motor"},
};

/* --- names of a table ------------------------------------------------------------------------- */

/* Pushes a string that stands in the place where lua_next has left key and value, in place of the
** value; whether one does. */
static bool take_name(lua_State *L) {
  if (lua_type(L, -2) == LUA_TSTRING) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    return true;
  }
  return lua_type(L, -1) == LUA_TSTRING;
}

static bool has(lua_State *L, const char *name, int idx_names) {
  bool found = false;
  lua_pushnil(L);
  while (!found && lua_next(L, idx_names) != 0) {
    found = take_name(L) && strcmp(lua_tostring(L, -1), name) == 0;
    lua_pop(L, found ? 2 : 1);
  }
  return found;
}

/* --- spelling --------------------------------------------------------------------------------- */

/* Optimal string alignment distance of two short names. */
static int distance(const char *a, const char *b) {
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n > MOST || m > MOST) return FAR;
  int d[MOST + 1][MOST + 1];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++) {
    for (int j = 1; j <= m; j++) {
      const int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      int best = d[i - 1][j] < d[i][j - 1] ? d[i - 1][j] + 1 : d[i][j - 1] + 1;
      if (change < best) best = change;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

/* The same name in other capitals ('Q' for 'q') is the nearest there is. */
static bool same_letters(const char *a, const char *b) {
  for (; *a != 0 && *b != 0; a++, b++)
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
  return *a == *b;
}

/* A name as we write it: "angularVelocity" as "angular_velocity". */
static void write_snake(const char *name, char *out) {
  int n = 0;
  for (const char *c = name; *c != 0 && n < 2 * MOST; c++) {
    const bool upper = isupper((unsigned char)*c);
    if (upper && c > name && islower((unsigned char)c[-1])) out[n++] = '_';
    out[n++] = (char)tolower((unsigned char)*c);
  }
  out[n] = 0;
}

/* "gravity" of "set_gravity", "box" of "create_box"; the name itself where nothing is before it. */
static const char *without_verb(const char *name) {
  static const char *const VERBS[] = {"set_", "get_", "add_", "create_", "make_", "new_", "is_"};
  for (size_t k = 0; k < sizeof VERBS / sizeof *VERBS; k++) {
    const size_t n = strlen(VERBS[k]);
    if (strncmp(name, VERBS[k], n) == 0 && name[n] != 0) return name + n;
  }
  return name;
}

/* Takes the candidate on the top of the stack if it is nearer, or as near and earlier in the
** alphabet. */
static void consider(lua_State *L, const char *name, int idx_best, int *best) {
  const char *candidate = lua_tostring(L, -1);
  const size_t length = strlen(name);
  const bool begins = length >= 3 && strncmp(candidate, name, length) == 0; /* "tol" */
  int far = same_letters(name, candidate) ? 0 : distance(name, candidate);
  if (begins && far > 2) far = 2;
  if (!begins && 2 * far > (int)length) return; /* nothing of the name would be left */
  if (far < *best ||
      (far == *best && !lua_isnil(L, idx_best) && strcmp(candidate, lua_tostring(L, idx_best)) < 0)) {
    *best = far;
    lua_pushvalue(L, -1);
    lua_replace(L, idx_best);
  }
}

/* Pushes the nearest of the names that are nearer than `best`, or nil. */
static void push_nearest(lua_State *L, const char *name, int idx_names, int best) {
  lua_pushnil(L);
  const int idx_best = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, idx_names) != 0) {
    if (take_name(L)) consider(L, name, idx_best, &best);
    lua_pop(L, 1);
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The name itself, or a word of others; pushes it where there is. */
static bool push_word(lua_State *L, const char *name, int idx_names) {
  const char *found = has(L, name, idx_names) ? name : NULL;
  for (size_t k = 0; !found && k < sizeof WORDS / sizeof *WORDS; k++)
    if (strcmp(WORDS[k].word, name) == 0 && has(L, WORDS[k].ours, idx_names))
      found = WORDS[k].ours;
  if (found) lua_pushstring(L, found);
  return found != NULL;
}

void dls_push_meant(lua_State *L, const char *name, int idx_names) {
  char snake[2 * MOST + 2];
  luaL_checkstack(L, 8, "suggestion");
  idx_names = lua_absindex(L, idx_names);
  push_nearest(L, name, idx_names, 1); /* the same letters */
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  write_snake(name, snake);
  if (push_word(L, snake, idx_names)) return;
  if (push_word(L, without_verb(snake), idx_names)) return;
  push_nearest(L, name, idx_names, 3);
}
