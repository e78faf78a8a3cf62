/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_POSITION_LANES_H
#define DLS_DISKS_POSITION_LANES_H

#include "core/base/isa.h"
#include "core/collide/gaps.h"
#include "core/disks/disks.h"

/* What position contacts (disks.h) are found, grouped and swept by. Sixteen that share no moving
** body stand side by side; a body has two numbers, its shift so far. With pi the multiplier times J
** M^-1 J', a visit is
**
**     pi <- max(0, pi - (gap + n . (x_b - x_a))),   x_a -= share d n,   x_b += (1 - share) d n,
**
** d the change of pi. A sweep starts from pi carried on past the last one, as in sweep_lanes.h; x
** likewise (mix). Every path, however wide, gives the bits of one contact after the other. */
enum { DLS_POSITION_LANES = 16, DLS_POSITION_BODY = 2 };

/* Columns of contacts, m; i and j: where its bodies' numbers start. */
typedef struct dls_position_group {
  /* normal; as above */
  float nx[DLS_POSITION_LANES], ny[DLS_POSITION_LANES], share[DLS_POSITION_LANES];
  float gap[DLS_POSITION_LANES];     /* m */
  float by_size[DLS_POSITION_LANES]; /* 1/m */
  int i[DLS_POSITION_LANES], j[DLS_POSITION_LANES]; /* places of numbers of a, b */
} dls_position_group;

/* What a sweep says of d by size: the largest square; its square summed; and -d e summed, e the
** change against the last sweep: > 0 where momentum leads astray. */
typedef struct dls_position_change {
  double most, dd, restart_dot; /* shares of a size, squared */
} dls_position_change;

typedef struct dls_position_lanes {
  const char *name; /* "plain", "avx2" */
  /* dls_disks_find_gaps() and dls_disks_worst(). */
  void (*disks)(int n, const int *pairs, const dls_spot2 *spots, const unsigned char *holds,
                const dls_position_sight *by, dls_position_contact *out, int *general,
                dls_position_found *found);
  double (*worst)(int n, const int *pairs, const dls_spot2 *spots);
  /* Lane l of group k takes contact order[16 k + l]; pi: its start, times pull. */
  void (*fill)(int n_groups, const int *order, const dls_position_contact *all, float pull,
               dls_position_group *groups, float *pi);
  /* Visits all groups in order. pi: after the last sweep, 16 a group; old: after the one before;
  ** the new ones take their place. */
  dls_position_change (*sweep)(int n_groups, const dls_position_group *groups, float beta,
                               const float *pi, float *old, float *x);
  /* old <- x + beta (x - old); n a multiple of 16. */
  void (*mix)(int n, float beta, const float *x, float *old);
} dls_position_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_position_lanes *dls_position_lanes_best(void);
const dls_position_lanes *dls_position_lanes_at(int i);

/* The overlap of a pair, by size. */
static inline double dls_position_overlap(const dls_spot2 *a, const dls_spot2 *b) {
  const double least = dls_min(a->radius, b->radius);
  return -(dls_gap_of_disks(a, b) / (least + least));
}

/* Pair (a, b) of dls_disks_find_gaps(), as contact number found->n, which counts where it is one;
** pair number k. */
static inline void dls_position_look_at(const dls_spot2 *spots, int a, int b, int k, bool holds,
                                        const dls_position_sight *by, dls_position_contact *out,
                                        int *general, dls_position_found *found) {
  const dls_spot2 *p = spots + a, *q = spots + b;
  const double x = q->x - p->x, y = q->y - p->y, d = sqrt(x * x + y * y),
               gap = d - (p->radius + q->radius);
  const double least = dls_min(p->radius, q->radius), size = least + least, part = gap / size;
  const double w = p->other + q->other;
  const bool open = holds & (part > by->open);
  found->worst = dls_max(-part, found->worst);
  if (holds) found->widest = dls_max(part, found->widest);
  general[found->n_general] = k;
  found->n_general += !(size > 0);
  const float span = (float)(d * by->per_unit), per = 1 / span;
  dls_position_contact *c = out + found->n;
  c->nx = span > 0 ? (float)(x * by->per_unit) * per : 1;
  c->ny = span > 0 ? (float)(y * by->per_unit) * per : 0;
  c->share = (float)(p->other / w);
  c->gap = (float)(gap * by->per_unit);
  c->by_size = 1 / (float)(size * by->per_unit);
  c->start = open ? 1 : 0;
  c->a = a, c->b = b;
  found->n += (open | (part <= by->slack)) & (w > 0);
}

/* The paths, for position_lanes.c alone. (With AVX-512, twice eight visited at once, sweeps took a
** fifth longer on Zen 4.) */
#ifdef DLS_X86
extern const dls_position_lanes dls_position_lanes_avx2;
#endif
extern const dls_position_lanes dls_position_lanes_plain;

#endif
