/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_CONE_NSGS_H
#define DLS_LCP_CONE_NSGS_H

#include "core/lcp/cone_system.h"

/* Nonsmooth Gauss-Seidel: groups in order, each solved exactly with the others' newest impulses.
** The true residual is evaluated every few sweeps and whenever a sweep moved so little that it may
** be reached; the best impulses seen are the answer.
** Source: Jourdan, Alart & Jean, A Gauss-Seidel like algorithm to solve frictional contact
** problems, 1998. */
dls_status dls_cone_nsgs(const dls_cone_problem *problem, const dls_cone_opts *opts,
                         dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_nsgs_bytes(const dls_cone_problem *problem);

/* The sweeps themselves, on a system: from z, at most `sweeps`, until residual <= tolerance.
**   locals  n_groups, made by dls_cone_local_make
**   u, best n each, scratch; u = A z + c at the end
** Returns the residual of z; *done counts sweeps. */
double dls_cone_sweeps(const dls_cone_system *sys, dls_cone_local *locals, double tolerance,
                       int sweeps, double *z, double *u, double *best, int *done);

#endif
