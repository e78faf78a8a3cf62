/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_NSGS_H
#define DLS_CONE_NSGS_H

#include "core/cone/sweep.h"

/* Nonsmooth Gauss-Seidel: groups in order, each solved exactly with the others' newest impulses;
** sped up (sweep.h) as long as that helps, damped after. The true residual is evaluated now
** and then and whenever a sweep moved so little that it may be reached; the best impulses seen are
** the answer. Source: Jourdan, Alart & Jean, A Gauss-Seidel like algorithm to solve frictional
** contact problems, 1998. */
dls_status dls_cone_nsgs(const dls_cone_problem *problem, const dls_cone_opts *opts,
                         dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_nsgs_bytes(const dls_cone_problem *problem);

#endif
