/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* Slow slip in space. Friction turns with the direction of a slip v_T at a rate mu lambda_N G_TT /
** |v_T|: where the speed changes more slowly than that, the direction follows the one that friction
** and the other forces agree on, and the equations are stiff in it. Such steps are made by an
** implicit method (ode/radau.h), whose stiff directions are these of each contact:
**
**     d udot / d u  =  sum  (d udot / d phi) (d_perp' J_T / |v_T|),   phi the direction's angle */

/* turns of a direction, as it follows, in dt: from here on stiff */
#define STIFF 20.0
/* of dt: steps that a direction may keep short */
#define SMALL 0.01
/* rad: difference for derivatives by a direction's angle */
#define TURN 1e-6
/* corrections of a direction that a slip begins in */
#define AIMS 30

/* Whether contact k of the set slides in space and friction acts. */
static bool turns(const dls_event_scheme *e, int k) {
  const dls_event_scratch *w = e->scratch;
  const int i = w->listed[k];
  return w->n_tangents[k] == 2 && e->contacts[i].mode == DLS_MODE_SLIP &&
         w->mu[k] * w->now[w->rows[w->first[k]]] > 0;
}

/* mu lambda_N G_TT: how fast, times the speed, the direction of contact k follows, with those that
** slide along: contacts that are one share its force. */
static double pull_of(const dls_event_scheme *e, int k) {
  const dls_event_scratch *w = e->scratch;
  const size_t n = (size_t)w->n_rows, r = (size_t)w->first[k];
  double sum = 0;
  for (int l = 0; l < w->n_listed; l++) {
    const size_t s = (size_t)w->first[l];
    if (l != k && !turns(e, l)) continue;
    const double G = 0.5 * (w->G[(r + 1) * n + s + 1] + w->G[(r + 2) * n + s + 2]);
    if (l == k || G > 0) sum += w->mu[l] * w->now[w->rows[s]] * G;
  }
  return sum;
}

/* Accelerations along the tangents of contact k, of udot. */
static void tangential(const dls_event_scheme *e, int k, const double *udot, double *a) {
  const dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  for (int j = 0; j < 2; j++) {
    const int r = w->rows[w->first[k] + 1 + j];
    a[j] = s->wbar[r];
    for (int l = 0; l < s->n; l++) a[j] += dls_system_row(s, r)[l] * udot[l];
  }
}

/* Directions of slips that begin: those in which they then go. */
static dls_status aim(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  for (int round = 0; round < AIMS; round++) {
    double off = 0;
    const dls_status status = dls_event_smooth(e, e->t, e->q, e->u, w->udot);
    if (status != DLS_OK) return status;
    for (int k = 0; k < w->n_listed; k++) {
      const int i = w->listed[k];
      double *d = w->direction + 2 * i, a[2], next[2];
      if (!turns(e, k) ||
          dls_disk_length(2, e->system->v + w->rows[w->first[k]] + 1) > dls_event_noise(e))
        continue;
      const double pull = pull_of(e, k);
      tangential(e, k, w->udot, a);
      for (int j = 0; j < 2; j++) next[j] = pull * w->slip[2 * k + j] + a[j];
      const double size = dls_disk_length(2, next);
      if (!(size > 0.1 * pull)) continue;
      for (int j = 0; j < 2; j++) {
        off = dls_max(off, fabs(next[j] / size - d[j]));
        d[j] = e->contacts[i].slip[j] = next[j] / size;
      }
    }
    if (!(off > 1e-15)) break;
  }
  return DLS_OK;
}

/* Columns and rows of the contacts that turn, at (t, q, u). */
static dls_status columns(void *scheme, double t, const double *q, const double *u, int *n,
                          double *column, double *row, double *drift) {
  dls_event_scheme *e = (dls_event_scheme *)scheme;
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  const size_t nu = (size_t)s->n;
  *n = 0;
  dls_status status = dls_event_smooth(e, t, q, u, w->udot);
  for (int k = 0; k < w->n_listed && status == DLS_OK && *n < w->radau.room; k++) {
    double *slip = w->slip + 2 * k, *out = column + (size_t)*n * nu, *along = row + (size_t)*n * nu,
           d[2];
    const double speed = turns(e, k) ? dls_event_slip_direction(e, w->listed[k], d) : 0;
    if (!(speed > 0)) continue;
    slip[0] -= TURN * d[1], slip[1] += TURN * d[0];
    dls_event_respond(e, out);
    slip[0] = d[0], slip[1] = d[1];
    for (size_t l = 0; l < nu; l++) out[l] = (out[l] - w->udot[l]) / TURN;
    const double *t1 = dls_system_row(s, w->rows[w->first[k] + 1]),
                 *t2 = dls_system_row(s, w->rows[w->first[k] + 2]);
    for (size_t l = 0; l < nu; l++) along[l] = (d[0] * t2[l] - d[1] * t1[l]) / speed;
    drift[*n] =
        (d[0] * s->wbar[w->rows[w->first[k] + 2]] - d[1] * s->wbar[w->rows[w->first[k] + 1]]) /
        speed;
    ++*n;
  }
  return status;
}

/* Room for as many contacts as turn. */
static dls_status make_room(dls_event_scheme *e, int n) {
  dls_event_scratch *w = e->scratch;
  if (n <= w->radau.room) return DLS_OK;
  const int room = n + n / 2;
  const size_t bytes = dls_bytes_add(dls_radau_bytes(e->system->nq, e->system->n, room), DLS_ALIGN);
  const dls_status status = dls_arena_reserve(&w->stiff, &e->alloc, bytes);
  if (status != DLS_OK) return status;
  dls_arena_release(&w->stiff, 0);
  return dls_radau_begin(&w->radau, &e->ode, room, &w->stiff);
}

dls_status dls_event_judge(dls_event_scheme *e, bool *stiff) {
  dls_event_scratch *w = e->scratch;
  bool slides = false;
  *stiff = false;
  for (int i = 0; i < e->system->n_contacts; i++)
    slides = slides || (e->contacts[i].mode == DLS_MODE_SLIP && e->system->n_tangents[i] == 2);
  if (!slides) return DLS_OK;
  dls_status status = aim(e);
  int n = 0;
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    double a[2];
    if (!turns(e, k)) continue;
    n++;
    tangential(e, k, w->udot, a);
    const double *v = e->system->v + w->rows[w->first[k]] + 1, speed = dls_disk_length(2, v),
                 pull = pull_of(e, k);
    const double along = fabs(a[0] * w->slip[2 * k] + a[1] * w->slip[2 * k + 1]), dt = e->opts.dt;
    const bool limits =
        e->next_dt > 0 && e->next_dt < SMALL * dt && pull * e->next_dt > 0.3 * speed;
    *stiff = *stiff || (speed > 0 && (limits || pull * dt > STIFF * (speed + along * dt)));
  }
  if (status != DLS_OK || !*stiff) return status;
  status = make_room(e, n);
  w->radau.run = &e->ode, w->radau.ctx = e, w->radau.stiff = columns;
  return status;
}
