/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STEP_STEP_H
#define DLS_STEP_STEP_H

#include "core/base/dim.h"
#include "core/collide/rods.h"
#include "core/disks/disks.h"
#include "core/joints/stage.h"
#include "core/model/contact_law.h"
#include "core/model/impact_law.h"
#include "core/model/motion.h"
#include "core/model/world.h"
#include "core/ways/ways.h"

/* The records of one step, for the plane and for space: the dimension is data (dim, nu, nq, nb). A
** function is handed what all stages share and the records of the stages that it reads or, not
** const, writes; all of them are in dls_stages (stages.h). All arrays come from the world's arena
** (step_room.c). Coordinates and velocities of body i stand at i nq and i nu of their arrays: DLS_Q
** and DLS_U. */

/* A shape as whoever looks at pairs sees it. */
typedef struct dls_ball {
  double x, y, z;           /* origin of the shape; plane: z is not set, m             */
  double reach;             /* space: size and way in the step, m; may be infinite     */
  double radius;            /* plane, a disk about its mass centre: its radius; else 0, m */
  int body;                 /* whose                                                   */
  int material;             /* into world->materials                                   */
  bool free;                /* moves freely                                            */
  bool sensor;              /* touched by nothing                                      */
} dls_ball;

/* What all stages share: the step, its rows, the bodies on their way through it. */
typedef struct dls_step {
  dls_world *w;        /* whose step it is */
  int dim, nu, nq, nb; /* base/dim.h                                                  */
  double h, theta; /* s                                                           */
  double unsure;   /* m: gaps that the solver's tolerance leaves open or not      */
  bool joined;      /* joints or trees may carry bodies                            */
  bool compliant;   /* some material is                                            */
  bool pushed;      /* joints or fields may push bodies                            */
  bool shapes_only; /* nothing is fixed to bodies but shapes: nobody asks how disks are turned */
  bool unforced;    /* plane: nothing but gravity and loads acts on bodies, and no more than shapes
                    ** is fixed to them */
  int room_contacts; /* that may be made                                           */
  int room_joints;  /* blocks and gaps that joints may add                         */
  dls_rows rows;    /* of the solve                                                */

  double *q_c;      /* n_bodies x nq: where everything is evaluated                */
  const double *q_weighed; /* n_bodies x nq: where the solve has their inertia: q_c, or where a
                           ** touch stops them */
  double *q_n;      /* n_bodies x nq: at the end (world->q_next)                   */
  double *u_c;      /* n_bodies x nu: before, at q_c                               */
  double *u_n;      /* n_bodies x nu: at the end (world->u_next)                   */
  double *push;     /* n_bodies x nu: forces and torques beside gravity and load   */
  double *u_smooth; /* n_bodies x nu: free velocities before impacts               */
  double *u_kept;   /* n_bodies x nu: u_ahead as it was                            */
  const double *u_unstruck; /* after the solve: what the velocities would be without contacts and
                            ** limits */
  const double *u_ahead; /* n_bodies x nu: u_f with what joints do about it        */
  const double *u_off; /* n_bodies x nu: u_c - P u_c, P on what joints admit at q_c; NULL: there are
                       ** none */
  double *q_end, *u_end; /* with hooks.motion, n_bodies x nq, nu: of bodies that it moves, at the
                         ** end */
  union {           /* n_bodies: poses of body frames, at q_c and later at q'      */
    dls_pose2 *T2;  /* n_bodies, plane                                             */
    dls_pose3 *T3;  /* n_bodies, space                                             */
  };
  dls_rod *rod;     /* space, n_bodies: spheres and capsules where T3 has them; NULL outside of
                    ** steps */
  bool posed;       /* the poses and rods are there                                */
  const double *placed; /* plane, n_bodies x nq: where disks are whose poses are not in T2; NULL:
                        ** all are */
  /* n_bodies: joints hold it (DLS_HELD), or springs from the end on (DLS_HELD_LATE) */
  unsigned char *held;
  unsigned char *jointed; /* n_bodies: 1, a joint beside the trees acts on it; 2, by impulses of the
                          ** solve */
  double turned;    /* kinetic energy that bodies got by turning with their angular momenta, but for
                    ** those that joints hold behind q_c, J */
  double *gradient; /* n_bodies x nu: of a gap function; scratch                   */
  unsigned char *scratch; /* n_bodies                                              */
} dls_step;

/* dls_step.unsure is no more than this share of the smaller body. */
#define DLS_UNSURE_MOST 1e-5

/* Broad and narrow phase, fast bodies (near.h, ways.h, touches.h, floor.h, rods_met.h). */
typedef struct dls_near_stage {
  double *margin;   /* n_bodies: bounds are widened by this, m                     */
  double *bound[6]; /* lo x y (z), hi x y (z) of the shapes: space: n_shapes; plane: n_bodies, of
                    ** disks where a
                    ** list is made                                                */
  unsigned char *idle; /* space, n_shapes: does not move freely                    */
  int n_shapes;     /* space: bodies with shapes                                   */
  dls_ball *ball;   /* space: n_shapes                                             */
  int *body_of;     /* space: n_shapes: whose                                      */
  dls_rod *around;  /* space: n_shapes: rods as far as they go in the step; others with infinite
                    ** radius */
  dls_rim2 *rim;    /* plane: n_bodies: how far a shape reaches, its way in the step included */
  int *beside_from, *beside; /* n_bodies + 1, pairs: the given bodies that each free one is near,
                             ** where paved */
  bool paved;       /* several bodies are given                                    */
  bool filtered;    /* bodies are in groups                                        */
  dls_near *near;   /* broad.n_pairs: balls of the pairs in reach at q_c, sorted; after
                    ** find_contacts the bodies of those that the projection looks at */
  int n_near;
  int n_ordered;    /* of them sorted; who was met on a way stands behind (advance.c) */
  dls_touch *touch; /* touch_room: of one pair                                     */
  dls_touch *probe; /* touch_room: of a pair on its way                            */
  uint64_t *passed; /* touch_room: parts of it                                     */
  int touch_room;
  dls_ways ways;    /* of bodies that go far in the step                           */
} dls_near_stage;

/* The pair of bodies that was asked last in the step whether it grazed, and its part
** (dls_touch.part); a = -1: none was. */
typedef struct dls_graze {
  int a, b; /* bodies */
  uint64_t part; /* of theirs */
  int n; /* contacts made of it */
} dls_graze;

/* Given bodies that turn together, as one rigid body (wedges.h); so many motions are told apart. */
#define DLS_TOGETHER 8
typedef struct dls_together {
  int first, n;    /* a body of theirs; how many there are                   */
  dls_vec3 centre; /* the mean of their mass centres at q_c                  */
  dls_vec3 gain;   /* m/s: of their velocities, from q_c to the end          */
} dls_together;

/* Contacts and the laws of their rows (contacts.h, contact_row.h, impacts.h, friction.h). */
typedef struct dls_contact_stage {
  int n_contacts;   /* made                                                        */
  unsigned char *crowded; /* n_bodies: it touched another free body in the last step
                          ** (dls_note_crowded) */
  dls_together together[DLS_TOGETHER]; /* n_together (wedges.h)                          */
  int n_together;
  signed char *together_of; /* n_bodies: of given ones the place in together; -1: none   */
  int *near_of;     /* a block, but for disk contacts: its contact's pair in near, where that is one
                    ** of disks; else -1 */
  double *height;   /* a block: height of its contact, times g, m^2/s^2            */
  /* Of blocks that are no disk contacts (disks/disks.h): */
  double *bounce;   /* a row: restitution of its contact (first row of a block)    */
  double *tangential; /* a row: tangential restitution of its contact (first row)  */
  double *drift;    /* a row: what its gap changes by with time alone, m/s         */
  double *shift;    /* a row: what its velocity is more than J u', with the arms of the end, m/s or
                    ** rad/s (carried.h) */
  double *p_impact; /* a row: impulses of impacts that come before the forces      */
  bool varies;      /* some contact's friction depends on its speed                */
  bool swift, known; /* some pair is swift; ways know of the one at hand (ways.h)  */
  dls_graze grazed; /* first_met.h                                                 */
  /* least gap at q_c of touches of shapes without a row that acts, m; -infinity: not all that
  ** may touch were noted (disks in the plane, what ways know of) */
  double open;
  double noise;     /* m/s: a speed below it is the solver's error                 */
  dls_slip_bounds slips; /* what slides                                            */
} dls_contact_stage;

/* Records and the account (record.h, judgement.h, ledger.h), J unless told otherwise. */
typedef struct dls_account_stage {
  int n_onsets;        /* contacts that began with an approach                     */
  int n_starts;        /* contacts whose warm starts are made                      */
  int *general;        /* n_general: blocks that are no disk contacts, ascending   */
  int n_general;       /* of them                                                  */
  double marked;       /* s: when the last phase ended                             */
  int *account;        /* n_bodies: whose momentum it counts to; -1: nobody's (account_of) */
  double *unexplained; /* n_bodies x dim: change of momentum, less the impulses of contacts */
  dls_judgement judged; /* of the answer (judgement.h) */
  dls_balance balance; /* of the step                                              */
  double turnover;     /* of its ledger before charge_drives, J                    */
  double given;        /* J: what contacts added that did: along tangents, and along normals beyond
                       ** gravity's share */
  bool rebounds;       /* a contact that approached has restitution                */
  int *root;           /* n_bodies: a body of what impulses join it to (impact_gain.h) */
  dls_impact_sum *struck; /* n_bodies, of roots: what strikes there                */
} dls_account_stage;

/* What a row of a contact reads beyond J u' and J u_f, and short of J u_c: only what joints admit
** of them (step.md). */
static inline double dls_admitted_more(const dls_step *S, const double *J, int a, int b) {
  return S->u_off ? dls_row_velocity(S->nu, J, DLS_U(S, S->u_off, a), DLS_U(S, S->u_off, b)) : 0;
}

/* Whether a function says where body i is: q_end, u_end. */
static inline bool dls_is_prescribed(const dls_step *S, int i) {
  return S->w->bodies[i].moved && S->w->hooks.motion;
}

/* A step of a world in the plane (dim = 2) or in space (3); its arrays are not there yet. */
static inline dls_step dls_step_of(dls_world *w, int dim) {
  return (dls_step){.w = w, .dim = dim, .nu = DLS_NU(dim), .nq = DLS_NQ(dim), .nb = DLS_NB(dim)};
}

#endif
