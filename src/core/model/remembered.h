/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_REMEMBERED_H
#define DLS_MODEL_REMEMBERED_H

#include "core/model/records.h"

/* Contacts of the last step, found again: sorted by (a, b, key), and asked for in this order. In
** the plane their pairs are a column (dls_warm_columns). */

/* Whether contact i of the last step was made by hand: such stand first. */
static inline bool dls_is_user_contact(const dls_world *w, int i) {
  if (i >= w->n_contacts) return false;
  return w->dim == 2 ? w->warm.pair[i] == 0 : w->contacts[i].user >= 0;
}

static inline int dls_count_user_contacts(const dls_world *w) {
  int n = 0;
  while (dls_is_user_contact(w, n)) n++;
  return n;
}

/* Plane: the key of contact i. */
static inline uint64_t dls_key_at(const dls_world *w, int i) {
  return w->warm.start[i].how & DLS_START_KEYED ? w->contacts[i].key : 0;
}

/* The number of the contact (a, b, key), -1: there was none. *at: from where on to look;
** follows. */
static inline int dls_number_of_2(const dls_world *w, int *at, int a, int b, uint64_t key) {
  const uint64_t *pair = w->warm.pair, word = dls_pair_word(a, b);
  int i = *at;
  if (w->n_contacts == 0) return -1;
  while (pair[i] < word || (pair[i] == word && dls_key_at(w, i) < key)) i++;
  *at = i;
  return pair[i] == word && dls_key_at(w, i) == key ? i : -1;
}

static inline int dls_number_of_3(const dls_world *w, int *at, int a, int b, uint64_t key) {
  while (*at < w->n_contacts) {
    const dls_contact *c = &w->contacts[*at];
    if (c->a > a || (c->a == a && (c->b > b || (c->b == b && c->key >= key)))) break;
    ++*at;
  }
  if (*at >= w->n_contacts) return -1;
  const dls_contact *c = &w->contacts[*at];
  return c->a == a && c->b == b && c->key == key ? *at : -1;
}

/* That contact; NULL: there was none. */
static inline const dls_contact *dls_remembered(const dls_world *w, int *at, int a, int b,
                                                uint64_t key) {
  const int i = w->dim == 2 ? dls_number_of_2(w, at, a, b, key) : dls_number_of_3(w, at, a, b, key);
  return i >= 0 ? dls_contact_at(w, i) : NULL;
}

/* Whether the last step had contacts of the pair, no key of which was asked for yet. */
static inline bool dls_remembers(const dls_world *w, int *at, int a, int b) {
  (void)dls_remembered(w, at, a, b, 0);
  if (w->dim == 2) return w->n_contacts > 0 && w->warm.pair[*at] == dls_pair_word(a, b);
  return *at < w->n_contacts && w->contacts[*at].a == a && w->contacts[*at].b == b;
}

/* The contact of the last step that was made by hand under a number; NULL: there was none. */
static inline const dls_contact *dls_remembered_user(const dls_world *w, int user) {
  for (int i = 0; dls_is_user_contact(w, i); i++)
    if (w->contacts[i].user == user) return &w->contacts[i];
  return NULL;
}

#endif
