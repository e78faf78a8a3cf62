/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/dim.h"
#include "core/joints/trees.h"
#include "core/model/material.h"
#include "core/world/state.h"

/* What is there moves up into the places of what was taken out, in its order; whatever names a
** place follows. */

/* The place that a body, a hand-made contact gets: slots have them already, elements have not
** moved. */
static int place_of_body(const dls_world *w, int i) {
  return w->body_slots.slot[w->bodies[i].slot].place;
}
static int place_of_user(const dls_world *w, int i) {
  return w->user_contact_slots.slot[w->user_contacts[i].slot].place;
}

static void follow(const dls_world *w, int *a, int *b) {
  *a = place_of_body(w, *a);
  *b = place_of_body(w, *b);
}

/* Events outlive their bodies, whose places nobody else has had until here. */
static void follow_event(const dls_world *w, int32_t *body) {
  if (*body < 0 || *body == DLS_GONE) return;
  const bool there = *body < w->n_bodies && w->bodies[*body].alive;
  *body = there ? place_of_body(w, *body) : DLS_GONE;
}

static void follow_bodies(dls_world *w) {
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) follow(w, &w->springs[i].a, &w->springs[i].b);
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive) follow(w, &w->user_contacts[i].a, &w->user_contacts[i].b);
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive) follow(w, &w->joints[i].a, &w->joints[i].b);
  bool paired = false;
  for (int i = 0; i < w->n_pairings; i++) {
    if (!w->pairings[i].of_bodies) continue;
    follow(w, &w->pairings[i].a, &w->pairings[i].b);
    paired = true;
  }
  if (paired) dls_pairings_list(w);
  dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++) follow(w, &contacts[i].a, &contacts[i].b);
  dls_records_changed(w);
  for (int i = 0; i < w->n_events; i++) {
    follow_event(w, &w->events[i].a);
    follow_event(w, &w->events[i].b);
  }
}

void dls_bodies_move_up(dls_world *w) {
  const dls_placed_array bodies = {w->bodies, sizeof *w->bodies, w->n_bodies};
  const size_t q = (size_t)DLS_NQ(w->dim) * sizeof *w->q, u = (size_t)DLS_NU(w->dim) * sizeof *w->u;
  if (w->body_slots.n_gaps == 0) return;
  const int n = dls_slots_number(&w->body_slots, &bodies);
  follow_bodies(w);
  dls_slots_move_up(w->q, q, &bodies);
  dls_slots_move_up(w->q_before, q, &bodies);
  dls_slots_move_up(w->u, u, &bodies);
  dls_slots_move_up(w->load, u, &bodies);
  dls_slots_move_up(w->bodies, sizeof *w->bodies, &bodies);
  w->n_bodies = n;
  w->columns.known = false;
  dls_broad_reset(&w->broad);
  dls_trees_moved(w);
  dls_bodies_skin(w);
}

void dls_springs_move_up(dls_world *w) {
  const dls_placed_array springs = {w->springs, sizeof *w->springs, w->n_springs};
  if (w->spring_slots.n_gaps == 0) return;
  const int n = dls_slots_number(&w->spring_slots, &springs);
  dls_slots_move_up(w->springs, sizeof *w->springs, &springs);
  w->n_springs = n;
}

void dls_user_contacts_move_up(dls_world *w) {
  const dls_placed_array users = {w->user_contacts, sizeof *w->user_contacts, w->n_user_contacts};
  if (w->user_contact_slots.n_gaps == 0) return;
  const int n = dls_slots_number(&w->user_contact_slots, &users);
  dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++)
    if (contacts[i].user >= 0) contacts[i].user = place_of_user(w, contacts[i].user);
  dls_records_changed(w);
  for (int i = 0; i < w->n_events; i++) {
    int32_t *user = &w->events[i].user;
    if (*user < 0 || *user == DLS_GONE) continue;
    *user = *user < w->n_user_contacts && w->user_contacts[*user].alive ? place_of_user(w, *user)
                                                                        : DLS_GONE;
  }
  dls_slots_move_up(w->user_contacts, sizeof *w->user_contacts, &users);
  w->n_user_contacts = n;
}

bool dls_world_has_gaps(const dls_world *w) {
  return (w->body_slots.n_gaps | w->joint_slots.n_gaps | w->spring_slots.n_gaps |
          w->user_contact_slots.n_gaps | w->gear_slots.n_gaps) != 0;
}

void dls_world_move_up(dls_world *w) {
  if (w->stepping || !dls_world_has_gaps(w)) return;
  dls_gears_move_up(w);
  dls_joints_move_up(w);
  dls_springs_move_up(w);
  dls_user_contacts_move_up(w);
  dls_bodies_move_up(w);
}
