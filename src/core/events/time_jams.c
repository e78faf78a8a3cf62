/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

#include "core/model/rebounds.h"

/* An island of the set, as it was solved. */
typedef struct solved_island {
  dls_event_scratch *w; /* where the set is */
  int *place;   /* n: in the set                   */
  int n;        /* its contacts                    */
  int n_rows;   /* of these                        */
  double scale; /* m/s: velocities that there are  */
} solved_island;

static bool is_place_jammed(void *of, int i) {
  const solved_island *island = (const solved_island *)of;
  const size_t r = (size_t)island->w->first[island->place[i]];
  return dls_rebounds_is_jammed(island->w->x[r], island->w->G[r * (size_t)island->w->n_rows + r],
                                island->scale);
}

static bool end_rebound_at(void *of, int i) {
  const solved_island *island = (const solved_island *)of;
  const dls_event_scratch *w = island->w;
  const int k = island->place[i];
  double *shift = w->b + w->first[k];
  if (w->timed[w->listed[k]].speculative || !(shift[0] < 0)) return false;
  memset(shift, 0, (size_t)(1 + w->n_tangents[k]) * sizeof *shift);
  return true;
}

/* The island behind whose contacts the place `number` is. */
static void gather_places(solved_island *island, int number) {
  const dls_event_scratch *w = island->w;
  island->n = island->n_rows = 0;
  for (int k = 0; k <= number && w->island[number] == number; k++) {
    if (w->island[k] != number) continue;
    island->place[island->n++] = k;
    island->n_rows += 1 + w->n_tangents[k];
  }
}

/* Whether it missed by far, or has impulses without measure. */
static bool needs_endings(solved_island *island, const dls_cone_problem *p) {
  const dls_event_scratch *w = island->w;
  const double least = DLS_REBOUNDS_FAR * (island->scale > 0 ? island->scale : 1);
  for (int i = 0; i < island->n; i++) {
    const int k = island->place[i], r = w->first[k];
    if (!(dls_cone_group_residual(p, k, w->x + r, w->a + r) <= least) || is_place_jammed(island, i))
      return true;
  }
  return false;
}

static bool any_jams(solved_island *all) {
  for (int i = 0; i < all->n; i++)
    if (is_place_jammed(all, i)) return true;
  return false;
}

dls_status dls_time_end_rebounds(dls_time *x, bool *any) {
  enum { SMALL = 200 }; /* rows: as in worlds, an island up to this is missed for no other reason */
  dls_event_scratch *w = x->e->scratch;
  solved_island island = {.w = w, .place = w->perm, .n = w->n_listed, .scale = x->scale};
  *any = false;
  for (int k = 0; k < w->n_listed; k++) w->island[k] = w->perm[k] = k;
  if (x->residual <= DLS_REBOUNDS_FAR && !any_jams(&island)) return DLS_OK;
  const size_t mark = dls_arena_mark(&x->e->tmp);
  /* the solve left room */
  dls_cone_group *groups = DLS_TAKE(&x->e->tmp, dls_cone_group, w->n_listed);
  if (groups == NULL) return DLS_FULL;
  const dls_cone_problem p = dls_time_cone_problem(w, true, x->scale, groups);
  dls_time_join_islands(w);
  for (int number = 0; number < w->n_listed; number++) {
    gather_places(&island, number);
    if (!needs_endings(&island, &p)) continue;
    const dls_rebounds all = {&island, island.n, is_place_jammed, end_rebound_at};
    *any = dls_rebounds_end(&all, island.n_rows <= SMALL) > 0 || *any;
  }
  dls_arena_release(&x->e->tmp, mark);
  return DLS_OK;
}

static bool is_place_pressed(void *of, int i) {
  const solved_island *island = (const solved_island *)of;
  return island->w->x[island->w->first[island->place[i]]] > 0;
}

/* Whether some rebound that is held is pressed. */
static bool any_pressed(const dls_event_scratch *w) {
  for (int k = 0; k < w->n_listed; k++)
    if (!w->timed[w->listed[k]].speculative && w->b[w->first[k]] < 0 && w->x[w->first[k]] > 0)
      return true;
  return false;
}

int dls_time_end_gains(dls_time *x, bool all) {
  dls_event_scratch *w = x->e->scratch;
  solved_island island = {.w = w, .place = w->perm};
  int ends = 0;
  if (!any_pressed(w) || !dls_time_gains(x)) return 0;
  for (int number = 0; number < w->n_listed; number++) {
    gather_places(&island, number);
    const dls_rebounds of = {&island, island.n, is_place_pressed, end_rebound_at};
    ends += all ? dls_rebounds_end_all(&of) : dls_rebounds_end(&of, true);
  }
  return ends;
}
