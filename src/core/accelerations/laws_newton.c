/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/laws.h"

#include "core/math/elementary.h"
#include "core/math/ranked.h"

/* Newton's full steps on Alart and Curnier's function, whose zeros are the solutions,
**
**     normal:  F = a where z - rho a > 0, else z / rho
**     disk:    F = a where |z - rho a| <= r, else (z - r (z - rho a) / |z - rho a|) / rho,   r by (z - rho a)_N
**
** about proximal points (as cone/proximal.h, on a matrix that sliding contacts make unsymmetric):
** one start, for laws of any number. And from the answer of the equations of every state: each
** normal open or closed, each disk sticking or slipping along each of some directions; from there
** Newton's steps find the direction that obeys the law. */

#define STEPS 300        /* from one start                                       */
#define INNER 8          /* for one proximal point                               */
#define POLISH 12        /* from a state                                         */
#define RHO 10.0         /* the diagonal of A is 1                               */
#define E_LEAST 1e-13    /* what makes a point regular: bounds and changes       */
#define E_MOST 1.0
#define THETA 0.3
#define FALL 2.0
#define RISE 10.0
#define GAIN 0.8         /* a residual this much smaller than the best chooses e anew */
#define ENDED 1e-13      /* residual                                             */
#define SURE 8           /* directions of a disk of 2 that leave no state out    */

typedef struct newton {
  const dls_acc_laws *l;                                     /* borrowed */
  double *H, *kernel;                                        /* m x m            */
  double *F, *dz, *acc, *ref, *best, *trial, *ones, *z, *a;  /* m                */
  int *perm, *digit;                                         /* m; one a law     */
} newton;

static double *row_of(const newton *s, int k) { return s->H + (size_t)k * (size_t)s->l->m; }

/* Row k of H <- derivatives of acc_j times `times`. */
static void put(const newton *s, int k, int j, double e, double times) {
  const size_t m = (size_t)s->l->m;
  double *row = row_of(s, k);
  const double *A = s->l->A + (size_t)j * m;
  for (size_t c = 0; c < m; c++) row[c] += times * A[c];
  row[j] += times * e;
}

static void normal_law(newton *s, int k, double e) {
  s->trial[k] = s->z[k] - RHO * s->acc[k];
  if (s->trial[k] > 0) {
    s->F[k] = s->acc[k];
    put(s, k, k, e, 1);
  } else {
    s->F[k] = s->z[k] / RHO;
    row_of(s, k)[k] += 1 / RHO;
  }
}

static void disk_law(newton *s, const dls_acc_disk *d, double e) {
  const bool bears = d->normal >= 0 && s->trial[d->normal] > 0;
  const double radius = d->radius + (bears ? d->mu * s->trial[d->normal] : 0);
  double at[2] = {0, 0}, w[2] = {0, 0};
  for (int k = 0; k < d->n; k++) at[k] = s->z[d->at + k] - RHO * s->acc[d->at + k];
  const double size = sqrt(at[0] * at[0] + at[1] * at[1]);
  if (size <= radius && radius > 0) {
    for (int k = 0; k < d->n; k++)
      s->F[d->at + k] = s->acc[d->at + k], put(s, d->at + k, d->at + k, e, 1);
    return;
  }
  const double share = size > 0 ? radius / size : 0;
  for (int k = 0; k < d->n; k++) w[k] = size > 0 ? at[k] / size : 0;
  for (int k = 0; k < d->n; k++) {
    const int y = d->at + k;
    double *row = row_of(s, y);
    s->F[y] = (s->z[y] - radius * w[k]) / RHO;
    row[y] += 1 / RHO;
    for (int j = 0; j < d->n && d->n == 2; j++) {
      const double turn = share * ((k == j) - w[k] * w[j]);
      row[d->at + j] -= turn / RHO;
      put(s, y, d->at + j, e, turn);
    }
    if (!bears) continue;
    row[d->normal] -= d->mu * w[k] / RHO;
    put(s, y, d->normal, e, d->mu * w[k]);
  }
}

/* F and H at z, regular about ref. Answers the largest |F|. */
static double evaluate(newton *s, double e) {
  const dls_acc_laws *l = s->l;
  const size_t m = (size_t)l->m;
  double error = 0;
  memset(s->H, 0, m * m * sizeof *s->H);
  for (size_t k = 0; k < m; k++) {
    s->acc[k] = l->c[k] + e * (s->z[k] - s->ref[k]);
    for (size_t j = 0; j < m; j++) s->acc[k] += l->A[k * m + j] * s->z[j];
  }
  for (int k = 0; k < l->m; k++)
    if (l->disk_of[k] < 0) normal_law(s, k, e);
  for (int d = 0; d < l->n_disks; d++) disk_law(s, &l->disk[d], e);
  for (size_t k = 0; k < m; k++) error = dls_max(error, fabs(s->F[k]));
  return error;
}

/* Full steps from z; whether |F| <= limit where they end. */
static bool point(newton *s, double e, double limit, int steps, int *done, int end) {
  const int m = s->l->m;
  for (int step = 0; step <= steps; step++) {
    const double error = evaluate(s, e);
    if (!(error < DLS_INF)) return false;
    if (step > 0 && error <= limit) return true;
    if (step == steps || *done == end) return false;
    for (int k = 0; k < m; k++) s->F[k] = -s->F[k];
    (void)dls_ranked_solve(m, s->H, s->F, s->ones, s->perm, s->dz);
    for (int k = 0; k < m; k++) s->z[k] += s->dz[k];
    ++*done;
  }
  return false;
}

static double residual_at_z(newton *s, double *z) {
  memcpy(z, s->z, (size_t)s->l->m * sizeof *z);
  return dls_acc_laws_residual(s->l, z, s->a);
}

static double size_of(const dls_acc_laws *l) {
  double size = 0;
  for (int k = 0; k < l->m; k++) size = dls_max(size, fabs(l->c[k]));
  return size;
}

/* Proximal points from s->z; the best of them into s->best. */
static void proximal(newton *s, double *admitted) {
  const size_t bytes = (size_t)s->l->m * sizeof(double);
  const double size = size_of(s->l);
  int done = 0;
  double best = residual_at_z(s, admitted), e = 0;
  memcpy(s->best, s->z, bytes);
  while (best > ENDED && done < STEPS && e < E_MOST) {
    double most = 1e-3 * size;
    for (int k = 0; k < s->l->m; k++) most = dls_max(most, fabs(s->z[k]));
    if (e == 0) e = dls_clamp(best * size / (THETA * most), E_LEAST, E_MOST / RISE);
    memcpy(s->ref, s->z, bytes);
    const bool held = point(s, e, ENDED * size, INNER, &done, STEPS);
    const double now = residual_at_z(s, admitted);
    const bool gained = now < GAIN * best;
    if (now < best) best = now, memcpy(s->best, s->z, bytes);
    else if (best <= DLS_ACC_SOLVED) break; /* round-off */
    e = gained ? 0 : held ? dls_max(e / FALL, E_LEAST) : e * RISE;
    if (!held && !gained) memcpy(s->z, s->ref, bytes);
  }
}

/* --- states ----------------------------------------------------------------------------------- */

static int states_of(const dls_acc_disk *d, int directions) {
  return 1 + (d->n == 2 ? directions : 2);
}

/* How many states there are; in floating point, as they may be many. */
static double count_states(const dls_acc_laws *l, int directions) {
  double count = 1;
  for (int k = 0; k < l->m; k++) {
    if (l->disk_of[k] >= 0) continue;
    double closed = 1;
    for (int d = 0; d < l->n_disks; d++)
      if (l->disk[d].normal == k) closed *= states_of(&l->disk[d], directions);
    count *= 1 + closed;
  }
  for (int d = 0; d < l->n_disks; d++)
    if (l->disk[d].normal < 0) count *= states_of(&l->disk[d], directions);
  return count;
}

/* z of the equations of the state in s->digit: normals by unknown (1 closed), then disks (0
** sticks). */
static void solve_state(newton *s, int directions) {
  const dls_acc_laws *l = s->l;
  const int m = l->m;
  memset(s->H, 0, (size_t)m * (size_t)m * sizeof *s->H);
  for (int k = 0; k < m; k++) {
    const int number = l->disk_of[k];
    double *row = row_of(s, k);
    s->F[k] = 0;
    if (number < 0) {
      if (s->digit[k]) put(s, k, k, 0, 1), s->F[k] = -l->c[k];
      else row[k] = 1;
      continue;
    }
    const dls_acc_disk *d = &l->disk[number];
    const int state = s->digit[m + number];
    if (d->normal >= 0 && !s->digit[d->normal]) {
      row[k] = 1;
    } else if (state == 0) {
      put(s, k, k, 0, 1), s->F[k] = -l->c[k];
    } else { /* z = -(radius + mu z_N) w */
      const double angle = 2 * DLS_PI * (state - 1) / (d->n == 2 ? directions : 2);
      const double w = k == d->at ? dls_cos(angle) : dls_sin(angle);
      row[k] = 1;
      if (d->normal >= 0) row[d->normal] = d->mu * w;
      s->F[k] = -d->radius * w;
    }
  }
  (void)dls_ranked_solve_shared(m, s->H, s->F, s->ones, s->ones, s->perm, s->kernel, s->z);
}

/* The next state; false after the last. */
static bool advance(newton *s, int directions) {
  const dls_acc_laws *l = s->l;
  for (int d = 0; d < l->n_disks; d++) {
    const bool open = l->disk[d].normal >= 0 && !s->digit[l->disk[d].normal];
    if (!open && ++s->digit[l->m + d] < states_of(&l->disk[d], directions)) return true;
    s->digit[l->m + d] = 0;
  }
  for (int k = 0; k < l->m; k++) {
    if (l->disk_of[k] >= 0) continue;
    s->digit[k] = !s->digit[k];
    if (s->digit[k]) return true;
  }
  return false;
}

static void try_states(newton *s, int directions, double *z, dls_acc_list *list) {
  const double limit = ENDED * size_of(s->l);
  memset(s->digit, 0, (size_t)(s->l->m + s->l->n_disks) * sizeof *s->digit);
  do {
    int done = 0;
    solve_state(s, directions);
    memcpy(s->ref, s->z, (size_t)s->l->m * sizeof *s->ref);
    (void)point(s, 0, limit, POLISH, &done, POLISH);
    memcpy(z, s->z, (size_t)s->l->m * sizeof *z);
    (void)dls_acc_list_add(s->l, z, s->a, list);
  } while (list->n < 2 && advance(s, directions));
}

dls_status dls_acc_by_newton(dls_acc_room *room, const dls_acc_laws *l, const double *start,
                             double *z, double *a, dls_acc_list *list, bool *all) {
  static const int directions[] = {16, SURE, 4};
  const size_t m = (size_t)l->m;
  dls_arena *tmp = &room->method;
  size_t bytes = 2 * dls_arena_bytes(dls_bytes(m, m), sizeof(double));
  bytes = dls_bytes_add(bytes, 8 * dls_arena_bytes(m, sizeof(double)) +
                                   2 * dls_arena_bytes(2 * m, sizeof(int)));
  *all = false;
  if (m == 0) return DLS_OK;
  dls_status status = dls_arena_reserve(tmp, &room->alloc, bytes);
  if (status != DLS_OK) return status;
  newton s = {.l = l, .a = a};
  double **lines[] = {&s.F, &s.dz, &s.acc, &s.ref, &s.best, &s.trial, &s.ones, &s.z};
  bool taken = true;
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    taken = (*lines[k] = DLS_TAKE(tmp, double, m)) != NULL && taken;
  s.H = DLS_TAKE(tmp, double, m * m), s.kernel = DLS_TAKE(tmp, double, m * m);
  s.perm = DLS_TAKE(tmp, int, m), s.digit = DLS_TAKE(tmp, int, 2 * m);
  if (!taken || !s.H || !s.kernel || !s.perm || !s.digit) return DLS_FULL;
  for (size_t k = 0; k < m; k++) s.ones[k] = 1;
  if (list->n == 0) {
    memset(s.z, 0, m * sizeof *s.z);
    if (start) dls_acc_laws_take(l, start, s.z);
    proximal(&s, z);
    memcpy(z, s.best, m * sizeof *z);
    (void)dls_acc_list_add(l, z, a, list);
  }
  for (size_t k = 0; k < sizeof directions / sizeof *directions && (l->coupled || !l->symmetric);
       k++) {
    if (count_states(l, directions[k]) > (l->symmetric ? DLS_ACC_STARTS_AT_REST : DLS_ACC_STARTS))
      continue;
    try_states(&s, directions[k], z, list);
    *all = directions[k] >= SURE;
    break;
  }
  return DLS_OK;
}
