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
  double drift;              /* of the gap with time alone, m/s    */
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

/* Whether a contact is to act or to stand by in this step, from its normal row, which is written
** in its place already. Most touches within reach end here. */
static inline bool weigh_up(const step *S, meeting *meet) {
  const double *J = next_rows(S);
  meet->v_before = row_velocity(J, U(S->u_c, meet->a), U(S->u_c, meet->b)) + meet->drift;
  meet->asleep = false;
  if (meet->m->stiffness < DLS_INF || !(meet->gap > CLOSED * meet->size)) return true;
  const double v_free =
      row_velocity(J, U(S->u_ahead, meet->a), U(S->u_ahead, meet->b)) + meet->drift;
  meet->asleep = meet->gap + S->theta * S->h * v_free > 0;
  return !meet->asleep || (meet->before && meet->before->listed);
}

/* Impulses of the last step in the frame of now. */
static inline void warm_start(const meeting *meet, const dls_block *block, double *start) {
  const dls_contact *old = meet->before;
  dls_vec3 p = dls_v3_load(old->impulse);
  const dls_vec3 axis[2] = {meet->t1, meet->t2};
  start[0] = dls_max(0, dls_v3_dot(meet->n, p));
  for (int i = 1; i < block->n && i < D; i++) start[i] = dls_v3_dot(axis[i - 1], p);
  if (block->kind != DLS_ROW_ROLLING) return;
  if (D == 2) {
    start[2] = old->torque[0];
  } else {
    dls_vec3 turn = dls_v3_load(old->torque);
    start[3] = dls_v3_dot(meet->n, turn);
    for (int i = 0; i < 2; i++) start[4 + i] = dls_v3_dot(axis[i], turn);
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

/* The block of a contact that weigh_up() let pass. The laws' numbers are set here; contact->before,
** x, mu with them. */
static dls_status make_block(step *S, dls_contact *contact, const meeting *meet) {
  dls_world *w = S->w;
  dls_rows *rows = &S->rows;
  const int row = rows->n_rows;
  double *J = next_rows(S);
  const dls_material *m = meet->m;
  const double *a = U(S->u_c, contact->a), *b = U(S->u_c, contact->b);
  contact->before = meet->v_before;
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
    const double back = -m->restitution * meet->v_before;
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
  rows->s[row] = shift + meet->drift;
  S->drift[row] = meet->drift;
  S->bounce[row] = m->restitution;
  S->tangential[row] = m->tangential_restitution;
  bool onset = !meet->before || !meet->before->listed;
  if (onset && meet->v_before < 0 && block->n >= D)
    for (int i = 1; i < D; i++) rows->s[row + i] = m->tangential_restitution * v_t[i - 1];
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
  if (meet->before && meet->before->listed) contact->age = meet->before->age + 1;
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
  if (x == y) return &w->materials[x];
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
