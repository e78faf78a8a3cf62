/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/structure_parts.h"
#include "core/structure/element.h"

/* Elements, grids and contacts of a structure: option tables with the nodes in front. */

/* What an option table of an element or contact says; nodes 0-based, -1: not given. */
typedef struct request {
  int node[4]; /* of the element */
  dls_element element; /* kind and numbers */
  int a[2], on; /* of the contact: the segment's two nodes; the node on it */
  double normal[2]; /* unit, of the contact */
  bool has_normal; /* 'normal' was given */
  double gap, friction; /* m; coefficient */
  double corner[2], size[2]; /* of a grid, m */
  int cells[2]; /* of a grid, across and up */
} request;

static request request_default(void) {
  request r;
  memset(&r, 0, sizeof r);
  for (int i = 0; i < 4; i++) r.node[i] = -1;
  r.a[0] = r.a[1] = r.on = -1;
  return r;
}

static void read_node(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  *(int *)out = dls_structure_child_at(L, idx, at, STRUCTURE_NODES);
}

/* A node, or a list of the two nodes of a segment. */
static void read_side(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  int *a = (int *)out;
  (void)arg;
  if (!lua_istable(L, idx)) {
    a[0] = dls_structure_child_at(L, idx, at, STRUCTURE_NODES);
    return;
  }
  if (lua_rawlen(L, idx) != 2) dls_bad(L, at, "must be a node or a list of two nodes", idx);
  for (int i = 0; i < 2; i++) {
    const dls_at place = {at->function, at->option, i + 1, 0};
    lua_rawgeti(L, idx, i + 1);
    a[i] = dls_structure_child_at(L, lua_gettop(L), &place, STRUCTURE_NODES);
    lua_pop(L, 1);
  }
  if (a[0] == a[1]) dls_bad(L, at, "must be two different nodes", idx);
}

static void read_poisson(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const double nu = dls_check_number(L, idx, at);
  if (!(nu > -1 && nu < 0.5)) dls_bad(L, at, "must be > -1 and < 0.5", idx);
  *(double *)out = nu;
}

static void read_normal(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  request *r = (request *)((char *)out - offsetof(request, normal));
  double n[2];
  dls_read_vec2(L, idx, at, arg, n);
  const double most = dls_max(fabs(n[0]), fabs(n[1]));
  if (!(most > 0.0)) dls_bad(L, at, "must not be zero", idx);
  const double x = n[0] / most, y = n[1] / most, length = sqrt(x * x + y * y);
  r->normal[0] = x / length;
  r->normal[1] = y / length;
  r->has_normal = true;
}

static void read_size(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double *size = (double *)out;
  dls_read_vec2(L, idx, at, arg, size);
  if (!(size[0] > 0.0 && size[1] > 0.0)) dls_bad(L, at, "must be two lengths > 0", idx);
}

static void read_cells(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double n[2];
  dls_read_vec2(L, idx, at, arg, n);
  for (int i = 0; i < 2; i++) {
    if (!(n[i] >= 1.0 && n[i] == floor(n[i]) && n[i] < 1e8))
      dls_bad(L, at, "must be two whole numbers >= 1", idx);
    ((int *)out)[i] = (int)n[i];
  }
}

static const char *const forms[] = {"incompatible", "bilinear", "bbar", NULL};

#define AT(field) offsetof(request, field)
#define NODE(name, k) {name, read_node, AT(node) + (k) * sizeof(int), NULL, DLS_REQUIRED, (k) + 1}
#define MODULUS {"E", dls_read_positive, AT(element.E), NULL, DLS_REQUIRED, 0}
#define EXPANSION {"expansion", dls_read_number, AT(element.expansion), NULL, 0, 0}
#define POISSON {"nu", read_poisson, AT(element.nu), NULL, DLS_REQUIRED, 0}
#define FORM {"formulation", dls_read_choice, AT(element.form), forms, 0, 0}
#define LAST {NULL, NULL, 0, NULL, 0, 0}

static const dls_option frame_options[] = {
    NODE("a", 0), NODE("b", 1), MODULUS, EXPANSION,
    {"A", dls_read_positive, AT(element.A), NULL, DLS_REQUIRED, 0},
    {"I", dls_read_positive, AT(element.I), NULL, DLS_REQUIRED, 0}, LAST};
static const dls_option bar_options[] = {
    NODE("a", 0), NODE("b", 1), MODULUS, EXPANSION,
    {"A", dls_read_positive, AT(element.A), NULL, DLS_REQUIRED, 0}, LAST};
static const dls_option quad_options[] = {NODE("n1", 0), NODE("n2", 1), NODE("n3", 2),
                                          NODE("n4", 3), MODULUS,       POISSON,
                                          FORM,          EXPANSION,     LAST};
static const dls_option grid_options[] = {
    MODULUS, POISSON, FORM, EXPANSION,
    {"corner", dls_read_vec2, AT(corner), NULL, 0, 0},
    {"size", read_size, AT(size), NULL, DLS_REQUIRED, 0},
    {"cells", read_cells, AT(cells), NULL, DLS_REQUIRED, 0}, LAST};
static const dls_option contact_options[] = {
    {"a", read_side, AT(a), NULL, 0, 1},
    {"b", read_node, AT(node), NULL, 0, 2},
    {"on", read_node, AT(on), NULL, 0, 0},
    {"normal", read_normal, AT(normal), NULL, 0, 0},
    {"gap", dls_read_number, AT(gap), NULL, 0, 0},
    {"friction", dls_read_nonnegative, AT(friction), NULL, 0, 0}, LAST};

/* Adds an element and pushes it. */
static int add_element(lua_State *L, const char *function, const dls_element *e) {
  dls_structure *st = &dls_structure_check(L)->st;
  dls_structure_push_child(L, 1, STRUCTURE_ELEMENTS, st->n_elements);
  dls_check_status(L, dls_structure_add_element(st, e), function);
  dls_structure_changed(L, 1);
  return 1;
}

static int add_line(lua_State *L, const char *function, int kind, const dls_option *rows) {
  request r = request_default();
  const dls_structure *st = &dls_structure_check(L)->st;
  dls_read_options(L, 2, function, rows, &r);
  dls_class_still_open(L);
  r.element.kind = kind;
  memcpy(r.element.node, r.node, sizeof r.node);
  const double *a = st->nodes[r.node[0]].at, *b = st->nodes[r.node[1]].at;
  if (a[0] == b[0] && a[1] == b[1])
    dls_raise(L, function, "nodes %d and %d are in one place: the element has no length",
              r.node[0] + 1, r.node[1] + 1);
  return add_element(L, function, &r.element);
}

int dls_structure_frame(lua_State *L) {
  return add_line(L, "structure:frame", DLS_ELEMENT_FRAME, frame_options);
}

int dls_structure_bar(lua_State *L) {
  return add_line(L, "structure:bar", DLS_ELEMENT_BAR, bar_options);
}

/* A quad whose nodes go round clockwise is turned. */
int dls_structure_quad(lua_State *L) {
  request r = request_default();
  const dls_structure *st = &dls_structure_check(L)->st;
  dls_read_options(L, 2, "structure:quad", quad_options, &r);
  dls_class_still_open(L);
  double twice_area;
  double least = dls_quad_jacobian(st, r.node, &twice_area);
  if (twice_area < 0.0) {
    const int second = r.node[1];
    r.node[1] = r.node[3];
    r.node[3] = second;
    least = dls_quad_jacobian(st, r.node, &twice_area);
  }
  if (!(least > 1e-12 * twice_area))
    dls_raise(L, "structure:quad",
              "quad %d (element %d, nodes %d, %d, %d, %d): the Jacobian at a Gauss point is %f, "
              "must be > 0",
              st->n_elements + 1, st->n_elements + 1, r.node[0] + 1, r.node[1] + 1, r.node[2] + 1,
              r.node[3] + 1, (lua_Number)least);
  r.element.kind = DLS_ELEMENT_QUAD;
  memcpy(r.element.node, r.node, sizeof r.node);
  return add_element(L, "structure:quad", &r.element);
}

/* Pushes n_rows lists of n_cols children, numbered from `first` row by row. */
static void push_rows(lua_State *L, int list, int first, int n_rows, int n_cols) {
  lua_createtable(L, n_rows, 1);
  for (int j = 0; j < n_rows; j++) {
    lua_createtable(L, n_cols, 0);
    for (int i = 0; i < n_cols; i++) {
      dls_structure_push_child(L, 1, list, first + j * n_cols + i);
      lua_rawseti(L, -2, i + 1);
    }
    lua_rawseti(L, -2, j + 1);
  }
}

static void add_cells(dls_structure *st, const request *r) {
  const int nx = r->cells[0], ny = r->cells[1], first = st->n_nodes;
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++)
      (void)dls_structure_add_node(st, r->corner[0] + r->size[0] * i / nx,
                                   r->corner[1] + r->size[1] * j / ny);
  dls_element e = r->element;
  e.kind = DLS_ELEMENT_QUAD;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      e.node[0] = first + j * (nx + 1) + i;
      e.node[1] = e.node[0] + 1;
      e.node[2] = e.node[1] + nx + 1;
      e.node[3] = e.node[0] + nx + 1;
      (void)dls_structure_add_element(st, &e);
    }
}

int dls_structure_grid(lua_State *L) {
  request r = request_default();
  dls_structure *st = &dls_structure_check(L)->st;
  dls_read_options(L, 2, "structure:grid", grid_options, &r);
  dls_class_still_open(L);
  const double n_nodes = ((double)r.cells[0] + 1) * ((double)r.cells[1] + 1);
  const int nx = r.cells[0], ny = r.cells[1];
  if (n_nodes > 1e8) dls_raise(L, "structure:grid", "'cells' make %f nodes, too many", n_nodes);
  dls_check_status(L, dls_structure_reserve(st, (int)n_nodes, nx * ny), "structure:grid");
  push_rows(L, STRUCTURE_NODES, st->n_nodes, ny + 1, nx + 1);
  push_rows(L, STRUCTURE_ELEMENTS, st->n_elements, ny, nx);
  lua_setfield(L, -2, "quads");
  add_cells(st, &r); /* there is room: nothing fails from here on */
  dls_structure_changed(L, 1);
  return 1;
}

#define FUNCTION "structure:contact"
#define BESIDE 1e-9 /* of the segment's length: a node so far beyond its end counts as on it */

/* The place on segment a that lies across from b. */
static double share_of(lua_State *L, const dls_structure *st, const request *r) {
  const double *p = st->nodes[r->a[0]].at, *q = st->nodes[r->a[1]].at,
               *b = st->nodes[r->node[0]].at;
  const double dx = q[0] - p[0], dy = q[1] - p[1], length2 = dx * dx + dy * dy;
  if (!(length2 > 0.0)) dls_raise(L, FUNCTION, "the nodes of the segment are in one place");
  const double share = ((b[0] - p[0]) * dx + (b[1] - p[1]) * dy) / length2;
  if (share < -BESIDE || share > 1.0 + BESIDE)
    dls_raise(L, FUNCTION,
              "node %d lies beside the segment from node %d to %d: at %f of its length",
              r->node[0] + 1, r->a[0] + 1, r->a[1] + 1, share);
  return dls_clamp(share, 0.0, 1.0);
}

static void check_sides(lua_State *L, request *r) {
  if (r->on >= 0) {
    if (r->a[0] >= 0 || r->node[0] >= 0)
      dls_raise(L, FUNCTION, "'on' stands alone: without the nodes a and b");
    r->node[0] = r->on;
    if (!r->has_normal) r->normal[1] = 1.0;
    return;
  }
  if (r->a[0] < 0 || r->node[0] < 0)
    dls_raise(
        L, FUNCTION,
        "expected two nodes { a, b, ... }, a segment and a node { {n1, n2}, b, ... }, or 'on'");
  if (r->a[0] == r->node[0] || r->a[1] == r->node[0])
    dls_raise(L, FUNCTION, "node %d cannot touch itself", r->node[0] + 1);
  if (!r->has_normal) dls_raise(L, FUNCTION, "'normal' is required (from a to b)");
}

int dls_structure_contact(lua_State *L) {
  request r = request_default();
  dls_structure *st = &dls_structure_check(L)->st;
  dls_read_options(L, 2, FUNCTION, contact_options, &r);
  dls_class_still_open(L);
  check_sides(L, &r);
  const dls_contact_pair pair = {.a = {r.a[0], r.a[1]},
                                 .b = r.node[0],
                                 .share = r.a[1] < 0 ? 0.0 : share_of(L, st, &r),
                                 .normal = {r.normal[0], r.normal[1]},
                                 .gap = r.gap,
                                 .friction = r.friction};
  dls_structure_push_child(L, 1, STRUCTURE_CONTACTS, st->n_contacts);
  dls_check_status(L, dls_structure_add_contact(st, &pair), FUNCTION);
  dls_structure_changed(L, 1);
  return 1;
}
