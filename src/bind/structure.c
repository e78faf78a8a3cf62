/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/structure_parts.h"

/* delassus.structure: nodes, supports, loads. Elements and contacts: structure_elements.c. */

static const dls_class *const child_classes[] = {
    NULL, &dls_structure_node_class, &dls_structure_element_class, &dls_structure_contact_class};

dls_structure_box *dls_structure_check(lua_State *L) {
  return (dls_structure_box *)dls_class_check(L, 1, &dls_structure_class);
}

static dls_structure *check(lua_State *L) { return &dls_structure_check(L)->st; }

void dls_structure_changed(lua_State *L, int idx) {
  dls_structure_box *box = (dls_structure_box *)lua_touserdata(L, idx);
  box->version++;
  lua_pushnil(L);
  lua_setiuservalue(L, idx, STRUCTURE_SYSTEM);
}

/* --- nodes, elements, contacts as Lua values -------------------------------------------------- */
void dls_structure_push_child(lua_State *L, int idx, int list, int index) {
  luaL_checkstack(L, 4, "structure");
  lua_getiuservalue(L, idx, list);
  if (lua_rawgeti(L, -1, index + 1) == LUA_TNIL) {
    lua_pop(L, 1);
    dls_structure_child *child =
        (dls_structure_child *)dls_class_new(L, child_classes[list], sizeof *child, 1);
    child->index = index;
    lua_pushvalue(L, idx);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, index + 1);
  }
  lua_remove(L, -2);
}

int dls_structure_child_at(lua_State *L, int idx, const dls_at *at, int list) {
  static const char *const rules[] = {NULL, "must be a node of this structure",
                                      "must be an element of this structure",
                                      "must be a contact of this structure"};
  static const char *const wanted[] = {NULL, "expected a node of this structure",
                                       "expected an element of this structure",
                                       "expected a contact of this structure"};
  const dls_structure_child *child =
      (const dls_structure_child *)dls_class_test(L, idx, child_classes[list]);
  bool own = false;
  if (child != NULL) {
    lua_getiuservalue(L, idx, 1);
    own = lua_rawequal(L, -1, 1);
    lua_pop(L, 1);
  }
  if (!own && child != NULL)
    dls_bad_got(L, at, at->option == NULL && at->element == 0 ? wanted[list] : rules[list],
                list == STRUCTURE_NODES ? "one of another" : "that of another");
  if (!own)
    dls_bad(L, at, at->option == NULL && at->element == 0 ? wanted[list] : rules[list], idx);
  return child->index;
}

static int node_at(lua_State *L, const char *function) {
  const dls_at at = {function, NULL, 0, 0};
  return dls_structure_child_at(L, 2, &at, STRUCTURE_NODES);
}

/* The structure of the child at 1, at the top of the stack; raises where it is closed. */
static dls_structure *parent_of(lua_State *L, const dls_class *cls, int *index) {
  *index = ((const dls_structure_child *)dls_class_check(L, 1, cls))->index;
  lua_getiuservalue(L, 1, 1);
  dls_structure_box *box = (dls_structure_box *)lua_touserdata(L, -1);
  if (!box->handle.open)
    dls_raise(L, cls->noun, "attempt to use a %s of a closed structure", cls->noun);
  return &box->st;
}

static int get_index(lua_State *L) {
  lua_pushinteger(L, ((const dls_structure_child *)lua_touserdata(L, 1))->index + 1);
  return 1;
}

static int node_position(lua_State *L) {
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_node_class, &i);
  dls_push_vec(L, 2, st->nodes[i].at);
  return 1;
}

static int element_kind(lua_State *L) {
  static const char *const names[] = {"bar", "frame", "quad"};
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_element_class, &i);
  lua_pushstring(L, names[st->elements[i].kind]);
  return 1;
}

static int element_nodes(lua_State *L) {
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_element_class, &i);
  const int owner = lua_gettop(L), n = dls_element_nodes(&st->elements[i]);
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    dls_structure_push_child(L, owner, STRUCTURE_NODES, st->elements[i].node[k]);
    lua_rawseti(L, owner + 1, k + 1);
  }
  return 1;
}

static int contact_normal(lua_State *L) {
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_contact_class, &i);
  dls_push_vec(L, 2, st->contacts[i].normal);
  return 1;
}

static int contact_friction(lua_State *L) {
  int i;
  lua_pushnumber(L, parent_of(L, &dls_structure_contact_class, &i)->contacts[i].friction);
  return 1;
}

static int contact_gap(lua_State *L) {
  int i;
  lua_pushnumber(L, parent_of(L, &dls_structure_contact_class, &i)->contacts[i].gap);
  return 1;
}

/* Pushes node `index` of the structure on the top, or nil for -1. */
static int push_node_of(lua_State *L, int index) {
  if (index < 0) lua_pushnil(L);
  else dls_structure_push_child(L, lua_gettop(L), STRUCTURE_NODES, index);
  return 1;
}

static int contact_b(lua_State *L) {
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_contact_class, &i);
  return push_node_of(L, st->contacts[i].b);
}

/* A node, a list of two, or nil for the ground. */
static int contact_a(lua_State *L) {
  int i;
  const dls_structure *st = parent_of(L, &dls_structure_contact_class, &i);
  const dls_contact_pair *c = &st->contacts[i];
  if (c->a[1] < 0) return push_node_of(L, c->a[0]);
  const int owner = lua_gettop(L);
  lua_createtable(L, 2, 0);
  for (int k = 0; k < 2; k++) {
    dls_structure_push_child(L, owner, STRUCTURE_NODES, c->a[k]);
    lua_rawseti(L, owner + 1, k + 1);
  }
  return 1;
}

static int child_text(lua_State *L) {
  for (int list = STRUCTURE_NODES; list <= STRUCTURE_CONTACTS; list++) {
    const dls_structure_child *child =
        (const dls_structure_child *)dls_class_test(L, 1, child_classes[list]);
    if (child == NULL) continue;
    lua_getiuservalue(L, 1, 1);
    const dls_structure_box *box = (const dls_structure_box *)lua_touserdata(L, -1);
    const char *name = child_classes[list]->name;
    if (list == STRUCTURE_NODES && box->handle.open) {
      const double *at = box->st.nodes[child->index].at;
      lua_pushfstring(L, "%s (%d, at %f, %f)", name, child->index + 1, at[0], at[1]);
    } else {
      lua_pushfstring(L, "%s (%d)", name, child->index + 1);
    }
    return 1;
  }
  return 0;
}

static const luaL_Reg child_meta[] = {{"__tostring", child_text}, {NULL, NULL}};

static const dls_property node_properties[] = {
    {"index", get_index, NULL, "its number, in the order made"},
    {"position", node_position, NULL, "where it is at rest, m (vec)"},
    {NULL, NULL, NULL, NULL}};
static const dls_property element_properties[] = {
    {"index", get_index, NULL, "its number, in the order made"},
    {"kind", element_kind, NULL, "\"bar\", \"frame\" or \"quad\""},
    {"nodes", element_nodes, NULL, "its nodes; a quad's counter-clockwise"},
    {NULL, NULL, NULL, NULL}};
static const dls_property contact_properties[] = {
    {"index", get_index, NULL, "its number, in the order made"},
    {"a", contact_a, NULL, "node, list of the two nodes of a segment, or nil: the ground"},
    {"b", contact_b, NULL, "node; forces are those on it"},
    {"normal", contact_normal, NULL, "unit vector from a to b (vec)"},
    {"gap", contact_gap, NULL, "initial, m; < 0: interference"},
    {"friction", contact_friction, NULL, "Coulomb's coefficient"},
    {NULL, NULL, NULL, NULL}};

const dls_class dls_structure_node_class = {
    "delassus.StructureNode", "node", NULL, node_properties, child_meta, NULL, NULL};
const dls_class dls_structure_element_class = {
    "delassus.StructureElement", "element", NULL, element_properties, child_meta, NULL, NULL};
const dls_class dls_structure_contact_class = {
    "delassus.StructureContact", "contact", NULL, contact_properties, child_meta, NULL, NULL};

/* --- the description -------------------------------------------------------------------------- */
typedef struct definition {
  int assumption; /* 0 plane strain, 1 plane stress */
  double thickness; /* m */
  int factor;     /* 0 our own, 1 cholmod */
} definition;

static const char *const assumptions[] = {"plane strain", "plane stress", NULL};
static const char *const factors[] = {"own", "cholmod", NULL};

static const dls_option options[] = {
    {"assumption", dls_read_choice, offsetof(definition, assumption), assumptions, 0, 0},
    {"thickness", dls_read_positive, offsetof(definition, thickness), NULL, 0, 0},
    {"factor", dls_read_choice, offsetof(definition, factor), factors, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static int make(lua_State *L) {
  definition def = {0, 1.0, 0};
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    lua_newtable(L);
  }
  dls_read_options(L, 1, "structure", options, &def);
  dls_structure_box *box =
      (dls_structure_box *)dls_class_new(L, &dls_structure_class, sizeof *box, STRUCTURE_VALUES);
  for (int list = STRUCTURE_NODES; list <= STRUCTURE_CONTACTS; list++) {
    lua_newtable(L);
    lua_setiuservalue(L, -2, list);
  }
  const dls_alloc alloc = dls_lua_alloc(L);
  box->st = dls_structure_default(&alloc);
  box->st.plane_stress = def.assumption == 1;
  box->st.thickness = def.thickness;
  box->factor = def.factor;
  box->handle.open = true;
  return 1;
}

static void release(lua_State *L, void *self) {
  dls_structure_box *box = (dls_structure_box *)self;
  (void)L;
  dls_free(&box->st.alloc, box->slip0, (size_t)box->slip_room, sizeof *box->slip0);
  box->slip0 = NULL;
  dls_structure_destroy(&box->st);
}

/* node{x, y} */
static int add_node(lua_State *L) {
  dls_structure *st = check(L);
  const dls_at at = {"structure:node", NULL, 0, 0};
  double x[2];
  dls_read_numbers(L, 2, &at, 2, x);
  dls_structure_push_child(L, 1, STRUCTURE_NODES, st->n_nodes); /* what may fail for memory first */
  dls_check_status(L, dls_structure_add_node(st, x[0], x[1]), at.function);
  dls_structure_changed(L, 1);
  return 1;
}

static const char *const displacement_names[] = {"x", "y", "rotation", NULL};
static const char *const part_names[] = {"constant", "growing", NULL};

/* "constant" (where it is left out) or "growing". */
static int part_at(lua_State *L, int idx, const char *function) {
  const dls_at at = {function, "when", 0, 0};
  int part = DLS_CONSTANT;
  if (!lua_isnoneornil(L, idx)) dls_read_choice(L, idx, &at, part_names, &part);
  return part;
}

/* fix(node, "x", "y", "rotation") */
static int fix(lua_State *L) {
  dls_structure *st = check(L);
  const int node = node_at(L, "structure:fix"), n = lua_gettop(L);
  unsigned char held = 0;
  if (n < 3) dls_raise(L, "structure:fix", "expected what is held: 'x', 'y', 'rotation'");
  for (int i = 3; i <= n; i++) {
    const dls_at at = {"structure:fix", "displacement", 0, 0};
    int d;
    dls_read_choice(L, i, &at, displacement_names, &d);
    held = (unsigned char)(held | 1 << d);
  }
  st->nodes[node].held = (unsigned char)(st->nodes[node].held | held);
  dls_structure_changed(L, 1);
  return 0;
}

/* spring(node, displacement, stiffness) */
static int add_spring(lua_State *L) {
  dls_structure *st = check(L);
  const dls_at at_d = {"structure:spring", "displacement", 0, 0},
               at_k = {"structure:spring", "stiffness", 0, 0};
  dls_structure_spring spring = {.node = node_at(L, "structure:spring")};
  dls_read_choice(L, 3, &at_d, displacement_names, &spring.dof);
  dls_read_nonnegative(L, 4, &at_k, NULL, &spring.stiffness);
  dls_check_status(L, dls_structure_add_spring(st, &spring), "structure:spring");
  dls_structure_changed(L, 1);
  return 0;
}

/* load(node, {fx, fy [, moment]}, when): adds up */
static int add_load(lua_State *L) {
  dls_structure *st = check(L);
  const dls_at at = {"structure:load", "force", 0, 0};
  const int node = node_at(L, "structure:load");
  double f[3] = {0, 0, 0};
  const int top = lua_gettop(L);
  const bool list = lua_istable(L, 3) || luaL_getmetafield(L, 3, "__len") != LUA_TNIL;
  lua_settop(L, top);
  const lua_Integer n = list ? luaL_len(L, 3) : 0;
  if (list && n != 2 && n != 3) {
    lua_pushfstring(L, "%I numbers", n);
    dls_bad_got(L, &at, "must be {fx, fy} or {fx, fy, moment}", lua_tostring(L, -1));
  }
  dls_read_numbers(L, 3, &at, n == 3 ? 3 : 2, f);
  const int part = part_at(L, 4, "structure:load");
  for (int d = 0; d < 3; d++) st->nodes[node].load[part][d] += f[d];
  dls_structure_changed(L, 1);
  return 0;
}

/* displace(node, displacement, value, when): held there */
static int displace(lua_State *L) {
  dls_structure *st = check(L);
  const dls_at at_d = {"structure:displace", "displacement", 0, 0},
               at_v = {"structure:displace", "value", 0, 0};
  const int node = node_at(L, "structure:displace");
  int d;
  dls_read_choice(L, 3, &at_d, displacement_names, &d);
  const double value = dls_check_number(L, 4, &at_v);
  const int part = part_at(L, 5, "structure:displace");
  st->nodes[node].held = (unsigned char)(st->nodes[node].held | 1 << d);
  st->nodes[node].shift[part][d] = value;
  dls_structure_changed(L, 1);
  return 0;
}

/* heat(element, dT, when) */
static int heat(lua_State *L) {
  dls_structure *st = check(L);
  const dls_at at = {"structure:heat", NULL, 0, 0}, at_T = {"structure:heat", "dT", 0, 0};
  const int element = dls_structure_child_at(L, 2, &at, STRUCTURE_ELEMENTS);
  const double T = dls_check_number(L, 3, &at_T);
  st->elements[element].heat[part_at(L, 4, "structure:heat")] = T;
  dls_structure_changed(L, 1);
  return 0;
}

/* --- properties ------------------------------------------------------------------------------- */
static int get_n_nodes(lua_State *L) {
  lua_pushinteger(L, check(L)->n_nodes);
  return 1;
}

static int get_n_elements(lua_State *L) {
  lua_pushinteger(L, check(L)->n_elements);
  return 1;
}

static int push_list(lua_State *L, int list, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    dls_structure_push_child(L, 1, list, i);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int get_nodes(lua_State *L) { return push_list(L, STRUCTURE_NODES, check(L)->n_nodes); }
static int get_elements(lua_State *L) {
  return push_list(L, STRUCTURE_ELEMENTS, check(L)->n_elements);
}
static int get_contacts(lua_State *L) {
  return push_list(L, STRUCTURE_CONTACTS, check(L)->n_contacts);
}

static int get_assumption(lua_State *L) {
  lua_pushstring(L, assumptions[check(L)->plane_stress]);
  return 1;
}

static int get_thickness(lua_State *L) {
  lua_pushnumber(L, check(L)->thickness);
  return 1;
}

/* What the last system cost, or nil. */
static int get_cost(lua_State *L) {
  (void)check(L);
  if (lua_getiuservalue(L, 1, STRUCTURE_SYSTEM) != LUA_TUSERDATA) return 0;
  const dls_structure_system *system = (const dls_structure_system *)lua_touserdata(L, -1);
  static const char *const names[] = {"assembly", "factorisation", "condensation"};
  lua_createtable(L, 0, 5);
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, system->seconds[i]);
    lua_setfield(L, -2, names[i]);
  }
  lua_pushinteger(L, system->c.dofs.n);
  lua_setfield(L, -2, "unknowns");
  lua_pushnumber(L, system->c.front.n_entries);
  lua_setfield(L, -2, "entries");
  return 1;
}

static int to_string(lua_State *L) {
  const dls_structure_box *box =
      (const dls_structure_box *)dls_class_test(L, 1, &dls_structure_class);
  if (box == NULL || !box->handle.open) lua_pushliteral(L, "delassus.Structure (closed)");
  else
    lua_pushfstring(L, "delassus.Structure (%d nodes, %d elements, %d contacts, %s)",
                    box->st.n_nodes, box->st.n_elements, box->st.n_contacts,
                    assumptions[box->st.plane_stress]);
  return 1;
}

static const dls_property properties[] = {
    {"assumption", get_assumption, NULL, "\"plane strain\" or \"plane stress\", of the quads"},
    {"thickness", get_thickness, NULL, "of the quads, m"},
    {"nodes", get_nodes, NULL, "list of the nodes"},
    {"elements", get_elements, NULL, "list of the elements"},
    {"contacts", get_contacts, NULL, "list of the contacts"},
    {"n_nodes", get_n_nodes, NULL, "how many nodes"},
    {"n_elements", get_n_elements, NULL, "how many elements"},
    {"cost", get_cost, NULL,
     "seconds of assembly, factorisation, condensation; unknowns, entries of the factor; or nil"},
    {NULL, NULL, NULL, NULL}};

static const dls_method methods[] = {
    {"node", add_node, "({x, y}) -> node, m"},
    {"frame", dls_structure_frame, "{ a, b, E =, A =, I =, expansion = } -> element, a beam"},
    {"bar", dls_structure_bar, "{ a, b, E =, A =, expansion = } -> element, hinged at its ends"},
    {"quad", dls_structure_quad,
     "{ n1, n2, n3, n4, E =, nu =, formulation =, expansion = } -> element"},
    {"grid", dls_structure_grid,
     "{ corner =, size =, cells =, E =, nu = } -> nodes[j][i], quads in nodes.quads[j][i]"},
    {"contact", dls_structure_contact,
     "{ a, b, normal =, gap =, friction = } or { on = b, ... } -> contact"},
    {"fix", fix, "(node, \"x\", \"y\", \"rotation\") holds displacements"},
    {"spring", add_spring,
     "(node, \"x\" | \"y\" | \"rotation\", stiffness) to the ground, N/m or N m/rad"},
    {"load", add_load, "(node, {fx, fy, moment}, \"constant\" | \"growing\") N, N m; loads add up"},
    {"displace", displace,
     "(node, \"x\" | \"y\" | \"rotation\", value, when) prescribes a displacement, m or rad"},
    {"heat", heat, "(element, dT, when) warms it, K"},
    {"follow", dls_structure_follow,
     "{ to =, tightening =, tolerance =, factor = } -> path under the growing load"},
    {"solve", dls_structure_solve, "{ p =, tolerance =, factor = } -> state under one load"},
    {"commit", dls_structure_commit, "(state) makes its slips permanent"},
    {"problem", dls_structure_problem, "() -> R, q_c, r_v of the complementarity problem"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_structure_class = {
    "delassus.Structure", "structure", methods, properties, meta, NULL, release};

void dls_open_structure(lua_State *L) {
  static const luaL_Reg functions[] = {{"structure", make}, {NULL, NULL}};
  const dls_class *const classes[] = {&dls_structure_class,         &dls_structure_node_class,
                                      &dls_structure_element_class, &dls_structure_contact_class,
                                      &dls_structure_system_class,  &dls_structure_path_class,
                                      &dls_structure_state_class};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) dls_class_register(L, classes[i]);
  luaL_setfuncs(L, functions, 0);
  dls_open_structure_state(L);
}
