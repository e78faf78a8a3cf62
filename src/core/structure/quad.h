/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_QUAD_H
#define DLS_STRUCTURE_QUAD_H

#include "core/structure/model.h"

/* The quadrilateral of element.h. K is 8 x 8. */
void dls_quad_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat);
void dls_quad_stress(const dls_structure *st, const dls_element *e, const double *u, double T,
                     double *s);

#endif
