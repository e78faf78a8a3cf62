/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/structure_parts.h"
#include "core/structure/element.h"

/* A structure under one load. */

static dls_structure_state_box *check(lua_State *L) {
  return (dls_structure_state_box *)dls_class_check(L, 1, &dls_structure_state_class);
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_state_destroy(&((dls_structure_state_box *)self)->s);
}

dls_structure_state_box *dls_structure_push_state(lua_State *L, int structure, int system) {
  dls_structure_state_box *box =
      (dls_structure_state_box *)dls_class_new(L, &dls_structure_state_class, sizeof *box, 3);
  lua_pushvalue(L, structure);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, system);
  lua_setiuservalue(L, -2, 2);
  box->handle.open = true;
  box->n_solutions = -1;
  box->p_limit = DLS_INF;
  return box;
}

/* The structure as it was condensed. */
static const dls_condensed *condensed_of(lua_State *L) {
  lua_getiuservalue(L, 1, 2);
  const dls_structure_system *system = (const dls_structure_system *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  return &system->c;
}

/* Index of the child at 2, of the structure at user value 1. */
static int child_at(lua_State *L, const char *function, int list, int n) {
  const dls_at at = {function, NULL, 0, 0};
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, 1); /* dls_structure_child_at wants it at 1 */
  lua_insert(L, 1);
  const int index = dls_structure_child_at(L, 3, &at, list);
  lua_remove(L, 1);
  if (index >= n) dls_raise(L, function, "it was added after this state was computed");
  return index;
}

/* displacement(node) -> x, y, rotation */
static int displacement(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  const int node = child_at(L, "state:displacement", STRUCTURE_NODES, s->n_nodes);
  for (int d = 0; d < 3; d++) lua_pushnumber(L, s->u[3 * node + d]);
  return 3;
}

/* reaction(node) -> fx, fy, moment */
static int reaction(lua_State *L) {
  dls_structure_state *s = &check(L)->s;
  const dls_condensed *c = condensed_of(L);
  const int node = child_at(L, "state:reaction", STRUCTURE_NODES, s->n_nodes);
  dls_check_status(L, dls_state_supports(s, &c->st, &c->dofs), "state:reaction");
  for (int d = 0; d < 3; d++) lua_pushnumber(L, s->support[3 * node + d]);
  return 3;
}

/* internal(element) -> N of a bar; N, V1, M1, V2, M2 of a frame */
static int internal(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  const dls_structure *st = &condensed_of(L)->st;
  const dls_element *e =
      &st->elements[child_at(L, "state:internal", STRUCTURE_ELEMENTS, st->n_elements)];
  double u[DLS_ELEMENT_MOST], section[5];
  if (e->kind == DLS_ELEMENT_QUAD)
    dls_raise(L, "state:internal", "a quad has no section forces: see state:stress");
  const double T = dls_state_element(s, e, u);
  dls_element_section(st, e, u, T, section);
  const int n = e->kind == DLS_ELEMENT_FRAME ? 5 : 1;
  for (int i = 0; i < n; i++) lua_pushnumber(L, section[i]);
  return n;
}

/* stress(element) -> {sxx, syy, sxy} */
static int stress(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  const dls_structure *st = &condensed_of(L)->st;
  const dls_element *e =
      &st->elements[child_at(L, "state:stress", STRUCTURE_ELEMENTS, st->n_elements)];
  double u[DLS_ELEMENT_MOST], sigma[3];
  if (e->kind != DLS_ELEMENT_QUAD)
    dls_raise(L, "state:stress", "only a quad has stresses: see state:internal");
  const double T = dls_state_element(s, e, u);
  dls_element_stress(st, e, u, T, sigma);
  dls_push_vec(L, 3, sigma);
  return 1;
}

/* --- for pictures ------------------------------------------------------------------------------
** */
static void set_list(lua_State *L, const char *name, int n, const int *x, int add) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushinteger(L, x[i] + add);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

static void push_elements(lua_State *L, const dls_structure *st) {
  static const char *const names[] = {"bar", "frame", "quad"};
  lua_createtable(L, st->n_elements, 0);
  for (int k = 0; k < st->n_elements; k++) {
    const dls_element *e = &st->elements[k];
    lua_createtable(L, dls_element_nodes(e), 1);
    for (int i = 0; i < dls_element_nodes(e); i++) {
      lua_pushinteger(L, e->node[i] + 1);
      lua_rawseti(L, -2, i + 1);
    }
    lua_pushstring(L, names[e->kind]);
    lua_setfield(L, -2, "kind");
    lua_rawseti(L, -2, k + 1);
  }
}

static void push_pairs(lua_State *L, const dls_structure *st) {
  lua_createtable(L, st->n_contacts, 0);
  for (int k = 0; k < st->n_contacts; k++) {
    const dls_contact_pair *c = &st->contacts[k];
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, c->b + 1);
    lua_setfield(L, -2, "b");
    dls_push_vec(L, 2, c->normal);
    lua_setfield(L, -2, "normal");
    set_list(L, "a", c->a[0] < 0 ? 0 : c->a[1] < 0 ? 1 : 2, c->a, 1);
    lua_rawseti(L, -2, k + 1);
  }
}

/* structure_drawing(state) -> { at =, u =, load = (3 a node), held = (masks), elements =,
** contacts = } */
static int drawing(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  const dls_structure *st = &condensed_of(L)->st;
  lua_settop(L, 1);
  lua_createtable(L, 0, 6);
  double *at = dls_push_vector(L, 2 * st->n_nodes, NULL);
  lua_setfield(L, 2, "at");
  dls_push_vector(L, 3 * st->n_nodes, s->u);
  lua_setfield(L, 2, "u");
  double *load = dls_push_vector(L, 3 * st->n_nodes, NULL);
  lua_setfield(L, 2, "load");
  lua_createtable(L, st->n_nodes, 0);
  for (int i = 0; i < st->n_nodes; i++) {
    const dls_structure_node *node = &st->nodes[i];
    for (int d = 0; d < 3; d++)
      load[3 * i + d] = s->part[0] * node->load[0][d] + s->part[1] * node->load[1][d];
    for (int d = 0; d < 2; d++) at[2 * i + d] = node->at[d];
    lua_pushinteger(L, node->held);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, 2, "held");
  push_elements(L, st);
  lua_setfield(L, 2, "elements");
  push_pairs(L, st);
  lua_setfield(L, 2, "contacts");
  return 1;
}

/* structure_displacements(state) -> 3 a node */
static int displacements(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  dls_push_vector(L, 3 * s->n_nodes, s->u);
  return 1;
}

void dls_open_structure_state(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"structure_drawing", drawing}, {"structure_displacements", displacements}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

/* --- properties ------------------------------------------------------------------------------- */
static void push_answer(lua_State *L, const dls_contact_answer *a) {
  static const char *const states[] = {"stick", "slip", "apart"};
  lua_createtable(L, 0, 6);
  lua_pushnumber(L, a->normal_force);
  lua_setfield(L, -2, "normal_force");
  lua_pushnumber(L, a->tangential_force + 0.0);
  lua_setfield(L, -2, "tangential_force");
  lua_pushnumber(L, a->opening);
  lua_setfield(L, -2, "opening");
  lua_pushnumber(L, a->slip + 0.0);
  lua_setfield(L, -2, "slip");
  lua_pushstring(L, states[a->state]);
  lua_setfield(L, -2, "state");
}

/* Made once, with the contact in each. */
static int get_contacts(lua_State *L) {
  const dls_structure_state *s = &check(L)->s;
  if (lua_getiuservalue(L, 1, 3) == LUA_TTABLE) return 1;
  lua_getiuservalue(L, 1, 1);
  const int structure = lua_gettop(L);
  lua_createtable(L, s->m, 0);
  for (int i = 0; i < s->m; i++) {
    push_answer(L, &s->contacts[i]);
    dls_structure_push_child(L, structure, STRUCTURE_CONTACTS, i);
    lua_setfield(L, -2, "contact");
    lua_rawseti(L, structure + 1, i + 1);
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, 3);
  return 1;
}

static int get_p(lua_State *L) {
  lua_pushnumber(L, check(L)->s.p);
  return 1;
}

static int get_residual(lua_State *L) {
  lua_pushnumber(L, check(L)->s.residual);
  return 1;
}

static bool solved(const dls_structure_state_box *box) {
  return strcmp(box->status, "solved") == 0 && box->s.residual <= box->tolerance;
}

/* What solves but for round-off beyond the tolerance is at its limit. */
static const char *status_of(const dls_structure_state_box *box) {
  return strcmp(box->status, "solved") == 0 && !solved(box) ? "limit" : box->status;
}

static int get_status(lua_State *L) {
  lua_pushstring(L, status_of(check(L)));
  return 1;
}

static int get_converged(lua_State *L) {
  lua_pushboolean(L, solved(check(L)));
  return 1;
}

static int get_solutions(lua_State *L) {
  const dls_structure_state_box *box = check(L);
  if (box->n_solutions < 0) return 0;
  lua_pushinteger(L, box->n_solutions);
  return 1;
}

static int get_explanation(lua_State *L) {
  const dls_structure_state_box *box = check(L);
  const lua_Number p = box->s.p, limit = box->p_limit;
  if (strcmp(status_of(box), "limit") == 0) {
    lua_pushfstring(L,
                    box->s.jammed
                        ? "No state of equilibrium at p = %f, a residual of %f: gaps press "
                          "contacts against one another."
                        : "A state of equilibrium at p = %f but for round-off, a residual of %f: "
                          "the structure hardly resists.",
                    p, (lua_Number)box->s.residual);
  } else if (strcmp(box->status, "solved") == 0) {
    if (box->n_solutions > 1)
      lua_pushfstring(L, "One of %d states of equilibrium at p = %f: the answer is not unique.",
                      box->n_solutions, p);
    else if (box->n_solutions == 1)
      lua_pushfstring(L, "The only state of equilibrium at p = %f.", p);
    else lua_pushfstring(L, "A state of equilibrium at p = %f.", p);
  } else if (strcmp(box->status, "none") == 0) {
    lua_pushfstring(
        L,
        "There is no state of equilibrium at p = %f: every basis was looked at. The numbers are "
        "those of the last one.",
        p);
  } else if (strcmp(box->status, "mechanism") == 0) {
    lua_pushfstring(
        L,
        "No state of equilibrium was found at p = %f: under the growing load the contacts let the "
        "structure move as a mechanism from p = %f on. The numbers are those of that load's basis.",
        p, limit);
  } else {
    lua_pushfstring(
        L, "No state of equilibrium was found at p = %f. The numbers are those of the last basis.",
        p);
  }
  return 1;
}

static int to_string(lua_State *L) {
  const dls_structure_state_box *box =
      (const dls_structure_state_box *)dls_class_test(L, 1, &dls_structure_state_class);
  if (box == NULL || !box->handle.open) {
    lua_pushliteral(L, "delassus.StructureState (closed)");
    return 1;
  }
  int n[3] = {0, 0, 0};
  for (int i = 0; i < box->s.m; i++) n[box->s.contacts[i].state]++;
  lua_pushfstring(L, "delassus.StructureState (p = %f, %s: %d stick, %d slip, %d apart)",
                  (lua_Number)box->s.p, status_of(box), n[DLS_CONTACT_STICK], n[DLS_CONTACT_SLIP],
                  n[DLS_CONTACT_APART]);
  return 1;
}

static const dls_property properties[] = {
    {"p", get_p, NULL, "load parameter"},
    {"contacts", get_contacts, NULL,
     "list of { normal_force =, tangential_force =, opening =, slip =, state =, contact = }"},
    {"residual", get_residual, NULL, "of the contact law and of equilibrium, the larger, relative"},
    {"converged", get_converged, NULL, "solved, with the residual in the tolerance"},
    {"status", get_status, NULL,
     "solved; limit (round-off beyond the tolerance); mechanism, none, unsolved (st:solve only)"},
    {"solutions", get_solutions, NULL,
     "how many states there are at this load, where every basis was looked at"},
    {"explanation", get_explanation, NULL, "the outcome in words"},
    {NULL, NULL, NULL, NULL}};

static const dls_method methods[] = {
    {"displacement", displacement, "(node) -> x, y, rotation, m and rad"},
    {"reaction", reaction, "(node) -> fx, fy, moment of its supports and springs on the structure"},
    {"internal", internal,
     "(element) -> N of a bar; N, V1, M1, V2, M2 of a frame: at its two ends"},
    {"stress", stress, "(element) -> {sxx, syy, sxy} at a quad's middle, Pa"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_structure_state_class = {
    "delassus.StructureState", "state", methods, properties, meta, NULL, release};
