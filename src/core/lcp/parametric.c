/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/parametric.h"

#include "core/lcp/enumerate.h"
#include "core/lcp/lemke.h"
#include "core/lcp/residual.h"
#include "core/lcp/scaling.h"
#include "core/math/lanes.h"

#define PATH_TOLERANCE 1e-9  /* to which the residual of a state is known by itself              */
#define CONTACT_MARGIN 1e-7  /* of max |q|: keeps x+ and x- from vanishing together          */
#define FEW 12               /* rows up to which every basis is looked at for a start: 4096  */
#define FEASIBLE 1e-9        /* of max |q|: below zero by less is round-off                   */
#define GROWTH_TOLERANCE 1e-11 /* p grows along a column if its entry exceeds this x the largest */

typedef struct follower {
  const dls_path_problem *load; /* borrowed */
  dls_path *path;          /* of the caller */
  dls_basis basis;         /* of the equilibrated problem                   */
  dls_lcp_scaling scaling; /* between the problem and M, q */
  double t0, t1;           /* scale of d, so that p = p' (s0 / t0) (s1 / t1) */
  double to;               /* target in p'                                  */
  double *M, *q, *d;       /* equilibrated                                  */
  double *cover;           /* n                                             */
  double *z, *w, *rhs;     /* n each, of the original problem               */
} follower;

size_t dls_path_bytes(int n) {
  const size_t m = (size_t)n;
  size_t bytes = dls_arena_bytes(dls_bytes(m, m), sizeof(double));
  for (int i = 0; i < 7; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(m, sizeof(double)));
  bytes = dls_bytes_add(bytes, 2 * dls_lcp_scaling_bytes(n));
  const dls_lcp few = {.n = n};
  if (n <= FEW) bytes = dls_bytes_add(bytes, dls_lcp_enumerate_bytes(&few));
  return dls_bytes_add(bytes, dls_basis_bytes(n));
}

/* --- the record ------------------------------------------------------------------------------ */
const char *dls_path_end_name(dls_path_end end) {
  static const char *const names[] = {
#define X(code, text) text,
      DLS_PATH_ENDS(X)
#undef X
  };
  return names[end];
}

void dls_path_destroy(dls_path *path) {
  const size_t room = (size_t)path->n_room, n = (size_t)path->n;
  if (path->alloc.fn != NULL) {
    dls_free(&path->alloc, path->events, room, sizeof *path->events);
    dls_free(&path->alloc, path->p, room, sizeof *path->p);
    dls_free(&path->alloc, path->z, room * n, sizeof *path->z);
    dls_free(&path->alloc, path->ray, n, sizeof *path->ray);
  }
  memset(path, 0, sizeof *path);
}

static dls_status grow(dls_path *path) {
  const size_t room = (size_t)path->n_room, n = (size_t)path->n, wanted = 2 * room + 8;
  const dls_alloc *alloc = &path->alloc;
  dls_path next = *path;
  next.events = dls_new(alloc, wanted, sizeof *next.events);
  next.p = dls_new(alloc, wanted, sizeof *next.p);
  next.z = dls_new(alloc, wanted * n, sizeof *next.z);
  next.ray = dls_new(alloc, n, sizeof *next.ray);
  next.n_room = (int)wanted;
  if (next.events == NULL || next.p == NULL || next.z == NULL || next.ray == NULL) {
    dls_path_destroy(&next);
    return DLS_NOMEM;
  }
  if (path->n_states > 0) {
    const size_t kept = (size_t)path->n_states;
    memcpy(next.events, path->events, (size_t)path->n_events * sizeof *next.events);
    memcpy(next.p, path->p, kept * sizeof *next.p);
    memcpy(next.z, path->z, kept * n * sizeof *next.z);
  }
  dls_path_destroy(path);
  *path = next;
  return DLS_OK;
}

static double unscaled(const follower *f, double p) {
  return p * (f->scaling.s0 / f->t0) * (f->scaling.s1 / f->t1);
}

void dls_path_image(const dls_path_problem *load, double p, const double *z, double *w) {
  const size_t n = (size_t)load->n;
  dls_lanes_best()->gemv(load->n, load->n, load->M, n, z, w);
  for (size_t i = 0; i < n; i++) w[i] += load->q[i] + p * load->d[i];
}

/* The residual of the state in f->z, relative to q and p d by themselves: their sum may be zero. */
static void judge(follower *f, double p) {
  const dls_path_problem *load = f->load;
  const dls_lanes *lanes = dls_lanes_best();
  double natural;
  for (int i = 0; i < load->n; i++) {
    f->rhs[i] = load->q[i] + p * load->d[i];
    f->z[i] = dls_max(f->z[i], 0.0);
  }
  const dls_lcp at = {.n = load->n, .M = load->M, .q = f->rhs};
  const double residual = dls_lcp_residual_to(&at, PATH_TOLERANCE, f->z, f->w, &natural);
  const double sum = lanes->amax(load->n, f->rhs), most = lanes->amax(load->n, load->q);
  const double along = p * dls_max(lanes->amax(load->n, load->d), load->growing);
  const double error = sum > 0.0 ? residual * sum : residual;
  const double parts = dls_max(dls_max(most, load->size), along);
  const double size = dls_max(load->size > 0.0 ? load->size : most, along);
  f->path->residual = dls_max(f->path->residual, parts > 0.0 ? error / parts : residual);
  f->path->wrong = dls_max(f->path->wrong, size > 0.0 ? error / size : residual);
}

/* Records the state step along the column of `entering` from the basis (0: at the basis). */
static dls_status record(follower *f, int entering, double step, double p) {
  const dls_basis *b = &f->basis;
  dls_path *path = f->path;
  const size_t n = (size_t)path->n;
  if (path->n_states == path->n_room) {
    const dls_status status = grow(path);
    if (status != DLS_OK) return status;
  }
  const size_t k = (size_t)path->n_states++;
  for (int i = 0; i < b->n; i++) {
    const int v = b->n + i;
    const double along = step == 0.0 ? 0.0 : step * dls_basis_entry(b, v);
    f->z[i] = v == entering ? step : dls_basis_value(b, v) - along;
  }
  dls_lcp_scaling_z(&f->scaling, f->z, f->z);
  memcpy(path->z + k * n, f->z, n * sizeof *path->z);
  path->p[k] = p;
  path->p_limit = dls_max(path->p_limit, p);
  judge(f, p);
  return DLS_OK;
}

/* --- the start ------------------------------------------------------------------------------- */
static bool all_zero(int n, const double *x) { return dls_lanes_best()->amax(n, x) == 0.0; }

static void equilibrate(follower *f, double *margin) {
  const dls_path_problem *load = f->load;
  const size_t n = (size_t)load->n;
  const dls_lanes *lanes = dls_lanes_best();
  dls_lcp_scaling rates = f->scaling;
  dls_lcp_scaling_rhs(&rates, load->d);
  f->t0 = rates.s0;
  f->t1 = rates.s1;
  dls_lcp_scaling_q(&rates, load->d, f->d);
  if (all_zero(load->n, load->q)) {
    f->scaling.s0 = rates.s0;
    f->scaling.s1 = rates.s1;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      f->M[i * n + j] = f->scaling.row[i] * load->M[i * n + j] * f->scaling.col[j];
  const double size = lanes->amax(load->n, all_zero(load->n, load->q) ? load->d : load->q);
  for (size_t i = 0; i < n; i++) {
    margin[i] = load->margin == NULL ? 0.0 : load->margin[i];
    if (load->contacts > 0 && i >= (size_t)load->contacts) margin[i] += CONTACT_MARGIN * size;
  }
  dls_lcp_scaling_q(&f->scaling, margin, margin);
  dls_lcp_scaling_q(&f->scaling, load->q, f->q);
  const double p_unit = (f->scaling.s0 / f->t0) * (f->scaling.s1 / f->t1);
  f->to = load->to / p_unit;
}

static bool prepare(follower *f, dls_arena *tmp) {
  const size_t n = (size_t)f->load->n;
  f->M = DLS_TAKE(tmp, double, n * n);
  f->q = DLS_TAKE(tmp, double, n);
  f->d = DLS_TAKE(tmp, double, n);
  f->cover = DLS_TAKE(tmp, double, n);
  f->z = DLS_TAKE(tmp, double, n);
  f->w = DLS_TAKE(tmp, double, n);
  f->rhs = DLS_TAKE(tmp, double, n);
  double *margin = DLS_TAKE(tmp, double, n);
  if (margin == NULL || !dls_lcp_scaling_take(&f->scaling, (int)n, tmp) ||
      dls_lcp_scaling_find(&f->scaling, f->load->M, f->load->q, tmp) != DLS_OK)
    return false;
  equilibrate(f, margin);
  if (dls_basis_begin(&f->basis, (int)n, f->M, f->d, f->q, tmp) != DLS_OK) return false;
  f->basis.stop = f->load->stop;
  dls_basis_margin(&f->basis, margin);
  return true;
}

/* The basis in which z_i is basic where f->z is positive, by the largest pivots there are. */
static bool go_to(follower *f) {
  dls_basis *b = &f->basis;
  const int n = b->n;
  dls_basis_restart(b, f->d);
  for (int i = 0; i < n; i++) {
    if (!(f->z[i] > 0.0)) continue;
    int out = -1;
    if (!dls_basis_column(b, n + i)) return false;
    for (int j = 0; j < n; j++)
      if (f->z[j] > 0.0 && dls_basis_has(b, j) &&
          (out < 0 || fabs(dls_basis_entry(b, j)) > fabs(dls_basis_entry(b, out))))
        out = j;
    if (out < 0 || !dls_basis_pivot(b, n + i, out)) return false;
    f->path->pivots++;
  }
  dls_basis_values(b);
  const double least = -FEASIBLE * dls_lanes_best()->amax(n, b->q);
  for (int i = 0; i < n; i++)
    if (!(b->x[i] >= least)) return false;
  return true;
}

/* One of few bases that solves, where no path of Lemke's has led to any. */
static bool look_at_all(follower *f, dls_arena *tmp) {
  dls_basis *b = &f->basis;
  const dls_lcp problem = {.n = b->n, .M = f->M, .q = b->q};
  dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  opts.stop = b->stop;
  return b->n <= FEW && dls_lcp_enumerate(&problem, &opts, tmp, f->z, f->w, &report) == DLS_OK &&
         report.outcome == DLS_SOLVED && go_to(f);
}

/* A complementary basis of LCP(M, q + margin); the path's own d stands in the basis after it. */
static bool settle(follower *f, dls_arena *tmp) {
  dls_basis *b = &f->basis;
  int entering;
  for (int attempt = 0; attempt < DLS_LEMKE_COVERS; attempt++) {
    dls_lemke_cover(b->n, b->q, attempt, f->cover);
    dls_basis_restart(b, f->cover);
    const dls_lemke_end end =
        dls_lemke_follow(b, f->cover, b->n < 2 ? 100 : 50 * b->n, &f->path->pivots, &entering);
    if (end != DLS_LEMKE_SOLVED) continue;
    dls_basis_load(b, f->d);
    dls_basis_values(b);
    return true;
  }
  return look_at_all(f, tmp);
}

/* --- the path -------------------------------------------------------------------------------- */

/* dz_i/dp along the column of `entering`, along which p grows at the rate given. */
static double slope(const follower *f, int entering, double rate, int i) {
  const int v = f->basis.n + i;
  const double dz = (entering == v ? 1.0 : -dls_basis_entry(&f->basis, v)) / rate;
  return dz * f->scaling.col[i] * f->t0 * f->t1 + 0.0; /* no -0 */
}

static double rate_of(const follower *f, int entering) {
  const int t = 2 * f->basis.n;
  return entering == t ? 1.0 : -dls_basis_entry(&f->basis, t);
}

/* Whether z changes with p along the column of `entering` faster than is believed: what p does
** there is round-off. */
static bool slack(const follower *f, int entering) {
  const double rate = rate_of(f, entering), most = f->load->most_rate;
  for (int i = 0; i < f->basis.n && most > 0; i++)
    if (!(fabs(slope(f, entering, rate, i)) <= most)) return true;
  return false;
}

/* The state at p = to along the column of `entering`. */
static dls_status reach(follower *f, int entering) {
  const dls_basis *b = &f->basis;
  const int t = 2 * b->n;
  const double step =
      entering == t ? f->to : (dls_basis_value(b, t) - f->to) / dls_basis_entry(b, t);
  f->path->end = DLS_PATH_REACHED;
  return record(f, entering, step, f->load->to);
}

/* The residual of a state along the ray: at `to`, or where what grows is twice what is constant. */
static void judge_ray(follower *f) {
  const dls_path *path = f->path;
  const dls_path_problem *load = f->load;
  const size_t n = (size_t)path->n, last = (size_t)path->n_states - 1;
  const double constant = dls_lanes_best()->amax(load->n, load->q);
  const double growing = dls_lanes_best()->amax(load->n, load->d);
  double ahead = growing > 0.0 ? 2.0 * constant / growing + path->p[last] : 1.0;
  if (load->to < DLS_INF) ahead = load->to - path->p[last];
  if (!(ahead > 0.0 && ahead < DLS_INF)) return;
  for (size_t i = 0; i < n; i++) f->z[i] = path->z[last * n + i] + ahead * path->ray[i];
  judge(f, path->p[last] + ahead);
}

/* No entry of the column is positive: a ray or a mechanism. */
static void conclude(follower *f, int entering) {
  const double rate = rate_of(f, entering);
  f->path->end = DLS_PATH_MECHANISM;
  if (rate <= GROWTH_TOLERANCE * dls_lanes_best()->amax(f->basis.n, f->basis.u)) return;
  if (slack(f, entering)) return;
  f->path->end = DLS_PATH_RAY;
  f->path->p_limit = DLS_INF;
  for (int i = 0; i < f->basis.n; i++)
    f->path->ray[i] = slope(f, entering, rate, i);
  judge_ray(f);
}

/* One pivot of the path; *entering becomes the next variable, or -1 where the path has ended. */
static dls_status advance(follower *f, int *entering) {
  dls_basis *b = &f->basis;
  dls_path *path = f->path;
  const int t = 2 * b->n;
  const int in = *entering;
  *entering = -1;
  path->end = DLS_PATH_LIMIT;
  if (!dls_basis_column(b, in)) return DLS_OK;
  const int out = dls_basis_ratio(b, -1);
  if (out < 0) {
    conclude(f, in);
    return DLS_OK;
  }
  const double theta = dls_basis_value(b, out) / dls_basis_entry(b, out);
  const double next = in == t ? theta : dls_basis_value(b, t) - dls_basis_entry(b, t) * theta;
  if ((next > f->to || out == t) && slack(f, in)) {
    path->end = DLS_PATH_MECHANISM;
    return DLS_OK;
  }
  if (next > f->to) return reach(f, in);
  if (!dls_basis_pivot(b, in, out)) return DLS_OK;
  dls_basis_values(b);
  path->pivots++;
  const double p = unscaled(f, dls_basis_value(b, t));
  const dls_status status = record(f, -1, 0.0, p);
  if (status != DLS_OK) return status;
  path->events[path->n_events++] = (dls_path_event){p, in, out};
  if (out == t) path->end = DLS_PATH_MECHANISM;
  else *entering = dls_basis_complement(b, out);
  return DLS_OK;
}

static dls_status follow(follower *f, dls_arena *tmp) {
  dls_basis *b = &f->basis;
  const int n = b->n, usual = n > 40000000 ? n : 50 * n;
  const int most = f->load->max_steps > 0 ? f->load->max_steps : (usual > 1000 ? usual : 1000);
  bool negative = false;
  for (int i = 0; i < n; i++)
    if (b->q[i] < 0.0) negative = true;
  f->path->end = DLS_PATH_UNSOLVED;
  if (negative && !settle(f, tmp)) return DLS_OK;
  dls_status status = record(f, -1, 0.0, 0.0);
  int entering = 2 * n;
  for (int k = 0; status == DLS_OK && k < most && entering >= 0; k++)
    status = dls_stop_poll(b->stop, (double)n * n) ? DLS_STOPPED : advance(f, &entering);
  if (entering >= 0) f->path->end = DLS_PATH_LIMIT;
  return status;
}

/* An empty path of size n, with the arrays of the last one where they fit. */
static void forget(dls_path *path, int n) {
  if (path->n != n) dls_path_destroy(path);
  *path = (dls_path){.alloc = path->alloc, .n = n, .n_room = path->n_room, .events = path->events,
                     .p = path->p, .z = path->z, .ray = path->ray};
  if (path->ray != NULL) memset(path->ray, 0, (size_t)n * sizeof *path->ray);
}

dls_status dls_path_follow(const dls_path_problem *load, const dls_alloc *alloc, dls_arena *tmp,
                           dls_path *path) {
  const size_t mark = dls_arena_mark(tmp);
  if (load->n < 0 || load->contacts < 0 ||
      (load->contacts > 0 && (load->n % 3 != 0 || load->contacts != load->n / 3)))
    return DLS_ARG;
  follower f;
  memset(&f, 0, sizeof f);
  f.load = load;
  f.path = path;
  forget(path, load->n);
  path->alloc = *alloc;
  dls_status status = path->n_room > 0 ? DLS_OK : grow(path);
  if (status == DLS_OK) status = prepare(&f, tmp) ? follow(&f, tmp) : DLS_FULL;
  status = dls_stop_status(load->stop, status);
  if (status != DLS_OK) dls_path_destroy(path);
  dls_arena_release(tmp, mark);
  return status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* z on segment k (beyond the last state: the ray) at p; false where p does not lie on it. */
static bool on_segment(const dls_path *path, int k, double p, double *z) {
  const size_t n = (size_t)path->n;
  const double *from = path->z + (size_t)k * n;
  const double p0 = path->p[k];
  const bool last = k == path->n_states - 1;
  if (last && p != p0 && !(path->end == DLS_PATH_RAY && p > p0)) return false;
  if (last) {
    for (size_t i = 0; i < n; i++)
      z[i] = dls_max(p == p0 ? from[i] : from[i] + (p - p0) * path->ray[i], 0.0);
    return true;
  }
  const double p1 = path->p[k + 1];
  if ((p < p0 && p < p1) || (p > p0 && p > p1)) return false;
  const double share = p1 == p0 ? 0.0 : (p - p0) / (p1 - p0);
  for (size_t i = 0; i < n; i++)
    z[i] = dls_max((1.0 - share) * from[i] + share * from[n + i], 0.0);
  return true;
}

bool dls_path_next(const dls_path *path, double p, int *segment, double *z) {
  for (int k = *segment; k < path->n_states; k++) {
    if (!on_segment(path, k, p, z)) continue;
    *segment = k + 1;
    return true;
  }
  *segment = path->n_states;
  return false;
}
