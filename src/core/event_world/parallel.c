/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/parallel.h"

#include "core/event_world/event_world.h"

#define NEARLY 1e-4  /* of r + r': overlap times sine, below which ends touch          */
#define BACK 2       /* times that: above it the crossing touches again                */
#define EXACT 1e-9   /* rad: axes that strike each other with all ends at once         */
#define SMALL 1e-3   /* sine of axes that may count as parallel, however short         */
#define BESIDE 100   /* times the sine of going over: from here on steps look ahead    */
#define CLOSED 1e-12 /* m: an end whose gap is that of the crossing                 */

enum { ENDS = 4 }; /* contacts behind that of the crossing */

typedef enum shown { BY_ANGLE, BY_CROSSING, BY_ENDS } shown;

static bool is_capsules(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_body *bodies = x->world->bodies;
  if (!contact->pair.crosses && !contact->pair.ends) return false;
  return bodies[contact->a].shape->kind == DLS_SHAPE_CAPSULE &&
         bodies[contact->b].shape->kind == DLS_SHAPE_CAPSULE;
}

/* What the pair touches by whose crossing is contact `first`. */
static shown shown_by(const dls_event_world *x, int first) {
  const dls_event_contact *contacts = x->scheme.contacts + first;
  if (contacts[0].mode != DLS_MODE_OPEN) return BY_CROSSING;
  for (int k = 1; k <= ENDS; k++)
    if (contacts[k].mode != DLS_MODE_OPEN) return BY_ENDS;
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

bool dls_touch_is_elsewhere(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_smooth_pair *pair = &contact->pair;
  bool parallel = false;
  if (!pair->crosses && !pair->ends) return false;
  if (is_capsules(x, contact)) {
    const int first = (int)(contact - x->contacts) - (int)(contact->key - 1);
    const shown by = x->scheme.settled ? shown_by(x, first) : BY_ANGLE;
    if (by != BY_ANGLE) return (by == BY_CROSSING) != pair->crosses;
    const dls_crossing cross = dls_touch_crossing(x, &x->contacts[first], 0);
    return (cross.overlap > 0 && cross.sine2 <= EXACT * EXACT) == pair->crosses;
  }
  for (int k = 0; k < pair->n_axes && !parallel; k++)
    parallel = dls_touch_crossing(x, contact, k).parallel;
  return parallel == pair->crosses;
}

/* Gaps of the pair's contacts that are closed from now on; minus infinity: open. */
static void hand(const dls_event_world *x, int first, const dls_crossing *cross,
                 bool to_ends, double *held) {
  const dls_smooth_contact *contact = &x->contacts[first];
  const double gap = dls_touch_gap(x, contact), d = distance_of(contact);
  const double above = cross->free_on && cross->free_off
                           ? NEARLY * NEARLY * d
                           : 0; /* between ends: all that rest */
  held[0] = to_ends ? -DLS_INF : gap;
  for (int k = 1; k <= ENDS; k++) {
    const double end = dls_touch_gap(x, contact + k);
    if (!to_ends)
      held[k] = x->scheme.contacts[first + k].mode != DLS_MODE_OPEN ? -DLS_INF : DLS_INF;
    else if (end <= gap + above + CLOSED)
      held[k] = end;
  }
}

dls_status dls_parallel_hand(void *ctx, double t, const double *q, double *held,
                             bool *any) {
  dls_event_world *x = ctx;
  *any = false;
  for (int i = 0; i < x->n; i++) held[i] = DLS_INF;
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!contact->pair.crosses || !is_capsules(x, contact)) continue;
    const shown by = shown_by(x, i);
    if (by == BY_ANGLE) continue;
    const dls_status status = dls_event_world_place(x, t, q);
    if (status != DLS_OK) return status;
    const dls_crossing cross = dls_touch_crossing(x, contact, 0);
    const bool near = is_near(&cross, distance_of(contact), by == BY_ENDS ? BACK : 1);
    if (near == (by == BY_ENDS)) continue;
    *any = true;
    hand(x, i, &cross, near, held + i);
  }
  return DLS_OK;
}

double dls_parallel_longest(const dls_event_world *x, double span) {
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!contact->pair.crosses || !is_capsules(x, contact)) continue;
    const shown by = shown_by(x, i);
    if (by == BY_ANGLE) continue;
    const dls_crossing cross = dls_touch_crossing(x, contact, 0);
    if (!(cross.overlap > 0)) continue;
    const double sine = sqrt(cross.sine2),
                 edge = dls_min(SMALL, NEARLY * distance_of(contact) / cross.overlap);
    if (sine > BESIDE * edge) continue;
    const dls_vec3 on = dls_event_motion_of(x, contact->on).v.a,
                   off = dls_event_motion_of(x, contact->off).v.a;
    const double rate = dls_v3_norm(dls_v3_cross(dls_v3_sub(off, on), cross.u));
    const double room = by == BY_ENDS ? (BACK + 1) * edge - dls_min(sine, BACK * edge)
                                      : dls_max(sine, edge);
    if (rate * span > room) span = room / rate;
  }
  return span;
}
