/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position_least.h"

#include "core/lcp/active_set.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"

/* Rounds of a turn at most; the sine of axes beyond which the nearest place does not slide far;
** what a line may overlap by, of the smaller body, and what its sag comes to where it counts. */
enum { ROUNDS = 8 };
static const double FLAT = 0.1, ENOUGH = 0.5 * DLS_OVERLAP_SMALL, SAG = 0.1 * DLS_OVERLAP_SMALL;

/* Where two rods meet along their axes, sigma from their nearest places. */
typedef struct line {
  int a, b;                    /* bodies                                            */
  int first, end, touch;       /* rows of its touches; of the nearest one           */
  int ends;                    /* an edge: rows of the gaps at both ends            */
  int own;                     /* rows of the gap and the slide at `at`; -1: none   */
  double at, lo, hi;           /* sigma: where it presses; of the common part, m    */
  double bend, reach, size;    /* 1/m; both radii, the smaller body, m              */
  bool edge;                   /* one of them is the edge of a lifter               */
  dls_vec3 r, apart;           /* from axis to axis, and what sigma adds to it      */
  dls_vec3 x_a, x_b, u_a, u_b; /* places from the mass centres; axes, side by side  */
} line;

typedef struct pile {
  dls_step *S;                 /* the step */
  dls_position_stage *P;       /* its gaps */
  dls_least *T;                /* where the last turn settled */
  dls_active_set set;          /* rows that press, by active sets */
  int n_touches, n_lines; /* rows of touches; of lines */
  dls_overlap **row;     /* of touches, then of lines   */
  dls_overlap *own;      /* the latter                  */
  double *scale, *start; /* 1/sqrt(w), 0: no row; who presses at first */
  int *first, *next;     /* n_bodies, rows: rows of a body that moves, 2 row + end */
  line *lines;           /* n_lines */
} pile;

bool dls_least_take(dls_step *S, dls_least *T) {
  const size_t n_u = (size_t)S->w->n_bodies * 6;
  *T = (dls_least){.n = -1};
  T->way = DLS_TAKE(&S->w->arena, double, n_u);
  T->was = DLS_TAKE(&S->w->arena, dls_pressed, 5 * DLS_MOST_EXACT);
  T->first = DLS_TAKE(&S->w->arena, int, S->w->n_bodies);
  if (!T->way || !T->was || !T->first) return false;
  memset(T->way, 0, n_u * sizeof *T->way);
  return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The row of the gap at sigma; answers the gap. */
static double line_gap(const line *l, double sigma, double *J) {
  const dls_vec3 r = dls_v3_axpy(l->r, sigma, l->apart);
  const double dist = dls_v3_norm(r);
  dls_write_row(3, J, dls_v3_scale(1 / dist, r), dls_v3_axpy(l->x_a, sigma, l->u_a),
                dls_v3_axpy(l->x_b, sigma, l->u_b));
  return dist - l->reach;
}

/* Their derivatives by sigma. */
static double line_slide(const line *l, double sigma, double *J) {
  const dls_vec3 r = dls_v3_axpy(l->r, sigma, l->apart);
  const double dist = dls_v3_norm(r);
  const dls_vec3 n = dls_v3_scale(1 / dist, r);
  const double slope = dls_v3_dot(n, l->apart);
  const dls_vec3 turn = dls_v3_scale(1 / dist, dls_v3_axpy(l->apart, -slope, n));
  dls_write_row(3, J, turn, dls_v3_axpy(l->x_a, sigma, l->u_a), dls_v3_axpy(l->x_b, sigma, l->u_b));
  dls_v3_store(J + 3, dls_v3_sub(dls_v3_load(J + 3), dls_v3_cross(l->u_a, n)));
  dls_v3_store(J + 9, dls_v3_add(dls_v3_load(J + 9), dls_v3_cross(l->u_b, n)));
  return slope;
}

static bool is_drum(const dls_step *S, int body) {
  const dls_shape *shape = S->w->bodies[body].shape;
  return shape && shape->kind == DLS_SHAPE_DRUM;
}

/* The edge of a lifter of the drum that touch o of a log stands on, a line along the drum's axis
** through the place that the log meets. False: that is the shell, or an end of the drum. */
static bool take_edge(const dls_step *S, const dls_overlap *o, int drum, int log, dls_rod *edge) {
  const dls_rod *rod = &S->rod[log];
  const double sign = log == o->b ? 1 : -1, *J = log == o->b ? o->J + 6 : o->J;
  const dls_vec3 n = dls_v3_scale(sign, dls_v3_load(J)),
                 arm = dls_v3_cross(n, dls_v3_scale(sign, dls_v3_load(J + 3)));
  const dls_vec3 c = dls_v3_sub(rod->c, dls_point_of(3, DLS_Q(S, S->q_n, log)));
  const double out = -sign * dls_v3_dot(n, rod->u); /* the balls at its ends are met aslant */
  const double t = fabs(out) < 1e-9 ? dls_v3_dot(dls_v3_sub(arm, c), rod->u)
                   : out > 0        ? rod->half
                                    : -rod->half;
  const dls_vec3 at = dls_v3_axpy(dls_v3_axpy(rod->c, t, rod->u), -sign * (o->gap + rod->r), n);
  const dls_vec3 axis = dls_m3_column(&S->T3[drum].R, 0);
  const dls_vec3 from = dls_v3_sub(at, S->T3[drum].p);
  const dls_shape *shape = S->w->bodies[drum].shape;
  const double along = dls_v3_dot(from, axis);
  *edge = (dls_rod){dls_v3_axpy(at, -along, axis), axis, shape->half.x, 0};
  return fabs(dls_v3_dot(n, axis)) < 1e-3 && fabs(along) < shape->half.x &&
      dls_v3_norm(dls_v3_cross(axis, from)) < shape->radius - 1e-3 * rod->r;
}

static bool is_rod(const dls_step *S, int body) {
  return S->rod[body].r > 0 && S->rod[body].half > 0;
}

/* The two that meet at touch o. False: one of them is no rod and no edge. */
static bool take_both(const dls_step *S, const dls_overlap *o, dls_rod *a, dls_rod *b) {
  *a = S->rod[o->a], *b = S->rod[o->b];
  if (is_rod(S, o->a) && is_rod(S, o->b)) return true;
  if (is_rod(S, o->a) && is_drum(S, o->b)) return take_edge(S, o, o->b, o->a, b);
  return is_rod(S, o->b) && is_drum(S, o->a) && take_edge(S, o, o->a, o->b, a);
}

static bool find_line(const dls_step *S, const dls_overlap *o, line *l) {
  dls_rod rods[2], *a = &rods[0], *b = &rods[1];
  if (o->cut || !take_both(S, o, a, b)) return false;
  const dls_vec3 u = dls_v3_dot(a->u, b->u) < 0 ? dls_v3_neg(b->u) : b->u,
                 apart = dls_v3_sub(u, a->u);
  if (!(dls_v3_dot(apart, apart) < FLAT * FLAT)) return false;
  const dls_vec3 d = dls_v3_sub(b->c, a->c);
  const dls_nearest near = dls_segments_nearest(d, a->u, a->half, u, b->half);
  const dls_vec3 r = dls_v3_sub(dls_v3_axpy(d, near.t, u), dls_v3_scale(near.s, a->u));
  const double dist = dls_v3_norm(r);
  if (!(dist > 0)) return false;
  const dls_vec3 n = dls_v3_scale(1 / dist, r),
                 across = dls_v3_axpy(apart, -dls_v3_dot(n, apart), n);
  *l = (line){.a = o->a, .b = o->b, .own = -1, .size = o->size, .r = r, .apart = apart,
              .reach = a->r + b->r, .u_a = a->u, .u_b = u};
  l->edge = !(a->r > 0 && b->r > 0);
  l->bend = dls_v3_dot(across, across) / dist;
  l->lo = dls_max(-a->half - near.s, -b->half - near.t);
  l->hi = dls_min(a->half - near.s, b->half - near.t);
  l->x_a = dls_arm_to(3, DLS_Q(S, S->q_n, o->a), dls_v3_axpy(a->c, near.s, a->u));
  l->x_b = dls_arm_to(3, DLS_Q(S, S->q_n, o->b), dls_v3_axpy(b->c, near.t, u));
  return l->bend > 0;
}

/* Whether its sag counts. */
static bool sags(const line *l) {
  return l->bend * (l->hi - l->lo) * (l->hi - l->lo) > SAG * l->size;
}

/* One of two rods; one of a rod and a drum that has a single touch beside the shell: of two they
** are the ends. Hand-made contacts, the first ones, have gaps of their own. */
static void find_lines(pile *x) {
  int shapes = 0;
  while (shapes < x->n_touches && x->P->active[shapes] < x->P->n_user) shapes++;
  for (int k = shapes, end; k < x->n_touches; k = end) {
    const dls_overlap *o = x->row[k];
    const int before = x->n_lines;
    for (end = k; end < x->n_touches && x->row[end]->a == o->a && x->row[end]->b == o->b; end++) {
      line *l = &x->lines[x->n_lines];
      if ((x->n_lines > before && !l[-1].edge) || !find_line(x->S, x->row[end], l)) continue;
      l->touch = end;
      x->n_lines++;
    }
    if (x->n_lines > before + 1) x->n_lines = before;
    if (x->n_lines > before) x->lines[before].first = k, x->lines[before].end = end;
  }
}

/* The place along a line that a row's moments tell. */
static double place_of(const line *l, const dls_overlap *o) {
  /* less its part along the normal */
  const dls_vec3 arm = dls_v3_cross(dls_v3_load(o->J + 6), dls_v3_load(o->J + 9));
  return dls_v3_dot(dls_v3_sub(arm, l->x_b), l->u_b);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Row k, new or again, of its overlap: scaled to a unit diagonal, but for its compliance. */
static void set_row(pile *x, int k) {
  dls_active_set *s = &x->set;
  const dls_overlap *o = x->row[k];
  const double *way = x->T->way, unit = o->w > 0 ? 1 / sqrt(o->w) : 0;
  const bool is_new = k >= s->n;
  double *row = dls_active_set_row(s, k);
  if (is_new) dls_active_set_add(s);
  x->scale[k] = unit;
  s->holds[k] = o->both && o->w > 0;
  s->b[k] = unit * (o->gap - dls_row_velocity(6, o->J, way + 6 * o->a, way + 6 * o->b));
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? o->a : o->b;
    if (!(x->S->rows.inv_mass[body] > 0)) continue;
    for (int at = x->first[body]; at >= 0; at = x->next[at]) {
      const int j = at / 2;
      if (j == k) continue;
      row[j] = dls_active_set_row(s, j)[k] =
          unit * x->scale[j] * dls_overlap_share(6, o, x->row[j]);
    }
    if (!is_new) continue;
    x->next[2 * k + e] = x->first[body];
    x->first[body] = 2 * k + e;
  }
  row[k] = 1 + o->gamma * unit * unit;
}

/* Row k is none any more. */
static void drop_row(pile *x, int k) {
  dls_active_set *s = &x->set;
  double *row = dls_active_set_row(s, k);
  for (int j = 0; j < s->n; j++) row[j] = dls_active_set_row(s, j)[k] = 0;
  row[k] = 1;
  s->b[k] = s->z[k] = x->scale[k] = x->start[k] = x->row[k]->pi = 0;
}

/* A row of line l at sigma, of the gap. */
static void set_gap_row(pile *x, const line *l, int k, double sigma) {
  dls_overlap *o = x->row[k] = &x->own[k - x->n_touches];
  *o = (dls_overlap){.a = l->a, .b = l->b, .size = l->size, .key = x->row[l->touch]->key};
  o->gap = line_gap(l, sigma, o->J);
  (void)dls_weigh_overlap(x->S, o);
  set_row(x, k);
}

/* The same of the slide; pressed: by what it presses, 0: no row. */
static void set_slide_row(pile *x, const line *l, int k, double sigma, double pressed) {
  dls_overlap *o = x->row[k] = &x->own[k - x->n_touches];
  *o = (dls_overlap){.a = l->a, .b = l->b, .size = l->size, .both = true};
  if (pressed > 0) o->gap = line_slide(l, sigma, o->J), o->gamma = l->bend / pressed;
  if (!dls_weigh_overlap(x->S, o)) o->w = o->gamma = 0;
  set_row(x, k);
}

/* Line l presses at sigma. Its nearest touch is left out then: beside the row of the slide both
** would be one. */
static void set_line(pile *x, line *l, double sigma, double pressed) {
  if (l->own < 0) {
    l->own = x->set.n;
    if (l->edge ? l->lo < 0 && l->hi > 0 && sags(l) : x->row[l->touch]->key == 0)
      drop_row(x, l->touch);
  }
  l->at = sigma;
  set_gap_row(x, l, l->own, sigma);
  set_slide_row(x, l, l->own + 1, sigma, pressed);
}

static void add_ends(pile *x, line *l) {
  l->ends = x->set.n;
  set_gap_row(x, l, l->ends, l->lo);
  set_gap_row(x, l, l->ends + 1, l->hi);
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* The change of q' that belongs to the multipliers. */
static void follow(pile *x) {
  dls_step *S = x->S;
  dls_position_stage *P = x->P;
  const int n_u = S->w->n_bodies * 6;
  dls_start_moving(S, P);
  P->moves = 1;
  for (int i = 0; i < n_u; i++) {
    P->dq[i] = -x->T->way[i];
    if (P->dq[i] != 0) P->moved[i / 6] = 1;
  }
  for (int k = 0; k < x->set.n; k++) {
    dls_overlap *o = x->row[k];
    o->pi = x->scale[k] * x->set.z[k];
    if (o->pi == 0) continue;
    dls_add_u(6, P->dq + 6 * o->a, o->pi, o->MJ);
    dls_add_u(6, P->dq + 6 * o->b, o->pi, o->MJ + 6);
    if (S->rows.inv_mass[o->a] > 0) P->moved[o->a] = 1;
    if (S->rows.inv_mass[o->b] > 0) P->moved[o->b] = 1;
  }
}

/* What a line presses in all; *mean: where. */
static double pressed_by(const pile *x, const line *l, double *mean) {
  double sum = 0, moment = 0;
  for (int k = l->first; k < l->end; k++) {
    const dls_overlap *o = x->row[k];
    if (!(o->pi > 0) || (l->edge && o->key != x->row[l->touch]->key)) continue;
    sum += o->pi;
    moment += o->pi * place_of(l, o);
  }
  for (int i = 0; i < 2 && l->edge; i++) {
    sum += x->row[l->ends + i]->pi;
    moment += x->row[l->ends + i]->pi * (i == 0 ? l->lo : l->hi);
  }
  if (l->own >= 0) {
    sum += x->row[l->own]->pi;
    moment += x->row[l->own]->pi * l->at + x->row[l->own + 1]->pi;
  }
  *mean = sum > 0 ? moment / sum : 0;
  return sum;
}

/* Lines that overlap by what was found press where they do in the mean, and slide. Answers how
** many. */
static int bend_lines(pile *x) {
  const dls_position_stage *P = x->P;
  int more = 0;
  for (int i = 0; i < x->n_lines; i++) {
    line *l = &x->lines[i];
    const double *dq_a = P->dq + 6 * l->a, *dq_b = P->dq + 6 * l->b, from = l->own >= 0 ? l->at : 0;
    double J[12], mean;
    const double slope = line_slide(l, from, J) + dls_row_velocity(6, J, dq_a, dq_b);
    const double sigma = dls_clamp(from - slope / l->bend, l->lo, l->hi);
    const double gap = line_gap(l, sigma, J) + dls_row_velocity(6, J, dq_a, dq_b),
                 pressed = pressed_by(x, l, &mean);
    const bool hangs = l->own >= 0 && x->row[l->own + 1]->pi != 0 && !(pressed > 0);
    if (gap >= -ENOUGH * l->size && !hangs) continue;
    const bool inside = pressed > 0 && mean > l->lo && mean < l->hi && sags(l);
    set_line(x, l, inside ? mean : sigma, inside ? pressed : 0);
    more++;
  }
  return more;
}

/* Lines that have rows of their own press there. */
static void start_lines(pile *x) {
  for (int i = 0; i < x->n_lines; i++) {
    const line *l = &x->lines[i];
    if (l->own < 0) continue;
    for (int k = l->first; k < l->end; k++)
      if (!l->edge || x->row[k]->key == x->row[l->touch]->key) x->start[k] = 0;
    x->start[l->own] = 1;
  }
}

/* Who pressed in the turn before, or in sweeps so far; and slides of lines that did. */
static void start_turn(pile *x) {
  const dls_least *T = x->T;
  for (int k = 0; k < x->n_touches; k++) {
    const dls_overlap *o = x->row[k];
    x->start[k] = T->n < 0 ? o->pi : o->cut;
    for (int i = T->n < 0 ? -1 : T->first[o->a]; i >= 0; i = T->was[i].next)
      if (T->was[i].b == o->b && (T->was[i].key == o->key || o->key == 0)) x->start[k] = 1;
  }
  for (int i = 0; i < x->n_lines; i++) {
    line *l = &x->lines[i];
    double sum = 0;
    if (l->edge) add_ends(x, l);
    for (int j = T->n < 0 ? -1 : T->first[l->a]; j >= 0; j = T->was[j].next)
      if (T->was[j].b == l->b && (!l->edge || T->was[j].key == x->row[l->touch]->key))
        sum += T->was[j].pi;
    if (sum > 0 && l->lo < 0 && l->hi > 0 && sags(l)) set_line(x, l, 0, sum);
  }
  start_lines(x);
}

/* Who presses, for the next turn. */
static void note_pressed(pile *x) {
  dls_least *T = x->T;
  T->n = 0;
  for (int i = 0; i < x->S->w->n_bodies; i++) T->first[i] = -1;
  for (int k = 0; k < x->set.n; k++) {
    const dls_overlap *o = x->row[k];
    if (!(o->pi > 0) || o->both) continue;
    T->was[T->n] = (dls_pressed){o->a, o->b, T->first[o->a], o->key, o->pi};
    T->first[o->a] = T->n++;
  }
}

/* An edge's touch stays as the cut where it pressed. */
static void keep_edges(pile *x) {
  for (int i = 0; i < x->n_lines; i++) {
    const line *l = &x->lines[i];
    if (l->edge && l->own >= 0 && x->row[l->own]->pi > 0) *x->row[l->touch] = *x->row[l->own];
  }
}

/* --- the turn --------------------------------------------------------------------------------- */

/* A cut of a log in a drum whose part is met again: its line knows where that slides. */
static bool is_met_again(const dls_step *S, const dls_position_stage *P, const dls_overlap *cut) {
  if (!cut->cut ||
      !((is_rod(S, cut->a) && is_drum(S, cut->b)) || (is_rod(S, cut->b) && is_drum(S, cut->a))))
    return false;
  for (int k = 0; k < P->n_active; k++) {
    const dls_overlap *o = &P->o[P->active[k]];
    if (!o->cut && o->a == cut->a && o->b == cut->b && o->key == cut->key) return true;
  }
  return false;
}

/* Rows of touches, lines, and room for theirs. */
static bool take_rows(pile *x) {
  dls_step *S = x->S;
  dls_position_stage *P = x->P;
  dls_arena *tmp = &S->w->arena;
  int kept = 0;
  for (int k = 0; k < P->n_active; k++)
    if (!is_met_again(S, P, &P->o[P->active[k]])) P->active[kept++] = P->active[k];
  const int n = x->n_touches = P->n_active = kept;
  S->w->need_arena =
      dls_bytes_add(dls_active_set_bytes(2 * n), 4096 * (size_t)n + 8 * (size_t)S->w->n_bodies);
  x->lines = DLS_TAKE(tmp, line, n + 1);
  x->row = DLS_TAKE(tmp, dls_overlap *, 5 * n);
  if (!x->lines || !x->row) return false;
  for (int k = 0; k < n; k++) x->row[k] = &P->o[P->active[k]];
  find_lines(x);
  int own = 2 * x->n_lines;
  for (int i = 0; i < x->n_lines; i++) own += x->lines[i].edge ? 2 : 0;
  const int room = n + own;
  S->w->need_arena =
      dls_bytes_add(dls_active_set_bytes(room), 2048 * (size_t)room + 8 * (size_t)S->w->n_bodies);
  x->own = DLS_TAKE(tmp, dls_overlap, own);
  x->scale = DLS_TAKE(tmp, double, 2 * room);
  x->first = DLS_TAKE(tmp, int, S->w->n_bodies);
  x->next = DLS_TAKE(tmp, int, 2 * room);
  if (!x->own || !x->scale || !x->first || !x->next || !dls_active_set_take(room, tmp, &x->set))
    return false;
  x->start = x->scale + room;
  memset(x->start, 0, (size_t)room * sizeof *x->start);
  memset(x->first, -1, (size_t)S->w->n_bodies * sizeof *x->first);
  return true;
}

dls_status dls_settle_least(dls_step *S, dls_position_stage *P, dls_least *T, bool *solved) {
  const size_t mark = dls_arena_mark(&S->w->arena);
  pile x = {.S = S, .P = P, .T = T};
  *solved = false;
  if (!take_rows(&x)) return DLS_FULL;
  double most = 0;
  for (int k = 0; k < x.n_touches; k++) {
    set_row(&x, k);
    most = dls_max(most, fabs(x.set.b[k]));
  }
  start_turn(&x);
  for (int round = 0; round < ROUNDS; round++) {
    dls_active_set_start(&x.set, x.start);
    /* the round before stands */
    if (!dls_active_set_solve(&x.set, DLS_OVERLAP_NOISE * most, 20 * x.set.n)) break;
    *solved = true;
    follow(&x);
    note_pressed(&x);
    if (bend_lines(&x) == 0) break;
    memcpy(x.start, x.set.z, (size_t)x.set.n * sizeof *x.start);
    start_lines(&x);
  }
  if (*solved) keep_edges(&x);
  dls_arena_release(&S->w->arena, mark);
  return DLS_OK;
}
