/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/admm.h"
#include "core/cone/newton.h"
#include "core/cone/nsgs.h"
#include "core/cone/planar.h"
#include "core/cone/unique.h"

const dls_cone_method dls_cone_methods[] = {
  {"auto", dls_cone_auto, dls_cone_auto_bytes},
  {"nsgs", dls_cone_nsgs, dls_cone_nsgs_bytes},
  {"newton", dls_cone_newton, dls_cone_newton_bytes},
  {"admm", dls_cone_admm, dls_cone_admm_bytes},
  {"lemke", dls_cone_lemke, dls_cone_lemke_bytes},
  {"energy", dls_cone_energy, dls_cone_half_bytes},
  {"block", dls_cone_block, dls_cone_half_bytes},
  {NULL, NULL, NULL},
};

const dls_cone_method *dls_cone_method_find(const char *name) {
  for (const dls_cone_method *m = dls_cone_methods; m->name; m++)
    if (strcmp(m->name, name) == 0) return m;
  return NULL;
}

/* --- hand-over -------------------------------------------------------------------------------- */

/* Largest planar problem that is handed on to Lemke's method, rows. */
#define PIVOTED 200
/* Part of the tolerance that is asked of a method before the least norm is sought: velocities that
** are nearly zero count as zero then. */
#define SHARPER 1e-2

static bool may_pivot(const dls_cone_problem *pr) {
  int group;
  return pr->n_rows <= PIVOTED && dls_cone_is_planar(pr, &group);
}

size_t dls_cone_run_bytes(const dls_cone_method *method, const dls_cone_problem *given,
                          const dls_cone_opts *opts) {
  dls_cone_problem measured = *given, *pr = &measured;
  const dls_cone_size size = given->size ? *given->size : dls_cone_measure(given);
  measured.size = &size;
  size_t bytes = method->bytes(pr), other = dls_cone_auto_bytes(pr);
  size_t kept = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  if (other > bytes) bytes = other;
  other = may_pivot(pr) ? dls_cone_lemke_bytes(pr) : 0;
  if (other > bytes) bytes = other;
  other = opts->unique ? dls_cone_unique_bytes(pr) : 0;
  if (other > bytes) bytes = other;
  return dls_bytes_add(bytes, dls_bytes_add(kept, kept));
}

/* Runs another method from p; its answer replaces p where its residual is less. */
static dls_status hand_over(const dls_cone_method *method, const dls_cone_problem *pr,
                            const dls_cone_opts *opts, dls_arena *tmp, double *p, double *v,
                            dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp), n = (size_t)pr->n_rows;
  double *q = DLS_TAKE(tmp, double, n), *u = DLS_TAKE(tmp, double, n);
  dls_cone_opts from = *opts;
  dls_cone_report now = {0};
  from.start = p;
  dls_status status = q && u ? method->run(pr, &from, tmp, q, u, &now) : DLS_FULL;
  if (status == DLS_OK) {
    now.iterations += report->iterations;
    report->iterations = now.iterations;
    now.fallback = report->fallback = true;
    if (now.residual < report->residual) {
      *report = now;
      memcpy(p, q, n * sizeof(double));
      memcpy(v, u, n * sizeof(double));
    }
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* Where the method ended at its own limit (not at one that was set), others go on from its p. */
dls_status dls_cone_run_method(const dls_cone_method *method, const dls_cone_problem *pr,
                               const dls_cone_opts *opts, dls_arena *tmp, double *p, double *v,
                               dls_cone_report *report) {
  const dls_cone_method *automatic = dls_cone_methods, *lemke = dls_cone_method_find("lemke");
  dls_cone_opts first = *opts;
  if (opts->unique) first.tolerance *= SHARPER;
  dls_status status = method->run(pr, &first, tmp, p, v, report);
  if (report->outcome == DLS_LIMIT && report->residual <= opts->tolerance)
    report->outcome = DLS_SOLVED;
  if (opts->max_iterations == 0 && !dls_stop_poll(pr->stop, 0)) {
    if (status == DLS_OK && report->outcome == DLS_LIMIT && method != automatic)
      status = hand_over(automatic, pr, opts, tmp, p, v, report);
    if (status == DLS_OK && report->outcome == DLS_LIMIT && method != lemke && may_pivot(pr))
      status = hand_over(lemke, pr, opts, tmp, p, v, report);
  }
  status = dls_stop_status(pr->stop, status);
  if (status != DLS_OK || !opts->unique || report->outcome != DLS_SOLVED) return status;
  return dls_cone_unique(pr, opts, tmp, p, v, report);
}

size_t dls_cone_solve_bytes(const dls_cone_problem *pr) {
  const dls_cone_opts opts = {.unique = false};
  return dls_cone_run_bytes(&dls_cone_methods[0], pr, &opts);
}

dls_status dls_cone_solve(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                          double *p, double *v, dls_cone_report *report) {
  return dls_cone_run_method(&dls_cone_methods[0], pr, opts, tmp, p, v, report);
}
