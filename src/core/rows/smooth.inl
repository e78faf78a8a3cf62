/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Newton's method on a smoothed law for a large island of planar contacts: the method of lcp/cone_smooth.h, with
** the bodies' block LU (web.inl) for its factor and the sweeps' answer for its start. With the wedge made round,
**
**     z' = (mu z_n, z_t),  y' = (v_n / mu + |v_t|, v_t),    F = z' - P(x) = 0,  x = z' - rho y',  rho = 1 / |W|,
**
** P the projection on |x_t| <= x_n, whose max(0, l), l = x_n +- |x_t|, is replaced by (l + sqrt(l^2 + 4 t^2)) / 2,
** and |v_t| by sqrt(v_t^2 + e^2), e a small part of t |W|. A step solves (X (W + E) + Y) dz = -F by each contact's
** dz = -g - S J du, as in newton.inl, is cut until sum |W|^2 |F|^2 falls, and t goes back to zero on the way. */

enum {
  SMOOTH_STEPS = 150, /* most, an island                         */
  SMOOTH_CUTS = 5,    /* halvings of a step                      */
  SHORT_CUTS = 2,     /* a step cut so often counts as short     */
  STALLED_STEPS = 3   /* so many very short ones, and t rises    */
};

/* e beside t |W|; t |W| at the start beside the residual; t falls once |W| |F| is below CLOSE t |W| everywhere. */
static const double EDGE = 1e-3, SMOOTH_FIRST = 30, CLOSE = 0.3, EASY = 0.1, FALL = 0.3, BACK = 8;

/* E / |W|: bounds, the first, and how it rises after a short step and falls after a whole one. */
static const double SOFT_LEAST = 1e-11, SOFT_FIRST = 1e-5, SOFT_MOST = 1e-3, SOFT_UP = 4, SOFT_DOWN = 3;

typedef struct contact2 {
  double mu, norm, gamma[2];
  double z[2], v[2];     /* impulses; velocities with shifts                  */
  double dz[2], dv[2];   /* a step                                            */
  double S[4], g[2];
  const double *J, *MJ;  /* two rows, or one and zeros after it               */
  int a, b;              /* places in the web, -1: does not move              */
  double *ab, *ba;       /* their blocks in the factor, NULL where one is out */
} contact2;

typedef struct smoothed {
  web web;
  int n;
  contact2 *contact; /* n                                          */
  double *y;         /* web.n x ROW                                */
  double *best;      /* 2 n: admissible impulses of least residual */
  double t, damp;
} smoothed;

/* max(0, l) made smooth, s = sqrt(l^2 + 4 t^2), without cancellation. */
static inline double soft_max(double l, double s, double t) {
  return l > 0 ? 0.5 * (l + s) : 2 * t * t / (s - l);
}

static inline double soft_root(double l, double t) { return sqrt(l * l + 4 * t * t); }

/* F of a contact without friction; X, Y unless NULL. */
static void slippery_law(const contact2 *c, double t, const double *z, const double *v, double *F,
                         double *X, double *Y) {
  const double rho = 1 / c->norm, x = z[0] - rho * v[0], s = soft_root(x, t), f = soft_max(x, s, t);
  F[0] = z[0] - f;
  F[1] = z[1];
  if (!X) return;
  X[0] = rho * f / s, X[1] = X[2] = X[3] = 0;
  Y[0] = 1 - f / s, Y[1] = Y[2] = 0, Y[3] = 1;
}

/* F of a contact; X = dF/dv and Y = dF/dz unless NULL. */
static void soft_law(const contact2 *c, double t, const double *z, const double *v, double *F,
                     double *X, double *Y) {
  const double mu = c->mu, rho = 1 / c->norm, e = EDGE * t * c->norm;
  if (!(mu > 0)) {
    slippery_law(c, t, z, v, F, X, Y);
    return;
  }
  const double speed = sqrt(v[1] * v[1] + e * e);
  const double x_n = mu * z[0] - rho * (v[0] / mu + speed), x_t = z[1] - rho * v[1];
  const double size = fabs(x_t), side = x_t < 0 ? -1 : 1, hi = x_n + size, lo = x_n - size;
  const double s_hi = soft_root(hi, t), s_lo = soft_root(lo, t);
  const double f_hi = soft_max(hi, s_hi, t), f_lo = soft_max(lo, s_lo, t);
  F[0] = mu * z[0] - 0.5 * (f_hi + f_lo);
  F[1] = z[1] - 0.5 * (f_hi - f_lo) * side;
  if (!X) return;
  const double g_hi = f_hi / s_hi, g_lo = f_lo / s_lo;
  const double along = 0.5 * (g_hi + g_lo), cross = 0.5 * (g_hi - g_lo) * side, slide = v[1] / speed;
  X[0] = rho * along / mu, X[1] = rho * (along * slide + cross);
  X[2] = rho * cross / mu, X[3] = rho * (cross * slide + along);
  Y[0] = (1 - along) * mu, Y[1] = -cross;
  Y[2] = -cross * mu, Y[3] = 1 - along;
}

/* Contacts that the method takes: cones and frictionless rows. */
static bool all_planar_contacts(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++) {
    const int kind = rows->block[blocks[k]].kind;
    if (kind != DLS_ROW_CONE && kind != DLS_ROW_UNILATERAL) return false;
  }
  return true;
}

static const double nothing[2 * NU];

static dls_status take_smoothed(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                                smoothed *N) {
  dls_status status = weave(rows, blocks, n, tmp, &N->web);
  if (status != DLS_OK) return status;
  web *w = &N->web;
  N->n = n;
  N->contact = DLS_TAKE(tmp, contact2, n);
  N->y = DLS_TAKE(tmp, double, (size_t)(w->n + 1) * ROW); /* a place for those that do not move */
  N->best = DLS_TAKE(tmp, double, 2 * (size_t)n);
  if (!N->best || !N->y || !N->contact) return DLS_FULL;
  memset(N->y + (size_t)w->n * ROW, 0, ROW * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    contact2 *c = &N->contact[k];
    memset(c, 0, sizeof *c);
    c->mu = block->kind == DLS_ROW_CONE ? block->mu[0] : 0;
    c->norm = dls_block_norm(rows, block);
    c->J = rows->J + (size_t)block->row * 2 * NU;
    c->MJ = rows->MJ + (size_t)block->row * 2 * NU;
    for (int i = 0; i < block->n; i++) c->gamma[i] = rows->gamma[block->row + i];
    c->a = moves(rows, block->a) ? w->place[block->a] : -1;
    c->b = moves(rows, block->b) ? w->place[block->b] : -1;
    if (c->a < 0 || c->b < 0) continue;
    const bool swap = c->a > c->b;
    const size_t at = (size_t)entry_of(w, swap ? c->b : c->a, swap ? c->a : c->b) * NU2;
    c->ab = swap ? w->low + at : w->up + at;
    c->ba = swap ? w->up + at : w->low + at;
  }
  return DLS_OK;
}

/* Impulses and velocities as the rows have them. */
static void read_contacts(const dls_rows *rows, const int *blocks, smoothed *N) {
  for (int k = 0; k < N->n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    contact2 *c = &N->contact[k];
    for (int i = 0; i < block->n; i++) {
      const int row = block->row + i;
      c->z[i] = rows->p[row];
      c->v[i] = row_speed(rows, block, row, rows->u) + rows->s[row] + c->gamma[i] * c->z[i];
    }
  }
}

static void linearise_soft(contact2 *c, double t, double damp) {
  double F[2], X[4], Y[4];
  soft_law(c, t, c->z, c->v, F, X, Y);
  const double e_n = damp * c->norm + c->gamma[0], e_t = damp * c->norm + c->gamma[1];
  const double p = Y[0] + X[0] * e_n, q = Y[1] + X[1] * e_t, r = Y[2] + X[2] * e_n, s = Y[3] + X[3] * e_t;
  double det = p * s - q * r;
  if (!(fabs(det) > 1e-300)) det = 1e-300;
  const double by = 1 / det;
  c->S[0] = (s * X[0] - q * X[2]) * by, c->S[1] = (s * X[1] - q * X[3]) * by;
  c->S[2] = (p * X[2] - r * X[0]) * by, c->S[3] = (p * X[3] - r * X[1]) * by;
  c->g[0] = (s * F[0] - q * F[1]) * by, c->g[1] = (p * F[1] - r * F[0]) * by;
}

/* K += J' (S MJ) of two sides. */
static inline void add_corner(const double *J_n, const double *J_t, const double *SM, double *K) {
  for (int i = 0; i < NU; i++)
    for (int j = 0; j < NU; j++) K[DOWN * i + ACROSS * j] += J_n[i] * SM[j] + J_t[i] * SM[2 * NU + j];
}

static void add_contact(const contact2 *c, web *w, double *y) {
  const bool two = c->mu > 0;
  const double *J_n = c->J, *J_t = two ? c->J + 2 * NU : nothing;
  const double *M_n = c->MJ, *M_t = two ? c->MJ + 2 * NU : nothing;
  double SM[4 * NU];
  for (int i = 0; i < 2 * NU; i++) {
    SM[i] = c->S[0] * M_n[i] + c->S[1] * M_t[i];
    SM[2 * NU + i] = c->S[2] * M_n[i] + c->S[3] * M_t[i];
  }
  if (c->a >= 0) add_corner(J_n, J_t, SM, w->d + (size_t)c->a * NU2);
  if (c->b >= 0) add_corner(J_n + NU, J_t + NU, SM + NU, w->d + (size_t)c->b * NU2);
  if (c->ab) {
    add_corner(J_n, J_t, SM + NU, c->ab);
    add_corner(J_n + NU, J_t + NU, SM, c->ba);
  }
  for (int i = 0; i < NU; i++) {
    if (c->a >= 0) y[(size_t)c->a * ROW + i] -= c->g[0] * J_n[i] + c->g[1] * J_t[i];
    if (c->b >= 0) y[(size_t)c->b * ROW + i] -= c->g[0] * J_n[NU + i] + c->g[1] * J_t[NU + i];
  }
}

/* J M^-1 y of a contact. */
static void image_of(const contact2 *c, const double *y, double *v) {
  v[0] = v[1] = 0;
  for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
    if (c->a >= 0) v[i] += dot_u(c->MJ + 2 * NU * i, y + (size_t)c->a * ROW);
    if (c->b >= 0) v[i] += dot_u(c->MJ + 2 * NU * i + NU, y + (size_t)c->b * ROW);
  }
}

/* dz and dv of all contacts. */
static void soft_step(smoothed *N) {
  web *w = &N->web;
  clear_web(w);
  memset(N->y, 0, (size_t)w->n * ROW * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    linearise_soft(&N->contact[k], N->t, N->damp);
    add_contact(&N->contact[k], w, N->y);
  }
  factor_web(w);
  solve_web(w, N->y);
  for (int k = 0; k < N->n; k++) {
    contact2 *c = &N->contact[k];
    image_of(c, N->y, c->dv);
    c->dz[0] = -c->g[0] - (c->S[0] * c->dv[0] + c->S[1] * c->dv[1]);
    c->dz[1] = -c->g[1] - (c->S[2] * c->dv[0] + c->S[3] * c->dv[1]);
  }
  /* dv that belongs to dz exactly, whatever the solution lost by rounding. */
  memset(N->y, 0, (size_t)w->n * ROW * sizeof(double));
  for (int k = 0; k < N->n; k++) {
    const contact2 *c = &N->contact[k];
    for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
      if (c->a >= 0) add_u(N->y + (size_t)c->a * ROW, c->dz[i], c->J + 2 * NU * i);
      if (c->b >= 0) add_u(N->y + (size_t)c->b * ROW, c->dz[i], c->J + 2 * NU * i + NU);
    }
  }
  for (int k = 0; k < N->n; k++) {
    contact2 *c = &N->contact[k];
    image_of(c, N->y, c->dv);
    for (int i = 0; i < 2; i++) c->dv[i] += c->gamma[i] * c->dz[i];
  }
}

/* sum |W|^2 |F|^2 after `share` of the step, and its largest term's root. */
static double soft_merit(const smoothed *N, double share, double *most) {
  double sum = 0, largest = 0;
  for (int k = 0; k < N->n; k++) {
    const contact2 *c = &N->contact[k];
    const double z[2] = {c->z[0] + share * c->dz[0], c->z[1] + share * c->dz[1]};
    const double v[2] = {c->v[0] + share * c->dv[0], c->v[1] + share * c->dv[1]};
    double F[2];
    soft_law(c, N->t, z, v, F, NULL, NULL);
    const double own = (F[0] * F[0] + F[1] * F[1]) * c->norm * c->norm;
    sum += own;
    if (!(own <= largest)) largest = own;
  }
  *most = sqrt(largest);
  return sum;
}

/* Goes the first cut of the step that lowers the sum enough; answers the cuts, SMOOTH_CUTS + 1 where none does. */
static int search_soft(smoothed *N, double *most) {
  const double before = soft_merit(N, 0, most);
  double share = 1, now;
  for (int cuts = 0; cuts <= SMOOTH_CUTS; cuts++, share /= 2) {
    if (!(soft_merit(N, share, &now) <= (1 - 1e-2 * share) * before)) continue;
    for (int k = 0; k < N->n; k++) {
      contact2 *c = &N->contact[k];
      for (int i = 0; i < 2; i++) c->z[i] += share * c->dz[i], c->v[i] += share * c->dv[i];
    }
    *most = now;
    return cuts;
  }
  return SMOOTH_CUTS + 1;
}

/* The admissible impulses nearest to those at hand go to the rows; their residual (*found); the best are kept, whose
** it answers. */
static double judge_soft(dls_rows *rows, const int *blocks, smoothed *N, double best, double *found) {
  for (int k = 0; k < N->n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = N->contact[k].z[i];
  }
  admit_all(rows, blocks, N->n);
  dls_push_island(rows, blocks, N->n, N->web.body, N->web.n);
  const double now = *found = dls_rows_residual_of(rows, blocks, N->n);
  if (!(now < best)) return best;
  for (int k = 0; k < N->n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) N->best[2 * k + i] = rows->p[block->row + i];
  }
  return now;
}

/* From the impulses and velocities at hand: the best found are left there. */
static dls_status smooth_island(dls_rows *rows, const int *blocks, int n, double limit, dls_budget *budget,
                                dls_arena *tmp, int *iterations, bool *converged) {
  const size_t mark = dls_arena_mark(tmp);
  smoothed N;
  dls_status status = take_smoothed(rows, blocks, n, tmp, &N);
  if (status != DLS_OK) return status;
  read_contacts(rows, blocks, &N);
  double now, best = judge_soft(rows, blocks, &N, DLS_INF, &now), most, norm = 0, fall = FALL;
  for (int k = 0; k < n; k++) norm += N.contact[k].norm / n;
  N.t = SMOOTH_FIRST * best / norm;
  N.damp = SOFT_FIRST;
  int done = 0, stalled = 0;
  const double cost = dls_budget_sweeps(budget, web_cost(&N.web)) + NEWTON_LOOKS;
  const int steps = dls_budget_times(budget, 0.5, cost, SMOOTH_STEPS);
  for (; done < steps && !(best <= limit) && !given_up(rows, n, NEWTON_VISITS); done++) {
    soft_step(&N);
    const int cuts = search_soft(&N, &most);
    if (most <= 2 * limit && N.t * norm <= 2 * limit) best = judge_soft(rows, blocks, &N, best, &now);
    stalled = cuts >= SMOOTH_CUTS - 1 ? stalled + 1 : 0;
    if (stalled >= STALLED_STEPS) {
      N.t *= BACK;
      N.damp = SOFT_FIRST;
      fall = 0.5 * (1 + fall);
      stalled = 0;
      continue;
    }
    if (cuts >= SHORT_CUTS) N.damp = dls_min(N.damp * SOFT_UP, SOFT_MOST);
    else if (cuts == 0) N.damp = dls_max(N.damp / SOFT_DOWN, SOFT_LEAST);
    if (cuts == 0 && most <= EASY * N.t * norm) fall = dls_max(FALL, fall * fall);
    if (cuts <= SMOOTH_CUTS && most <= CLOSE * N.t * norm) N.t *= fall;
  }
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = N.best[2 * k + i];
  }
  dls_push_island(rows, blocks, n, N.web.body, N.web.n);
  note_iterations(done, iterations);
  dls_budget_pay(budget, done * cost);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
