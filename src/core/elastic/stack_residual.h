/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ELASTIC_STACK_RESIDUAL_H
#define DLS_ELASTIC_STACK_RESIDUAL_H

#include "core/elastic/stack.h"

/* How well a step obeys the equations of the chain, by code that knows no solver and no matrix:
** from the state before (stack) and the motion, damping and forces of the step, the larger of
**
**     contact   max_j |min(c_j N_j, gap_j)| / max(|gap|, |node|, dt |V|),  gaps taken between the
**               boundary nodes U + N/S and U - N/S, c_j the compliance that N_j works on
**     momentum  max_i |M (V - V_before)/dt + L V - F - (N_i - N_i+1)| / (the sum of its terms)
**
** Infinity where a number is not finite. Round-off is about 1e-15. */
double dls_stack_residual(const dls_stack *stack, const double *U, const double *V,
                          const double *L, const double *N);

#endif
