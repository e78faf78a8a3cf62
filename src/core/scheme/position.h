/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_POSITION_H
#define DLS_SCHEME_POSITION_H

#include "core/step/step.h"

/* Positions, after velocities: the smallest change in the M-norm, dq = M^-1 J' pi, with
**
**     0 <= pi  _|_  gap + J dq >= 0                                   (rigid contacts)
**
** by projected Gauss-Seidel on the gaps at q'. No velocity and no impulse is touched. Small piles
** are brought to round-off; large ones are let be below DLS_OVERLAP_LARGE, and what a few sweeps
** leave the next step goes on with. Gaps are taken again only where a body has moved, and a sweep
** visits only what a move has reached: dls_project(). Statuses: DLS_SINGULAR, a link without
** inertia where its joint moves. */


/* Of a pair of disks: it holds; is among the touches to be settled; overlaps, or is open, by more
** than DLS_OVERLAP_LARGE. */
enum { DLS_GAP_HOLDS = 1, DLS_GAP_TAKEN = 2, DLS_GAP_OVER = 4, DLS_GAP_OPEN = 8 };

/* Two disks to be settled, in one line of the cache and a bit. They turn by nothing. */
typedef struct dls_position_disks {
  double nx, ny;   /* from a to b, unit                            */
  double gap;      /* m, before the sweeps                         */
  double way;      /* made so far along n: the multiplier over J M^-1 J', m */
  double m_a, m_b; /* shares of it of either body: inverse masses over their sum */
  double size;     /* the smaller diameter, m                      */
  int a, b;        /* bodies                                       */
  int seen;        /* count of moves when it was last visited      */
  bool both;       /* they held: the gap is to be zero             */
} dls_position_disks;

/* A touch as sweeps need it, less than half of an overlap: J = (-n, t_a, n, t_b). */
typedef struct dls_position_touch {
  dls_vec3 n, t_a, t_b; /* normal; its moments, m */
  dls_vec3 w_a, w_b; /* inverse inertia times t_a, t_b, over J M^-1 J' */
  double m_a, m_b;   /* inverse masses over it                  */
  double gap, way;   /* m, before the sweeps; made so far       */
  double size;       /* of the smaller body, m                  */
  int a, b;          /* bodies                                  */
  int seen;          /* count of moves when it was last visited */
  bool both;         /* it held: the gap is to be zero          */
} dls_position_touch;

/* The projection: what it is to close, and rigid touches at q'. Those of disks are gaps alone until
** they are asked for. */
typedef struct dls_position_stage {
  int *closing;      /* n_closing: contacts that pressed across a gap              */
  int *closing_near; /* n_closing: their pairs in near, where those are disks; else -1 */
  int n_closing;     /* contacts in closing */
  int n_contacts;    /* contacts of the step */
  dls_spot2 *spot;   /* plane, n_bodies: a body as the projection of disks sees it, at q': its
                     ** inverse mass in `other`; the radius of what is no disk about its mass centre
                     ** is -infinity: its gaps are infinite */
  double correction; /* energy the projection added, J                             */
  bool behind;       /* somebody went behind a first touch, or waits at one         */

  const dls_near *known; /* n_known: pairs that are near or were looked at */
  int n_known, n_ordered; /* of them sorted by a, then by b        */

  /* --- touches at q' */
  dls_overlap *o; /* n touches, hand-made ones first; behind them the disks in work     */
  int n, n_user; /* of them all, of hand-made ones                                     */
  double *gap;   /* n_near: of pairs of disks, m; infinite for others                  */
  double *size;  /* n_near: the smaller diameter of a pair of disks, m                 */
  unsigned char *mark; /* n_near: of pairs of disks, bits: see above                    */
  int *general;  /* n_general: pairs of near that are none of disks, ascending      */
  int n_general; /* of them                                                            */
  dls_position_disks *disks; /* n_taken; plane, large piles: disks to be settled          */
  dls_position_touch *touches; /* n_taken; space, large piles: touches to be settled       */
  int n_taken;   /* of them                                                            */
  int *active;   /* n_active: numbers of the touches to be settled, ascending          */
  int n_active;  /* of them                                                            */
  double *dq;    /* n_bodies x nu: the change of q'                                    */
  int *moved;    /* n_bodies: count of moves when it moved last, 0: has not            */
  int moves;     /* so far                                                             */
  int looked;    /* pairs of shapes that were looked at again behind the last turn     */
  int touching;  /* touches whose gap is not positive                                  */
  double worst;  /* overlap, by size                                                   */
  double found;  /* the same when they were looked at first; -1: not yet               */
  double deepest; /* overlap, m                                                        */
  bool displaced; /* q' has been moved                                                  */
  bool sank;     /* what overlaps now did not when the step began                      */
  bool crushed;  /* there was no place near by without an overlap (position_crushed.c)  */
  bool stalls;   /* sweeps of a small pile did not end in the turn before              */
  bool cuts;     /* touches that pushed stay in the problem, as they were               */
  bool lined;    /* but those of rods, which are lines (position_least.h)               */
  double slack;  /* touches up to this gap are looked at, beside those within reach, m */
  bool strictly; /* but not these */
} dls_position_stage;

enum { DLS_ROUNDS = 3, DLS_SWEEPS = 4, DLS_SWEEPS_SMALL = 200, DLS_SWEEPS_FIRST = 24,
      DLS_SMALL_PILE = 60, DLS_MOST_EXACT = 200 };
/* From this tolerance of the solve on (a relative residual) piles are large beyond so many contacts
** that held: drums of 20 to 100 disks to 1e-3 take 0.12 to 0.23 of the time, of 30 logs a hundredth
** (bench/drum_ratio.lua, drum3.lua). */
#define DLS_POSITION_ROUGH 1e-4
enum { DLS_SMALL_ROUGH_PILE = 6 };
/* And joints are closed to this share of it, by radii of gyration, rad: to 1e-3 ropes, chains
** and ragdolls take 0.62 to 0.83 of the time (at 1e-4 a rope takes a second turn in fits: 0.71
** of its time for 0.60). */
#define DLS_JOINTS_LEFT 1e-3

/* Touches of joined bodies up to which their projection goes to round-off, free bodies with
** them. */
enum { DLS_FEW_TOUCHES = 120 };

/* Shares of the smaller body. Overlap below the first is round-off. */
#define DLS_OVERLAP_NOISE 1e-12
#define DLS_OVERLAP_SMALL 1e-10
#define DLS_OVERLAP_LARGE 1e-4
/* Whether overlaps are below that of round-off, or what errors of velocities within the
** tolerance press into each other in some steps. */
static inline bool dls_overlaps_are_small(const dls_step *S, const dls_position_stage *P,
                                          double noise) {
  return P->worst <= noise || (P->deepest <= S->unsure && P->worst <= DLS_UNSURE_MOST);
}
/* As LARGE in large piles of balls and capsules, which sweeps of touches bring farther in no more
** time (216 balls without friction: overlaps of 1e-6 m in the mean instead of 5e-6), and of disks
** without friction. */
#define DLS_OVERLAP_ROUND 1e-5
/* What is left of an overlap in a large pile up to this share is for the next step. */
#define DLS_OVERLAP_LATER 2e-3
/* Overlaps of pairs that a projection of what joints hold brings together are left up to this: as
** much as it found, but no more than LATER. */
static inline double dls_enough_brought(double found) {
  return dls_max(dls_min(found, DLS_OVERLAP_LATER), DLS_OVERLAP_LARGE);
}

/* More than that in a large pile is worth more work. */
#define DLS_OVERLAP_DEEP 4e-3

/* The stage. */
dls_status dls_project(dls_step *S, dls_near_stage *N, const dls_contact_stage *C,
                       dls_joint_stage *joints, dls_position_stage *P);

/* Prices (rows/budget.h): of a sweep over touches; of one in lanes; of a look at a pair of shapes,
** in visits. */
#define DLS_PRICE_SWEEP 0.25
#define DLS_PRICE_LANES 0.03
#define DLS_PRICE_LOOK ((double)DLS_LOOK_VISITS)

/* Sweeps that a turn may make, of `most`; and what it made: `enough` where it ended by itself. */
static inline int dls_position_sweeps(const dls_step *S, int most) {
  return dls_work_times(&S->w->work, DLS_PRICE_SWEEP, most);
}
static inline void dls_position_swept(dls_step *S, int sweeps, bool enough) {
  dls_work_pay(&S->w->work, DLS_PRICE_SWEEP * sweeps);
  if (S->w->work.bounded && !enough) S->w->work.given_up |= 1u << DLS_WORK_PROJECTION;
}

/* Whether a turn after the first may be made: what moved is looked at again, and swept once. Paid
** for the look. */
static inline bool dls_position_goes_on(dls_step *S, const dls_position_stage *P) {
  const int n = P->n_active > P->n_taken ? P->n_active : P->n_taken;
  const double look = DLS_PRICE_LOOK * P->looked / (n > 0 ? n : 1);
  if (S->w->work.bounded && S->w->work.left < look + DLS_PRICE_SWEEP) {
    S->w->work.given_up |= 1u << DLS_WORK_PROJECTION;
    return false;
  }
  dls_work_pay(&S->w->work, look);
  return true;
}

/* Gaps at q' (position_gaps.c). */

/* All rigid touches, in the order of contacts; the same where something has moved since: touches of
** what has moved go to the end. */
dls_status dls_look(dls_step *S, dls_near_stage *N, dls_position_stage *P);
dls_status dls_look_again(dls_step *S, dls_near_stage *N, dls_position_stage *P);

/* As dls_look, but of what is farther apart than twice the deepest overlap touches may be left
** out, and those of what is surely open stand behind the others. */
dls_status dls_look_deep(dls_step *S, dls_near_stage *N, dls_position_stage *P);

/* The touches of two bodies go behind those that are there. */
dls_status dls_look_at_shapes(dls_step *S, dls_near_stage *N, dls_position_stage *P, int a, int b);

/* The gap at q' of pair k of near, two disks; and their touch, by the gap that is known. False
** where nothing moves by it. */
void dls_look_at_disks(const dls_near_stage *N, dls_position_stage *P, int k);
bool dls_disks_to_settle(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                         int k, dls_overlap *o);

/* What is within slack is to be settled: those that would be closed by opening the others belong to
** the problem; and what holds, where asked for. */
dls_status dls_pick(dls_step *S, const dls_near_stage *N, dls_position_stage *P, double slack,
                    bool holding);

/* A touch with its row; M^-1 J' and J M^-1 J' of a row. False where nothing moves by it. */
bool dls_add_overlap(dls_step *S, dls_overlap *o, int a, int b, const dls_touch *touch);
bool dls_weigh_overlap(const dls_step *S, dls_overlap *o);

/* Half the least extent of a body, m. */
double dls_girth_of(const dls_body *body);

/* What is closed, and how badly. */
void dls_sum_up(dls_position_stage *P);

/* Counts a touch that is closed. */
static inline void dls_note_gap(dls_position_stage *P, double gap, double size) {
  if (gap > 0) return;
  P->touching++;
  P->worst = dls_max(P->worst, -gap / size);
  P->deepest = dls_max(P->deepest, -gap);
}

/* All gaps have been looked at: the first time tells what the solve left. */
static inline void dls_note_found(dls_position_stage *P) {
  if (P->found < 0) P->found = dls_max(P->worst, 0);
}

/* Pairs that were not near, since they could not meet within the step, and overlap at q': an impact
** or a projection took one of them farther than its bounds were widened (position_brought.c). They
** count; and are near
** from now on, up to so many at once, where the worst overlap, by size, is more than `most` with
** them. */
/* they may bring others together: so many times */
enum { DLS_MOST_BROUGHT = 64, DLS_TIMES_BROUGHT = 6 };
dls_status dls_take_brought(dls_step *S, dls_near_stage *N, dls_position_stage *P, double most,
                            bool *any);

/* Room for what is kept of pairs that are near; false: there is none. */
bool dls_position_room(dls_step *S, const dls_near_stage *N, dls_position_stage *P);

/* Sweeps (position_small.c). */

/* Nothing has moved yet. */
void dls_start_moving(const dls_step *S, dls_position_stage *P);

/* One sweep over what is active; moves up to `left` are not made. Answers the largest move (both by
** size). A visit is needed where a body has moved since the last one. */
double dls_sweep_gaps(const dls_step *S, dls_position_stage *P, bool backwards, double left);

/* Moves q' by dq; the energy it adds goes to the ledger. */
void dls_displace(dls_step *S, dls_position_stage *P);

/* What the velocity of body i is worth at q, J: a turn changes it where moments of inertia differ;
** else 0. */
double dls_spin_energy(const dls_step *S, const double *q, int i);

/* Marks the touches at q' of the contacts that hold: those of shapes alone; all. Answers the widest
** gap among them, by size. */
double dls_mark_general(const dls_step *S, dls_position_stage *P);
double dls_mark_holding(const dls_step *S, dls_position_stage *P);

/* A world, or what is left of it, without joints. */
dls_status dls_project_free(dls_step *S, dls_near_stage *N, dls_position_stage *P);

/* Large piles (position_large.c): all that overlaps and all that held at once: gaps of these are to
** be zero. What is left in a pile that moves may be as deep as it moves, within bounds: the next
** step goes on. Deeper ones, where much fell on much, get more sweeps and rounds. open: something
** held across a gap. by_disks: dls_project_turnless() has not been tried yet. */
dls_status dls_project_large(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool open,
                             bool by_disks);

/* What is left of an overlap in a large pile may be as deep as it moves, within bounds, least of
** them `least`. */
double dls_enough_of(const dls_step *S, double least);

/* Plane (position_large_2.c): pairs of disks that are to move; those that the first sweep has made
** so; one sweep, as dls_sweep_gaps(). */
void dls_take_far(const dls_near_stage *N, dls_position_stage *P);
dls_status dls_take_reached(dls_step *S, dls_near_stage *N, dls_position_stage *P);
double dls_sweep_disk_gaps(dls_position_stage *P, bool backwards, double left);

/* Space (position_large.c): all that is active as touches, where normals are opposite: no gap
** functions. One sweep. */
void dls_lay_touches(const dls_step *S, dls_position_stage *P);
double dls_sweep_touches(dls_position_stage *P, bool backwards, double left);

/* The share of a disk's size up to which overlaps are let be, in the plane: finer where nothing has
** friction, unless velocities are asked for roughly. With friction what opens and closes by it is
** solved anew each time (392 disks in a silo: three times the time). */
double dls_let_be_2(const dls_step *S);

/* Plane (position_turnless.c): large piles in which no touch turns a body (disks, and what they lie
** on): all touches at once, swept in lanes with momentum (disks/disks.h). A deep bed moves as a
** whole, which hundreds of sweeps without it do not find. *done: false where the general way has to
** go on from what is there. */
dls_status dls_project_turnless(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool *done);

/* Space (position_rods.c): large piles without hand-made contacts. Gaps of rods are taken several
** at once, and only what overlaps, held, or is within reach of what overlaps is looked at closely.
** Between looks the sweeps go on with gaps that are linear in dq: a body that turns by a mrad is
** off by a millionth of its length. */
dls_status dls_project_rods(dls_step *S, dls_near_stage *N, dls_position_stage *P);

/* What has no place near by without an overlap (position_crushed.c): the least violation is kept,
** and nothing goes farther than overlaps account for.
**
** The poses before the projection, the rates of what turns, and what was found there. */
typedef struct dls_position_start {
  double *q, *u;      /* S->q_n; space, S->u_n     */
  double correction;  /* see dls_position_stage    */
  double deepest;     /* overlap, m                */
  double sum;         /* of all overlaps, m; -1: not yet */
} dls_position_start;

dls_status dls_keep_start(dls_step *S, const dls_position_stage *P, dls_position_start *start);
void dls_go_back(dls_step *S, dls_position_stage *P, const dls_position_start *start);
/* The overlaps of the last look. */
void dls_sum_overlaps(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                      dls_position_start *start);
/* Whether a body went farther than they account for. */
bool dls_went_far(const dls_step *S, const dls_position_start *start);
/* The deepest overlap of the last look, of pairs that were brought together, beside them; none
** where bodies went far. */
void dls_ask_more(const dls_step *S, const dls_position_stage *P, dls_position_start *start);

/* From the start (NULL: from here) by turns for which touches give way: dq is least of 1/2 dq' M dq
** + 1/2 sum over overlaps of (gap + J dq)^2/gamma, again and again from where it led. A turn goes
** no farther than
**
**     dq' M dq <= sum over overlaps of gap^2/gamma,
**
** and of all turns the place is kept where the worst overlap is least: never more than at the
** start. */
dls_status dls_project_crushed(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               const dls_position_start *start);

/* Contacts among what joints hold (joints/held.h), by Newton's turns, finished to the end. */
dls_status dls_project_joined(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                              dls_position_stage *P);

/* A world with joints, or springs that the step does not resolve: the same for what these have part
** in; all others as in a world without, and together with it where they meet it behind. */
dls_status dls_project_both(dls_step *S, dls_near_stage *N, const dls_contact_stage *C,
                            dls_joint_stage *joints, dls_position_stage *P);

/* Whether gaps of bodies that do not take part elsewhere (NULL: nobody does) are what a
** projection leaves as it is; worst, found, touching are set then. */
bool dls_rests_where_solved(const dls_step *S, const dls_contact_stage *C, dls_position_stage *P,
                            const unsigned char *elsewhere);

#endif
