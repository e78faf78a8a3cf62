/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/laws.h"

#include "core/cone/cone.h"
#include "core/math/dense.h"

/* Of a row's own part of W: what the held rows leave of it below this is round-off of dependent
** rows. */
#define DEPENDENT 1e-11

static double at(const dls_acc_laws *l, int i, int j) {
  return l->W[(size_t)i * (size_t)l->n + (size_t)j];
}

static bool is_held(const dls_acc_row *row, int joint) {
  return row->kind == DLS_ROW_BILATERAL ||
         (row->kind == DLS_ROW_BOX && joint >= 0 && row->lo == -DLS_INF && row->hi == DLS_INF);
}

static bool follows(const dls_acc_row *row, int joint) {
  return row->kind == DLS_ROW_BOX && joint < 0;
}

/* The normal force of a compliant contact is known. */
static bool is_pressed(const dls_acc_row *row) { return row->pressed && row->lo > 0; }

/* --- held rows -------------------------------------------------------------------------------- */

static void factor_held(dls_acc_laws *l) {
  static const double SAME = 1e-12; /* of the diagonal */
  if (l->n_held == 0) return;
  memset(l->R, 0, (size_t)l->n_held * l->ld * sizeof *l->R);
  for (int i = 0; i < l->n_held; i++) {
    const double own = at(l, l->held[i], l->held[i]);
    l->unit[i] = own > 0 ? 1 / sqrt(own) : 0;
  }
  for (int i = 0; i < l->n_held; i++)
    for (int j = 0; j < l->n_held; j++)
      l->R[(size_t)i * l->ld + (size_t)j] = l->unit[i] * l->unit[j] * at(l, l->held[i], l->held[j]);
  l->rank =
      dls_dense_cholesky_pivoted(l->n_held, l->R, l->ld, SAME * (double)(l->n_held + 1), l->perm);
}

/* y of W_BB y = y, in place; dependent rows get none. */
static void solve_held(const dls_acc_laws *l, double *y) {
  memset(l->t, 0, l->ld * sizeof *l->t);
  for (int i = 0; i < l->rank; i++) l->t[i] = l->unit[l->perm[i]] * y[l->perm[i]];
  dls_dense_forward(l->rank, l->R, l->ld, l->t);
  dls_dense_backward(l->rank, l->R, l->ld, l->t);
  memset(y, 0, (size_t)l->n_held * sizeof *y);
  for (int i = 0; i < l->rank; i++) y[l->perm[i]] = l->unit[l->perm[i]] * l->t[i];
}

/* Forces of held rows behind the others of x. */
static void hold(const dls_acc_laws *l, double *x) {
  for (int k = 0; k < l->n_held; k++) x[l->held[k]] = 0;
  for (int k = 0; k < l->n_held; k++) {
    double sum = l->b[l->held[k]];
    for (int j = 0; j < l->n; j++) sum += at(l, l->held[k], j) * x[j];
    l->y[k] = sum;
  }
  if (l->n_held > 0) solve_held(l, l->y);
  for (int k = 0; k < l->n_held; k++) x[l->held[k]] = -l->y[k];
}

/* --- unknowns --------------------------------------------------------------------------------- */

static int put_unknown(dls_acc_laws *l, int row, int disk) {
  l->row[l->m] = row;
  l->disk_of[l->m] = disk;
  return l->m++;
}

static void put_disk(dls_acc_laws *l, int row, int n, int normal, double mu, double radius) {
  const int at_first = l->m;
  if (!(radius > 0) && !(normal >= 0 && mu > 0)) return; /* no force */
  for (int k = 0; k < n; k++) (void)put_unknown(l, row + k, l->n_disks);
  l->disk[l->n_disks++] = (dls_acc_disk){at_first, n, normal, mu, radius};
}

/* W~_ii of a row, and whether anything but round-off is left of it. */
static bool moves(const dls_acc_laws *l, int i, double *left) {
  const double own = at(l, i, i);
  double sum = 0;
  for (int k = 0; k < l->n_held; k++) l->y[k] = at(l, l->held[k], i);
  if (l->n_held > 0) solve_held(l, l->y);
  for (int k = 0; k < l->n_held; k++) sum += at(l, i, l->held[k]) * l->y[k];
  *left = own - sum;
  return *left > DEPENDENT * own;
}

/* A contact's rows, or a limit's: its normal and what rests of it. Answers the number of rows. */
static int list_contact(dls_acc_laws *l, int dim, const dls_acc_row *row, int i) {
  const bool rolls = row[i].kind == DLS_ROW_ROLLING, cone = row[i].kind == DLS_ROW_CONE;
  const dls_cone_kind kind = rolls ? (dim == 2 ? DLS_CONE_ROLLING_PLANAR : DLS_CONE_ROLLING)
                             : cone ? (dim == 2 ? DLS_CONE_PLANAR : DLS_CONE_SPATIAL)
                                    : DLS_CONE_UNILATERAL;
  const dls_cone_law *law = &dls_cone_laws[kind];
  const bool pressed = is_pressed(&row[i]);
  double left;
  const int normal = !pressed && moves(l, i, &left) ? put_unknown(l, i, -1) : -1;
  if (pressed) l->x0[i] = row[i].lo;
  for (int part = 0, r = i + 1; part < law->n_parts; r += law->rows[part++]) {
    const double mu = row[i].arm[part], radius = pressed ? mu * row[i].lo : 0;
    bool any = false;
    for (int k = 0; k < law->rows[part]; k++) any = moves(l, r + k, &left) || any;
    if (any) put_disk(l, r, law->rows[part], normal, mu, radius);
  }
  return law->n_rows;
}

static void list(dls_acc_laws *l, int dim, const dls_acc_row *row, const int *joint) {
  for (int i = 0; i < l->n; i++)
    if (is_held(&row[i], joint[i])) l->held[l->n_held++] = i;
  factor_held(l);
  memset(l->x0, 0, (size_t)l->n * sizeof *l->x0);
  for (int i = 0; i < l->n;) {
    const dls_acc_row *r = &row[i];
    double left;
    if (r->kind == DLS_ROW_UNILATERAL || r->kind == DLS_ROW_CONE || r->kind == DLS_ROW_ROLLING) {
      i += list_contact(l, dim, row, i);
      continue;
    }
    if (r->kind == DLS_ROW_BOX && joint[i] >= 0 && !is_held(r, joint[i])) {
      l->x0[i] = 0.5 * (r->lo + r->hi);
      if (moves(l, i, &left)) put_disk(l, i, 1, -1, 0, 0.5 * (r->hi - r->lo));
    } else if (follows(r, joint[i])) {
      const int normal = i - r->back;
      if (is_pressed(&row[normal])) {
        l->x0[i] = -r->arm[0] * row[normal].lo;
      } else {
        for (int k = 0; k < l->m; k++)
          if (l->row[k] == normal && r->arm[0] > 0) {
            l->slider[l->n_sliders] = i, l->leads[l->n_sliders] = k;
            l->bound[l->n_sliders++] = r->arm[0];
          }
      }
    }
    i++;
  }
}

/* --- A and c ---------------------------------------------------------------------------------- */

/* One scale a law: the largest diagonal of its rows. */
static void choose_scales(dls_acc_laws *l) {
  for (int k = 0; k < l->m; k++) {
    const int d = l->disk_of[k], n = d < 0 ? 1 : l->disk[d].n, first = d < 0 ? k : l->disk[d].at;
    double most = 0, left;
    if (k == first) {
      for (int j = 0; j < n; j++) {
        (void)moves(l, l->row[first + j], &left);
        most = dls_max(most, left);
      }
      l->scale[k] = 1 / sqrt(most);
    } else {
      l->scale[k] = l->scale[first];
    }
  }
  for (int d = 0; d < l->n_disks; d++) {
    dls_acc_disk *disk = &l->disk[d];
    const double scale = l->scale[disk->at];
    disk->radius /= scale;
    if (disk->normal >= 0) disk->mu *= l->scale[disk->normal] / scale;
  }
}

/* Column of W~ at the unknowns' rows for forces x that the held rows answer; x: n, is changed. */
static void accelerations_of(const dls_acc_laws *l, double *x, bool free, double *out) {
  if (free) hold(l, x);
  else { /* without b */
    for (int k = 0; k < l->n_held; k++) {
      double sum = 0;
      for (int j = 0; j < l->n; j++)
        if (x[j] != 0) sum += at(l, l->held[k], j) * x[j];
      l->y[k] = sum;
    }
    if (l->n_held > 0) solve_held(l, l->y);
    for (int k = 0; k < l->n_held; k++) x[l->held[k]] = -l->y[k];
  }
  for (int k = 0; k < l->m; k++) {
    double sum = free ? l->b[l->row[k]] : 0;
    for (int j = 0; j < l->n; j++)
      if (x[j] != 0) sum += at(l, l->row[k], j) * x[j];
    out[k] = l->scale[k] * sum;
  }
}

static void assemble(dls_acc_laws *l, double *x, double *column) {
  const size_t m = (size_t)l->m, n = (size_t)l->n;
  for (size_t j = 0; j < m; j++) {
    memset(x, 0, n * sizeof *x);
    x[l->row[j]] = l->scale[j];
    for (int s = 0; s < l->n_sliders; s++)
      if (l->leads[s] == (int)j) x[l->slider[s]] = -l->bound[s] * l->scale[j];
    accelerations_of(l, x, false, column);
    for (size_t k = 0; k < m; k++) l->A[k * m + j] = column[k];
  }
  memcpy(x, l->x0, n * sizeof *x);
  accelerations_of(l, x, true, l->c);
}

size_t dls_acc_laws_bytes(int n) {
  const size_t s = (size_t)n, ld = dls_lanes_ld(n);
  size_t bytes = 6 * dls_arena_bytes(s, sizeof(int));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(s, sizeof(dls_acc_disk)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(s, s), sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(s, ld), sizeof(double)));
  bytes = dls_bytes_add(bytes, 6 * dls_arena_bytes(s, sizeof(double)));
  return dls_bytes_add(bytes, 3 * dls_arena_bytes(ld, sizeof(double)));
}

dls_status dls_acc_laws_pose(int dim, int n, const dls_acc_row *row, const int *joint,
                             const double *W, const double *b, dls_arena *tmp, dls_acc_laws *laws) {
  dls_acc_laws *l = laws;
  *l = (dls_acc_laws){.n = n, .W = W, .b = b, .planar = true, .ld = dls_lanes_ld(n)};
  int **ints[] = {&l->row, &l->disk_of, &l->held, &l->slider, &l->leads, &l->perm};
  double *x, *column, **lines[] = {&l->scale, &l->c, &l->bound, &l->x0, &x, &column};
  double **wide[] = {&l->unit, &l->y, &l->t};
  bool taken = true;
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
    taken = (*ints[k] = DLS_TAKE(tmp, int, n)) != NULL && taken;
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    taken = (*lines[k] = DLS_TAKE(tmp, double, n)) != NULL && taken;
  for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
    taken = (*wide[k] = DLS_TAKE(tmp, double, l->ld)) != NULL && taken;
  l->disk = DLS_TAKE(tmp, dls_acc_disk, n);
  l->A = DLS_TAKE(tmp, double, (size_t)n * (size_t)n);
  l->R = DLS_TAKE(tmp, double, (size_t)n * l->ld);
  if (!taken || !l->disk || !l->A || !l->R) return DLS_FULL;
  list(l, dim, row, joint);
  choose_scales(l);
  assemble(l, x, column);
  l->symmetric = l->n_sliders == 0;
  for (int d = 0; d < l->n_disks; d++) {
    l->planar = l->planar && l->disk[d].n == 1;
    l->coupled = l->coupled || l->disk[d].normal >= 0;
  }
  return DLS_OK;
}

void dls_acc_laws_take(const dls_acc_laws *l, const double *x, double *z) {
  for (int k = 0; k < l->m; k++) z[k] = (x[l->row[k]] - l->x0[l->row[k]]) / l->scale[k];
}

void dls_acc_laws_forces(const dls_acc_laws *l, const double *z, double *x) {
  memcpy(x, l->x0, (size_t)l->n * sizeof *x);
  for (int k = 0; k < l->m; k++) x[l->row[k]] += l->scale[k] * z[k];
  for (int s = 0; s < l->n_sliders; s++)
    x[l->slider[s]] = -l->bound[s] * l->scale[l->leads[s]] * z[l->leads[s]];
  hold(l, x);
}

/* --- the judge -------------------------------------------------------------------------------- */

static double length_of(int n, const double *x) {
  return n == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void project(int n, double radius, double *x) {
  const double length = length_of(n, x);
  if (!(length > radius)) return;
  for (int k = 0; k < n; k++) x[k] *= radius / length;
}

static double radius_of(const dls_acc_disk *d, const double *z) {
  return d->radius + (d->normal >= 0 ? d->mu * z[d->normal] : 0);
}

double dls_acc_laws_residual(const dls_acc_laws *l, double *z, double *a) {
  double worst = 0, size = 0;
  for (int k = 0; k < l->m; k++)
    if (l->disk_of[k] < 0) z[k] = dls_max(0, z[k]);
  for (int d = 0; d < l->n_disks; d++)
    project(l->disk[d].n, radius_of(&l->disk[d], z), z + l->disk[d].at);
  for (int k = 0; k < l->m; k++) {
    a[k] = l->c[k];
    for (int j = 0; j < l->m; j++) a[k] += l->A[(size_t)k * (size_t)l->m + (size_t)j] * z[j];
    size = dls_max(size, fabs(l->c[k]));
    if (l->disk_of[k] < 0) worst = dls_max(worst, fabs(dls_min(z[k], a[k])));
  }
  for (int d = 0; d < l->n_disks; d++) {
    const dls_acc_disk *disk = &l->disk[d];
    double off[2];
    for (int k = 0; k < disk->n; k++) off[k] = z[disk->at + k] - a[disk->at + k];
    project(disk->n, radius_of(disk, z), off);
    for (int k = 0; k < disk->n; k++) off[k] = z[disk->at + k] - off[k];
    worst = dls_max(worst, length_of(disk->n, off));
  }
  if (!(worst <= DLS_INF)) return DLS_INF;
  return size > 0 ? worst / size : worst;
}

bool dls_acc_laws_differ(const dls_acc_laws *l, const double *x, const double *y) {
  static const double SAME = 1e-12; /* squared */
  double apart = 0, size = 0;
  for (int i = 0; i < l->n; i++)
    for (int j = 0; j < l->n; j++) {
      apart += (x[i] - y[i]) * at(l, i, j) * (x[j] - y[j]);
      size += x[i] * at(l, i, j) * x[j] + y[i] * at(l, i, j) * y[j];
    }
  return apart > SAME * size;
}

/* --- one or all ------------------------------------------------------------------------------- */

bool dls_acc_list_add(const dls_acc_laws *l, double *z, double *a, dls_acc_list *list) {
  if (!(dls_acc_laws_residual(l, z, a) <= DLS_ACC_SOLVED)) return false;
  if (list->n >= 2) return true;
  dls_acc_laws_forces(l, z, list->n == 0 ? list->x : list->other);
  if (list->n == 0 || dls_acc_laws_differ(l, list->x, list->other)) list->n++;
  return true;
}

bool dls_acc_is_only_one(const dls_acc_laws *l, const double *z, const double *a, double *R) {
  /* of the diagonal, which is 1 or less; of the largest c */
  static const double LEAST = 1e-10, STILL = 1e-9;
  const size_t m = (size_t)l->m, ld = dls_lanes_ld(l->m);
  double pivot, size = 0;
  for (size_t k = 0; k < m; k++) size = dls_max(size, fabs(l->c[k]));
  for (int d = 0; d < l->n_disks; d++)
    for (int k = l->disk[d].at; k < l->disk[d].at + l->disk[d].n; k++)
      if (l->disk[d].normal >= 0 && !(fabs(z[k]) <= STILL * size && fabs(a[k]) <= STILL * size))
        return false;
  if (l->symmetric) return true;
  memset(R, 0, m * ld * sizeof *R);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++)
      R[i * ld + j] = 0.5 * (l->A[i * m + j] + l->A[j * m + i]) - (i == j ? LEAST : 0);
  return dls_dense_cholesky(l->m, R, ld, &pivot) == l->m;
}

/* Of one solution x that was found: whether it is the only one. z, a: m; R: m x ld. */
static dls_status find_only_one(dls_acc_room *room, const dls_acc_laws *l, const double *x,
                                double *z, double *a, double *R, bool *only) {
  dls_acc_laws_take(l, x, z);
  (void)dls_acc_laws_residual(l, z, a);
  *only = dls_acc_is_only_one(l, z, a, R);
  if (*only || !l->coupled) return DLS_OK;
  /* x may have friction that is stress alone */
  dls_status status = dls_acc_without_friction(room, l, z);
  if (status == DLS_OK && dls_acc_laws_residual(l, z, a) <= DLS_ACC_SOLVED)
    *only = dls_acc_is_only_one(l, z, a, R);
  return status;
}

dls_status dls_acc_laws_solve(dls_acc_room *room, const dls_acc_laws *l, const double *start,
                              double *x, dls_acc_found *found) {
  const size_t n = (size_t)l->n, m = (size_t)l->m;
  const size_t numbers = n + 2 * m + m * dls_lanes_ld(l->m) + 1;
  dls_status status =
      dls_arena_reserve(&room->search, &room->alloc, dls_arena_bytes(numbers, sizeof(double)));
  if (status != DLS_OK) return status;
  double *other = DLS_TAKE(&room->search, double, numbers);
  if (!other) return DLS_FULL;
  double *z = other + n, *a = z + m;
  dls_acc_list list = {0, x, other};
  bool all = false;
  memset(z, 0, m * sizeof *z);
  if (start) {
    dls_acc_laws_take(l, start, z);
    (void)dls_acc_list_add(l, z, a, &list);
  }
  if (l->planar) status = dls_acc_by_lcp(room, l, z, a, &list, &all);
  if (status == DLS_OK && !all && (!l->planar || list.n == 0))
    status = dls_acc_by_newton(room, l, start, z, a, &list, &all);
  if (status == DLS_OK && list.n == 1 && !all)
    status = find_only_one(room, l, x, z, a, a + m, &all);
  if (list.n == 0) *found = all ? DLS_ACC_NONE : DLS_ACC_UNKNOWN;
  else if (list.n > 1) *found = DLS_ACC_SEVERAL;
  else *found = all ? DLS_ACC_ONE : DLS_ACC_SOME;
  return status;
}
