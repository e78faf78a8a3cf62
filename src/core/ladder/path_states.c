/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/path_states.h"

#include "core/rows/impulses.h"
#include "core/ladder/path.h"

static dls_path_state state_of(const dls_contact_2 *c, const dls_path_contact *o) {
  const double x_n = c->z[0] - c->v[0] / o->w[0];
  if (c->held) return DLS_PATH_PRESSED;
  if (!(x_n > 0)) return DLS_PATH_OPEN;
  if (!(c->mu > 0)) return DLS_PATH_PRESSED;
  const double x_t = c->z[1] - c->v[1] / o->w[1];
  if (x_t > c->mu * x_n) return DLS_PATH_SLIDE_UP;
  return x_t < -c->mu * x_n ? DLS_PATH_SLIDE_DOWN : DLS_PATH_STICK;
}

double dls_path_share(const dls_contact_2 *c, dls_path_state state) {
  return state == DLS_PATH_SLIDE_UP ? c->mu : (state == DLS_PATH_SLIDE_DOWN ? -c->mu : 0);
}

/* z to the nearest admissible impulse in a metric of its own; v to the velocity that it fits,
** kept in r. */
static void fit_contact(dls_contact_2 *c, dls_path_contact *o) {
  const dls_path_state state = o->found = state_of(c, o);
  const double x_n = c->z[0] - c->v[0] / o->w[0], x_t = c->mu > 0 ? c->z[1] - c->v[1] / o->w[1] : 0;
  c->z[0] = state == DLS_PATH_OPEN ? 0 : x_n;
  c->z[1] = state == DLS_PATH_STICK ? x_t : dls_path_share(c, state) * c->z[0];
  o->r[0] = state == DLS_PATH_OPEN ? -o->w[0] * x_n : 0;
  o->r[1] =
      state == DLS_PATH_SLIDE_UP || state == DLS_PATH_SLIDE_DOWN ? o->w[1] * (c->z[1] - x_t) : 0;
}

/* S and g of a contact's state: dz = S (r - dv). */
static void linearise_state(dls_contact_2 *c, dls_path_contact *o, double pull) {
  for (int i = 0; i < 2; i++) o->e[i] = pull * c->norm[i] + c->gamma[i];
  memset(c->S, 0, sizeof c->S);
  c->g[0] = c->g[1] = 0;
  if (o->state == DLS_PATH_OPEN) return;
  if (!c->bounded) {
    c->S[0] = 1 / o->e[0];
    c->S[2] = dls_path_share(c, o->state) / o->e[0];
  }
  if (o->state == DLS_PATH_STICK) c->S[3] = 1 / o->e[1];
  c->g[0] = -c->S[0] * o->r[0];
  c->g[1] = -c->S[2] * o->r[0] - c->S[3] * o->r[1];
}

/* Whether a contact opens where its normal impulse comes to zero: it is one, neither it nor its rolling
** friction sticks, which would slide before, and the contact tells of both. */
static bool may_open(const dls_state_path *P, int k) {
  const int turn = P->of.contact[k].turn;
  if (P->of.contact[k].bounded) return false;
  return turn < 0 || (k < turn && P->own[turn].state != DLS_PATH_STICK);
}

/* The same and its lane: what dz follows from, and what ends the state. */
static void enter_lane(dls_state_path *P, int k) {
  dls_contact_2 *c = &P->of.contact[k];
  dls_path_contact *o = &P->own[k];
  dls_path_group *g = &P->group[k / DLS_PATH_LANES];
  const int l = k % DLS_PATH_LANES;
  const dls_path_state state = o->state;
  linearise_state(c, o, P->pull);
  g->s_n[l] = c->S[0], g->s_nt[l] = c->S[2], g->s_t[l] = c->S[3];
  g->e_n[l] = o->e[0], g->e_t[l] = o->e[1];
  g->r_n[l] = o->r[0], g->r_t[l] = o->r[1];
  g->k_zn[l] = state == DLS_PATH_OPEN || c->held ? 0
               : state == DLS_PATH_STICK         ? c->mu
                                                 : may_open(P, k);
  g->k_zt[l] = state == DLS_PATH_STICK ? -1 : 0;
  g->k_vn[l] = state == DLS_PATH_OPEN && k < P->of.n_blocks && !c->bounded ? 1 : 0;
  g->l_zn[l] = state == DLS_PATH_STICK ? c->mu : 0;
  g->l_zt[l] = state == DLS_PATH_STICK ? 1 : 0;
  g->l_vt[l] = state == DLS_PATH_SLIDE_UP ? -1 : (state == DLS_PATH_SLIDE_DOWN ? 1 : 0);
}

/* Where the contacts are: from contact to lane and back. */
static void place_lanes(dls_state_path *P) {
  for (int k = 0; k < P->of.n; k++) {
    const dls_contact_2 *c = &P->of.contact[k];
    dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    g->z_n[l] = c->z[0], g->z_t[l] = c->z[1], g->v_n[l] = c->v[0], g->v_t[l] = c->v[1];
  }
}

void dls_path_read_lanes(const dls_state_path *P) {
  for (int k = 0; k < P->of.n; k++) {
    dls_contact_2 *c = &P->of.contact[k];
    const dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    c->z[0] = g->z_n[l], c->z[1] = g->z_t[l], c->v[0] = g->v_n[l], c->v[1] = g->v_t[l];
  }
}

/* Lanes without a contact stay zero. */
static void fill_lanes(dls_state_path *P) {
  const int nowhere = P->of.size; /* zeros */
  memset(P->group, 0, (size_t)P->n_groups * sizeof(dls_path_group));
  for (int k = 0; k < DLS_PATH_LANES * P->n_groups; k++) {
    dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    g->a[l] = g->b[l] = nowhere;
    if (k >= P->of.n) continue;
    const dls_contact_2 *c = &P->of.contact[k];
    for (int i = 0; i < 3; i++) {
      g->n_a[i][l] = c->MJ[0][i], g->n_b[i][l] = c->MJ[0][3 + i];
      g->t_a[i][l] = c->MJ[1][i], g->t_b[i][l] = c->MJ[1][3 + i];
    }
    if (c->a >= 0) g->a[l] = DLS_GRAPH_ROW * c->a;
    if (c->b >= 0) g->b[l] = DLS_GRAPH_ROW * c->b;
  }
}

/* v of the round's end less that of its impulses, of row i of contact k. */
static double asked_beyond(const dls_rows *rows, const dls_contact_2 *c, int i) {
  const int row = c->row[i];
  const dls_block *block = &rows->block[c->block];
  return c->v[i] - (dls_row_speed(3, rows, block, row, rows->u) + rows->s[row] + c->gamma[i] * c->z[i]);
}

bool dls_path_agree(dls_rows *rows, const dls_state_path *P, double most) {
  const dls_linear_contacts *N = &P->of;
  for (int turn = 0; turn < 2 && most > 0; turn++)
    for (int k = 0; k < N->n; k++) {
      const dls_contact_2 *c = &N->contact[k];
      if (P->own[k].state == DLS_PATH_OPEN || c->held) continue;
      for (int i = c->from; i < c->n; i++) {
        if (c->gamma[i] > 0) continue; /* a spring's force is what its law tells */
        const double beyond = asked_beyond(rows, c, i);
        if (turn == 0 && !(fabs(beyond) * rows->length[c->row[i]] <= most)) return false;
        if (turn == 1) dls_linear_contacts_ask(rows, N, k, i, beyond);
      }
    }
  return most > 0;
}

void dls_path_share_lanes(dls_state_path *P) {
  const dls_linear_contacts *N = &P->of;
  const dls_supported *x = N->supported;
  if (!x) return;
  P->lanes->gemv(x->m, x->m, x->T, (size_t)x->m, N->y + N->graph.n * DLS_GRAPH_ROW, N->read);
  for (int k = 0; k < N->n; k++) {
    const dls_contact_2 *c = &N->contact[k];
    dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    double *r[2] = {g->r_n + k % DLS_PATH_LANES, g->r_t + k % DLS_PATH_LANES};
    for (int i = 0; c->T && i < 2; i++)
      if (c->own[i] >= 0) *r[i] = P->own[k].r[i] - N->read[c->own[i]];
  }
}

/* b . y */
static double change_on(const dls_state_path *P, const dls_path_change *c, const double *y) {
  double v[2];
  dls_linear_contacts_image(&P->of.contact[c->contact], y, v);
  return c->beta[0] * v[0] + c->beta[1] * v[1];
}

/* y <- K^-1 y with all changes. */
static void solve_changed(const dls_state_path *P, double *y) {
  /* y gets of each Z: what each change sees of y and of those before it */
  double share[DLS_PATH_CHANGES];
  int row[DLS_PATH_CHANGES];
  dls_linear_contacts_solve(&P->of, y);
  for (int i = 0; i < P->n_changes; i++) {
    const dls_path_change *c = &P->change[i];
    const double *meets = P->meets + DLS_PATH_CHANGES * i;
    double sum = change_on(P, c, y);
    for (int j = 0; j < i; j++) sum += meets[j] * share[j];
    share[i] = -c->by * sum;
    row[i] = i;
  }
  P->lanes->combine(P->n_changes, P->of.size, P->Z, (size_t)P->of.size, row, share, y);
}

void dls_path_factor(dls_state_path *P) {
  dls_linear_contacts *N = &P->of;
  dls_body_graph_clear(&N->graph);
  memset(N->y, 0, (size_t)N->size * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    enter_lane(P, k);
    dls_linear_contacts_add(&N->contact[k], &N->graph, N->y);
  }
  dls_linear_contacts_factor(N);
  P->n_changes = 0;
  solve_changed(P, N->y);
}

dls_path_state dls_path_slide(const dls_state_path *P, int k) {
  const double v_t = P->group[k / DLS_PATH_LANES].v_t[k % DLS_PATH_LANES];
  return v_t > 0 ? DLS_PATH_SLIDE_DOWN : DLS_PATH_SLIDE_UP;
}

/* The rolling friction of a contact that comes from an open state or into one slides while it acts:
** its share of the normal impulse. */
static double enter_turn(dls_state_path *P, int turn, bool opens) {
  dls_path_contact *o = &P->own[turn];
  const dls_path_state acting = opens ? o->state : dls_path_slide(P, turn);
  o->state = opens ? DLS_PATH_OPEN : acting;
  return dls_path_share(&P->of.contact[turn], acting);
}

void dls_path_enter(dls_state_path *P, int k, dls_path_state state) {
  dls_linear_contacts *N = &P->of;
  dls_contact_2 *c = &N->contact[k];
  dls_path_contact *o = &P->own[k];
  const dls_path_state from = o->state;
  const bool along = from == DLS_PATH_OPEN || state == DLS_PATH_OPEN;
  /* that of the two that slides */
  const dls_path_state moving = from == DLS_PATH_OPEN || from == DLS_PATH_STICK ? state : from;
  const bool adds = from == DLS_PATH_OPEN || state == DLS_PATH_STICK;
  o->state = state;
  const double turns = along && c->turn >= 0 ? enter_turn(P, c->turn, state == DLS_PATH_OPEN) : 0;
  if (P->n_changes == DLS_PATH_CHANGES) {
    dls_path_factor(P);
    return;
  }
  const double share = dls_path_share(c, moving), sign = adds ? 1 : -1;
  double alpha[2] = {1, share};
  dls_path_change *x = &P->change[P->n_changes];
  *x = (dls_path_change){.contact = k, .beta = {sign / o->e[0], 0}};
  if (from == DLS_PATH_STICK || state == DLS_PATH_STICK) {
    alpha[0] = 0;
    alpha[1] = 1;
    x->beta[0] = -sign * share / o->e[0];
    x->beta[1] = sign / o->e[1];
  }
  enter_lane(P, k);
  if (c->turn >= 0) enter_lane(P, c->turn);
  double *Z = P->Z + (size_t)N->size * (size_t)P->n_changes;
  memset(Z, 0, (size_t)N->size * sizeof(double));
  dls_linear_contacts_push(c, alpha, Z);
  if (turns != 0) dls_linear_contacts_push(&N->contact[c->turn], (const double[2]){0, turns}, Z);
  solve_changed(P, Z);
  x->by = 1 / (1 + change_on(P, x, Z));
  if (!(fabs(x->by) < DLS_INF)) {
    dls_path_factor(P);
    return;
  }
  for (int j = 0; j < P->n_changes; j++)
    P->meets[DLS_PATH_CHANGES * P->n_changes + j] =
        change_on(P, x, P->Z + (size_t)N->size * (size_t)j);
  P->n_changes++;
  const double lacks = x->beta[0] * o->r[0] + x->beta[1] * o->r[1] - change_on(P, x, N->y);
  P->lanes->axpy(N->size, lacks * x->by, Z, N->y);
}

/* Contact k comes into any state; its rolling friction follows where it opens or no longer is open.
*/
static void change_state(dls_state_path *P, int k, dls_path_state state) {
  const dls_path_state from = P->own[k].state;
  const int turn = P->of.contact[k].turn;
  if (state == DLS_PATH_OPEN && turn > k && P->own[turn].state == DLS_PATH_STICK)
    dls_path_enter(P, turn, DLS_PATH_SLIDE_UP);
  if (from == DLS_PATH_OPEN && state == DLS_PATH_STICK) dls_path_enter(P, k, DLS_PATH_SLIDE_UP);
  if (from == DLS_PATH_STICK && state == DLS_PATH_OPEN) dls_path_enter(P, k, DLS_PATH_SLIDE_UP);
  if (from == DLS_PATH_SLIDE_UP && state == DLS_PATH_SLIDE_DOWN)
    dls_path_enter(P, k, DLS_PATH_STICK);
  if (from == DLS_PATH_SLIDE_DOWN && state == DLS_PATH_SLIDE_UP)
    dls_path_enter(P, k, DLS_PATH_STICK);
  dls_path_enter(P, k, state);
}

void dls_path_aim(dls_state_path *P, bool kept) {
  dls_linear_contacts *N = &P->of;
  int differ = 0;
  for (int k = 0; k < N->n; k++) differ += P->own[k].state != P->own[k].found;
  if (!kept || P->n_changes + 2 * differ > DLS_PATH_CHANGES) {
    for (int k = 0; k < N->n; k++) P->own[k].state = P->own[k].found;
    dls_path_factor(P);
    return;
  }
  memset(N->y, 0, (size_t)N->size * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    dls_contact_2 *c = &N->contact[k];
    enter_lane(P, k);
    const double x[2] = {-c->g[0], -c->g[1]};
    dls_linear_contacts_push(c, x, N->y);
  }
  solve_changed(P, N->y);
  for (int k = 0; k < N->n; k++)
    if (P->own[k].state != P->own[k].found) change_state(P, k, P->own[k].found);
}

dls_status dls_path_take(const dls_island *island, dls_state_path *P) {
  const dls_rows *rows = island->rows;
  dls_arena *tmp = island->tmp;
  *P = (dls_state_path){
      .lanes = dls_lanes_best(), .wide = dls_graph_lanes_best(), .pull = DLS_PULL_FIRST};
  const dls_status status = dls_linear_contacts_take(island, &P->of);
  if (status != DLS_OK) return status;
  const int n = P->of.n;
  P->n_groups = (n + DLS_PATH_LANES - 1) / DLS_PATH_LANES;
  P->own = DLS_TAKE(tmp, dls_path_contact, n);
  P->group = DLS_TAKE(tmp, dls_path_group, P->n_groups);
  P->kept = DLS_TAKE(tmp, double, 2 * DLS_PATH_LANES * (size_t)P->n_groups);
  P->change = DLS_TAKE(tmp, dls_path_change, DLS_PATH_CHANGES);
  P->meets = DLS_TAKE(tmp, double, DLS_PATH_CHANGES * DLS_PATH_CHANGES);
  P->Z = DLS_TAKE(tmp, double, (size_t)DLS_PATH_CHANGES * (size_t)P->of.size);
  if (!P->own || !P->group || !P->kept || !P->change || !P->meets || !P->Z) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    const dls_contact_2 *c = &P->of.contact[k];
    for (int i = 0; i < 2; i++) {
      const int row = c->row[i], own = row - rows->block[c->block].row;
      P->own[k].w[i] = rows->W[(size_t)row * 3 + (size_t)own] + rows->gamma[row];
      /* friction and rolling friction stop the same turn: half of it each */
      if (i == 1 && c->turn >= 0) P->own[k].w[i] *= 2;
    }
  }
  fill_lanes(P);
  return DLS_OK;
}

void dls_path_fit_all(dls_rows *rows, const int *blocks, dls_state_path *P) {
  dls_linear_contacts *N = &P->of;
  dls_linear_contacts_read(rows, N);
  for (int k = 0; k < N->n; k++) fit_contact(&N->contact[k], &P->own[k]);
  dls_linear_contacts_write(rows, N);
  dls_linear_contacts_follow(rows, blocks, N);
  dls_linear_contacts_read(rows, N);
  for (int k = 0; k < N->n; k++) {
    dls_contact_2 *c = &N->contact[k];
    dls_path_contact *o = &P->own[k];
    for (int i = 0; i < 2; i++) {
      const double fit = o->r[i];
      if (i == 1 && (o->found == DLS_PATH_OPEN || o->found == DLS_PATH_PRESSED)) {
        o->r[1] = 0;
        continue;
      }
      o->r[i] = fit - c->v[i];
      c->v[i] = fit;
    }
  }
  place_lanes(P);
}
