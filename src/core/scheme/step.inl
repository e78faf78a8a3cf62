/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The stages of a step share one record, all of whose arrays come from the world's arena. */

typedef struct candidate {
  int a, b;        /* of a pair that came within reach at q_c */
} candidate;

/* A shape as whoever looks at pairs sees it. */
typedef struct ball {
  double x, y;              /* origin of the shape                                     */
#if D == 3
  double z;
#endif
  double reach;             /* space: size and way in the step, m; may be infinite     */
  double radius;            /* plane, a disk about its mass centre: its radius; else 0 */
  int body;                 /* whose                                                   */
  int material;             /* into world->materials                                   */
  bool free;                /* moves freely                                            */
  bool sensor;              /* touched by nothing                                      */
} ball;

/* A gap at q and its row, for projections. */
typedef struct overlap {
  int a, b;          /* bodies                                    */
  int c, d;          /* a gear's: two more, J and MJ behind       */
  int n_ends;        /* 4 for gears; else 0, which means 2        */
  double J[4 * NU];  /* of the gap                                */
  double MJ[4 * NU]; /* M^-1 J'                                   */
  double w;          /* J M^-1 J'                                 */
  double gap;        /* m                                         */
  double pi;         /* multiplier, kg m                          */
  double gamma;      /* compliance of an equation, 1/kg           */
  double size;       /* of the smaller body, m                    */
  uint64_t key;      /* of the touch; of a hand-made one its number */
  bool holds;        /* a contact that pressed and does not open  */
  bool both;         /* a constraint: the gap is to be zero       */
  int source, other; /* a joint's: which; a gear's: its first one */
  double rate;       /* a joint's: what its drives make of v      */
  bool pulls;        /* 0 >= pi _|_ gap + J dq <= 0: it is to close */
  int seen;          /* count of moves when it was last visited   */
} overlap;

/* A penalty row at q_c. */
typedef struct penalty_at {
  int joint, row;    /* whose                                                     */
  double J[2 * NU];  /* of a, of b                                                */
  double chi, rate;  /* what its spring and its damper see                        */
  double drift;      /* what prescribed motions make of J u: rate = J u - drift   */
  double lambda;     /* its force, N or N m                                       */
  double weight;     /* sqrt(h^2 alpha + 2 h beta); 0: it rests                   */
  double alpha, beta; /* gains that act                                           */
} penalty_at;

/* A row of a spring or damper (springs.inl). */
typedef struct spring_row {
  dls_spring_law law;
  int row;     /* among S->rows                                    */
  int joint;   /* whose, and which velocity of it; springs between two points: -1 - number */
  int k;
  int late;    /* number among the rows of the end; -1: it is none */
  int a, b;    /* bodies                                           */
  double v0;   /* s of its row without a spring, m/s or rad/s      */
  double give; /* J M^-1 J'                                        */
  double way;  /* that it may close in a step, m                   */
  double mean; /* its mean rate in the solve, m/s or rad/s         */
} spring_row;

/* S->what of blocks of springs: this and the number of their first row. */
enum { SPRINGS = 1 << 10 };

#if D == 2
/* A body as the projection of disks sees it, at q': its inverse mass in `other`; the radius of what is no
** disk about its mass centre is -infinity, so that its gaps are infinite. */
typedef dls_spot2 spot;
#else
typedef char spot;
#endif

/* A near pair that is looked at. */
typedef struct chosen {
  int k;   /* pair of S->near                                                       */
  int old; /* the contact of the last step between its bodies with key 0; -1: none  */
  int law; /* of both balls, see law_of                                             */
} chosen;

/* A contact of plain_disks.inl, until it is recorded. */
typedef struct plain {
  int old;  /* the contact of the last step that it was, -1: none                        */
  int met;  /* pair of S->meets; -1: a contact of another kind, recorded as it was found */
  int near; /* its pair in S->near, after find_contacts                                  */
  int age;  /* steps                                                                     */
  int mark; /* bits DLS_MARK_... and PLAIN_...                                           */
} plain;

enum {
  PLAIN_ACTED = 1 << 16,   /* the old contact did (DLS_TRACE_ACTS)                           */
  PLAIN_BOUNCES = 1 << 17, /* its restitution is > 0                                         */
  PLAIN_ASLEEP = 1 << 18,  /* see sleepers.inl; once these are forgotten: it is no contact    */
  PLAIN_MARKS = PLAIN_ACTED - 1
};

/* Such contacts one behind the other: blocks block .. block + n - 1, with two rows each. */
typedef struct plain_run {
  int block, n;
  int contact; /* number of the first; that of the k-th behind it is greater by k, or, once sleepers are
               ** forgotten, by the number of those among them that are contacts                          */
} plain_run;

/* What is found of the contacts of a step, N s. */
typedef struct judgement {
  double cone;    /* worst |p_t| - mu p_n                      */
  double p_most;  /* largest p_n                               */
  double largest; /* largest momentum and impulse, a component */
} judgement;

/* Speeds above which a contact slides, m/s: with its friction within its bound, where they are the solver's error;
** and at the bound. */
typedef struct slip_bounds {
  double within, bound;
} slip_bounds;

typedef struct step {
  dls_world *w;
  double h, theta;  /* s                                                           */
  double *q_c;      /* n_bodies x NQ: where everything is evaluated                */
  double *q_n;      /* n_bodies x NQ: at the end (world->q_next)                              */
  double *u_c;      /* n_bodies x NU: before, at q_c                               */
  double *u_n;      /* n_bodies x NU: at the end (world->u_next)                              */
  double *push;     /* n_bodies x NU: forces and torques beside gravity and load   */
  pose *T;          /* n_bodies: poses of body frames, at q_c and later at q'      */
  unsigned char *idle; /* n_bodies: scratch; space: n_shapes: does not move freely */
  double *reach;    /* n_bodies: bounds are widened by this, m                     */
  double *bound[6]; /* lo x y (z), hi x y (z) of the shapes: space: n_shapes; plane: n_bodies, of disks where a
                    ** list is made                                                   */
  int *closing;     /* contacts that pressed across a gap                          */
  int *closing_near; /* n_closing: their pairs in near, where those are disks; else -1 */
  int n_closing;
  int *account;     /* n_bodies: whose momentum it counts to; -1: nobody's (account_of) */
  double *unexplained; /* n_bodies x D: change of momentum, less the impulses of contacts    */
  judgement judged;
  int *near_of;     /* a block, but for plain ones: its contact's pair in near, where that is one of disks; else -1 */
  int n_traced;     /* contacts whose traces are made                                 */
  int n_onsets;     /* contacts that began with an approach                           */
  int *odd;         /* blocks that are none of plain_disks.inl, ascending                */
  int n_odd;        /* of them                                                      */
  plain *plain;     /* a block                                                      */
  plain_run *plain_run; /* runs of blocks of plain_disks.inl, ascending                 */
  int n_plain_runs;
  int *sleeper;     /* of these blocks those that are asleep, ascending                */
  int n_sleepers;
  double *height;   /* a block: height of its contact, times g                     */
  double *u_smooth; /* n_bodies x NU: free velocities before impacts               */
  /* Of blocks that are none of plain_disks.inl: */
  double *bounce;   /* a row: restitution of its contact (first row of a block)    */
  double *tangential; /* a row: tangential restitution of its contact (first row)  */
  double *drift;    /* a row: what its gap changes by with time alone, m/s         */
  double *shift;    /* a row: what its velocity is more than J u', with the arms of the end, m/s or rad/s (carried.h) */
  double *q_end, *u_end; /* with hooks.motion, n_bodies x NQ, NU: of bodies that it moves, at the end */
  double *p_impact; /* a row: impulses of impacts that come before the forces      */
#if D == 2
  dls_spot2 *disk;   /* n_bodies: radius of a disk about its mass centre; else -infinity */
  dls_rim2 *rim;     /* n_bodies: how far a shape reaches, its way in the step included */
  double *meets[6];  /* pairs: gap, nx, ny, v_free, v_before, size of near pairs of disks */
  bool loose;        /* nothing but gravity and loads acts on bodies, and no more than shapes is fixed to them */
  const double *placed; /* n_bodies x NQ: where disks are whose poses are not in S->T; NULL: all are */
#else
  int n_shapes;      /* bodies with shapes                                          */
  ball *ball;        /* n_shapes                                                    */
  int *body_of;      /* n_shapes: whose                                             */
  dls_rod *around;   /* n_shapes: rods as far as they go in the step; others with infinite radius */
  dls_rod *rod;      /* n_bodies: spheres and capsules where S->T has them; NULL outside of steps */
#endif
  bool posed;       /* S->T and rods are there                                     */
  int *beside_from, *beside; /* n_bodies + 1, pairs: the given bodies that each free one is near, where paved */
  bool paved;       /* several bodies are given                                    */
  bool filtered;    /* bodies are in groups                                        */
  bool shapes_only; /* nothing is fixed to bodies but shapes: nobody asks how disks are turned */
  candidate *near;  /* broad.n_pairs: balls of the pairs in reach at q_c, sorted; after
                    ** find_contacts the bodies of those that the projection looks at */
  int n_near;
  spot *spot;       /* n_bodies: at q'                                             */
  dls_touch *touch; /* touch_room: of one pair                                     */
  dls_touch *probe; /* touch_room: of a pair on its way                            */
  uint64_t *passed; /* touch_room: parts of it                                     */
  dls_ways ways;    /* who goes far in the step                                    */
  int touch_room;
  double *gradient; /* n_bodies x NU: of a gap function                            */
  int n_contacts;   /* made                                                        */
  int room_contacts; /* that may be made                                           */
  int n_unreduced;   /* joints that are no part of trees                           */
  int n_gears;       /* gears alive                                                */
  dls_second *second; /* n_gears: their rows' second halves                         */
  unsigned char *held; /* n_bodies: joints hold it                                  */
  double *aim;       /* n_bodies x NQ: where a projection comes from                */
  double *way;       /* n_bodies x NU: from where it is to there; scratch           */
  double *answer;    /* n_bodies x NU: what projections do with it; scratch         */
  double *qd;        /* 6 n_joints: velocities of joints beside the trees at the start */
  double *stretch;   /* 6 n_joints: coordinates of joints beside the trees at the start; a ball has none */
  double *u_t;       /* n_bodies x NU: before, at q_c, as joints admit it (held ones) */
  const double *u_ahead; /* n_bodies x NU: u_f with what joints do about it         */
  int *what;         /* a block of joints: see functional_block                     */
  unsigned char *crowded; /* n_bodies: it touched another free body in the last step (note_crowded) */
  unsigned char *jointed; /* n_bodies: 1, one of those acts on it; 2, by impulses of the solve */
  int room_joints;   /* blocks and gaps that joints may add                        */
  dls_rows rows;
  double marked;    /* s: when the last phase ended                                */
  double noise;     /* m/s: a speed below it is the solver's error                 */
  slip_bounds slips; /* what slides                                                */
  bool joined;      /* joints or trees may carry bodies                            */
  bool compliant;   /* some material is                                            */
  bool pushed;      /* joints or fields may push bodies                            */
  spring_row *spring_row; /* n_spring_rows                                          */
  int n_spring_rows; /* of springs and dampers                                      */
  int n_late;        /* of these, that also draw the velocities at the end           */
  bool soft;         /* the trees' factor has their springs in it                    */
  bool tree_late;    /* some of those draw the velocities at the end                 */
  const double *more; /* what the trees' factors get beside their inertia; NULL: nothing */
  dls_spring_work sprung; /* what springs and dampers did, J                         */
  bool varies;      /* some contact's friction depends on its speed                */
  double ratio_e, ratio; /* the last restitution and its damping ratio             */
  dls_ledger worked; /* what plain contacts did, J: friction, impact, turnover          */
  double correction; /* energy the projection added, J                             */
  dls_balance balance; /* of the step                                                */
  double turnover;    /* of its ledger before charge_drives, J                      */
  double late_work;   /* of drives inside trees, by the last projection, J        */
  bool bent;          /* loops did not come near where they were to go at the end (shut_loops) */
  double closed_impact; /* what closing joints took before the step, J            */
  double closed_kinematic; /* and whoever moves them gave, or the far end of a spring at the end of the step, J */
  double joint_work;  /* of torques on the trees' joints, J                        */
  penalty_at *penalty; /* n_penalties: rows of penalty joints                          */
  int n_penalties;
  double *penalty_impulse, *penalty_u; /* n_bodies x NU: scratch of their stability      */
  double stored_before; /* what penalty joints hold at the start, J                */
  double stored, stored_n, stored_moved; /* in their springs: before; at q'; projected, J  */
} step;

/* Whether block k is one of plain_disks.inl. */
static inline bool is_plain_block(const step *S, int k) {
  return S->rows.block[k].source >= 0 && S->plain[k].met >= 0;
}

static int ends_of(const overlap *o) { return o->n_ends > 0 ? o->n_ends : 2; }
static int end_of(const overlap *o, int e) {
  return e == 0 ? o->a : e == 1 ? o->b : e == 2 ? o->c : o->d;
}

#define Q(array, i) ((array) + (size_t)(i) * NQ)
#define U(array, i) ((array) + (size_t)(i) * NU)

static bool moves_freely(const dls_body *body) {
  return body->alive && body->type == DLS_DYNAMIC;
}

/* The same of body i. */
static inline bool is_free(const dls_world *w, int i) {
#if D == 2
  return !w->columns.idle[i];
#else
  return moves_freely(&w->bodies[i]);
#endif
}

/* Where the shapes of body i are at its coordinates q. */
static void pose_at(step *S, int i, const double *q) {
  const dls_body *body = &S->w->bodies[i];
  S->T[i] = pose_for_shapes(body, q, S->shapes_only);
#if D == 3
  if (!body->shape) return;
  dls_rod *rod = &S->rod[i];
  if (!S->posed || !(rod->r > 0)) *rod = dls_rod_make(body->shape, &S->T[i]);
  else rod->c = S->T[i].p, rod->u = dls_m3_column(&S->T[i].R, 0); /* its shape need not be read again */
#endif
}

static void poses_at(step *S, const double *q) {
  for (int i = 0; i < S->w->n_bodies; i++)
    if (S->w->bodies[i].alive) pose_at(S, i, Q(q, i));
  S->posed = true;
}

/* --- begin: poses at q_c, prescribed motions ------------------------------------------------ */

/* Sets a kinematic body from its function: pose at t into q, velocities into u. */
static dls_status prescribed(dls_world *w, int i, double t, double *q, double *u) {
  double position[3] = {0}, rotation[4] = {0}, velocity[3] = {0}, angular[3] = {0};
  dls_status status =
      w->hooks.motion(w->hooks.ud, i, t, position, rotation, velocity, angular, NULL);
  if (status != DLS_OK) return status;
  memcpy(q, position, D * sizeof(double));
  memcpy(q + D, rotation, (NQ - D) * sizeof(double));
  memcpy(u, velocity, D * sizeof(double));
  memcpy(u + D, angular, (NU - D) * sizeof(double));
  return DLS_OK;
}

#if D == 3
/* Whether body i turns by itself with its angular momentum, its angular velocity changing. */
static inline bool is_tumbling(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return body->type == DLS_DYNAMIC && body->mass > 0 && !is_round(body) && !S->w->semi_implicit && !S->held[i];
}
#endif

static inline dls_status begin_body(step *S, int i) {
  dls_world *w = S->w;
  const dls_body *body = &w->bodies[i];
  double *q = Q(S->q_c, i), *u = U(S->u_c, i);
  if (!body->alive || body->type == DLS_STATIC) return DLS_OK;
  if (body->moved && w->hooks.motion) {
    const dls_status status = prescribed(w, i, w->time + (1 - S->theta) * S->h, q, u);
    return status != DLS_OK ? status : prescribed(w, i, w->time + S->h, Q(S->q_end, i), U(S->u_end, i));
  }
#if D == 3
  const int parts = is_tumbling(S, i) ? parts_of_turn(u, (1 - S->theta) * S->h) : 1;
  if (parts > 1) {
    turn_in_parts(body, parts, q, (1 - S->theta) * S->h, u);
    return DLS_OK;
  }
#endif
  drift(q, (1 - S->theta) * S->h, u);
#if D == 3
  if (body->type == DLS_DYNAMIC && !is_round(body) && !w->semi_implicit)
    dls_v3_store(u + 3, rate_of(body, q, angular_momentum(body, Q(w->q, i), u)));
#endif
  return DLS_OK;
}

static dls_status begin(step *S) {
  dls_status status = DLS_OK;
  for (int i = 0; i < S->w->n_bodies && status == DLS_OK; i++) status = begin_body(S, i);
  return status;
}

/* --- forces: u_f = u + h M^-1 f ------------------------------------------------------------ */

/* Where an anchor is, relative to the mass centre and in the world. */
static dls_vec3 anchor_at(const step *S, const double *q, int body, const double *anchor_b,
                          dls_vec3 *r) {
  const double *x = Q(q, body);
  *r = turned(&S->T[body], anchor_b);
  return dls_v3_add(dls_v3(x[0], x[1], D == 3 ? x[2] : 0), *r);
}

static dls_vec3 velocity_at(const double *u, dls_vec3 r) {
#if D == 2
  return dls_v3(u[0] - u[2] * r.y, u[1] + u[2] * r.x, 0);
#else
  return dls_v3_add(dls_v3_load(u), dls_v3_cross(dls_v3_load(u + 3), r));
#endif
}

static dls_status push_fields(step *S) {
  dls_world *w = S->w;
  if (!w->hooks.field) return DLS_OK;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!moves_freely(&w->bodies[i])) continue;
    double force[3] = {0}, torque[3] = {0}, *push = U(S->push, i);
    dls_status status = w->hooks.field(w->hooks.ud, i, w->time, force, torque);
    if (status != DLS_OK) return status;
    for (int k = 0; k < D; k++) push[k] += force[k];
    for (int k = 0; k < NU - D; k++) push[D + k] += torque[k];
  }
  return DLS_OK;
}

/* Mass and inertia of a body for the rows, with its frame at T. */
static void weigh(step *S, int i, const pose *T) {
  const dls_body *body = &S->w->bodies[i];
  dls_rows *rows = &S->rows;
  const bool free = moves_freely(body);
  rows->inv_mass[i] = free ? 1 / body->mass : 0;
#if D == 2
  (void)T;
  rows->inv_inertia[i] = free ? body->inverse[0] : 0;
#else
  dls_mat3 inverse_w = dls_m3_diag(0, 0, 0), inverse_b = dls_m3_load(body->inverse);
  if (free && is_round(body)) inverse_w = inverse_b;
  else if (free) inverse_w = dls_m3_congruent(&T->R, &inverse_b);
  memcpy(rows->inv_inertia + 9 * (size_t)i, inverse_w.m, sizeof inverse_w.m);
#endif
}

#if D == 3
/* -omega x J omega as a torque: only where the scheme does not carry the angular momentum. */
static dls_vec3 gyroscopic(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  if (!S->w->semi_implicit || is_round(body)) return dls_v3(0, 0, 0);
  const double *u = U(S->u_c, i);
  const dls_vec3 L = angular_momentum(body, Q(S->q_c, i), u);
  return dls_v3_cross(L, dls_v3_load(u + 3));
}
#endif

/* What joints and fields push: S->push is there only where something does. */
static inline const double *push_on(const step *S, int i) {
  static const double nothing[NU];
  return S->pushed ? U(S->push, i) : nothing;
}

/* The free velocity of a body whose mass is known. */
static inline void release_body(step *S, int i) {
  const dls_world *w = S->w;
  const double h = S->h, m = S->rows.inv_mass[i], *g = w->gravity, *before = U(S->u_c, i);
  double *u = U(S->rows.u_free, i);
  memcpy(u, before, NU * sizeof(double));
  if (!moves_freely(&w->bodies[i])) return;
  const double *push = push_on(S, i), *load = U(w->load, i);
#if D == 2
  const double x = g[0] + m * (load[0] + push[0]), y = g[1] + m * (load[1] + push[1]);
  const double turn = S->rows.inv_inertia[i] * (load[2] + push[2]);
  u[0] += h * x, u[1] += h * y, u[2] += h * turn;
#else
  const double *inverse = S->rows.inv_inertia + 9 * (size_t)i;
  const dls_vec3 spin = gyroscopic(S, i);
  const double turning[3] = {spin.x, spin.y, spin.z};
  for (int k = 0; k < D; k++) u[k] += h * (g[k] + m * (load[k] + push[k]));
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int l = 0; l < 3; l++) sum += inverse[3 * k + l] * (load[3 + l] + push[3 + l] + turning[l]);
    u[3 + k] += h * sum;
  }
#endif
}

/* Masses for the rows, and the free velocities. */
static void release(step *S) {
  for (int i = 0; i < S->w->n_bodies; i++) {
    weigh(S, i, &S->T[i]);
    release_body(S, i);
  }
}

/* --- range --------------------------------------------------------------------------------------- */

/* Zero where all n numbers are finite, else not a number. */
static double zero_of(const double *x, int n) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  for (; i < n; i++) sum[0] += 0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The bodies' coordinates q and velocities u are numbers, or world->fault says whose are not. */
static dls_status check_bodies(step *S, const double *q, const double *u) {
  dls_world *w = S->w;
  w->fault = -1;
  if (zero_of(q, w->n_bodies * NQ) == 0 && zero_of(u, w->n_bodies * NU) == 0) return DLS_OK;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    if (zero_of(Q(q, i), NQ) == 0 && zero_of(U(u, i), NU) == 0) continue;
    w->fault = i;
    return DLS_RANGE;
  }
  return DLS_OK;
}

/* --- the list of stages ----------------------------------------------------------------------- */
