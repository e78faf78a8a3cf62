/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/parallel.h"

#include "core/event_world/event_world.h"

#define NEARLY 1e-4  /* of r + r': overlap times sine, below which ends touch          */
#define BACK 2       /* times that: above it the crossing touches again                */
#define FAR 4        /* times that: a step that goes past BACK ends below it (span: BACK + 1) */
/* v^2/d of an end that bears, of the acceleration that presses it on. Without this the ends of a
** capsule that spins on a box's edge at 2 rad/s bounce 1,600 times; with 1e-4 crossings go on to
** angles where round-off of places is a slip of 1e-7 m/s (event_world_parallel_spec,
** event_world_past_parallel_spec). From 0.03 to 0.3 nothing changes */
#define SLOW 0.1
#define EXACT 1e-9   /* rad: axes that strike each other with all ends at once         */
#define SMALL 1e-3   /* sine of axes that may count as parallel, however short         */
#define BESIDE 100   /* times the sine of going over: from here on steps look ahead    */
/* Of r + r': round-off of the gap between axes. 3e-15 to 3e-14: with less and more logs are lost
** (event_world_past_parallel_spec) */
#define ROUND 1e-14
#define CLOSED 1e-12 /* m: an end whose gap is that of the crossing                 */

typedef enum shown { BY_ANGLE, BY_CROSSING, BY_ENDS } shown;

/* The crossing in whose place this contact is; itself. */
static const dls_smooth_contact *crossing_of(const dls_smooth_contact *contact) {
  return contact->pair.ends ? contact - (contact->key - 1) : contact;
}

/* Whether the contacts in its place are there for nothing else. */
static bool owns_ends(const dls_smooth_contact *crossing) {
  return crossing[crossing->pair.place[0]].pair.ends;
}

static bool is_closed(const dls_event_world *x, const dls_smooth_contact *contact) {
  return x->scheme.contacts[contact - x->contacts].mode != DLS_MODE_OPEN;
}

/* What a pair touches by that has this crossing. */
static shown shown_by(const dls_event_world *x, const dls_smooth_contact *crossing) {
  const dls_smooth_pair *pair = &crossing->pair;
  if (is_closed(x, crossing)) return BY_CROSSING;
  for (int k = 0; k < pair->n_places; k++)
    if (is_closed(x, crossing + pair->place[k])) return BY_ENDS;
  return BY_ANGLE;
}

static double distance_of(const dls_smooth_contact *contact) {
  return contact->pair.radius + contact->pair.surface.radius;
}

/* Whether the axes are parallel but for `times` the angle of going over. */
static bool is_near(const dls_crossing *cross, double d, double times) {
  const double sine = sqrt(cross->sine2);
  return cross->overlap > 0 && sine <= SMALL &&
         sine * cross->overlap <= times * NEARLY * d;
}

double dls_parallel_round_off(void *ctx, int i) {
  const dls_smooth_contact *contact = &((const dls_event_world *)ctx)->contacts[i];
  return contact->pair.crosses ? ROUND * distance_of(contact) : 0;
}

bool dls_touch_is_elsewhere(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_smooth_pair *pair = &contact->pair;
  if (!pair->crosses && !pair->ends) return false;
  const dls_smooth_contact *crossing = crossing_of(contact);
  const shown by = x->scheme.settled ? shown_by(x, crossing) : BY_ANGLE;
  if (by == BY_CROSSING) return !pair->crosses;
  if (by == BY_ENDS && owns_ends(crossing)) return pair->crosses;
  const dls_crossing cross = dls_touch_crossing(x, crossing);
  const bool parallel = by == BY_ENDS ? is_near(&cross, distance_of(crossing), FAR)
                                      : cross.overlap > 0 && cross.sine2 <= EXACT * EXACT;
  return parallel == pair->crosses;
}

static dls_vec3 turning(const dls_event_world *x, const dls_smooth_contact *crossing) {
  return dls_v3_sub(dls_event_motion_of(x, crossing->off).v.a,
                    dls_event_motion_of(x, crossing->on).v.a);
}

/* rad/s, of the axes against each other; where bodies move, as the next. */
static double rate_of(const dls_event_world *x, const dls_smooth_contact *crossing,
                      const dls_crossing *cross) {
  return dls_v3_norm(dls_v3_cross(turning(x, crossing), cross->u));
}

/* Whether the sine grows. */
static bool turn_apart(const dls_event_world *x, const dls_smooth_contact *crossing,
                       const dls_crossing *cross) {
  const double cosine = dls_v3_dot(cross->u, cross->v);
  return cosine * dls_v3_dot(turning(x, crossing), dls_v3_cross(cross->u, cross->v)) > 0;
}

/* Gaps of the ends, above that of the crossing, that are those of axes which are nearly
** parallel. */
static double above(const dls_smooth_contact *crossing, double times) {
  return times * times * NEARLY * NEARLY * distance_of(crossing) + CLOSED;
}

/* Gaps of the crossing (held[0]) and of what is in its place that are closed from now on; minus
** infinity: open. */
static void hand(const dls_event_world *x, const dls_smooth_contact *crossing,
                 const dls_crossing *cross, bool to_ends, double *held) {
  const dls_smooth_pair *pair = &crossing->pair;
  const double gap = dls_touch_gap(x, crossing);
  /* between ends: all that rest */
  const double rest = cross->free_on && cross->free_off ? above(crossing, 1) : CLOSED;
  held[0] = to_ends ? -DLS_INF : gap;
  for (int k = 0; k < pair->n_places; k++) {
    const dls_smooth_contact *end = crossing + pair->place[k];
    const double at = dls_touch_gap(x, end);
    if (to_ends && !is_closed(x, end) && at <= gap + rest) held[pair->place[k]] = at;
    if (!to_ends && is_closed(x, end) && (end->pair.ends || at <= gap + above(crossing, FAR)))
      held[pair->place[k]] = -DLS_INF;
  }
}

/* Whether the crossing, not one of the ends, is what touches. */
static bool has_come(const dls_event_world *x, const dls_smooth_contact *crossing,
                     const dls_crossing *cross) {
  const dls_smooth_pair *pair = &crossing->pair;
  if (owns_ends(crossing)) return true;
  if (!cross->free_on || !cross->free_off || !is_near(cross, distance_of(crossing), FAR))
    return false;
  if (!turn_apart(x, crossing, cross)) return false;
  const double gap = dls_touch_gap(x, crossing);
  for (int k = 0; k < pair->n_places; k++) {
    const dls_smooth_contact *end = crossing + pair->place[k];
    const double over = is_closed(x, end) ? dls_touch_gap(x, end) - gap : DLS_INF;
    if (over >= -CLOSED && over <= above(crossing, FAR)) return true;
  }
  return false;
}

/* Whether one of its contacts has been handed over already. */
static bool is_handed(const dls_smooth_contact *crossing, const double *held) {
  for (int k = 0; k < crossing->pair.n_places; k++)
    if (held[crossing->pair.place[k]] < DLS_INF) return true;
  return false;
}

/* Whether an end would bear while the axes turn past each other: what takes it off, v^2/d, is
** little beside what presses it on without contacts. */
static dls_status look_at_ends(dls_event_world *x, const dls_smooth_contact *crossing,
                               const dls_crossing *cross, double t, const double *q,
                               const double *u, bool *bear) {
  dls_status status = dls_event_world_accelerate(x, t, q, u);
  *bear = false;
  const dls_vec3 about = turning(x, crossing);
  for (int k = 0; k < crossing->pair.n_places && status == DLS_OK && !*bear; k++) {
    const dls_smooth_contact *end = crossing + crossing->pair.place[k];
    const dls_smooth_touch at = dls_event_world_touch(x, end);
    double a[3] = {0};
    if (!is_closed(x, end) && at.gap.gap > dls_touch_gap(x, crossing) + above(crossing, 1))
      continue;
    status = dls_touch_accelerations(x, end, &at, a);
    const double v = dls_v3_dot(about, at.n) * dls_v3_dot(dls_v3_sub(at.C, cross->on), cross->u);
    const double off = v * v / distance_of(crossing);
    *bear = off < SLOW * (off - a[0]);
  }
  return status;
}

dls_status dls_parallel_hand(void *ctx, double t, const double *q, const double *u, double *held,
                             bool *any) {
  dls_event_world *x = ctx;
  *any = false;
  for (int i = 0; i < x->n; i++) held[i] = DLS_INF;
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!contact->pair.crosses) continue;
    const shown by = shown_by(x, contact);
    if (by == BY_ANGLE) continue;
    dls_status status = dls_event_world_move(x, t, q, u);
    if (status != DLS_OK) return status;
    const dls_crossing cross = dls_touch_crossing(x, contact);
    const bool near = is_near(&cross, distance_of(contact), by == BY_ENDS ? BACK : 1);
    if (near == (by == BY_ENDS) || is_handed(contact, held + i)) continue;
    if (by == BY_ENDS && !has_come(x, contact, &cross)) continue;
    bool bear = true;
    if (near) status = look_at_ends(x, contact, &cross, t, q, u, &bear);
    if (status != DLS_OK) return status;
    if (!bear) continue;
    *any = true;
    hand(x, contact, &cross, near, held + i);
  }
  return DLS_OK;
}

double dls_parallel_longest(const dls_event_world *x, double span) {
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!contact->pair.crosses) continue;
    const shown by = shown_by(x, contact);
    if (by == BY_ANGLE) continue;
    const dls_crossing cross = dls_touch_crossing(x, contact);
    if (!(cross.overlap > 0)) continue;
    const double sine = sqrt(cross.sine2), d = distance_of(contact),
                 edge = dls_min(SMALL, NEARLY * d / cross.overlap);
    if (sine > (by == BY_ENDS ? FAR : BESIDE) * edge) continue;
    if (by == BY_ENDS && dls_touch_gap(x, contact) > d) continue;
    const double rate = rate_of(x, contact, &cross);
    const double room = by == BY_ENDS ? (BACK + 1) * edge - dls_min(sine, BACK * edge)
                                      : dls_max(sine, edge);
    if (rate * span > room) span = room / rate;
  }
  return span;
}
