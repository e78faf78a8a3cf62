/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WAYS_WAYS_H
#define DLS_WAYS_WAYS_H

#include "core/collide/tube.h"
#include "core/model/contact_law.h"

/* Continuous detection (EQUATIONS G.1.5). The free motion of a step goes from q along u for the
** share 1 - theta of it, to q_c, and on along u_f. A pair is swift if its relative way, rotation
** included, is longer than half the smaller thickness. Part by part (of meshes, compounds, drums):
**
**   closed at q     a contact that lasts is seen at q_c as ever; but where the parts would sink
**                   into each other by DLS_SUNK of the thickness they touch there. Where a touch
**                   stops a body before that, it is seen at the stop, and if its parts would part
**                   there its row is speculative: what stops the one may push the other into it.
**   open at q       it is followed to its first touch, at the share s. Where the parts then
**                   approach by less than DLS_GRAZING of the thickness a step they glide: what is
**                   closed at q_c is a contact as ever.
**   never touched   no contact.
**
** The row of a first touch has J of that configuration, and the gap (1 - theta - s) h J u at q_c.
**
** What a body would meet behind its first touch it does not meet: of the touches of a step those
** count that are the first of both bodies. The others are left to where the bodies really go.
**
** The impulse p of a touch at s acts from there on: it moves its bodies by (1 - s) h M^-1 J' p,
** where the scheme's step from q_c has theta h M^-1 J' p. So bodies that a touch stopped end at
**
**     q'  =  q_c (+) theta h u'  (+)  (1 - theta - s) h (u' - u_f)
**
** where the gap of the touch is (1 - s) h v_n' >= 0: on the side they came from, closed where they
** do not rebound. For e = 0 without friction that is what the projection of positions would do.
** What a touch pushes through other contacts and joints starts with it: their bodies take over its
** s.
**
** Where bodies go behind their touches, or are pushed, is followed once more: who would pass into
** another by more than DLS_SUNK of the thickness stays at its first touch until the end of the
** step, and strikes in the next one; where all that is given about it is moved it goes along with
** that. Who follows stays where it meets one that waits, however slow it is.
**
** A contact that is open at q_c, was none in the last step, and would close by gap + theta h v_free
** <= 0, is confirmed: its parts must touch on the way from q_c. The linear forecast never misses
** what closes by translation, since the distance of convex bodies is convex along a line, and sees
** many that do not. */

/* A near pair that is swift, or has a body that a touch stops. */
typedef struct dls_swift {
  int k;            /* number among the near pairs                                        */
  int a, b;         /* bodies, a < b                                                       */
  bool swift;       /* the pair itself; else only the contacts that it has before a stop   */
  bool first;       /* its touch is the first one of both bodies                           */
  double at;        /* share of the step, DLS_INF: it does not touch                       */
  dls_vec3 x_a, x_b; /* mass centres there, m                                              */
  dls_touch *touch; /* n touches there, by key                                             */
  int n; /* of touch */
  uint64_t *lasting; /* n_lasting parts that are seen at q_c, then n_sunk that sink in at the
                     ** touch */
  int n_lasting, n_sunk; /* of lasting */
} dls_swift;

/* A way that many pairs ask for, and what the body fills along it (space). */
typedef struct dls_course {
  bool known;    /* else neither is */
  bool straight; /* it goes straight beside the thickness of a pair (ways_legs.c) */
  dls_way way;   /* of its legs */
  dls_tube tube; /* of its shape along them */
} dls_course;

typedef struct dls_ways {
  dls_world *w; /* whose bodies move */
  double h, theta; /* s; where the step looks, 0 .. 1 */
  const double *q_c, *u_c, *u_ahead; /* n_bodies x NQ, NU, NU: of the step                 */
  double narrowest; /* smallest thickness in the world, m                                  */
  double longest;   /* largest distance of a point of a free body from its mass centre, m  */
  dls_course **free; /* n_bodies: free ways that pairs asked for, NULL: none did; NULL: in the plane,
                     ** and where nobody is swift                                            */
  dls_touch *probe; /* probe_room touches: scratch                                         */
  uint64_t *passed; /* probe_room                                                          */
  int probe_room; /* of probe and passed */
  dls_swift *pair;  /* n, by k                                                             */
  int n, next;      /* next: the first one that was not asked for                          */
  double *stop;     /* a body: share of the step where its free motion ends, DLS_INF; NULL: nobody's
                    ** does */
  double *stand;    /* n_bodies x NQ: where that is                                        */
  const unsigned char *held; /* n_bodies: joints hold it; NULL: none                       */
  const double *u_off; /* n_bodies x NU: what joints admit is u_ahead + that; NULL: u_ahead    */
  const unsigned char *arcs; /* n_bodies: it goes along joints (ways_hung.h); NULL: none does */
  const dls_hung *hung[2]; /* n_bodies: all of these, to q_c and on from there                */
  bool (*apart)(const void *of, int a, int b); /* joints or groups keep bodies apart       */
  const void *of; /* first argument of apart */
  /* Of n touches of a pair at s those that are left beside the pieces of a floor (floor.h). */
  int (*clear)(const struct dls_ways *ways, const dls_pursuit *pair, int a, int b, double s,
               dls_touch *touch, int n);
  /* Whether a body that is foretold to touch a piece of a floor is on another one at the end. */
  bool (*meets)(const struct dls_ways *ways, const dls_pursuit *pair, int a, int b,
                const dls_touch *touch);
  const void *floor; /* what these read */
} dls_ways;

/* The near pairs 2 i, 2 i + 1 of `near`, n of them, numbers of bodies by body_of (NULL: they are).
** fastest: no body goes farther in the step, m. DLS_FULL: need_touches or need_arena is set. */
dls_status dls_ways_chase(dls_ways *ways, int n, const int *near, const int *body_of,
                          double fastest);

/* Pair k, NULL where nothing is known of it; asked in ascending order. */
const dls_swift *dls_ways_find(dls_ways *ways, int k);

/* Whether a touch stops body i and no joint holds it: then it goes on from stand, for the rest of
** the step. */
static inline bool dls_ways_stops(const dls_ways *ways, int i) {
  return ways->stop && ways->stop[i] < DLS_INF && !(ways->held && ways->held[i]);
}

/* Where the touches of a pair are looked at. */
typedef struct dls_ways_place {
  double at;         /* share of the step; DLS_INF: at q_c */
  double gliding;    /* m/s: what parts faster there stands by */
  dls_vec3 x_a, x_b; /* mass centres there, m            */
} dls_ways_place;

/* Of n touches at q_c those that are contacts; into their places, *kept of them. Of a swift pair
** with a body that a touch stops they are those at that stop, if `there`, and of one that was in
** contact before, if `known`, those that are open beside its first touch as well: contacts stand by
** there. room for `room` of them. */
dls_status dls_ways_sift(dls_ways *ways, const dls_swift *pair, bool there, bool known,
                         dls_touch *touch, int room, int n, int *kept, dls_ways_place *place);

/* Whether parts of a pair that are open at q_c, with a touch, close on the way from there. */
dls_status dls_ways_confirm(dls_ways *ways, int a, int b, const dls_touch *touch, bool *touches);

/* Whether a part of two bodies, open when the step began, touched on the way to q_c: *place is that
** of its first touch, and *touch the k-th of those that come there, by key (its gap is DLS_INF
** where there are no more). */
dls_status dls_ways_graze(const dls_ways *ways, int a, int b, uint64_t part, int k,
                          dls_ways_place *place, dls_touch *touch, bool *met);

/* What came of the step's solve. */
typedef struct dls_ways_outcome {
  const double *u, *u_free; /* n_bodies x NU: after and before the rows' impulses          */
  double *u_n;              /* n_bodies x NU: at q_n, for its turns                        */
  const int *ends;          /* 2 n_links: bodies that rows pressed or joints bind          */
  int n_links; /* of ends */
  double *q_n;              /* n_bodies x NQ: at the end, which is corrected               */
  double *correction;       /* J, what that adds to the energy                             */
  bool *moved;              /* set where that moves somebody                               */
  /* Answered, in the arena: pairs that were looked at behind first touches, which the projection
  ** has to look at, too: 2 n_met bodies. */
  int *met;
  int n_met; /* pairs of met */
} dls_ways_outcome;

/* DLS_FULL, with so many more bytes asked for. */
dls_status dls_ways_want(const dls_ways *ways, size_t bytes);

/* Takes bodies to where the touches let them go. Of the arena it keeps no more than `met`. */
dls_status dls_ways_end(dls_ways *ways, dls_ways_outcome *out);

#endif
