/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DELASSUS_H
#define DELASSUS_H

/* delassus for host applications: worlds of rigid bodies with unilateral contacts, Coulomb
** friction and impacts, in C11 or C++, without Lua.
**
**     delassus_world_def def = delassus_world_def_default();
**     delassus_world *world;
**     if (delassus_world_create(&def, &world) != DELASSUS_OK) ...
**
** Conventions. SI units, radians, right-handed axes. Rotations are unit quaternions w, x, y, z,
** body frame to world. Vectors have three numbers; in planar worlds the third is unused and must
** be 0, rotations are angles about z, and angular quantities stand in the third number of their
** vector. The unit normal of a contact points from a to b; forces and impulses told are those on
** b.
**
** Status. What can fail answers a delassus_status, DELASSUS_OK = 0. After a failure the world is
** as it was before, what the call should have made is NULL or untouched, and
** delassus_world_error() says in words what was wrong, with the function's and the field's name.
** No call prints, exits, or jumps. A world that is NULL is a bad argument where there is a
** status; questions to it answer zeros.
**
** Ids. Bodies, joints, gears, springs and hand-made contacts are ids: an index and a generation,
** which tells the second use of an index from the first. An id of zeros is nothing. Ids belong to
** the world that made them.
**
** Threads. One world is used by one thread at a time; different worlds are independent of each
** other. */

#define DELASSUS_VERSION "0.2.0"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(DELASSUS_SHARED)
#define DELASSUS_API __declspec(dllexport)
#elif defined(__GNUC__)
#define DELASSUS_API __attribute__((visibility("default")))
#else
#define DELASSUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- status --------------------------------------------------------------------------------- */

/* Each status and its text, from 0 on. LOCKED: a callback asked for it. NOT_KNOWN: it is after a
** step. NOT_OURS: the script steps its world. */
#define DELASSUS_STATUS_LIST(X)                                                        \
  X(DELASSUS_OK, "success")                                                            \
  X(DELASSUS_NO_MEMORY, "out of memory")                                               \
  X(DELASSUS_BAD_ARGUMENT, "a field or an argument is not what the call takes")        \
  X(DELASSUS_STALE_ID, "what the id is of is not there")                               \
  X(DELASSUS_LOCKED, "not possible while the world steps")                             \
  X(DELASSUS_STOPPED, "stopped by a callback")                                         \
  X(DELASSUS_BAD_SNAPSHOT, "the snapshot is damaged, or of a world built differently") \
  X(DELASSUS_UNSOLVED, "the step missed its tolerance, and the world is strict")       \
  X(DELASSUS_UNSTABLE, "the step is too long for explicit forces as stiff as these")   \
  X(DELASSUS_OUT_OF_RANGE, "beyond the range of numbers")                              \
  X(DELASSUS_SINGULAR, "a direction of motion has no inertia")                         \
  X(DELASSUS_NOT_KNOWN, "not known in the present state")                              \
  X(DELASSUS_NOT_OURS, "the world's functions are a script's")

typedef enum delassus_status {
#define DELASSUS_X(status, text) status,
  DELASSUS_STATUS_LIST(DELASSUS_X)
#undef DELASSUS_X
} delassus_status;

/* The text of a status; "unknown status" for any other number. Never NULL. */
DELASSUS_API const char *delassus_status_text(delassus_status status);

/* --- worlds --------------------------------------------------------------------------------- */

typedef struct delassus_world delassus_world;

/* Memory of a world. fn(user, NULL, 0, n): n new bytes or NULL; fn(user, p, old, n): p moved to
** n bytes, or NULL and p as it was; fn(user, p, old, 0): p given back. It must not call into its
** world. Scratch of steps is one block, at first of some 192 KiB a body and up to 12 MiB, of which
** steps touch what they need. */
typedef void *(*delassus_alloc_fn)(void *user, void *block, size_t old_size, size_t new_size);

typedef enum delassus_impact {
  DELASSUS_IMPACT_NEWTON,
  DELASSUS_IMPACT_POISSON,
  DELASSUS_IMPACT_SEQUENTIAL /* pairs in turn: Newton's cradle */
} delassus_impact;

typedef enum delassus_solver {
  DELASSUS_SOLVER_AUTO,
  DELASSUS_SOLVER_NSGS,
  DELASSUS_SOLVER_ADMM,
  DELASSUS_SOLVER_NEWTON,
  DELASSUS_SOLVER_LEMKE, /* planar worlds */
  DELASSUS_SOLVER_ENERGY,
  DELASSUS_SOLVER_BLOCK,
  DELASSUS_SOLVER_PGS
} delassus_solver;

typedef struct delassus_world_def {
  bool planar;         /* default false */
  double gravity[3];   /* m/s^2; default 9.81 against the last axis: 0, 0, -9.81; a planar world
                       ** whose gravity is left at that has 0, -9.81 */
  double dt;           /* length of a step, s; default 1e-3 */
  double theta;        /* 1/2 .. 1; default 0: 1/2, or 1 where contacts are compliant */
  delassus_impact impact; /* default Newton */
  delassus_solver solver; /* default auto */
  /* relative residual; default 0: 1e-10 for islands up to 200 rows, else 1e-6 */
  double tolerance;
  int max_iterations;  /* default 1000: guards the solve alone, as more does; less (999, say)
                       ** bounds the work of the whole step, in sweeps */
  int64_t seed;        /* of its random numbers; default 1 */
  bool strict;         /* a step that misses its tolerance fails; default false */
  delassus_alloc_fn alloc; /* default NULL: malloc, realloc, free */
  void *alloc_user;    /* handed to alloc */
} delassus_world_def;

DELASSUS_API delassus_world_def delassus_world_def_default(void);

/* Makes a world that holds nothing but the ground. *world is NULL where it fails. */
DELASSUS_API delassus_status delassus_world_create(const delassus_world_def *def, delassus_world
                                                   **world);
/* What is wrong with a definition, in words, or "": delassus_world_create answers
** DELASSUS_BAD_ARGUMENT then. */
DELASSUS_API const char *delassus_world_def_error(const delassus_world_def *def);
/* NULL is accepted. What a script still has of it is taken back; a world of a script is the
** script's, and stays. Not for callbacks of the world: nothing happens there. */
DELASSUS_API void delassus_world_destroy(delassus_world *world);

/* What went wrong in the last call that failed on this world; "" where none did. Valid until the
** next failure. */
DELASSUS_API const char *delassus_world_error(const delassus_world *world);

/* n >= 0 steps of dt. Each is whole, or the world is as it was before that one. */
DELASSUS_API delassus_status delassus_world_step(delassus_world *world, int64_t n);
/* For hosts with frames: as many steps as fit into the time given so far (elapsed: s since the
** last call, >= 0), at most max_steps >= 0. What there is no room for is dropped: a slow host
** gets slow motion. *done (may be NULL): steps made. The part of a step that is left over waits
** for the next call: delassus_world_left(). */
DELASSUS_API delassus_status delassus_world_advance(delassus_world *world, double elapsed, int64_t
                                                    max_steps, int64_t *done);
DELASSUS_API double delassus_world_left(const delassus_world *world); /* s, 0 .. dt */

DELASSUS_API double delassus_world_time(const delassus_world *world); /* s */
DELASSUS_API int64_t delassus_world_steps(const delassus_world *world);
DELASSUS_API double delassus_world_dt(const delassus_world *world); /* s */
DELASSUS_API bool delassus_world_planar(const delassus_world *world);
DELASSUS_API delassus_status delassus_world_set_dt(delassus_world *world, double dt);
DELASSUS_API delassus_status delassus_world_set_gravity(delassus_world *world, const double
                                                        gravity[3]);

typedef struct delassus_energy {
  double kinetic, potential, stored; /* J; stored: in springs and compliant contacts */
} delassus_energy;
DELASSUS_API delassus_energy delassus_world_energy(const delassus_world *world);

/* Of the last step, relative where no unit is named. */
typedef struct delassus_stats {
  int contacts, unknowns, pivots, iterations, islands; /* counts of the last step */
  double residual;       /* of the contact problem, relative */
  double overlap;        /* worst that the step found, over the smaller body's size */
  double penetration;    /* worst that it left, of the size of the smaller body */
  double cone_violation; /* worst of |p_t| - mu p_n over the largest impulse */
  double momentum_error; /* worst |m dv - impulses| over the largest */
  double energy_balance; /* error of the ledger over the energy turned over */
  /* energy that impacts added over the energy turned over; 0 where they took */
  double impact_gain;
  bool limited;          /* max_iterations ended a solve */
  bool infeasible;       /* rows that cannot hold together */
  int64_t unconverged;   /* steps so far that missed their tolerance */
  int64_t impacts;       /* onsets of contact so far */
  /* of the last step, in sweeps: at most 1 above a max_iterations below 1000 */
  double work;
  unsigned given_up;     /* what max_iterations left undone, DELASSUS_GAVE_UP_* */
  /* sequential impacts of the last step that would have added energy, and did not */
  int curbed;
} delassus_stats;
enum {
  DELASSUS_GAVE_UP_SWIFT_PAIRS = 1,
  DELASSUS_GAVE_UP_IMPACTS = 2,
  DELASSUS_GAVE_UP_SOLVE = 4,
  DELASSUS_GAVE_UP_JOINTS = 8,
  DELASSUS_GAVE_UP_PROJECTION = 16
};
DELASSUS_API delassus_stats delassus_world_stats(const delassus_world *world);

/* The whole state as bytes: *size is how many; bytes NULL asks only that. DELASSUS_BAD_ARGUMENT
** where room is less. The format is that of world:snapshot() in Lua. */
DELASSUS_API delassus_status delassus_world_snapshot(delassus_world *world, void *bytes, size_t
                                                     room, size_t *size);
/* Back to a snapshot of a world built by the same calls: what follows is bit for bit what
** followed. */
DELASSUS_API delassus_status delassus_world_restore(delassus_world *world, const void *bytes, size_t
                                                    size);
/* Of the whole state, warm starts and neighbour lists included; in Lua world:hash() writes it in
** hexadecimal. */
DELASSUS_API uint64_t delassus_world_hash(const delassus_world *world);

/* --- shapes --------------------------------------------------------------------------------- */

typedef enum delassus_shape_kind {
  DELASSUS_NO_SHAPE,
  DELASSUS_DISK,     /* plane: radius */
  DELASSUS_SPHERE,   /* space: radius */
  DELASSUS_CAPSULE,  /* both: radius, length (of the straight part) along x */
  DELASSUS_CYLINDER, /* space: radius, length along x */
  DELASSUS_CONE,     /* space: radius at -x, radius2 at +x, length */
  DELASSUS_ELLIPSOID, /* space: radii */
  DELASSUS_BOX,      /* both: size; size[2] = 0 in the plane */
  DELASSUS_POLYGON,  /* plane: points, 2 numbers each, convex */
  DELASSUS_CONVEX,   /* space: points, 3 numbers each */
  DELASSUS_SEGMENT,  /* plane: points, 2 of them; no mass */
  DELASSUS_PLANE,    /* both: normal, offset; solid below normal . x = offset; no mass */
  DELASSUS_DRUM,     /* both: radius, length, lifters, ends: inside of a drum, axis x; no mass */
  DELASSUS_MESH,     /* space: points, faces (3 numbers each, from 0), seen from outside; no mass */
  DELASSUS_COMPOUND  /* both: children */
} delassus_shape_kind;

typedef struct delassus_child delassus_child;

typedef struct delassus_shape_def {
  delassus_shape_kind kind; /* default DELASSUS_NO_SHAPE */
  double radius, radius2;   /* m */
  double length;            /* m */
  double size[3];           /* m */
  double radii[3];          /* m; of an ellipsoid: half of its axes */
  double normal[3];         /* need not be unit; default: along the last axis of the world */
  double offset;            /* m */
  int n_points;             /* corners */
  const double *points;     /* borrowed during the call, m */
  int n_faces;              /* 0: none */
  const int *faces;         /* borrowed during the call */
  int lifter_count;         /* drum: bars along it */
  double lifter_height, lifter_width; /* m: towards the axis; tangential */
  bool ends;                /* drum in space: closed at both ends */
  int n_children;           /* 0: none */
  const delassus_child *children; /* borrowed during the call */
} delassus_shape_def;

struct delassus_child {
  delassus_shape_def shape; /* no compound, plane or drum */
  double position[3];       /* in the compound, m */
  double rotation[4];       /* quaternion; zeros: none */
  double angle;             /* planar worlds: in place of rotation, rad */
};

DELASSUS_API delassus_shape_def delassus_shape_def_default(void);

/* --- materials ------------------------------------------------------------------------------ */

/* Two materials meet: equal values combine to that value; unequal ones: friction the geometric
** mean, restitution the smaller, rolling and spinning the larger; stiffness and damping always
** as two springs in series. */
typedef struct delassus_material_def {
  double friction;               /* static coefficient, default 0.5 */
  double kinetic_friction;       /* of a fast slide; default -1: the same */
  double friction_decay;         /* s/m: mu = kinetic + (static - kinetic) exp(-decay |v_t|) */
  double restitution;            /* 0 .. 1, default 0 */
  double stiffness;              /* N/m, default infinite: a rigid contact */
  double damping;                /* N s/m, default 0 */
  double rolling_friction;       /* arm, m, default 0 */
  double spinning_friction;      /* arm, m, default 0 */
  double tangential_restitution; /* 0 .. 1, default 0 */
} delassus_material_def;

DELASSUS_API delassus_material_def delassus_material_def_default(void);

/* --- bodies --------------------------------------------------------------------------------- */

typedef struct delassus_body_id {
  int32_t index; /* of its slot */
  uint32_t generation; /* counts the uses of the slot */
} delassus_body_id;

typedef enum delassus_body_type {
  DELASSUS_DYNAMIC, DELASSUS_KINEMATIC, DELASSUS_STATIC
} delassus_body_type;

/* Where a body is to be at a time. It comes in as the body's pose of now, with velocities of 0. */
typedef struct delassus_motion {
  double position[3];         /* of the body frame's origin, m */
  double rotation[4];         /* quaternion; planar: [0] is the angle */
  double velocity[3];         /* of the mass centre, m/s */
  double angular_velocity[3]; /* world axes, rad/s */
  double acceleration[3];     /* of the mass centre, m/s^2 */
  double angular_acceleration[3]; /* world axes, rad/s^2 */
} delassus_motion;

/* Prescribed motion of a kinematic body at time t, s. Any answer but DELASSUS_OK stops the step. */
typedef delassus_status (*delassus_motion_fn)(void *user, delassus_body_id body, double t,
                                              delassus_motion *motion);

typedef struct delassus_body_def {
  delassus_body_type type;   /* default dynamic */
  delassus_shape_def shape;  /* default none */
  delassus_material_def material; /* of its surface */
  double density;            /* kg/m^3 (plane: kg/m^2); default 0: 1000 */
  double mass;               /* kg; default -1: by density; with a shape its inertia is scaled */
  bool has_inertia;          /* default false: that of the shape */
  /* Ixx Iyy Izz Ixy Ixz Iyz about the centre, body axes, kg m^2; plane: [2] */
  double inertia[6];
  bool has_com;              /* default false: the shape's, or the origin */
  double com[3];             /* mass centre in the body frame, m */
  double position[3];        /* of the body frame's origin, m */
  /* quaternion, any length but 0; default 1, 0, 0, 0; not in planar worlds */
  double rotation[4];
  double angle;              /* planar worlds, rad */
  double velocity[3];        /* of the mass centre, m/s */
  double angular_velocity[3]; /* world axes, rad/s */
  uint32_t group;            /* bits; default 1 */
  uint32_t collides;         /* bits of groups that it may touch; default all */
  bool sensor;               /* found in contacts, touched by nothing */
  delassus_motion_fn motion; /* default NULL; needs a kinematic body */
  void *motion_user;         /* handed to motion */
  void *data;                /* the host's */
} delassus_body_def;

DELASSUS_API delassus_body_def delassus_body_def_default(void);
DELASSUS_API delassus_status delassus_body_create(delassus_world *world, const delassus_body_def
                                                  *def, delassus_body_id *body);
/* Its contacts and joints go with it. */
DELASSUS_API delassus_status delassus_body_destroy(delassus_world *world, delassus_body_id body);
DELASSUS_API bool delassus_body_alive(const delassus_world *world, delassus_body_id body);
/* The static body that joints hang from. */
DELASSUS_API delassus_body_id delassus_world_ground(const delassus_world *world);
/* The body whose pose is number `index` of delassus_world_poses(); an id that is not alive where
** there is none. */
DELASSUS_API delassus_body_id delassus_world_body(const delassus_world *world, int index);
/* alive, without the ground */
DELASSUS_API int delassus_world_body_count(const delassus_world *world);
/* The host's pointer; NULL for a stale id. */
DELASSUS_API void *delassus_body_data(const delassus_world *world, delassus_body_id body);

/* Pose of the body frame: position of its origin; quaternion, or in the plane the angle in
** rotation[0]. alpha from 0 (before the last step) to 1 (now). */
DELASSUS_API delassus_status delassus_body_pose(delassus_world *world, delassus_body_id body, double
                                                alpha, double position[3], double rotation[4]);
DELASSUS_API delassus_status delassus_body_set_pose(delassus_world *world, delassus_body_id body,
                                                    const double position[3], const double
                                                    rotation[4]);
/* Of the mass centre; world axes. */
DELASSUS_API delassus_status delassus_body_velocity(delassus_world *world, delassus_body_id body,
                                                    double linear[3], double angular[3]);
DELASSUS_API delassus_status delassus_body_set_velocity(delassus_world *world, delassus_body_id
                                                        body, const double linear[3], const double
                                                        angular[3]);
/* A force (N) at the mass centre and a torque (N m) that last until changed; they replace those
** before. */
DELASSUS_API delassus_status delassus_body_set_force(delassus_world *world, delassus_body_id body,
                                                     const double force[3], const double torque[3]);
/* An impulse (N s) at a point of the world (NULL: the mass centre) and an angular one (N m s),
** now. */
DELASSUS_API delassus_status delassus_body_impulse(delassus_world *world, delassus_body_id body,
                                                   const double impulse[3], const double angular[3],
                                                   const double at[3]);
DELASSUS_API delassus_status delassus_body_mass(delassus_world *world, delassus_body_id body, double
                                                *mass, double com[3]);
DELASSUS_API delassus_status delassus_body_set_filter(delassus_world *world, delassus_body_id body,
                                                      uint32_t group, uint32_t collides, bool
                                                      sensor);

/* Laws of two bodies among themselves, in place of what their materials would give. */
DELASSUS_API delassus_status delassus_world_pair(delassus_world *world, delassus_body_id a,
                                                 delassus_body_id b, const delassus_material_def
                                                 *laws);

/* --- state in bulk -------------------------------------------------------------------------- */

/* The world's own arrays, or, after bodies were destroyed, lists of the same; valid until the next
** call that changes the world or asks again. Entry i is the body of index i: 0 is the ground, and
** an entry whose body was destroyed waits for the next one (delassus_world_body). *n: entries; NULL
** and 0 where memory is short.
**   poses        7 numbers each: mass centre x y z, quaternion w x y z;   plane 3: x y, angle
**   velocities   6 numbers each: of the mass centre, angular; world axes; plane 3: x y, angular */
DELASSUS_API const double *delassus_world_poses(const delassus_world *world, int *n);
DELASSUS_API const double *delassus_world_velocities(const delassus_world *world, int *n);

/* Forces at the mass centres and torques, world axes, laid out as the velocities; n entries, at
** most as many as there are. They last until changed. Those of the ground and of destroyed
** bodies are not looked at. */
DELASSUS_API delassus_status delassus_world_set_forces(delassus_world *world, const double *forces,
                                                       int n);

/* --- contacts ------------------------------------------------------------------------------- */

/* A contact stated by hand. */
typedef struct delassus_contact_id {
  int32_t index; /* of its slot */
  uint32_t generation; /* counts the uses of the slot */
} delassus_contact_id;

typedef enum delassus_contact_state {
  DELASSUS_APART, DELASSUS_STICK, DELASSUS_SLIP
} delassus_contact_state;

/* A contact of the last step. Point and normal are those of the configuration where the impulse
** acted. */
typedef struct delassus_contact {
  delassus_body_id a, b; /* the normal points from a to b */
  delassus_contact_id by_hand; /* zeros: found by shapes */
  uint64_t key;                /* which features of the two shapes meet */
  delassus_contact_state state; /* of the last step */
  int age;                     /* steps */
  double point[3];             /* m */
  double normal[3];            /* unit, from a to b */
  double gap;                  /* m; below 0: penetration */
  double normal_force;         /* normal impulse over the last step's length, N */
  double impulse[3];           /* on b over the step, N s */
  double velocity[3];          /* of b relative to a after the step, m/s */
  double friction;             /* coefficient used */
} delassus_contact;

/* The contacts of the last step, ordered by a and b, hand-made ones first; NULL and *n = 0 where
** there are none, NULL and *n = -1 where memory is short. Valid until the next call on the world
** that is not a mere question. */
DELASSUS_API const delassus_contact *delassus_world_contacts(delassus_world *world, int *n);

/* The gap of a contact by hand, and its gradients by the velocities of a and b, laid out as entries
** of delassus_world_velocities: mass centre, then angular; world axes (plane: x y, angular). What
** counts is gap over the length of the gradient by b's position (by a's where that is zero). */
typedef struct delassus_gap {
  double gap;           /* m, below 0: penetration */
  double gradient_a[6]; /* m/s per m/s, and m/s per rad/s */
  double gradient_b[6]; /* by the velocity of b */
} delassus_gap;

/* Gap at time t, s, of poses laid out as entries of delassus_world_poses, which need not be those
** of now. *gap comes in with zeros. Any answer but DELASSUS_OK stops the step. */
typedef delassus_status (*delassus_gap_fn)(void *user, double t, const double *pose_a, const double
                                           *pose_b, delassus_gap *gap);

/* One of: a point of b and a plane of a; a rope; a function. */
typedef struct delassus_contact_def {
  delassus_body_id a, b; /* the normal points from a to b */
  double point_a[3]; /* of the plane in a, or the rope's end; a's body frame, m */
  double point_b[3]; /* the point in b; b's body frame, m */
  double normal[3];  /* of the plane, a's body frame; zeros: no plane */
  double rope;       /* m: the two points are at most so far apart; 0: no rope */
  delassus_gap_fn gap; /* default NULL: none */
  void *gap_user;    /* handed to gap */
  delassus_material_def material; /* default without friction; a rope has none, and a function
                                  ** only where its gradient moves with a position */
} delassus_contact_def;

DELASSUS_API delassus_contact_def delassus_contact_def_default(void);
DELASSUS_API delassus_status delassus_contact_create(delassus_world *world, const
                                                     delassus_contact_def *def, delassus_contact_id
                                                     *contact);
DELASSUS_API delassus_status delassus_contact_destroy(delassus_world *world, delassus_contact_id
                                                      contact);
DELASSUS_API bool delassus_contact_alive(const delassus_world *world, delassus_contact_id contact);
DELASSUS_API delassus_status delassus_contact_set_active(delassus_world *world, delassus_contact_id
                                                         contact, bool active);

typedef struct delassus_hit {
  delassus_body_id body; /* what was hit */
  double point[3], normal[3]; /* world, m; unit, outward */
  double fraction; /* point = from + fraction (to - from) */
} delassus_hit;
/* The nearest body that the segment meets: true, and *hit (may be NULL). */
DELASSUS_API bool delassus_world_raycast(const delassus_world *world, const double from[3], const
                                         double to[3], delassus_hit *hit);

/* --- joints --------------------------------------------------------------------------------- */

typedef struct delassus_joint_id {
  int32_t index; /* of its slot */
  uint32_t generation; /* counts the uses of the slot */
} delassus_joint_id;

typedef enum delassus_joint_kind { /* planar worlds: revolute, prismatic, fixed, chain */
  DELASSUS_SPHERICAL,
  DELASSUS_REVOLUTE,
  DELASSUS_UNIVERSAL,
  DELASSUS_PRISMATIC,
  DELASSUS_CYLINDRICAL, /* slides and turns about one axis */
  DELASSUS_PLANAR,
  DELASSUS_FIXED,
  DELASSUS_FREE,  /* holds nothing: the body's coordinates are those of a tree */
  DELASSUS_CHAIN, /* motions, one after the other */
  DELASSUS_CUSTOM /* screws of a subspace */
} delassus_joint_kind;

/* A prescribed motion at a time, counted from the zero pose. */
typedef struct delassus_drive {
  double value;        /* rad or m */
  double rate;         /* rad/s or m/s */
  double acceleration; /* rad/s^2 or m/s^2 */
} delassus_drive;

/* Fills *drive, which comes in with zeros, for time t, s. It is asked when its joint is made, too.
** Any answer but DELASSUS_OK stops the step, or the joint is not made. */
typedef delassus_status (*delassus_drive_fn)(void *user, double t, delassus_drive *drive);

typedef enum delassus_elementary { DELASSUS_ROTATE, DELASSUS_SLIDE } delassus_elementary;

/* One motion of a chain. A driven one is prescribed and has no coordinate. */
typedef struct delassus_chain_motion {
  delassus_elementary kind; /* rotation or translation */
  double axis[3];          /* in the frame left by the motion before; zeros in planar worlds: z */
  delassus_drive_fn drive; /* NULL: free */
  void *drive_user;        /* handed to drive */
} delassus_chain_motion;

/* A joint's frame in the body frame of one of its bodies. */
typedef struct delassus_frame {
  double position[3]; /* m */
  double rotation[4]; /* quaternion; zeros: none; not in planar worlds */
  double angle;       /* planar worlds, rad */
} delassus_frame;

typedef enum delassus_formulation {
  DELASSUS_FORMULATION_AUTO, /* reduced where the tree has room, else rigid */
  DELASSUS_FORMULATION_REDUCED, /* relative coordinates in a tree */
  DELASSUS_FORMULATION_PENALTY, /* spring-damper forces, as stiff as dt allows */
  DELASSUS_FORMULATION_RIGID /* multipliers, solved with the contacts; closes loops */
} delassus_formulation;

typedef enum delassus_motor_kind {
  DELASSUS_MOTOR_NONE,
  DELASSUS_MOTOR_SPEED,   /* target in rad/s or m/s */
  DELASSUS_MOTOR_POSITION /* target in rad or m, by stiffness and damping */
} delassus_motor_kind;

typedef struct delassus_joint_def {
  delassus_joint_kind kind;  /* default revolute */
  delassus_formulation formulation; /* reduced, rigid, penalty */
  delassus_body_id a, b;     /* it leads from a to b; the ground (delassus_world_ground()) is a
                             ** body, too */
  /* Where it is: anchor, and the axes of b as it stands, which is the zero pose; or the frames,
  ** which coincide in the zero pose (one that is not given is where the other one is now). */
  bool has_anchor;           /* default false: the origin of b's body frame */
  double anchor[3];          /* world, m */
  bool has_frame_a, has_frame_b;
  delassus_frame frame_a, frame_b;
  double axis[3];            /* world; needed by revolute (not in the plane), prismatic,
                             ** cylindrical, universal; planar: its normal, zeros: z; with frames
                             ** zeros are the frame's x */
  double axis2[3];           /* world; universal: needed; else zeros: any; with frames zeros are
                             ** the frame's y */
  int n_motions;             /* chain: 0 .. 12, at most 6 of them free */
  const delassus_chain_motion *motions; /* borrowed during the call */
  int n_screws;              /* custom: 1 .. 6 */
  const double *subspace;    /* borrowed during the call: 6 x n_screws, row by row, angular rows
                             ** first, joint frame; the pose is the product of the exponentials */
  delassus_drive_fn drive;   /* of a joint of one degree: it is prescribed; default NULL */
  void *drive_user;          /* handed to drive */
  bool has_limits;           /* revolute, prismatic, universal */
  double lo, hi;             /* rad or m, from the pose in which it is made */
  double lo2, hi2;           /* universal: of the second axis */
  double cone;               /* spherical: largest angle of the axis, rad; default infinite */
  bool has_twist;            /* spherical */
  double twist_lo, twist_hi; /* about the axis, rad */
  delassus_motor_kind motor; /* of joints of one degree */
  /* rad/s or rad, N m/rad, N m s/rad (of joints that slide in m and N) */
  double motor_target, motor_stiffness, motor_damping;
  double motor_max;          /* largest torque (N m) or force (N); default infinite */
  double stiffness, damping; /* of a spring to the zero pose, N m/rad or N/m; N m s/rad or N s/m */
  double friction;           /* constant torque (N m) or force (N) */
  double inertia;            /* reduced: of the rotor, kg m^2 or kg */
  double torque[6];          /* conjugate to u, N m or N, until changed; the rest 0 */
  /* Penalty: gains per unit of effective mass, 1/s^2 and 1/s (m^2/s^2 and m^2/s of rotations);
  ** default -1 in all four: automatic, else those left at -1 are 5000, 25, 10000, 10. */
  double alpha, beta, alpha_rotation, beta_rotation;
  double limit_alpha, limit_beta; /* of its limits; default -1: as the other rows */
} delassus_joint_def;

DELASSUS_API delassus_joint_def delassus_joint_def_default(void);
DELASSUS_API delassus_status delassus_joint_create(delassus_world *world,
                                                   const delassus_joint_def *def,
                                                   delassus_joint_id *joint);
DELASSUS_API delassus_status delassus_joint_destroy(delassus_world *world, delassus_joint_id joint);
DELASSUS_API bool delassus_joint_alive(const delassus_world *world, delassus_joint_id joint);

/* Coordinates q (room for 7; *nq of them) and velocities u (room for 6; *nu): revolute and
** prismatic 1; universal, cylindrical 2; planar 3; chain and custom those that are free, in order;
** spherical the quaternion of b in the joint's frame and the angular velocity relative to a in b's
** axes; free position and quaternion of b in the joint's frame, velocity in that frame's axes,
** angular velocity in b's. A driven joint of one degree has none. */
DELASSUS_API delassus_status delassus_joint_state(delassus_world *world, delassus_joint_id joint,
                                                  double q[7], int *nq, double u[6], int *nu);
/* Sets them, and the bodies follow: reduced joints only. */
DELASSUS_API delassus_status delassus_joint_set_state(delassus_world *world,
                                                      delassus_joint_id joint, const double *q,
                                                      const double *u);
DELASSUS_API delassus_status delassus_joint_set_motor(delassus_world *world,
                                                      delassus_joint_id joint, double target);
/* The whole wrench it transmits: force (N) and moment (N m) on b at the anchor fixed in b, world
** axes. DELASSUS_NOT_KNOWN before the first step. */
DELASSUS_API delassus_status delassus_joint_reaction(delassus_world *world,
                                                     delassus_joint_id joint, double force[3],
                                                     double moment[3]);

/* What the drive of a joint of one degree needs, N m or N. DELASSUS_NOT_KNOWN before the first
** step. */
DELASSUS_API delassus_status delassus_joint_drive_force(delassus_world *world,
                                                        delassus_joint_id joint, double *force);
/* How far it has come apart: between its anchors along what it holds, m; angle between its frames
** in what it holds, rad. */
DELASSUS_API delassus_status delassus_joint_violation(delassus_world *world,
                                                      delassus_joint_id joint, double *distance,
                                                      double *angle);

/* All joints at once: coordinates, velocities and torques joint by joint in the order of their
** indices, each with its nq or nu numbers; destroyed ones have none. The counts: */
DELASSUS_API void delassus_world_joint_counts(const delassus_world *world, int *nq, int *nu);
/* q and u into the host's arrays of these lengths (either may be NULL). */
DELASSUS_API delassus_status delassus_world_joint_states(delassus_world *world, double *q, int nq,
                                                         double *u, int nu);
/* Torques (N m) or forces (N) conjugate to u, nu numbers. They last until changed. */
DELASSUS_API delassus_status delassus_world_set_torques(delassus_world *world,
                                                        const double *torques, int nu);

/* --- gears and springs ---------------------------------------------------------------------- */

typedef struct delassus_gear_id {
  int32_t index; /* of its slot */
  uint32_t generation; /* counts the uses of the slot */
} delassus_gear_id;

/* q2 - q2(0) = ratio (q1 - q1(0)) + offset from where it is made, of two joints of one free degree,
** reduced or rigid. */
typedef struct delassus_gear_def {
  delassus_joint_id joint1, joint2; /* of one coordinate each */
  double ratio;  /* not 0; default 1 */
  double offset; /* rad or m; default 0 */
} delassus_gear_def;

DELASSUS_API delassus_gear_def delassus_gear_def_default(void);
DELASSUS_API delassus_status delassus_gear_create(delassus_world *world,
                                                  const delassus_gear_def *def,
                                                  delassus_gear_id *gear);
/* It goes with its joints, too. */
DELASSUS_API delassus_status delassus_gear_destroy(delassus_world *world, delassus_gear_id gear);
DELASSUS_API bool delassus_gear_alive(const delassus_world *world, delassus_gear_id gear);

typedef struct delassus_spring_id {
  int32_t index; /* of its slot */
  uint32_t generation; /* counts the uses of the slot */
} delassus_spring_id;

/* A spring and a damper along the line between two points. */
typedef struct delassus_spring_def {
  delassus_body_id a, b; /* its ends */
  bool has_anchor_a, has_anchor_b; /* default false: the mass centre */
  double anchor_a[3];        /* a's body frame, m */
  double anchor_b[3];        /* b's body frame, m */
  double stiffness;          /* N/m, >= 0 */
  double damping;            /* N s/m, >= 0 */
  double length;             /* without force, m; default -1: as long as it is now */
} delassus_spring_def;

DELASSUS_API delassus_spring_def delassus_spring_def_default(void);
DELASSUS_API delassus_status delassus_spring_create(delassus_world *world,
                                                    const delassus_spring_def *def,
                                                    delassus_spring_id *spring);
/* It goes with its bodies, too. */
DELASSUS_API delassus_status delassus_spring_destroy(delassus_world *world,
                                                     delassus_spring_id spring);
DELASSUS_API bool delassus_spring_alive(const delassus_world *world, delassus_spring_id spring);
/* Stiffness (N/m), damping (N s/m) and length without force (m), all >= 0, from now on. */
DELASSUS_API delassus_status delassus_spring_set(delassus_world *world, delassus_spring_id spring,
                                                 double stiffness, double damping, double length);

/* --- callbacks ------------------------------------------------------------------------------ */

/* A callback may read the world; what would change it answers DELASSUS_LOCKED. Each is a
** function and a user pointer; a NULL function takes it away. */

/* Whether two bodies may touch; asked within steps, and for the same two bodies it must always
** answer the same. */
typedef bool (*delassus_filter_fn)(void *user, delassus_body_id a, delassus_body_id b);
DELASSUS_API delassus_status delassus_world_set_filter(delassus_world *world, delassus_filter_fn fn,
                                                       void *user);

/* Adds to the force (N, at the mass centre) and torque (N m) on a dynamic body at time t: in the
** middle of a step, where the world's poses then are, with velocities of its beginning. Any answer
** but DELASSUS_OK stops the step. */
typedef delassus_status (*delassus_field_fn)(void *user, delassus_body_id body, double t, double
                                             force[3], double torque[3]);
DELASSUS_API delassus_status delassus_world_set_field(delassus_world *world, delassus_field_fn fn,
                                                      void *user);

typedef enum delassus_event_kind {
  DELASSUS_EVENT_IMPACT = 1,
  DELASSUS_EVENT_CONTACT = 2,
  DELASSUS_EVENT_SEPARATION = 4,
  DELASSUS_EVENT_STICK = 8,
  DELASSUS_EVENT_SLIP = 16,
  DELASSUS_EVENT_STEP = 32, /* after each step; a and b are no bodies */
  DELASSUS_EVENT_ACCUMULATION = 64,
  DELASSUS_EVENT_COLLAPSED = 128
} delassus_event_kind;

typedef struct delassus_event {
  delassus_event_kind kind; /* what happened */
  double t;            /* s */
  delassus_body_id a, b; /* between which bodies */
  double impulse;      /* normal, N s */
  double speed;        /* normal, before, m/s */
  double gap;          /* m */
  double point[3];     /* m */
  double normal[3];    /* unit, from a to b */
} delassus_event;

/* What happened in a step, in order, after it; `kinds`: those wanted, added up. Any answer but
** DELASSUS_OK stops the step, which then has not been made. */
typedef delassus_status (*delassus_event_fn)(void *user, const delassus_event *event);
DELASSUS_API delassus_status delassus_world_set_events(delassus_world *world, unsigned kinds,
                                                       delassus_event_fn fn, void *user);

/* --- with Lua ------------------------------------------------------------------------------- */

/* The module with all its parts, for lua_pushcfunction, luaL_requiref or package.preload: no search
** path is needed. In libdelassus and in the amalgamated delassus.c; a host that loads the rock says
** require "delassus" instead. */
struct lua_State;
DELASSUS_API int luaopen_delassus(struct lua_State *L);

/* Of these three none raises an error. */

/* The world of a script at a stack index, borrowed: valid while the script's world is open. It
** remains the script's: the host may read, push and change it, and step it as long as no function
** of the script is called by its steps (DELASSUS_NOT_OURS). A world that was lent is the host's
** own. NULL for anything else. */
DELASSUS_API delassus_world *delassus_toworld(struct lua_State *L, int index);

/* Pushes the host's world as a world of Lua; the same value each time, while it is alive. It stays
** the host's. Its steps call no function of the script: fields, events, motions and laws by
** function are refused there. What the script makes in it stays when the script is gone; the
** memory of its shapes is of the Lua state's allocator, which must go on working until then (Lua's
** own does). Pushes nil where it fails. */
DELASSUS_API delassus_status delassus_lend(struct lua_State *L, delassus_world *world);

/* Takes it back: what the script kept of it raises from now on. delassus_world_destroy does so too.
** DELASSUS_LOCKED while it steps. */
DELASSUS_API delassus_status delassus_revoke(struct lua_State *L, delassus_world *world);

#ifdef __cplusplus
}
#endif

#endif
