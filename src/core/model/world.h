/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_WORLD_H
#define DLS_MODEL_WORLD_H

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/words.h"
#include "core/collide/broad.h"
#include "core/collide/collide.h"
#include "core/rows/rows.h"
#include "core/model/joint.h"
#include "core/model/slots.h"
#include "core/model/stats.h"

/* A world: what a step reads (the model) and what it changes (the state). In the plane the third
** numbers of points and vectors are unused and zero; rotations have one number, inertias too.
**
** Body 0 is the ground. Coordinates of body i are those of its centre of mass: NQ numbers
** (x, y, angle) or (x, y, z, quaternion); velocities NU numbers (v, w), world axes. */

/* --- model ------------------------------------------------------------------------------- */

typedef enum dls_body_type { DLS_DYNAMIC, DLS_KINEMATIC, DLS_STATIC } dls_body_type;

typedef struct dls_material {
  double friction;    /* static coefficient, >= 0                                           */
  double kinetic;     /* the one of a fast slide; = friction for plain Coulomb              */
  double decay;       /* s/m: mu = kinetic + (friction - kinetic) exp(-decay |v_t|)         */
  double restitution; /* 0 .. 1                                                             */
  double stiffness;   /* N/m; DLS_INF: rigid                                                */
  double damping;     /* N s/m, of a compliant contact                                      */
  double rolling;     /* arm, m                                                             */
  double spinning;    /* arm, m; unused in the plane                                        */
  double tangential_restitution; /* 0 .. 1, at the onset of a contact                        */
  int law;            /* > 0: friction is a function of the maker's, called by this number  */
  bool mixed;         /* mu is the geometric mean of this and the friction below            */
  /* mixed: as friction, kinetic, decay, of the other material */
  double friction2, kinetic2, decay2;
  int law2; /* mixed: as law, of the other material */
  /* names the material: equal ids are one material; DLS_NO_MATERIAL: a free slot */
  int id;
  int rank; /* its number among those in use, while a model's hash is made */
} dls_material;

enum { DLS_NO_MATERIAL = -1 };

dls_material dls_material_default(void);

/* What two materials are together: friction the geometric mean, restitution the smaller, arms the
** larger (equal values stay); stiffness and damping in series, equal or not. */
dls_material dls_material_combine(const dls_material *a, const dls_material *b);
double dls_friction_mean(double a, double b); /* geometric */

typedef struct dls_body { /* what every step reads of every body stands first */
  bool alive;          /* false: a gap (slots.h), as slot and generation                    */
  bool sensor;         /* found in contacts, but touched by nothing                         */
  bool moved;          /* kinematic by a function of time (hooks.motion)                    */
  int slot;            /* of the body: what users hold                                      */
  uint32_t generation; /* counts the uses of the slot                                       */
  int type;            /* dls_body_type                                                     */
  uint32_t group;      /* one bit: the group it belongs to                                  */
  uint32_t collides;   /* bits of the groups it may touch                                   */
  int material;        /* into world->materials                                             */
  double mass;         /* kg                                                                */
  double disk_radius;  /* plane: radius of a disk about its mass centre, m; else 0          */
  const dls_shape *shape; /* held; NULL: none                                               */
  double gyration;     /* radius of gyration, m: makes rad/s comparable to m/s              */
  double com[3];       /* mass centre in the body frame, m                                  */
  double inertia[9];   /* about the mass centre, body axes; plane: [0]                      */
  double inverse[9];   /* its inverse                                                       */
  int bonds;           /* joints, springs, hand-made contacts and pairs that name it        */
} dls_body;

/* What steps in the plane read of all bodies: made anew by the first one after some body has
** changed. */
typedef struct dls_columns {
  bool known;          /* they are of the bodies as these are                               */
  int n_general; /* of general */
  int *general;        /* n_general: bodies that are no dynamic disks about their mass centres */
  double *radius;      /* a body: of a disk about its mass centre, m; any other's is 0      */
  double *inverse;     /* three a body: 1/mass twice, 1/inertia of what moves freely; else 0 */
  double *inv_mass, *inv_inertia; /* a body: the same                                       */
  double *mass, *inertia; /* a body: of what moves freely; else 0                           */
  /* a body: DLS_DISKS_LAW_..., in a world of so many pairings and joints and that law of
  ** impact */
  int *law;
  int pairings, joints, impact; /* that world's */
  unsigned char *idle; /* a body: does not move freely                                      */
  bool filtered;       /* some are in groups                                                */
  /* no disk's law is DLS_DISKS_LAW_ANY */
  bool rigid;
  double narrowest;    /* smallest thickness of their shapes, m                             */
  double longest;      /* of what moves freely: farthest from its mass centre, m            */
  double *block;       /* where all this lies: DLS_COLUMNS numbers a body                   */
} dls_columns;

enum { DLS_COLUMNS = 10 };

/* Friction, restitution, ... of two materials or two bodies, set by hand. */
typedef struct dls_pairing {
  bool of_bodies;       /* a, b are bodies; else materials   */
  int a, b;             /* in either order                    */
  dls_material material; /* what they are together             */
} dls_pairing;

typedef struct dls_spring {
  bool alive;         /* false: a gap (slots.h)                       */
  int slot;           /* of the spring: what users hold               */
  uint32_t generation; /* counts the uses of the slot                 */
  int a, b;           /* bodies                                       */
  double anchor_a[3]; /* from the mass centre, body axes, m           */
  double anchor_b[3]; /* the same in b, m                             */
  double stiffness;   /* N/m                                          */
  double damping;     /* N s/m, along the line                        */
  double length;      /* m, without force                             */
} dls_spring;

/* Contacts stated by hand. */
typedef enum dls_user_contact_kind {
  DLS_USER_POINT,
  DLS_USER_ROPE,
  DLS_USER_GAP
} dls_user_contact_kind;

typedef struct dls_user_contact {
  bool alive;        /* false: a gap (slots.h)                                               */
  int slot;          /* of the contact: what users hold                                      */
  uint32_t generation; /* counts the uses of the slot                                        */
  bool active;       /* switched on                                                          */
  /* dls_user_contact_kind */
  int kind;
  int a, b;          /* bodies; gap functions: the ground twice                              */
  double point_a[3]; /* a point of the plane in a (or the rope's end), from its centre        */
  double point_b[3]; /* the point in b, m                                                    */
  double normal[3];  /* unit, axes of a                                                      */
  double length;     /* rope, m                                                              */
  dls_material material; /* its laws                                                         */
} dls_user_contact;

/* --- state -------------------------------------------------------------------------------- */

typedef enum dls_contact_state { DLS_APART, DLS_STICK, DLS_SLIP } dls_contact_state;

/* Contacts do not grow older than that: their age is a number of 32 bits, steps are not. */
enum { DLS_OLDEST = 1 << 30 };

/* What became of an impact, and what a contact is. */
enum {
  DLS_MARK_DIED = 1,      /* the rebound would have ended within its step: the bounces are over  */
  DLS_MARK_COLLAPSED = 2, /* its island had impacts without end: resolved at once, with e = 0    */
  DLS_MARK_TOLD = 4,      /* of these contacts the one whose event tells of it                   */
  DLS_MARK_FELL = 8,      /* thrown back in the last step, pressed again in this one             */
  DLS_MARK_SENSED = 16,   /* with a sensor: touches, and has no impulse                          */
  DLS_MARK_HELD = 32,     /* its friction depends on the speed, and it was at rest before        */
  /* the first touch of a swift pair: its bodies end where it lets them go */
  DLS_MARK_SWIFT = 64,
  DLS_MARK_AS_ONE = 128,  /* its point is that of both bodies, whatever the gap (carriers.h)     */
  DLS_MARK_END = 256      /* behind the last                                                     */
};

/* A contact of the last step, or what one left behind. */
typedef struct dls_contact {
  uint64_t key;       /* which features of the two shapes meet                               */
  int32_t a, b;       /* bodies                                                              */
  int32_t user;        /* number of the hand-made contact, -1: found by shapes                */
  int32_t state;      /* dls_contact_state                                                   */
  int32_t age;        /* steps since it was made                                             */
  int32_t listed;     /* 1: a contact of the last step; 0: only memory (x, speed)            */
  int32_t mark;       /* bits DLS_MARK_...: what an impact did, in its step                  */
  int32_t held;       /* 1: rigid, it pressed and did not open: closed at the end of the step */
  double point[3];    /* where the impulse acted, world, m                                   */
  double normal[3];   /* unit, from a to b                                                   */
  double gap;         /* there, m                                                            */
  double p_n;         /* normal impulse, N s                                                 */
  double impulse[3];  /* on b, world axes, N s                                               */
  double torque[3]; /* rolling and spinning: angular impulse on b, world axes; plane: [0], N m s */
  double velocity[3]; /* of b relative to a after the step, world axes, m/s                  */
  double before;      /* normal velocity before the step, m/s                                */
  double slip;        /* |v_t| after the step, m/s                                           */
  double x;           /* stored compression of a compliant contact, m                        */
  double x_before;    /* the same before the step, m                                         */
  double damping;     /* dashpot used by a compliant contact, N s/m                          */
  double mu;          /* friction coefficient used                                           */
  double size;        /* smaller of the bodies' sizes, m: the scale of the gap               */
} dls_contact;

/* What the next step asks of a contact. */
typedef struct dls_warm_start {
  double push[2]; /* plane: its impulse on b, N s                                              */
  int32_t age;    /* steps                                                                     */
  int32_t how;    /* dls_contact_state and bits DLS_START_...; above them those of its mark      */
  int32_t was;    /* the contact of the step before that it was, where that is known; else -1   */
  int32_t spare;  /* 0                                                                         */
} dls_warm_start;

enum {
  DLS_START_STATE = 3,    /* these bits: dls_contact_state             */
  DLS_START_LISTED = 4,   /* it is listed                              */
  DLS_START_KEYED = 8,    /* its key is not 0                          */
  DLS_START_PENDING = 16, /* it has no record yet: that is pending      */
  DLS_START_ACTS = 32,    /* dls_contact_acts()                        */
  DLS_START_HELD = 64,    /* dls_contact.held                          */
  DLS_START_MARKS = 8     /* bits below those of its mark              */
};

/* All else that a record of a disk contact (core/disks) is made of; named as there. */
typedef struct dls_pending {
  double point[2], normal[2], gap, size, mu, before, p_n; /* as in dls_contact */
  double v_n, v_t; /* after the step, m/s */
} dls_pending;

/* Contacts of a step in short, in columns in their order (model/records.h). In space all are
** records, and there are no columns. */
typedef struct dls_warm_columns {
  /* room + 1: a and b, see dls_pair_word; 0: made by hand; behind the last UINT64_MAX */
  uint64_t *pair;
  dls_warm_start *start; /* room: impulses                                                        */
  dls_pending *pending; /* room: what a record lacks                                              */
  int n;              /* contacts                                                                 */
  bool known;         /* pairs and starts are there                                               */
  bool any_pending;   /* some have no record yet                                                  */
} dls_warm_columns;

/* In the place of a body or contact of an event: it has been taken out. */
#define DLS_GONE INT32_MAX

typedef struct dls_event {
  double t;          /* s                                                     */
  uint64_t key;      /* of the contact                                        */
  int32_t kind;      /* dls_event_kind                                        */
  int32_t a, b;      /* bodies; DLS_GONE                                      */
  int32_t user;       /* hand-made contact, -1: found by shapes; DLS_GONE      */
  int32_t contact;   /* index among the contacts of its step, -1 where gone   */
  int32_t state;     /* dls_contact_state                                     */
  int32_t age;       /* of the contact, steps                                 */
  uint32_t of_a, of_b; /* generations of the bodies' slots                    */
  uint32_t of_user;   /* generation of the hand-made contact's slot            */
  double impulse;    /* normal, N s                                           */
  double speed;      /* normal, before (impact), m/s                          */
  double gap;        /* m                                                     */
  double point[3];   /* world, m                                              */
  double normal[3];  /* world, from a to b, unit                              */
  double push[3];    /* the whole impulse on b, N s                           */
} dls_event;

/* What an event-driven world keeps of one of its smooth gaps between steps (core/event_world,
** core/events). */
typedef struct dls_event_memory {
  int32_t mode;       /* dls_contact_mode                                                     */
  int32_t age;        /* steps since it closed                                                */
  int32_t n_brief;    /* impacts in a row that followed each other shortly                    */
  int32_t spare;      /* 0                                                                    */
  int32_t armed[2];   /* 1: the watched function was positive since its mode began           */
  double held;        /* m: the gap that is kept while closed                                 */
  double level;       /* m: the gap at which it closes again, <= 0                            */
  double slip[2];     /* unit                                                                 */
  double last_impact; /* s; -infinity: none yet                                               */
  double flight;      /* s: between the last two impacts; infinity: none                      */
  double struck;      /* s: the last impact in which it had a part; -infinity: none yet       */
  double approach;    /* m/s: the largest approach in it                                      */
  double limit;       /* s: where impacts that were summed up end, still to come; infinity: none */
  double force[3];    /* N: normal, tangents                                                  */
} dls_event_memory;

typedef struct dls_event_state {
  double speed;    /* m/s: the largest velocity of a row so far           */
  double next_dt;  /* s: step that the integrator would try next          */
  double friction; /* W, taken by friction                                */
  double span;     /* s: how long the last step was; 0: none yet          */
  uint64_t model;  /* hash of the model that the gaps are of              */
  uint64_t of;     /* hash of the state that the modes belong to; 0: none */
} dls_event_state;

/* An event of the step at hand, of which world/step.c makes a whole one where it is asked for. */
typedef struct dls_event_mark {
  int32_t kind;    /* dls_event_kind                                                     */
  int32_t contact; /* index among the contacts of the step, -1 where gone                */
  int32_t before;  /* index among those of the step before, where it is told of that one; else -1 */
} dls_event_mark;

/* EQUATIONS G.1.8, summed since the start; J. */
#define DLS_LEDGER_LIST(X)                                                          \
  X(kinetic) X(potential) X(stored) X(forces) X(springs) X(kinematic) X(friction) \
  X(impact) X(damping) X(correction) X(scheme) X(error) X(turnover)

typedef struct dls_ledger {
#define X(name) double name;
  DLS_LEDGER_LIST(X)
#undef X
} dls_ledger;

/* Functions of the maker's inside a step. Each may answer DLS_STOPPED; NULL: there is none. */
typedef struct dls_hooks {
  void *ud; /* handed to each */
  /* Adds force (3) and torque (3) on a body, at the time t. */
  dls_status (*field)(void *ud, int body, double t, double *force, double *torque);
  /* The mass centre at t: position, rotation (angle or quaternion), velocity, angular velocity;
  ** acceleration (6: linear, angular; NULL: not wanted). */
  dls_status (*motion)(void *ud, int body, double t, double *centre, double *rotation,
                       double *velocity, double *angular, double *acceleration);
  /* A prescribed motion of a joint: value and its two derivatives. */
  dls_status (*drive)(void *ud, int joint, int motion, double t, double out[3]);
  /* Friction coefficient of law number `law` at a slip speed. */
  dls_status (*friction)(void *ud, int law, double speed, double *mu);
  /* The gap of a hand-made contact of q (n_q numbers) and t, and its gradient by the velocities. */
  dls_status (*gap)(void *ud, int user, double t, const double *q, double *gap, double *gradient);
  /* One event of the step, after it. */
  dls_status (*event)(void *ud, const dls_event *event);
  /* Whether two bodies, a < b, may touch: always the same answer for the same two. */
  bool (*filter)(void *ud, int a, int b);
  /* Seconds, to profile by; what it answers never reaches the state. */
  double (*clock)(void *ud);
  unsigned events; /* bits of the kinds of events that hooks.event wants */
} dls_hooks;

/* Events a contact can cause in one step. */
enum { DLS_STEP_EVENTS = 6 };

/* Damping ratios of restitutions that were asked for last, each in a place of its own bits; of e =
** 0 nothing is asked. */
#define DLS_RATIOS 16
typedef struct dls_damping_ratios {
  double e[DLS_RATIOS];    /* restitutions        */
  double zeta[DLS_RATIOS]; /* their damping ratios */
} dls_damping_ratios;

typedef struct dls_world {
  /* model */
  dls_alloc alloc;       /* where memory comes from                                         */
  int dim;               /* 2 or 3                                                          */
  double gravity[3];     /* m/s^2                                                           */
  double dt;             /* s                                                               */
  double theta;          /* 1/2 .. 1; 0: chosen (EQUATIONS G.1)                             */
  /* springs and dampers are explicit forces: steps of an integrator
  ** (accelerations/integrate.c) */
  bool springs_push;
  bool semi_implicit;    /* free bodies move as in EQUATIONS B.1; theta = 1                 */
  int impact;            /* dls_impact_law                                                   */
  dls_solve_opts solve;  /* method, tolerance, iterations                                   */
  int friction_corners;  /* 2 or 4: of the planar acceleration LCP                          */
  int64_t seed;          /* what random was made from                                       */
  bool event_driven;     /* the scheme: core/event_world in place of time steps             */
  struct dls_event_world *event_world; /* of it; NULL: not made yet                         */
  bool log;              /* keeps events                                                    */
  bool strict;           /* a step that misses its tolerance fails                          */
  int n_bodies, body_room; /* places, ground included                                       */
  dls_body *bodies;      /* n_bodies                                                        */
  dls_columns columns;   /* body_room; in the plane                                         */
  dls_slots body_slots;
  int n_massless;        /* at most so many dynamic bodies are without mass                 */
  int64_t n_made;        /* bodies that were ever made                                      */
  int n_materials, material_room;
  dls_material *materials; /* [0] is the default                                            */
  int n_free_materials;  /* free slots among them                                           */
  int material_limit;    /* so many in use: the next one is behind a look at which still are */
  int n_pairings, pairing_room;
  dls_pairing *pairings;
  int n_soft_pairings;   /* compliant ones                                                  */
  int pair_room;         /* of pair_table: a power of two, more than twice n_pairings; or 0 */
  int *pair_table;       /* 1 + number of a pairing, by its two; 0: free (material.h)       */
  int n_springs, spring_room;
  dls_slots spring_slots;
  dls_spring *springs;
  int n_user_contacts, user_contact_room;
  dls_slots user_contact_slots;
  dls_user_contact *user_contacts;
  int n_joints, joint_room;
  dls_slots joint_slots;
  dls_joint *joints;     /* n_joints                                                        */
  double *joint_own;     /* 6 a joint: wrench of its own rows on b, about the anchor fixed in
                         ** b, of the last step: moment, force; not state                   */
  double *joint_qdd;     /* 6 a joint that is no reduced one: the change of its velocities over
                         ** the last step, by dt; after a step in parts of every joint, and the
                         ** force of the drive where it is driven alone; not state           */
  double *joint_drive;   /* 3 DLS_MAX_MOTIONS a joint: its prescribed motions where a step or an
                         ** evaluation stands; not state                                    */
  int n_gears, gear_room;
  dls_slots gear_slots;
  dls_gear *gears;       /* n_gears                                                         */
  bool own_known;        /* joint_own is of the last step                                   */
  bool qdd_known;        /* joint_qdd is of the last step                                   */
  int n_penalties;       /* penalty joints alive                                            */
  double tuned_dt;       /* s: what their gains are for; 0: to be found                     */
  double stability_bound; /* what stats.stability exceeds in no pose; may be infinite       */
  struct dls_trees *trees; /* bodies and reduced joints as a forest; NULL: never needed     */
  int factor;            /* dls_forest_method of accelerations                              */
  dls_hooks hooks;
  bool skinned;          /* broad.skin is from a body's size                                */
  bool skin_is_of_gone;  /* perhaps of one that is not there any more                       */

  /* state (world/snapshot.c) */
  double time;           /* s: time_origin + (steps - steps_origin) dt, without a sum's rounding */
  double time_origin;    /* s, when dt was last set                                         */
  int64_t steps_origin;  /* steps done then                                                 */
  int64_t steps;         /* done                                                            */
  int64_t impacts;       /* onsets of contact with an approach, since the start             */
  int64_t n_unconverged; /* steps that missed their tolerance                               */
  dls_random random;     /* for whoever needs chance                                        */
  dls_ledger ledger;     /* energy, since the start                                         */
  double *q;             /* n_bodies x NQ                                                   */
  double *q_before;      /* n_bodies x NQ: one step earlier, for interpolation             */
  double *u;             /* n_bodies x NU                                                   */
  double *load;          /* n_bodies x NU: force at the centre and torque of the user's      */
  dls_joint_state *joint_state; /* n_joints                                                 */
  int n_contacts, contact_room;
  dls_contact *contacts; /* of the last step, sorted by (a, b, key); hand-made ones first; read by
                         ** dls_world_contacts() (model/records.h)                         */
  bool contacts_of_gone; /* some may be of bodies or hand-made contacts that were taken out */
  int n_events, event_room;
  dls_event *events;     /* n_events: kept ones                                             */
  dls_broad broad;       /* neighbour list                                                  */
  dls_event_state event_state;
  int n_event_contacts, event_contact_room;
  dls_event_memory *event_contacts; /* n_event_contacts: its smooth gaps                     */

  /* of the last step, not state */
  dls_stats stats;
  dls_work work;         /* of the step that is being made                                 */
  double phase[DLS_N_PHASES]; /* s, of all its parts, where hooks.clock is set              */
  dls_worst worst;       /* since someone reset them                                        */
  bool stepping;         /* locked                                                          */
  dls_stop *stop;        /* asked within a step, borrowed; NULL: nobody is                  */
  bool whole;           /* while stepping: a step is complete, callbacks may read coordinates */

  /* room to work in */
  /* body_room: q and u a step makes, which then change places with the old */
  double *q_next, *u_next;
  dls_event_memory *event_contacts_next; /* event_contact_room                               */
  dls_contact *contacts_next; /* contact_room                                               */
  /* of contacts and of contacts_next */
  dls_warm_columns warm, warm_next;
  /* contact_room x DLS_STEP_EVENTS: events of the last step, see dls_world_changes() */
  dls_event_mark *event_marks;
  int n_event_marks;
  bool untold;                /* they are not there yet                                      */
  dls_arena arena;       /* scratch of a step                                               */
  size_t need_arena;     /* after DLS_FULL: what to ask for                                 */
  size_t ways_bytes;     /* what swift pairs have taken in a step (ways.h), beside the rest */
  int need_contacts;     /* after DLS_FULL                                                  */
  int touch_room;        /* points of one pair that a step has room for                     */
  int need_touches;      /* after DLS_FULL                                                  */
  int need_events;       /* after DLS_FULL                                                  */
  unsigned char *undo;   /* undo_room bytes: the state before the step                      */
  size_t undo_room;
  /* where in undo the neighbour list goes when a step makes another */
  size_t undo_list;
  bool list_kept;        /* it is there                                                     */
  unsigned char *parted; /* parted_room bytes: what steps in parts keep (world/parts.h)     */
  size_t parted_room;
  dls_damping_ratios ratios; /* no state: what they are does not change (material.h)     */
  int fault;             /* body, contact or joint of the last failure, -1                  */
  int apart_joint;       /* whose rows the last step left farthest apart, -1: all hold          */
  double apart;          /* by how much, m or rad                                               */
  double fault_value;    /* its number                                                      */
} dls_world;

#endif
