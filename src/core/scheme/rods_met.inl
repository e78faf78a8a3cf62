/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Touches of pairs of rods, many pairs at once, for who then goes through the pairs one by one. */

enum { RODS_AT_ONCE = 64 }; /* pairs */

static bool are_rods(const step *S, int a, int b) { return (S->rod[a].r > 0) & (S->rod[b].r > 0); }

typedef struct rods_met {
  int stop;                          /* pairs of S->near up to this one were looked at */
  int next, last;                    /* of these pairs of rods; touches of the last one */
  const dls_touch *at;               /* its touches                                    */
  unsigned char count[RODS_AT_ONCE]; /* touches of each                                */
  dls_touch *touch;                  /* 3 RODS_AT_ONCE                                 */
} rods_met;

/* From pair k on as many as there is room for. */
static void meet_rods(const step *S, int k, rods_met *met) {
  int a[RODS_AT_ONCE], b[RODS_AT_ONCE], n = 0;
  double margin[RODS_AT_ONCE];
  for (; k < S->n_near && n < RODS_AT_ONCE; k++) {
    const int i = S->body_of[S->near[k].a], j = S->body_of[S->near[k].b];
    if (!are_rods(S, i, j)) continue;
    a[n] = i, b[n] = j;
    margin[n++] = S->reach[i] + S->reach[j];
  }
  (void)dls_gap_lanes_best()->touch(n, a, b, S->rod, margin, met->count, met->touch);
  met->stop = k;
  met->next = 0;
  met->at = met->touch;
}

/* The touches of pair k of S->near, met->last of them; NULL where it is none of rods. */
static const dls_touch *take_met(const step *S, int k, rods_met *met) {
  if (!are_rods(S, S->body_of[S->near[k].a], S->body_of[S->near[k].b])) return NULL;
  if (k >= met->stop) meet_rods(S, k, met);
  met->last = met->count[met->next++];
  const dls_touch *touch = met->at;
  met->at += met->last;
  return touch;
}

static dls_vec3 speed_at(const double *u, dls_vec3 r) {
  return dls_v3_add(dls_v3_load(u), dls_v3_cross(dls_v3_load(u + D), r));
}

/* Whether an open touch that no contact of the last step stands by at stays open by more than rounding: what weigh_up()
** would find, without its row. */
static bool stays_open(const step *S, const ball *a, const ball *b, const dls_material *m, const dls_touch *touch,
                       int *at) {
  const dls_rod *x = &S->rod[a->body], *y = &S->rod[b->body];
  const double noise = 2 * CLOSED * dls_min(x->h + x->r, y->h + y->r);
  if (m->stiffness < DLS_INF || !(touch->gap > noise)) return false;
  const dls_contact *before = remembered(S->w, at, a->body, b->body, touch->key);
  if (before && before->listed) return false;
  dls_vec3 on_a, on_b;
  points_of(S->w, a->body, b->body, touch, &on_a, &on_b);
  const dls_vec3 v_a = speed_at(U(S->u_ahead, a->body), arm_to(Q(S->q_c, a->body), on_a));
  const dls_vec3 v_b = speed_at(U(S->u_ahead, b->body), arm_to(Q(S->q_c, b->body), on_b));
  return touch->gap + S->theta * S->h * dls_v3_dot(touch->normal, dls_v3_sub(v_b, v_a)) > noise;
}

/* Contacts of a pair of rods, from its touches; answers their number in *n. */
static dls_status add_met(step *S, const ball *a, const ball *b, const dls_material *m, const rods_met *met,
                          const dls_touch *touch, int *at, int *n) {
  const bool sensor = a->sensor || b->sensor;
  *n = met->last;
  for (int i = 0; i < met->last; i++, touch++) {
    if (!sensor && stays_open(S, a, b, m, touch, at)) continue;
    const dls_status status = add_touch(S, a->body, b->body, touch, m, sensor, at);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}
