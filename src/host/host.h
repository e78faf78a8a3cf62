/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_HOST_HOST_H
#define DLS_HOST_HOST_H

#include "core/world/world.h"
#include "delassus.h"

/* The world of a host application: a world of the core with what the C interface keeps beside it.
** Everything here checks its arguments, tells in words what was wrong, and calls the core. */

enum { DLS_HOST_WORDS = 256 }; /* bytes of the longest message, its zero included */

/* What the host keeps of a body. */
typedef struct dls_host_body {
  uint32_t generation;       /* of the body it is of: a script may have put another in its place */
  delassus_motion_fn motion; /* NULL: none */
  void *motion_user;         /* handed to it */
  void *data;                /* the host's own */
} dls_host_body;

/* A prescribed motion of a joint. */
typedef struct dls_host_drive {
  delassus_drive_fn fn; /* of a driven joint */
  void *user;           /* handed to it */
} dls_host_drive;

/* What the host keeps of a contact by hand: its gap function, where it has one. */
typedef struct dls_host_gap {
  delassus_gap_fn gap; /* of a contact */
  void *user;          /* handed to it */
} dls_host_gap;

/* A world in the hands of a script: ended by the script, by delassus_revoke or with the world. */
typedef struct dls_host_loan {
  const void *to;      /* names the Lua state                                     */
  bool *open;          /* cleared when it ends                                    */
  dls_world **world;   /* cleared too                                             */
  struct dls_host_loan *next; /* of the same world */
} dls_host_loan;

struct delassus_world {
  dls_world *world;        /* the core's */
  bool borrowed;           /* a script's world: its steps' functions are the script's           */
  double left;             /* time handed to advance that is not stepped yet, s                  */
  int body_room;           /* places */
  dls_host_body *bodies;   /* body_room, by the body's slot                                      */
  int joint_room;          /* places */
  dls_host_drive **drives; /* joint_room, by the joint's slot: DLS_MAX_MOTIONS of them, or NULL */
  int gap_room;            /* places */
  dls_host_gap *gaps;      /* gap_room, by the contact's slot                                    */
  int row_room;            /* numbers                                                            */
  double *poses, *velocities; /* row_room: by slots, where places are others (bulk.c)           */
  int contact_room;           /* places */
  delassus_contact *contacts; /* those told last                                                 */
  delassus_filter_fn filter;  /* of contacts */
  delassus_field_fn field;    /* of forces */
  delassus_event_fn event;    /* of events */
  void *filter_user, *field_user, *event_user; /* handed to them */
  dls_host_loan *loans;    /* those that last                                                    */
  dls_alloc alloc;         /* of all its memory */
  const char *stopped;     /* what was wrong with a callback's answer; NULL: it did not say OK   */
  char error[DLS_HOST_WORDS]; /* of the last failure, in words */
};

/* Keeps "function: sentence" as the world's error; answers the status. */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
delassus_status dls_host_fail(delassus_world *host, delassus_status status, const char *function,
                              const char *fmt, ...);

/* Whether a world and a pointer are there; else the world's error names the pointer's field. */
bool dls_host_given(delassus_world *host, const char *function, const char *field,
                    const void *pointer);

/* The core's status in the host's words. */
delassus_status dls_host_report(delassus_world *host, dls_status status, const char *function);

/* DELASSUS_LOCKED while the world steps. */
delassus_status dls_host_unlocked(delassus_world *host, const char *function);

bool dls_host_finite(const double *x, int n);
/* All finite; in planar worlds the third number is 0. */
delassus_status dls_host_vector(delassus_world *host, const char *function, const char *field,
                                const double x[3]);

/* A rotation as the world keeps it: finite and not zero, scaled to unit length. */
bool dls_host_rotation(const double rotation[4], double unit[4]);

/* Ids name slots (core/model/slots.h): the place of the body, -1 where it is gone; whether it is
** there, as a status, for what does not change the world, with its place. */
int dls_host_place(const delassus_world *host, delassus_body_id body);
delassus_status dls_host_body_of(delassus_world *host, const char *function, const char *field,
                                 delassus_body_id body, int *place);

/* The id of a body at a place; zeros for a negative one. */
delassus_body_id dls_host_id(const dls_world *w, int body);

/* Makes a shape for this world; NULL for DELASSUS_NO_SHAPE. */
delassus_status dls_host_shape(delassus_world *host, const char *function,
                               const delassus_shape_def *def, dls_shape **out);

/* Checks a material and takes it over into the core's. */
delassus_status dls_host_material(delassus_world *host, const char *function, const char *field,
                                  const delassus_material_def *def, dls_material *out);

/* Sets the core's hook of prescribed motions of bodies; of joints; of gap functions. */
void dls_host_hook_motion(delassus_world *host);
void dls_host_hook_drive(delassus_world *host);
void dls_host_hook_gap(delassus_world *host);

/* Room in the kept array of `size` bytes an element for that of a slot; what is new is zeros. */
dls_status dls_host_reserve(delassus_world *host, void **array, int *room, int slot, size_t size);

/* A free place for the drives of the joint that is made next: DLS_MAX_MOTIONS; NULL where memory is
** short. */
dls_host_drive *dls_host_drives(delassus_world *host, int joint);

delassus_status dls_host_joint_of(delassus_world *host, const char *function, const char *field,
                                  delassus_joint_id joint, int *place);

/* A script's world: a failure, for functions of the host's do not go into its steps. */
delassus_status dls_host_own(delassus_world *host, const char *function);
/* Whether the functions of the world's steps are a script's. */
bool dls_host_is_scripted(const delassus_world *host);

/* Ends a loan; all of those to a Lua state, or (NULL) to any. */
void dls_host_end_loan(delassus_world *host, dls_host_loan *loan);
void dls_host_end_loans(delassus_world *host, const void *to);

/* Around a world of the core that stays its owner's; NULL where memory is short. */
delassus_world *dls_host_wrap(dls_world *world, const dls_alloc *alloc);
void dls_host_unwrap(delassus_world *host);

#endif
