/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_NORMAL_H
#define DLS_MATH_NORMAL_H

#include "core/base/random.h"

/* A normally distributed number, mean 0, standard deviation 1, from two uniform ones (none is
** kept back):  sqrt(-2 log(1 - u)) cos(2 pi v).
** Source: G. Box & M. Muller, Annals of Mathematical Statistics 29, 1958. */
double dls_random_normal(dls_random *random);

#endif
