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
  smoothed soft;        /* contacts and web: y is the direction in impulses of bodies */
  path_contact *own;    /* n                                                         */
  double *Z;            /* PATH_CHANGES x web.n x NU                                 */
  path_change *change;  /* PATH_CHANGES                                              */
  int n_changes;
  double *kept;         /* 2 n: impulses at the largest t of this round              */
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

/* y <- y - L y: what is zero stays out of it. */
static void solve_lower(const web *w, double *y) {
  for (int k = 0; k < w->n; k++) {
    const double x = y[NU * k], z = y[NU * k + 1], t = y[NU * k + 2];
    if (x == 0 && z == 0 && t == 0) continue;
    for (int e = w->start[k]; e < w->start[k + 1]; e++) {
      const double *a = w->low + (size_t)e * NU2;
      double *to = y + (size_t)w->col[e] * NU;
      to[0] -= a[0] * x + a[1] * z + a[2] * t;
      to[1] -= a[3] * x + a[4] * z + a[5] * t;
      to[2] -= a[6] * x + a[7] * z + a[8] * t;
    }
  }
}

static void solve_upper(const web *w, double *y) {
  for (int k = w->n - 1; k >= 0; k--) {
    double *own = y + (size_t)k * NU, x = own[0], z = own[1], t = own[2];
    for (int e = w->start[k]; e < w->start[k + 1]; e++) {
      const double *a = w->up + (size_t)e * NU2, *of = y + (size_t)w->col[e] * NU;
      x -= a[0] * of[0] + a[1] * of[1] + a[2] * of[2];
      z -= a[3] * of[0] + a[4] * of[1] + a[5] * of[2];
      t -= a[6] * of[0] + a[7] * of[1] + a[8] * of[2];
    }
    const double *d = w->d + (size_t)k * NU2;
    own[0] = d[0] * x + d[1] * z + d[2] * t;
    own[1] = d[3] * x + d[4] * z + d[5] * t;
    own[2] = d[6] * x + d[7] * z + d[8] * t;
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
  solve_lower(w, y);
  solve_upper(w, y);
  for (int i = 0; i < P->n_changes; i++) {
    const path_change *c = &P->change[i];
    P->lanes->axpy(NU * w->n, -c->by * change_on(P, c, y), P->Z + (size_t)(NU * w->n) * (size_t)i, y);
  }
}

/* K of the states at hand, its factor, and the direction. */
static void factor_path(path *P) {
  smoothed *N = &P->soft;
  clear_web(&N->web);
  memset(N->y, 0, (size_t)N->web.n * NU * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    linearise_state(&N->contact[k], &P->own[k], P->pull);
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
  linearise_state(c, o, P->pull);
  double *Z = P->Z + (size_t)(NU * N->web.n) * (size_t)P->n_changes;
  memset(Z, 0, (size_t)(NU * N->web.n) * sizeof(double));
  for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
    if (c->a >= 0) add_u(Z + (size_t)c->a * NU, alpha[i], c->J + 2 * NU * i);
    if (c->b >= 0) add_u(Z + (size_t)c->b * NU, alpha[i], c->J + 2 * NU * i + NU);
  }
  solve_changed(P, Z);
  x->by = 1 / (1 + change_on(P, x, Z));
  if (!(fabs(x->by) < DLS_INF)) {
    factor_path(P);
    return;
  }
  P->n_changes++;
  const double lacks = x->beta[0] * o->r[0] + x->beta[1] * o->r[1] - change_on(P, x, N->y);
  P->lanes->axpy(NU * N->web.n, lacks * x->by, Z, N->y);
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
  memset(N->y, 0, (size_t)N->web.n * NU * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    contact2 *c = &N->contact[k];
    linearise_state(c, &P->own[k], P->pull);
    for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
      if (c->a >= 0) add_u(N->y + (size_t)c->a * NU, -c->g[i], c->J + 2 * NU * i);
      if (c->b >= 0) add_u(N->y + (size_t)c->b * NU, -c->g[i], c->J + 2 * NU * i + NU);
    }
  }
  solve_changed(P, N->y);
  for (int k = 0; k < N->n; k++)
    if (P->own[k].state != P->own[k].found) change_state(P, k, P->own[k].found);
}
