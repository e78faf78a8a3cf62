/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_LADDER_H
#define DLS_LADDER_LADDER_H

#include "core/base/arena.h"
#include "core/rows/rows.h"

/* The solution of the rows of a step, island by island (docs/design/solvers.md): who calls the
** solvers of rung.h, and what they are graded by. */

/* The relative residual that an island of so many rows is solved to. */
double dls_island_tolerance(int n_rows, const dls_solve_opts *opts);

/* Solves all islands, each down the ladder of rung.h until a rung answers: p and u out. DLS_FULL
** where tmp is too small: rows->need says what is wanted beside what is there; p and u are then
** worthless. DLS_STOPPED: rows->stop said so. */
dls_status dls_rows_solve(dls_rows *rows, const dls_solve_opts *opts, dls_arena *tmp,
                          dls_solve_report *report);

#endif
