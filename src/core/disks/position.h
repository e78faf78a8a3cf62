/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_POSITION_H
#define DLS_DISKS_POSITION_H

#include "core/base/arena.h"
#include "core/base/real.h"
#include "core/collide/gaps.h"

/* A touch in the plane that turns no body: a way apart of d costs each body a shift along n. Single precision: lengths
** are in a unit of the caller's, about the size of the bodies. */
typedef struct dls_position_contact {
  float nx, ny;  /* from a to b, unit                                                            */
  float share;   /* of a shift that is a's: its M^-1 over that of both; 0 where it does not move */
  float gap;     /* < 0: overlap                                                                 */
  float by_size; /* 1 over what the gap is small or large against                                */
  float start;   /* 1: the gap is to be zero; 0: at least zero                                   */
  int32_t a, b;  /* bodies                                                                       */
} dls_position_contact;

/* How pairs of disks are looked at. */
typedef struct dls_position_sight {
  double per_unit; /* 1 over the unit of lengths, 1/m                                            */
  double slack;    /* gaps up to this, by size (the smaller diameter), are presses               */
  double open;     /* and those that hold, from this on: to be closed                            */
} dls_position_sight;

/* What was found; the next ones are added. */
typedef struct dls_position_found {
  int n;         /* presses                                           */
  int n_odd;     /* pairs that are none of disks                      */
  double worst;  /* overlap of disks, by size; never < 0              */
  double widest; /* gap of those that hold, by size; never < 0        */
} dls_position_found;

/* n pairs (a and b of each in turn) of spots, `other` of which is M^-1; the radius of what is no disk is -infinity.
** holds: of each pair, 0 or 1. Room in out for four more presses than pairs, in odd (numbers of pairs) for four more. */
void dls_position_find(int n, const int *pairs, const dls_spot2 *spots, const unsigned char *holds,
                     const dls_position_sight *by, dls_position_contact *out, int *odd, dls_position_found *found);

/* The worst overlap of such pairs, by size; never < 0. */
double dls_position_worst(int n, const int *pairs, const dls_spot2 *spots);

size_t dls_position_bytes(int n, int n_bodies);

/* How many numbers a shift has: two a body, and some beyond. */
size_t dls_position_numbers(int n_bodies);

/* The smallest change of places in the M-norm with
**
**     0 <= pi  _|_  gap + J dq >= 0,   dq = M^-1 J' pi,
**
** by sweeps with momentum in lanes, until no gap is changed by more than `left` of its size, `most` sweeps at most.
** touch has room for n + 1; dq: dls_position_numbers(), x and y of body i at 2 i and behind it, in the unit of the gaps;
** bodies with inv_mass = 0 do not move. *done: false where a body
** has too many touches for colours, or numbers are out of all bounds; dq is then worthless. DLS_FULL where tmp has not
** dls_position_bytes() left. */
dls_status dls_position_solve(int n, dls_position_contact *touch, int n_bodies, const double *inv_mass, double left,
                           int most, dls_arena *tmp, float *dq, bool *done);

#endif
