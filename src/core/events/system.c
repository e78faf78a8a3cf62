/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/system.h"

#include "core/math/difference.h"

#define N_ARRAYS 11
#define SHARED 3 /* rows of contacts without a place */
#define FIRST 64 /* rows that get places without growth */
/* first step of differences along the motion, of a coordinate's size (at least 1) */
#define SHARE 2e-3

dls_status dls_system_create(dls_system *s, const dls_system_def *def, const dls_alloc *alloc) {
  memset(s, 0, sizeof *s);
  if (def->n < 1 || def->n_contacts < 0 || !(def->span > 0)) return DLS_ARG;
  const bool plain = def->nq == 0;
  const size_t n = (size_t)def->n, k = (size_t)def->n_contacts,
               ld = plain ? dls_lanes_ld(def->n) : 0;
  size_t m = k;
  for (size_t i = 0; i < k; i++) {
    if (def->n_tangents[i] < 0 || def->n_tangents[i] > 2) return DLS_ARG;
    m += (size_t)def->n_tangents[i];
  }
  if (m > INT32_MAX / 4) return DLS_TOOBIG;
  const size_t room = SHARED + (m < FIRST ? m : FIRST);
  const size_t doubles[] = {n * ld, n, n, m, m, m, m, k, k, k, k};
  double **arrays[N_ARRAYS] = {&s->R, &s->force,    &s->smooth, &s->drift, &s->v,
                               &s->wbar, &s->size,   &s->gap, &s->e_N, &s->e_T, &s->scale};
  size_t bytes = dls_arena_bytes(4 * n, sizeof(double));
  for (int i = 0; i < N_ARRAYS; i++)
    bytes = dls_bytes_add(bytes, dls_arena_bytes(doubles[i], sizeof(double)));
  bytes = dls_bytes_add(bytes, 3 * dls_arena_bytes(k, sizeof(int)) + dls_arena_bytes(k, 1));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(m, sizeof(int)) + dls_arena_bytes(m, 1) + DLS_ALIGN);
  if (bytes == SIZE_MAX) return DLS_TOOBIG;
  void *block = dls_new(alloc, bytes, 1);
  double *J = (double *)dls_new(alloc, room * n, sizeof *J),
         *MJ = (double *)dls_new(alloc, room * n, sizeof *MJ);
  if (block == NULL || J == NULL || MJ == NULL) {
    dls_free(alloc, block, bytes, 1);
    dls_free(alloc, J, room * n, sizeof *J);
    dls_free(alloc, MJ, room * n, sizeof *MJ);
    return DLS_NOMEM;
  }
  dls_arena arena = dls_arena_over(block, bytes);
  s->J = J, s->MJ = MJ, s->room = (int)room, s->n_placed = SHARED;
  s->def = *def, s->n = def->n, s->nq = plain ? def->n : def->nq, s->n_contacts = def->n_contacts;
  s->n_rows = (int)m, s->ld = ld;
  for (int i = 0; i < N_ARRAYS; i++) *arrays[i] = DLS_TAKE(&arena, double, doubles[i]);
  s->work = DLS_TAKE(&arena, double, 4 * n);
  s->row = DLS_TAKE(&arena, int, k);
  s->n_tangents = DLS_TAKE(&arena, int, k);
  s->kept = DLS_TAKE(&arena, int, k);
  s->moves = DLS_TAKE(&arena, unsigned char, k);
  s->at = DLS_TAKE(&arena, int, m);
  s->given = DLS_TAKE(&arena, unsigned char, m);
  s->alloc = *alloc, s->block = block, s->block_size = bytes;
  for (int i = 0, r = 0; i < s->n_contacts; i++) {
    s->row[i] = r;
    s->n_tangents[i] = def->n_tangents[i];
    s->e_N[i] = def->e_N[i], s->e_T[i] = def->e_T[i];
    s->scale[i] = def->scale != NULL ? def->scale[i] : 1;
    for (int j = 0; j <= s->n_tangents[i]; j++) s->at[r + j] = j, s->given[r + j] = 0;
    s->given[r] = def->given != NULL && def->given(def->ctx, i);
    r += 1 + s->n_tangents[i];
  }
  s->def.n_tangents = s->n_tangents, s->def.e_N = s->e_N, s->def.e_T = s->e_T,
  s->def.scale = s->scale;
  return DLS_OK;
}

void dls_system_destroy(dls_system *s) {
  const size_t size = (size_t)s->room * (size_t)s->n;
  dls_free(&s->alloc, s->J, size, sizeof *s->J);
  dls_free(&s->alloc, s->MJ, size, sizeof *s->MJ);
  dls_free(&s->alloc, s->block, s->block_size, 1);
  memset(s, 0, sizeof *s);
}

void dls_system_clear(dls_system *s) {
  for (int k = 0; k < s->n_kept; k++)
    for (int j = 0; j <= s->n_tangents[s->kept[k]]; j++) s->at[s->row[s->kept[k]] + j] = j;
  s->n_kept = 0, s->n_placed = SHARED;
}

dls_status dls_system_place(dls_system *s, int i) {
  const int m = 1 + s->n_tangents[i], r = s->row[i];
  const size_t n = (size_t)s->n;
  if (s->at[r] >= SHARED) return DLS_OK;
  if (s->n_placed + m > s->room) { /* once for a set of this size */
    const size_t old = (size_t)s->room * n, room = (size_t)(2 * s->room + m);
    double *J = (double *)dls_new(&s->alloc, room * n, sizeof *J);
    double *MJ = (double *)dls_new(&s->alloc, room * n, sizeof *J);
    if (J == NULL || MJ == NULL) {
      dls_free(&s->alloc, J, room * n, sizeof *J);
      dls_free(&s->alloc, MJ, room * n, sizeof *MJ);
      return DLS_NOMEM;
    }
    memcpy(J, s->J, old * sizeof *J);
    memcpy(MJ, s->MJ, old * sizeof *MJ);
    dls_free(&s->alloc, s->J, old, sizeof *J);
    dls_free(&s->alloc, s->MJ, old, sizeof *MJ);
    s->J = J, s->MJ = MJ, s->room = (int)room;
  }
  memcpy(s->J + (size_t)s->n_placed * n, s->J, (size_t)m * n * sizeof *s->J);
  for (int j = 0; j < m; j++) s->at[r + j] = s->n_placed + j;
  s->n_placed += m;
  s->kept[s->n_kept++] = i;
  return DLS_OK;
}

void dls_system_carry(const dls_system *s, double *q, double h, const double *u) {
  if (s->def.advance != NULL) {
    s->def.advance(s->def.ctx, q, h, u);
    return;
  }
  for (int l = 0; l < s->n; l++) q[l] += h * u[l];
}

dls_status dls_system_gap(dls_system *s, int i, double t, const double *q, double *gap) {
  return s->def.gap(s->def.ctx, i, t, q, gap);
}

dls_status dls_system_gap_of_many(dls_system *s, int i, bool there, double t, const double *q,
                                  double *gap) {
  if (!there || s->def.gap_there == NULL) return s->def.gap(s->def.ctx, i, t, q, gap);
  return s->def.gap_there(s->def.ctx, i, t, q, gap);
}

/* Row k of contact i at (q, t), moving with u: what differences are taken of. */
typedef struct row_at {
  dls_system *s;         /* whose contact */
  int i, k;              /* contact; row of it */
  double t;              /* s */
  const double *q, *u;   /* as it stands and moves */
  dls_differences speed; /* of its velocity */
} row_at;

static dls_status gap_later(void *ctx, double ds, double *gap) {
  const row_at *row = (const row_at *)ctx;
  return row->s->def.gap(row->s->def.ctx, row->i, row->t + ds, row->q, gap);
}

static double terms_of(const dls_system *s, const double *w, const double *x) {
  double sum = 0;
  for (int j = 0; j < s->n; j++) sum += fabs(w[j] * x[j]);
  return sum;
}

/* drift of row k of contact i, w, at (q, t); and its round-off. */
static dls_status drift_of(dls_system *s, int i, int k, double t, const double *q, const double *w,
                           double *drift, double *rough) {
  bool given = false;
  *rough = 0;
  dls_status status = s->def.drift(s->def.ctx, i, k, t, q, &given, drift);
  if (status != DLS_OK || given) return status;
  *drift = 0;
  if (k > 0) return DLS_OK;
  row_at row = {.s = s, .i = i, .t = t, .q = q};
  dls_differences d = {
      .of = gap_later, .ctx = &row, .k = 1, .step = DLS_DIFFERENCE_SPAN * s->def.span, .at = t};
  d.noise = DLS_DIFFERENCE_ROUND * terms_of(s, w, q);
  status = dls_difference(&d, drift);
  if (status == DLS_OK) s->moves[i] = d.varies, *rough = d.varies ? d.rough : 0;
  return status;
}

dls_status dls_system_gain(dls_system *s, int i, int k, double later, const double *q,
                           double *gain) {
  const double now = s->drift[s->row[i] + k];
  bool given = false;
  const double *w = dls_system_row(s, s->row[i]);
  double end = now, rough;
  dls_status status = s->def.drift(s->def.ctx, i, k, later, q, &given, &end);
  if (status == DLS_OK && !given && k == 0 && s->moves[i])
    status = drift_of(s, i, 0, later, q, w, &end, &rough);
  *gain = status == DLS_OK && (given || k == 0) ? end - now : 0;
  return status;
}

/* w . u + drift of the row where it has gone on by ds. */
static dls_status speed_later(void *ctx, double ds, double *speed) {
  row_at *row = (row_at *)ctx;
  dls_system *s = row->s;
  double *w = s->work, *at = s->work + s->n, drift, rough;
  for (int j = 0; j < s->n; j++) at[j] = row->q[j] + ds * row->u[j];
  dls_status status = s->def.direction(s->def.ctx, row->i, row->k, row->t + ds, at, w);
  if (status == DLS_OK) status = drift_of(s, row->i, row->k, row->t + ds, at, w, &drift, &rough);
  if (status != DLS_OK) return status;
  row->speed.noise =
      dls_max(row->speed.noise, rough + DLS_DIFFERENCE_ROUND * terms_of(s, w, row->u));
  *speed = drift;
  for (int j = 0; j < s->n; j++) *speed += w[j] * row->u[j];
  return DLS_OK;
}

/* d/ds of that along (q + s u, t + s). */
static dls_status bias_of(dls_system *s, int i, int k, double t, const double *q, const double *u,
                          double *bias) {
  bool given = false;
  const dls_status status = s->def.bias(s->def.ctx, i, k, t, q, u, &given, bias);
  if (status != DLS_OK || given) return status;
  double rate = 0;
  for (int j = 0; j < s->n; j++) rate = dls_max(rate, fabs(u[j]) / dls_max(1, fabs(q[j])));
  const double span = DLS_DIFFERENCE_SPAN * s->def.span,
               step = rate * span > SHARE ? SHARE / rate : span;
  row_at row = {.s = s, .i = i, .k = k, .t = t, .q = q, .u = u,
                .speed = {.of = speed_later, .k = 1, .step = step, .at = t}};
  row.speed.ctx = &row;
  return dls_difference(&row.speed, bias);
}

double dls_system_velocity(const dls_system *s, int r, const double *u) {
  const double *w = dls_system_row(s, r);
  double v = s->drift[r];
  for (int j = 0; j < s->n; j++) v += w[j] * u[j];
  return v;
}

dls_status dls_system_rows(dls_system *s, int i, double t, const double *q, const double *u,
                           bool with_bias) {
  if (s->def.rows != NULL) {
    const int r = s->row[i];
    const dls_status status =
        s->def.rows(s->def.ctx, i, t, q, u, s->J + (size_t)s->at[r] * (size_t)s->n, s->drift + r,
                    with_bias ? s->wbar + r : NULL);
    if (status != DLS_OK) return status;
  }
  for (int k = 0; k <= s->n_tangents[i]; k++) {
    const int r = s->row[i] + k;
    double *w = s->J + (size_t)s->at[r] * (size_t)s->n;
    double rough;
    dls_status status = DLS_OK;
    if (s->def.rows == NULL) {
      status = s->def.direction(s->def.ctx, i, k, t, q, w);
      if (status == DLS_OK) status = drift_of(s, i, k, t, q, w, &s->drift[r], &rough);
      if (status == DLS_OK && with_bias) status = bias_of(s, i, k, t, q, u, &s->wbar[r]);
    }
    if (status != DLS_OK) return status;
    s->v[r] = dls_system_velocity(s, r, u);
    s->size[r] = fabs(s->drift[r]);
    for (int j = 0; j < s->n; j++) s->size[r] += fabs(w[j] * u[j]);
  }
  return DLS_OK;
}

double dls_system_terms(const dls_system *s, int r) {
  const double *w = dls_system_row(s, r);
  const double *terms = s->def.terms != NULL ? s->def.terms(s->def.ctx) : s->smooth;
  return fabs(s->wbar[r]) + terms_of(s, w, terms);
}

static void solve_mass(const dls_system *s, const double *b, double *x) {
  if (x != b) memcpy(x, b, (size_t)s->n * sizeof *x);
  dls_dense_forward(s->n, s->R, s->ld, x);
  dls_dense_backward(s->n, s->R, s->ld, x);
}

dls_status dls_system_push(dls_system *s, double t, const double *q, const double *u) {
  const dls_status status = s->def.forces(s->def.ctx, t, q, u, s->force);
  if (status == DLS_OK) solve_mass(s, s->force, s->smooth);
  return status;
}

dls_status dls_system_dynamics(dls_system *s, double t, const double *q, const double *u) {
  const size_t n = (size_t)s->n;
  if (s->def.smooth != NULL) return s->def.smooth(s->def.ctx, t, q, u, s->smooth);
  dls_status status = s->def.mass(s->def.ctx, t, q, s->R);
  if (status == DLS_OK) status = s->def.forces(s->def.ctx, t, q, u, s->force);
  if (status != DLS_OK) return status;
  for (size_t i = n; i-- > 0;) { /* rows ld apart, from the last one on */
    memmove(s->R + i * s->ld, s->R + i * n, n * sizeof *s->R);
    memset(s->R + i * s->ld + n, 0, (s->ld - n) * sizeof *s->R);
  }
  double pivot;
  s->indefinite = dls_dense_cholesky(s->n, s->R, s->ld, &pivot) >= 0;
  if (s->indefinite) return DLS_SINGULAR;
  solve_mass(s, s->force, s->smooth);
  return DLS_OK;
}

void dls_system_respond(dls_system *s, int i) {
  const size_t first = (size_t)s->at[s->row[i]] * (size_t)s->n;
  if (s->def.respond != NULL) {
    s->def.respond(s->def.ctx, 1 + s->n_tangents[i], s->J + first, s->MJ + first);
    return;
  }
  for (int k = 0; k <= s->n_tangents[i]; k++) {
    const size_t at = first + (size_t)k * (size_t)s->n;
    solve_mass(s, s->J + at, s->MJ + at);
  }
}

void dls_system_delassus(const dls_system *s, int n_listed, const int *rows, double *G) {
  const size_t n = (size_t)s->n;
  for (int a = 0; a < n_listed; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      const double *w = dls_system_row(s, rows[a]), *x = dls_system_response(s, rows[b]);
      for (size_t j = 0; j < n; j++) sum += w[j] * x[j];
      if (a == b && s->given[rows[a]]) sum = 1;
      G[a * n_listed + b] = G[b * n_listed + a] = sum;
    }
}
