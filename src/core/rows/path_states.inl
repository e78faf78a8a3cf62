/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Contacts in states (open, sticking, sliding), each of a linear law, and the bodies' matrix K of web.inl
** for them: one factor, and the changes a b' of the states that have changed since (path.inl). */

enum { PATH_CHANGES = 48 }; /* between two factors */

typedef enum contact_state { OPEN, STICK, SLIDE_UP, SLIDE_DOWN, PRESSED } contact_state;

typedef struct path_contact {
  contact_state state; /* that K has; PRESSED: without friction   */
  contact_state found; /* that the impulses at hand tell          */
  double w[2];         /* its own W's diagonal, gamma in it       */
  double e[2];         /* E + gamma                               */
  double r[2];
} path_contact;

/* K <- K + a b', b . y = beta . J M^-1 y of one contact. */
typedef struct path_change {
  int contact;
  double beta[2], by; /* by = 1 / (1 + b . Z) */
} path_change;

typedef struct path {
  const dls_lanes *lanes;
  const dls_web_lanes *wide;
  smoothed soft;        /* contacts and web: y is the direction in impulses of bodies */
  path_contact *own;    /* n                                                         */
  int n_groups;
  dls_path_group *group; /* n_groups: the contacts side by side: their states' numbers, and where they are */
  double *Z;            /* PATH_CHANGES x web.n x ROW                                */
  path_change *change;  /* PATH_CHANGES                                              */
  double *meets;        /* PATH_CHANGES^2: b of a change times Z of one before it    */
  int n_changes;
  double *kept;         /* 2 lanes: impulses at the largest t of this round          */
  double pull;          /* E / |W|                                                   */
} path;

static contact_state state_of(const contact2 *c, const path_contact *o) {
  const double x_n = c->z[0] - c->v[0] / o->w[0];
  if (!(x_n > 0)) return OPEN;
  if (!(c->mu > 0)) return PRESSED;
  const double x_t = c->z[1] - c->v[1] / o->w[1];
  if (x_t > c->mu * x_n) return SLIDE_UP;
  return x_t < -c->mu * x_n ? SLIDE_DOWN : STICK;
}

/* z_t / z_n of a contact that slides, 0 without friction. */
static double share_of(const contact2 *c, contact_state state) {
  return state == SLIDE_UP ? c->mu : (state == SLIDE_DOWN ? -c->mu : 0);
}

/* z to the nearest admissible impulse in a metric of its own; v to the velocity that it fits, kept in r. */
static void fit_contact(contact2 *c, path_contact *o) {
  const contact_state state = o->found = state_of(c, o);
  const double x_n = c->z[0] - c->v[0] / o->w[0], x_t = c->mu > 0 ? c->z[1] - c->v[1] / o->w[1] : 0;
  c->z[0] = state == OPEN ? 0 : x_n;
  c->z[1] = state == STICK ? x_t : share_of(c, state) * c->z[0];
  o->r[0] = state == OPEN ? -o->w[0] * x_n : 0;
  o->r[1] = state == SLIDE_UP || state == SLIDE_DOWN ? o->w[1] * (c->z[1] - x_t) : 0;
}

/* S and g of a contact's state: dz = S (r - dv). */
static void linearise_state(contact2 *c, path_contact *o, double pull) {
  for (int i = 0; i < 2; i++) o->e[i] = pull * c->norm + c->gamma[i];
  memset(c->S, 0, sizeof c->S);
  c->g[0] = c->g[1] = 0;
  if (o->state == OPEN) return;
  c->S[0] = 1 / o->e[0];
  c->S[2] = share_of(c, o->state) / o->e[0];
  if (o->state == STICK) c->S[3] = 1 / o->e[1];
  c->g[0] = -c->S[0] * o->r[0];
  c->g[1] = -c->S[2] * o->r[0] - c->S[3] * o->r[1];
}

/* The same and its lane: what dz follows from, and what ends the state. */
static void enter_lane(path *P, int k) {
  contact2 *c = &P->soft.contact[k];
  path_contact *o = &P->own[k];
  dls_path_group *g = &P->group[k / DLS_PATH_LANES];
  const int l = k % DLS_PATH_LANES;
  const contact_state state = o->state;
  linearise_state(c, o, P->pull);
  g->s_n[l] = c->S[0], g->s_nt[l] = c->S[2], g->s_t[l] = c->S[3];
  g->e_n[l] = o->e[0], g->e_t[l] = o->e[1];
  g->r_n[l] = o->r[0], g->r_t[l] = o->r[1];
  g->k_zn[l] = state == OPEN ? 0 : (state == STICK ? c->mu : 1);
  g->k_zt[l] = state == STICK ? -1 : 0;
  g->k_vn[l] = state == OPEN ? 1 : 0;
  g->l_zn[l] = state == STICK ? c->mu : 0;
  g->l_zt[l] = state == STICK ? 1 : 0;
  g->l_vt[l] = state == SLIDE_UP ? -1 : (state == SLIDE_DOWN ? 1 : 0);
}

/* Where the contacts are: from contact to lane and back. */
static void place_lanes(path *P) {
  for (int k = 0; k < P->soft.n; k++) {
    const contact2 *c = &P->soft.contact[k];
    dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    g->z_n[l] = c->z[0], g->z_t[l] = c->z[1], g->v_n[l] = c->v[0], g->v_t[l] = c->v[1];
  }
}

static void read_lanes(const path *P) {
  for (int k = 0; k < P->soft.n; k++) {
    contact2 *c = &P->soft.contact[k];
    const dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    c->z[0] = g->z_n[l], c->z[1] = g->z_t[l], c->v[0] = g->v_n[l], c->v[1] = g->v_t[l];
  }
}

/* Lanes without a contact stay zero. */
static void fill_lanes(path *P) {
  const int nowhere = ROW * P->soft.web.n; /* zeros */
  memset(P->group, 0, (size_t)P->n_groups * sizeof(dls_path_group));
  for (int k = 0; k < DLS_PATH_LANES * P->n_groups; k++) {
    dls_path_group *g = &P->group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    g->a[l] = g->b[l] = nowhere;
    if (k >= P->soft.n) continue;
    const contact2 *c = &P->soft.contact[k];
    const double *tangent = c->mu > 0 ? c->MJ + 2 * NU : nothing;
    for (int i = 0; i < NU; i++) {
      g->n_a[i][l] = c->MJ[i], g->n_b[i][l] = c->MJ[NU + i];
      g->t_a[i][l] = tangent[i], g->t_b[i][l] = tangent[NU + i];
    }
    if (c->a >= 0) g->a[l] = ROW * c->a;
    if (c->b >= 0) g->b[l] = ROW * c->b;
  }
}

/* b . y */
static double change_on(const path *P, const path_change *c, const double *y) {
  double v[2];
  image_of(&P->soft.contact[c->contact], y, v);
  return c->beta[0] * v[0] + c->beta[1] * v[1];
}

/* y <- K^-1 y with all changes. */
static void solve_changed(const path *P, double *y) {
  const web *w = &P->soft.web;
  double share[PATH_CHANGES]; /* y gets of each Z: what each change sees of y and of those before it */
  int row[PATH_CHANGES];
  solve_web(w, y);
  for (int i = 0; i < P->n_changes; i++) {
    const path_change *c = &P->change[i];
    const double *meets = P->meets + PATH_CHANGES * i;
    double sum = change_on(P, c, y);
    for (int j = 0; j < i; j++) sum += meets[j] * share[j];
    share[i] = -c->by * sum;
    row[i] = i;
  }
  P->lanes->combine(P->n_changes, ROW * w->n, P->Z, (size_t)(ROW * w->n), row, share, y);
}

/* K of the states at hand, its factor, and the direction. */
static void factor_path(path *P) {
  smoothed *N = &P->soft;
  clear_web(&N->web);
  memset(N->y, 0, (size_t)N->web.n * ROW * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    enter_lane(P, k);
    add_contact(&N->contact[k], &N->web, N->y);
  }
  factor_web(&N->web);
  P->n_changes = 0;
  solve_changed(P, N->y);
}

/* Contact k comes into a state next to its own: S <- S + alpha beta', and with it K, and y = K^-1 J' S r. */
static void enter_state(path *P, int k, contact_state state) {
  smoothed *N = &P->soft;
  contact2 *c = &N->contact[k];
  path_contact *o = &P->own[k];
  const contact_state from = o->state;
  const contact_state moving = from == OPEN || from == STICK ? state : from; /* that of the two that slides */
  const bool adds = from == OPEN || state == STICK;
  o->state = state;
  if (P->n_changes == PATH_CHANGES) {
    factor_path(P);
    return;
  }
  const double share = share_of(c, moving), sign = adds ? 1 : -1;
  double alpha[2] = {1, share};
  path_change *x = &P->change[P->n_changes];
  *x = (path_change){.contact = k, .beta = {sign / o->e[0], 0}};
  if (from == STICK || state == STICK) {
    alpha[0] = 0;
    alpha[1] = 1;
    x->beta[0] = -sign * share / o->e[0];
    x->beta[1] = sign / o->e[1];
  }
  enter_lane(P, k);
  double *Z = P->Z + (size_t)(ROW * N->web.n) * (size_t)P->n_changes;
  memset(Z, 0, (size_t)(ROW * N->web.n) * sizeof(double));
  for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
    if (c->a >= 0) add_u(Z + (size_t)c->a * ROW, alpha[i], c->J + 2 * NU * i);
    if (c->b >= 0) add_u(Z + (size_t)c->b * ROW, alpha[i], c->J + 2 * NU * i + NU);
  }
  solve_changed(P, Z);
  x->by = 1 / (1 + change_on(P, x, Z));
  if (!(fabs(x->by) < DLS_INF)) {
    factor_path(P);
    return;
  }
  for (int j = 0; j < P->n_changes; j++)
    P->meets[PATH_CHANGES * P->n_changes + j] = change_on(P, x, P->Z + (size_t)(ROW * N->web.n) * (size_t)j);
  P->n_changes++;
  const double lacks = x->beta[0] * o->r[0] + x->beta[1] * o->r[1] - change_on(P, x, N->y);
  P->lanes->axpy(ROW * N->web.n, lacks * x->by, Z, N->y);
}

/* Contact k comes into any state. */
static void change_state(path *P, int k, contact_state state) {
  const contact_state from = P->own[k].state;
  if (from == OPEN && state == STICK) enter_state(P, k, SLIDE_UP);
  if (from == STICK && state == OPEN) enter_state(P, k, SLIDE_UP);
  if (from == SLIDE_UP && state == SLIDE_DOWN) enter_state(P, k, STICK);
  if (from == SLIDE_DOWN && state == SLIDE_UP) enter_state(P, k, STICK);
  enter_state(P, k, state);
}

/* The direction for the states found and their r; `kept`: K is that of states that were. */
static void aim(path *P, bool kept) {
  smoothed *N = &P->soft;
  int differ = 0;
  for (int k = 0; k < N->n; k++) differ += P->own[k].state != P->own[k].found;
  if (!kept || P->n_changes + 2 * differ > PATH_CHANGES) {
    for (int k = 0; k < N->n; k++) P->own[k].state = P->own[k].found;
    factor_path(P);
    return;
  }
  memset(N->y, 0, (size_t)N->web.n * ROW * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    contact2 *c = &N->contact[k];
    enter_lane(P, k);
    for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
      if (c->a >= 0) add_u(N->y + (size_t)c->a * ROW, -c->g[i], c->J + 2 * NU * i);
      if (c->b >= 0) add_u(N->y + (size_t)c->b * ROW, -c->g[i], c->J + 2 * NU * i + NU);
    }
  }
  solve_changed(P, N->y);
  for (int k = 0; k < N->n; k++)
    if (P->own[k].state != P->own[k].found) change_state(P, k, P->own[k].found);
}
