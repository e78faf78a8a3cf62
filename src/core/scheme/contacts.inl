/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Contacts become rows. */

static double falling(double rest, double slide, double decay, double speed) {
  if (slide == rest || !(speed > 0)) return rest;
  const double x = decay * speed;
  return slide + (rest - slide) * (x < 700 ? dls_exp(-x) : 0);
}

/* The friction coefficient at a slip speed. */
static dls_status friction_at(dls_world *w, const dls_material *m, double speed, double *mu) {
  dls_status status = DLS_OK;
  *mu = falling(m->friction, m->kinetic, m->decay, speed);
  if (m->law > 0 && w->hooks.friction) status = w->hooks.friction(w->hooks.ud, m->law, speed, mu);
  if (status != DLS_OK || !m->mixed) return status;
  double other = falling(m->friction2, m->kinetic2, m->decay2, speed);
  if (m->law2 > 0 && w->hooks.friction) status = w->hooks.friction(w->hooks.ud, m->law2, speed, &other);
  *mu = dls_friction_mean(*mu, other);
  return status;
}

/* What a contact needs to become a block. */
typedef struct meeting {
  int a, b;                  /* bodies                             */
  dls_vec3 n, t1, t2;        /* frame                              */
  dls_vec3 r_a, r_b;         /* arms of the impulse                */
  double gap, size;          /* m; the scale of the gap            */
  const dls_material *m;     /* laws                               */
  const dls_contact *before; /* the same contact in the last step, NULL */
  double v_before;           /* normal velocity before the step (weigh_up), m/s */
  bool asleep;               /* stands by (weigh_up)               */
  bool by_hand;              /* not found by shapes                */
  bool first;                /* arms and n are those of a first touch (ways.h) */
  double drift, later;       /* of the gap with time alone, at q_c and at the end, m/s */
} meeting;

/* Whether contact i of the last step was made by hand: such stand first. */
static inline bool is_tied(const dls_world *w, int i) {
#if D == 2
  return i < w->n_contacts && w->brief.pair[i] == 0;
#else
  return i < w->n_contacts && w->contacts[i].tie >= 0;
#endif
}

static int count_tied(const dls_world *w) {
  int n = 0;
  while (is_tied(w, n)) n++;
  return n;
}

#if D == 2
static inline uint64_t key_at(const dls_world *w, int i) {
  return w->brief.trace[i].how & DLS_TRACE_KEYED ? w->contacts[i].key : 0;
}

/* The number of a contact of the last step, -1. Contacts are sorted by (a, b, key), and are asked for in this
** order. */
static inline int number_of(const dls_world *w, int *at, int a, int b, uint64_t key) {
  const uint64_t *pair = w->brief.pair, word = dls_pair_word(a, b);
  int i = *at;
  if (w->n_contacts == 0) return -1;
  while (pair[i] < word || (pair[i] == word && key_at(w, i) < key)) i++;
  *at = i;
  return pair[i] == word && key_at(w, i) == key ? i : -1;
}
#else
static inline int number_of(const dls_world *w, int *at, int a, int b, uint64_t key) {
  while (*at < w->n_contacts) {
    const dls_contact *c = &w->contacts[*at];
    if (c->a > a || (c->a == a && (c->b > b || (c->b == b && c->key >= key)))) break;
    ++*at;
  }
  if (*at >= w->n_contacts) return -1;
  const dls_contact *c = &w->contacts[*at];
  return c->a == a && c->b == b && c->key == key ? *at : -1;
}
#endif

static inline const dls_contact *remembered(const dls_world *w, int *at, int a, int b, uint64_t key) {
  const int i = number_of(w, at, a, b, key);
  return i >= 0 ? dls_contact_at(w, i) : NULL;
}

/* The dashpot of a compliant contact: as given, or that of the restitution (and then it is told
** where the scheme alone, exp(-pi omega h/2) a bounce, loses more). */
static double damping_of(step *S, const dls_contact *c, const dls_material *m, const double *J) {
  if (m->damping > 0 || !(m->restitution > 0)) return m->damping;
  double MJ[2 * NU];
  apply_inverse(&S->rows, c->a, J, MJ);
  apply_inverse(&S->rows, c->b, J + NU, MJ + NU);
  double w = row_velocity(J, MJ, MJ + NU);
  if (!(w > 0)) return 0;
  if (S->ratio_e != m->restitution) {
    S->ratio_e = m->restitution;
    S->ratio = dls_damping_ratio(m->restitution);
  }
  double omega = sqrt(m->stiffness * w);
  if (dls_exp(-0.5 * DLS_PI * omega * S->h) < m->restitution) S->w->stats.overdamped = true;
  return 2 * S->ratio * sqrt(m->stiffness / w);
}

/* The s of a row v' + s >= 0 that holds a rebound of speed `back` > 0. Where the gap is open at the start
** of the step and closes within it, at its share f, what forces press until then is lost but for e of it:
** held at -e v it would come back with every rebound, (1 - e) g h/2 on average, and a bouncing body would
** be late by as much. So v' = back + (1 - e) f d there, with d = v_free - v < 0: right in the mean over f.
** A rebound that this leaves nothing of dies within its step. Closed from the start: v' = back to the bit. */
static inline double rebound_at(const step *S, double e, double gap, double before, double v_free,
                                double back, int *mark) {
  /* All of it, and then what holds: a pile strikes as it likes. */
  const double start = gap - (1 - S->theta) * S->h * before, end = gap + S->theta * S->h * v_free;
  const double pressed = before - v_free, left = back - (1 - e) * pressed * start / (start - end);
  const bool strikes = back > 0, closes = (start > 0) & (end < 0) & (pressed > 0), lasts = left > 0;
  *mark |= (strikes & closes & !lasts) ? DLS_MARK_DIED : 0;
  return dls_choose(strikes & (!closes | lasts), -dls_choose(closes, left, back), 0);
}

static double rebound_of(const step *S, double e, dls_contact *c, double v_free, double back) {
  return rebound_at(S, e, c->gap, c->before, v_free, back, &c->mark);
}

/* Where the rows that are made next begin. */
static double *next_rows(const step *S) {
  return S->rows.J + (size_t)S->rows.n_rows * 2 * NU;
}

/* Whether a contact that held in the last step, so that it was closed at its end, does so still: its gap at q_c is what the
** curvature k of the bodies' way opened since then, gap = 3/8 h^2 k and v_before = h k for theta = 1/2 (from v = 0 at
** the last q_c). Forces that press with the acceleration a against this curvature make v_free = -h a, and the forecast
** gap + theta h v_free calls the contact open up to a = 3/4 k: it would press in every other step only. Its row is
** there, and its law tells whether it presses. */
static inline bool keeps_closed(const step *S, double gap, double v_before, double closed) {
  return gap - (1 - S->theta) * S->h * v_before <= closed;
}

/* Whether a contact is to act or to stand by in this step, from its normal row, which is written
** in its place already. Most touches within reach end here. */
static inline bool weigh_up(const step *S, meeting *meet) {
  const double *J = next_rows(S);
  meet->v_before = row_velocity(J, U(S->u_c, meet->a), U(S->u_c, meet->b)) + meet->drift;
  meet->asleep = false;
  if (meet->m->stiffness < DLS_INF || !(meet->gap > CLOSED * meet->size)) return true;
  const double v_free =
      row_velocity(J, U(S->u_ahead, meet->a), U(S->u_ahead, meet->b)) + meet->drift;
  meet->asleep = meet->gap + S->theta * S->h * v_free > 0 &&
                 !(meet->before && meet->before->held &&
                   keeps_closed(S, meet->gap, meet->v_before, CLOSED * meet->size));
  return !meet->asleep || (meet->before && meet->before->listed);
}

/* Whether a contact that weigh_up() let pass is one by the linear forecast alone: open, and none in the last step. */
static inline bool is_foretold(const step *S, const meeting *meet) {
  if (meet->asleep || !(meet->gap > CLOSED * meet->size) || (meet->before && meet->before->listed)) return false;
  if (meet->m->stiffness >= DLS_INF) return true;
  const double v_free = row_velocity(next_rows(S), U(S->u_ahead, meet->a), U(S->u_ahead, meet->b)) + meet->drift;
  return !(meet->before && meet->before->x > 0) && meet->gap + S->theta * S->h * v_free <= 0;
}

/* n numbers no longer than `most` together. */
static inline void shorten(double *p, int n, double most) {
  const double length = sqrt(p[0] * p[0] + (n > 1 ? p[1] * p[1] : 0));
  if (!(length > most)) return;
  for (int i = 0; i < n; i++) p[i] *= most / length;
}

/* Impulses of the last step in the frame of now, within the bounds of now: an island may be solved by them as they
** are. */
static inline void warm_start(const meeting *meet, const dls_block *block, double *start) {
  const dls_contact *old = meet->before;
  dls_vec3 p = dls_v3_load(old->impulse);
  const dls_vec3 axis[2] = {meet->t1, meet->t2};
  start[0] = dls_max(0, dls_v3_dot(meet->n, p));
  for (int i = 1; i < block->n && i < D; i++) start[i] = dls_v3_dot(axis[i - 1], p);
  if (block->n >= D) shorten(start + 1, D - 1, block->mu[0] * start[0]);
  if (block->kind != DLS_ROW_ROLLING) return;
  if (D == 2) {
    start[2] = old->torque[0];
    shorten(start + 2, 1, block->mu[1] * start[0]);
  } else {
    dls_vec3 turn = dls_v3_load(old->torque);
    start[3] = dls_v3_dot(meet->n, turn);
    for (int i = 0; i < 2; i++) start[4 + i] = dls_v3_dot(axis[i], turn);
    shorten(start + 3, 1, block->mu[1] * start[0]);
    shorten(start + 4, 2, block->mu[2] * start[0]);
  }
}

/* Of a point above the ground, times g. */
static inline double height_of(const step *S, const double *x) {
  const double *g = S->w->gravity;
  return -(g[0] * x[0] + g[1] * x[1] + (D == 3 ? g[2] * x[2] : 0));
}

/* A compliant contact that is new although its bodies overlapped when the step began (they were placed so, or other
** features meet than before) is compressed as far: its node did not jump there. */
static double compressed_at_first(const step *S, const dls_contact *contact) {
  return dls_max(0, (1 - S->theta) * S->h * contact->before - contact->gap);
}

/* --- the velocity at the end of the step ----------------------------------------------------- */

static dls_vec3 turn_of(const double *u) { return D == 2 ? dls_v3(0, 0, u[2]) : dls_v3_load(u + 3); }
static dls_vec3 point_of(const double *q) { return dls_v3(q[0], q[1], D == 3 ? q[2] : 0); }

/* Of a body's surface where the normal n meets it, `arm` from its centre, 1/m: cylinders and cones are round at their
** sides, drums hollow at their shells. */
static double curvature_of(const step *S, int i, dls_vec3 arm, dls_vec3 n) {
  static const double END = 0.7, SHELL = 0.999; /* cosines: of an end to the axis; of a shell to the way from the axis */
  const dls_shape *shape = S->w->bodies[i].shape;
  const double round = shape ? dls_shape_roundness(shape) : 0;
  if (!(round > 0) && !(shape && shape->kind == DLS_SHAPE_DRUM)) return 0;
#if D == 3
  const dls_vec3 axis = dls_m3_column(&S->POSES[i].R, 0);
#else
  const dls_vec3 axis = dls_v3(0, 0, 1);
#endif
  if (round > 0) {
    const bool ends = shape->kind == DLS_SHAPE_CYLINDER || shape->kind == DLS_SHAPE_CONE;
    return ends && fabs(dls_v3_dot(n, axis)) > END ? 0 : 1 / round;
  }
  const dls_vec3 out = dls_v3_axpy(arm, -dls_v3_dot(arm, axis), axis);
  return fabs(dls_v3_dot(n, out)) > SHELL * dls_v3_norm(out) ? -1 / shape->radius : 0;
}

/* Body i as dls_carried_shift() sees it. */
static inline void carrier_of(const step *S, int i, dls_vec3 arm, dls_vec3 n, dls_carrier *c) {
  const dls_world *w = S->w;
  const dls_body *body = &w->bodies[i];
  const double *u = U(S->u_c, i);
  c->given = !moves_freely(body);
  c->arm = arm, c->v = point_of(u), c->w = turn_of(u);
  c->curvature = curvature_of(S, i, arm, n);
  if (!c->given) return; /* what is given is not read then */
  c->v_end = c->v, c->w_end = c->w, c->way = dls_v3_scale(S->theta * S->h, c->v);
  if (!body->moved || !w->hooks.motion) return;
  c->v_end = point_of(U(S->u_end, i)), c->w_end = turn_of(U(S->u_end, i));
  c->way = dls_v3_sub(point_of(Q(S->q_end, i)), point_of(Q(S->q_c, i)));
}

/* Beside what stands still there is none, nor between free disks, balls and capsules (along normals it would make beds
** four times as hard to solve, and a step of logs costs a twentieth more), between free bodies that meet, or where it
** was stated by hand. Of what touches these too and lies on a given body the shift along the normal goes as well: beside
** neighbours without it a bed that turns with its drum would jam. Along the normal of an impact there is but what a
** given motion gains. */
static dls_carried carried_by(const step *S, const meeting *meet) {
  dls_carried none = {{0, 0, 0}, {0, 0, 0}};
  const dls_body *a = &S->w->bodies[meet->a], *b = &S->w->bodies[meet->b];
  const bool free = moves_freely(a) && moves_freely(b), lasts = meet->before && meet->before->listed;
  none.shift = dls_v3_scale(meet->later - meet->drift, meet->n);
  const int own = moves_freely(a) ? meet->a : meet->b;
#if D == 2
  const bool disks = a->round > 0 && b->round > 0, round = S->w->bodies[own].round > 0;
#else
  const bool disks = (S->rod[meet->a].r > 0) & (S->rod[meet->b].r > 0), round = S->rod[own].r > 0;
#endif
  if (a->type == DLS_STATIC || b->type == DLS_STATIC || (free && (disks || meet->by_hand || !lasts))) return none;
  if (meet->first) return none;
  dls_carrier from, to;
  carrier_of(S, meet->a, meet->r_a, meet->n, &from);
  carrier_of(S, meet->b, meet->r_b, meet->n, &to);
  dls_carried by = dls_carried_shift(&from, &to, meet->n, S->theta * S->h);
  const double along = dls_v3_dot(by.shift, meet->n);
  const bool strikes = !lasts && fabs(meet->v_before) > 2 * fabs(along); /* faster than what turns */
  if (strikes) {
    const dls_vec3 gained = dls_v3_sub(dls_carrier_gain(&to), dls_carrier_gain(&from));
    by.shift = dls_v3_axpy(by.shift, dls_v3_dot(gained, meet->n) - along, meet->n);
  }
  if (round && S->crowded[own] && !free) by.shift = dls_v3_axpy(by.shift, -dls_v3_dot(by.shift, meet->n), meet->n);
  by.shift = dls_v3_axpy(by.shift, meet->later - meet->drift, meet->n);
  return by;
}

/* The normal velocity before the step, from that with the arms of q_c. */
static inline double before_of(const step *S, double v, double shift) {
  return v - (1 - S->theta) / S->theta * shift;
}

/* The shifts of n rows of a contact, from `row` on. */
static void note_shifts(step *S, const meeting *meet, const dls_carried *of, int row, int n) {
  const dls_vec3 axis[3] = {meet->n, meet->t1, meet->t2};
  for (int i = 0; i < n; i++)
    S->shift[row + i] = i < D ? dls_v3_dot(axis[i], of->shift) : dls_v3_dot(D == 2 ? axis[2] : axis[i - D], of->turn);
}

/* What of it is in row i: a row of a gap, which changes by the mean of the velocities, holds half. */
static double shift_in(const step *S, const dls_block *block, int i) {
  const bool of_gap = i == block->row && (block->asleep || S->rows.gamma[i] > 0);
  return (of_gap ? 0.5 : 1) * S->shift[i];
}

/* The block of a contact that weigh_up() let pass. The laws' numbers are set here; contact->before,
** x, mu with them. */
static dls_status make_block(step *S, dls_contact *contact, const meeting *meet) {
  dls_world *w = S->w;
  dls_rows *rows = &S->rows;
  const int row = rows->n_rows;
  double *J = next_rows(S);
  const dls_material *m = meet->m;
  const double *a = U(S->u_c, contact->a), *b = U(S->u_c, contact->b);
  const dls_carried late = carried_by(S, meet);
  const double late_n = dls_v3_dot(meet->n, late.shift);
  contact->before = before_of(S, meet->v_before, late_n);
  double reach = S->theta * S->h, gamma = 0, shift;
  if (m->stiffness < DLS_INF) {
    contact->damping = damping_of(S, contact, m, J);
    double stiff = S->h * m->stiffness + contact->damping;
    contact->x = contact->x_before = meet->before ? meet->before->x : compressed_at_first(S, contact);
    gamma = 1 / (reach * stiff);
    shift = (contact->gap + contact->damping * contact->x / stiff) / reach;
  } else {
    const double v_free =
        row_velocity(J, U(S->u_ahead, contact->a), U(S->u_ahead, contact->b)) + meet->drift;
    const double back = -m->restitution * contact->before;
    shift = meet->asleep ? contact->gap / reach : rebound_of(S, m->restitution, contact, v_free, back);
  }
  if (rows->n_blocks >= S->room_contacts) return DLS_FULL;

  write_row(J + 2 * NU, meet->t1, meet->r_a, meet->r_b);
  if (D == 3) write_row(J + 4 * NU, meet->t2, meet->r_a, meet->r_b);
  double v_t[2] = {row_velocity(J + 2 * NU, a, b), D == 3 ? row_velocity(J + 4 * NU, a, b) : 0};
  double speed = sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1]);
  if (meet->before && meet->before->state == DLS_STICK) speed = 0;
  if (m->law > 0 || m->kinetic != m->friction) {
    S->varies = true;
    if (!(speed > 0)) contact->mark |= DLS_MARK_HELD;
  }
  dls_status status = friction_at(w, m, speed, &contact->mu);
  if (status != DLS_OK) return status;

  dls_block *block = &rows->block[rows->n_blocks];
  bool rolls = m->rolling > 0 || (D == 3 && m->spinning > 0);
  *block = (dls_block){.kind = DLS_ROW_UNILATERAL, .a = contact->a, .b = contact->b,
                       .row = row, .n = 1, .source = S->n_contacts,
                       .asleep = meet->asleep};
  if (rolls) {
    block->kind = DLS_ROW_ROLLING;
    block->n = NB;
#if D == 2
    write_turn(J + 4 * NU, meet->n);
    block->mu[1] = m->rolling;
#else
    write_turn(J + 6 * NU, meet->n);
    write_turn(J + 8 * NU, meet->t1);
    write_turn(J + 10 * NU, meet->t2);
    block->mu[1] = m->spinning;
    block->mu[2] = m->rolling;
#endif
  } else if (contact->mu > 0) {
    block->kind = DLS_ROW_CONE;
    block->n = D;
  }
  S->height[rows->n_blocks] = height_of(S, contact->point);
  S->plain[rows->n_blocks].met = -1;
  block->mu[0] = contact->mu;
  const dls_body *owner = &w->bodies[contact->b];
  if (!moves_freely(owner)) owner = &w->bodies[contact->a];
  for (int i = 0; i < block->n; i++) {
    rows->gamma[row + i] = 0;
    rows->s[row + i] = 0;
    rows->p[row + i] = 0;
    rows->length[row + i] = i < D ? 1 : owner->gyration;
  }
  rows->gamma[row] = gamma;
  note_shifts(S, meet, &late, row, block->n);
  rows->s[row] = shift + meet->drift;
  S->drift[row] = meet->drift;
  S->bounce[row] = m->restitution;
  S->tangential[row] = m->tangential_restitution;
  bool onset = !meet->before || !meet->before->listed;
  if (onset && contact->before < 0 && block->n >= D)
    for (int i = 1; i < D; i++) rows->s[row + i] = m->tangential_restitution * v_t[i - 1];
  for (int i = row; i < row + block->n; i++) rows->s[i] += shift_in(S, block, i);
  if (meet->before && !meet->asleep) warm_start(meet, block, rows->p + row);
  rows->n_blocks++;
  rows->n_rows += block->n;
  return DLS_OK;
}

/* There is no room for another contact: the step is repeated with more. */
static dls_status want_contacts(step *S) {
  S->w->need_contacts = S->room_contacts < 32 ? 64 : 2 * S->room_contacts;
  return DLS_FULL;
}

/* The next free contact, cleared; NULL where there is none. */
static dls_contact *new_contact(step *S, int a, int b, uint64_t key) {
  dls_world *w = S->w;
  if (S->n_contacts >= S->room_contacts) {
    (void)want_contacts(S);
    return NULL;
  }
  dls_contact *contact = &w->contacts_next[S->n_contacts];
  memset(contact, 0, sizeof *contact);
  contact->a = a;
  contact->b = b;
  contact->key = key;
  contact->tie = -1;
  return contact;
}

/* A new contact that is listed, told what the meeting knows. */
static dls_contact *list_contact(step *S, const meeting *meet, uint64_t key) {
  dls_contact *contact = new_contact(S, meet->a, meet->b, key);
  if (!contact) return NULL;
  contact->gap = meet->gap;
  contact->reach = meet->size;
  contact->listed = 1;
  dls_v3_store(contact->normal, meet->n);
  if (meet->before && meet->before->listed) 
    contact->age = meet->before->age + (meet->before->age < DLS_OLDEST);
  return contact;
}

/* A touch as a contact: a block where it is to act or to stand by. */
static inline dls_status add_touch(step *S, int a, int b, const dls_touch *touch,
                                   const dls_material *m, bool sensor, int *at) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  points_of(w, a, b, touch, &on_a, &on_b);
  meeting meet = {.a = a, .b = b, .n = touch->normal, .gap = touch->gap, .m = m};
  meet.r_a = arm_to(Q(S->q_c, a), on_a);
  meet.r_b = arm_to(Q(S->q_c, b), on_b);
  meet.before = remembered(w, at, a, b, touch->key);
  meet.size = dls_min(span_of(&w->bodies[a]), span_of(&w->bodies[b]));
  if (!sensor) {
    write_row(next_rows(S), meet.n, meet.r_a, meet.r_b);
    if (!weigh_up(S, &meet)) return DLS_OK;
    bool comes = true;
    const dls_status status = is_foretold(S, &meet) ? dls_ways_confirm(&S->ways, a, b, touch->part, &comes) : DLS_OK;
    if (status != DLS_OK || !comes) return status;
  } else if (touch->gap > 0) {
    return DLS_OK;
  }
  dls_contact *contact = list_contact(S, &meet, touch->key);
  if (!contact) return DLS_FULL;
  dls_v3_store(contact->point, moves_freely(&w->bodies[b]) ? on_b : on_a);
  if (!sensor) {
    tangents(meet.n, &meet.t1, &meet.t2);
    dls_status status = make_block(S, contact, &meet);
    if (status != DLS_OK) return status;
  } else {
    contact->mark |= DLS_MARK_SENSED;
  }
  S->n_contacts++;
  return DLS_OK;
}

/* What two bodies' materials are together, kept from one pair to the next: most pairs of a world
** are of the same two. */
typedef struct laws {
  int x, y;            /* materials; -1: none kept                    */
  dls_material kept;   /* what they are together, without any pairing */
  dls_material paired; /* where bodies or materials were paired       */
} laws;

static inline const dls_material *laws_of(const dls_world *w, const ball *a, const ball *b,
                                          laws *l) {
  if (w->n_pairings > 0) {
    l->paired = dls_world_material(w, a->body, b->body);
    return &l->paired;
  }
  const int x = a->material, y = b->material;
  if (x == y && !(w->materials[x].stiffness < DLS_INF)) return &w->materials[x];
  if (l->x != x || l->y != y) {
    l->kept = dls_world_material(w, a->body, b->body);
    l->x = x, l->y = y;
  }
  return &l->kept;
}

/* The touches of a pair of any shapes; answers their number in *n. */
static dls_status meet_shapes(step *S, const ball *a, const ball *b, const dls_material *m, int *at,
                              int *n) {
  *n = touches_of(S, a->body, b->body, S->reach[a->body] + S->reach[b->body]);
  if (*n == 0) return DLS_OK;
  if (*n > S->touch_room) return too_many(S, *n);
  const bool sensor = a->sensor || b->sensor;
  dls_status status = DLS_OK;
  for (int i = 0; i < *n && status == DLS_OK; i++)
    status = add_touch(S, a->body, b->body, &S->touch[i], m, sensor, at);
  return status;
}

#include "core/scheme/swift_met.inl"

#if D == 3
#include "core/scheme/rods_met.inl"
#endif

#if D == 2
#include "core/scheme/disk_rows.inl"
#endif

/* Blocks from `first` on are of pair k in S->near: noted where that is one of disks. */
static inline void note_near(step *S, int first, int k) {
  for (; first < S->rows.n_blocks; first++) S->near_of[first] = k;
}

#if D == 2
#include "core/scheme/plain_disks.inl"
#endif

#include "core/scheme/find_contacts.inl"
