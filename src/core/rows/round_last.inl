/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The last contacts of an island of disks that miss the limit (rows/round.h): momentum keeps some of them boiling, here
** and there, long after all others have settled, and sweeps visit all for them. So they are visited one by one, first
** come, first served: a visit puts its own contact right and may put others of its bodies wrong, which are looked at
** then. When nobody waits any more the limit holds everywhere. It is not known to end; it is given up after some looks,
** and what it has gained stays. (Relaxation where it is needed: R. V. Southwell, 1940.) */

/* Sweeps before the first time, and between two; looks, as a multiple of the contacts, before it is given up; a look
** costs as much as so many visits of sweeps. */
enum { LAST_FIRST = 40, LAST_EVERY = 10, LAST_LOOKS = 8, LAST_COST = 16 };

/* Begun where at most this share of contacts misses the limit; by a hair less than the limit, since the residual here is
** rounded otherwise. */
static const double LAST_SHARE = 0.025, HAIR = 0.9999;

/* The limit where the residual in double precision decides: it is up to some hundredths above the one here, and all who
** waited end just within theirs. */
static const double LAST_STRICT = 0.9;

/* A visit goes this share of its way: a fifth fewer looks than with all of it; less than 0.7 does not always end. */
static const float LAST_WAY = 0.75F;

/* Not in beds of so few groups, nor in those that nothing shakes: many contacts are left just within the limit, and beds
** at rest creep by that. */
enum { FEW_GROUPS = 32 };

/* A contact in a place of its own, with what its residual needs. */
typedef struct last_contact {
  float nx, ny, tx, ty, wa, wb, ta, tb, s_n, s_t, mu;
  float size;        /* W_nn^(1/2): m/s of y_n                     */
  float size_turn;   /* W_tt^(1/2): of y_t                         */
  float f, inner; /* friction; 1/(1 + f^2)                         */
  float reach_n, reach_t; /* |W| of P_n and of P_t, m/s            */
  int i, j;       /* as in the group                               */
  float *p;       /* P_n; P_t is DLS_ROUND_LANES on                */
} last_contact;

enum { WAITS = 1, KNOWN = 2 };

typedef struct waiting {
  int *head, *next; /* a place's first contact, 2 lane + end; the one behind it; -1: none       */
  int *ring, first, n; /* lanes that wait: n from first on                                      */
  unsigned char *state; /* a lane: WAITS, KNOWN (it stands in contact)                          */
  float *error;         /* a lane: squared residual, (m/s)^2                                    */
  last_contact *contact; /* a lane                                                              */
} waiting;

static size_t last_bytes(size_t places, size_t lanes) {
  size_t total = dls_arena_bytes(places + 1, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(2 * lanes, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(lanes, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(lanes, 1));
  total = dls_bytes_add(total, dls_arena_bytes(lanes, sizeof(last_contact)));
  return dls_bytes_add(total, dls_arena_bytes(lanes, sizeof(float)));
}

static bool take_waiting(const round_groups *G, dls_arena *tmp, waiting *X) {
  const size_t lanes = DLS_ROUND_LANES * (size_t)G->n;
  X->head = DLS_TAKE(tmp, int, G->n_bodies + 1);
  X->next = DLS_TAKE(tmp, int, 2 * lanes);
  X->ring = DLS_TAKE(tmp, int, lanes);
  X->state = DLS_TAKE(tmp, unsigned char, lanes);
  X->error = DLS_TAKE(tmp, float, lanes);
  X->contact = DLS_TAKE(tmp, last_contact, lanes);
  if (!X->head || !X->next || !X->ring || !X->state || !X->error || !X->contact) return false;
  memset(X->state, 0, lanes);
  return true;
}

/* Whose contacts are where. */
static void link_contacts(const round_groups *G, waiting *X) {
  int *head = X->head, *next = X->next;
  for (int i = 0; i <= G->n_bodies; i++) head[i] = -1;
  for (int k = G->n - 1; k >= 0; k--) {
    const dls_round_group *g = &G->group[k];
    for (int l = DLS_ROUND_LANES - 1; l >= 0; l--) {
      const int at = DLS_ROUND_LANES * k + l, a = g->i[l] / DLS_ROUND_BODY, b = g->j[l] / DLS_ROUND_BODY;
      next[2 * at] = head[a], head[a] = 2 * at;
      next[2 * at + 1] = head[b], head[b] = 2 * at + 1;
    }
  }
  head[G->n_bodies] = -1; /* what does not move answers to nobody */
}

static void know(const round_groups *G, int at, last_contact *c) {
  const dls_round_group *g = &G->group[at / DLS_ROUND_LANES];
  const int l = at % DLS_ROUND_LANES;
  c->nx = g->nx[l], c->ny = g->ny[l], c->tx = g->tx[l], c->ty = g->ty[l];
  c->wa = g->wa[l], c->wb = g->wb[l], c->ta = g->ta[l], c->tb = g->tb[l];
  c->s_n = g->s_n[l], c->s_t = g->s_t[l], c->mu = g->mu[l];
  c->size = g->size[l], c->size_turn = g->size[l] / g->slope[l];
  c->f = g->mu[l] * g->slope[l], c->inner = 1 / (1 + c->f * c->f);
  c->reach_n = g->reach[l], c->reach_t = g->reach[l] * g->slope[l];
  c->i = g->i[l], c->j = g->j[l];
  c->p = G->p + DLS_ROUND_PARTS * DLS_ROUND_LANES * (at / DLS_ROUND_LANES) + l;
}

static inline float larger(float x, float y) { return x > y ? x : y; }
static inline float smaller(float x, float y) { return x < y ? x : y; }

/* Puts a contact nearly right, as a sweep does, where its squared residual (error() of round.inc.h) is above the limit;
** answers whether it was. */
static inline bool visit_last(const last_contact *c, float limit, float *u) {
  float *a = u + c->i, *b = u + c->j, *p = c->p;
  const float p_n = p[0], p_t = p[DLS_ROUND_LANES];
  const float vx = c->wb * b[0] - c->wa * a[0], vy = c->wb * b[1] - c->wa * a[1];
  const float v_n = (c->nx * vx + c->ny * vy) + c->s_n;
  const float v_t = (c->ty * vx - c->tx * vy) + ((c->ta * a[2] + c->tb * b[2]) + c->s_t);
  const float y_t = v_t * c->size_turn, y_n = v_n * c->size + c->f * fabsf(y_t);
  const float x_n = p_n * c->reach_n - y_n, x_t = p_t * c->reach_t - y_t, away = fabsf(x_t);
  /* The nearest point of the wedge: outside of it a side's, or the apex. */
  const float z_n = larger(larger((x_n + c->f * away) * c->inner, 0), x_n);
  const float z_t = copysignf(smaller(away, c->f * z_n), x_t);
  const float e_n = p_n * c->reach_n - z_n, e_t = p_t * c->reach_t - z_t;
  if (e_n * e_n + e_t * e_t <= limit) return false;
  const float q_n = larger(p_n - LAST_WAY * v_n, 0), bound = c->mu * q_n;
  const float q_t = larger(smaller(p_t - LAST_WAY * v_t, bound), -bound), d_n = q_n - p_n, d_t = q_t - p_t;
  const float fx = c->nx * d_n + c->ty * d_t, fy = c->ny * d_n - c->tx * d_t;
  p[0] = q_n, p[DLS_ROUND_LANES] = q_t;
  a[0] -= c->wa * fx, a[1] -= c->wa * fy, a[2] += c->ta * d_t;
  b[0] += c->wb * fx, b[1] += c->wb * fy, b[2] += c->tb * d_t;
  return true;
}

static inline void wait_for(waiting *X, int lanes, int at) {
  const int last = X->first + X->n;
  X->ring[last < lanes ? last : last - lanes] = at;
  X->n += !(X->state[at] & WAITS);
  X->state[at] |= WAITS;
}

/* Those that miss the limit wait; false where they are more than `most`. */
static bool gather_last(const round_groups *G, float limit, int most, waiting *X) {
  const int lanes = DLS_ROUND_LANES * G->n;
  G->lanes->errors(G->n, G->group, G->p, G->u, X->error);
  int missed = 0;
  for (int at = 0; at < lanes; at++) missed += !(X->error[at] <= limit);
  if (missed > most) return false;
  X->first = X->n = 0;
  for (int at = 0; at < lanes; at++) {
    X->state[at] = 0;
    if (!(X->error[at] <= limit)) wait_for(X, lanes, at);
  }
  return true;
}

/* Visits who waits until nobody does, or enough is enough; answers which. U and impulses belong together before and
** after. *looks: how many. */
static bool settle_last(const round_groups *G, double most_error, int n, waiting *X, int *looks) {
  const int lanes = DLS_ROUND_LANES * G->n, most = LAST_LOOKS * n;
  const float limit = (float)(HAIR * most_error * most_error);
  *looks = 0;
  if (!gather_last(G, limit, (int)(LAST_SHARE * n), X)) return false;
  if (X->n > 0) link_contacts(G, X);
  for (; X->n > 0 && *looks < most; ++*looks) {
    const int at = X->ring[X->first];
    last_contact *c = &X->contact[at];
    X->first = X->first + 1 < lanes ? X->first + 1 : 0;
    X->n--;
    if (!(X->state[at] & KNOWN)) know(G, at, c);
    X->state[at] = KNOWN;
    if (!visit_last(c, limit, G->u)) continue;
    X->state[at] |= WAITS; /* not for itself */
    for (int i = X->head[c->i / DLS_ROUND_BODY]; i >= 0; i = X->next[i]) wait_for(X, lanes, i / 2);
    for (int i = X->head[c->j / DLS_ROUND_BODY]; i >= 0; i = X->next[i]) wait_for(X, lanes, i / 2);
    X->state[at] = KNOWN;
  }
  return X->n == 0;
}
