/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/model.h"

dls_structure dls_structure_default(const dls_alloc *alloc) {
  return (dls_structure){.alloc = *alloc, .thickness = 1.0};
}

void dls_structure_destroy(dls_structure *st) {
  if (st->alloc.fn != NULL) {
    dls_free(&st->alloc, st->nodes, (size_t)st->node_room, sizeof *st->nodes);
    dls_free(&st->alloc, st->elements, (size_t)st->element_room, sizeof *st->elements);
    dls_free(&st->alloc, st->springs, (size_t)st->spring_room, sizeof *st->springs);
    dls_free(&st->alloc, st->contacts, (size_t)st->contact_room, sizeof *st->contacts);
  }
  memset(st, 0, sizeof *st);
}

#define MOST (INT32_MAX / 8) /* nodes or elements: three numbers a node still count in an int */

/* Room for `more` beyond n, at least half as much again. */
static dls_status grow(const dls_alloc *alloc, void **list, int n, int more, int *room,
                       size_t size) {
  if (more > MOST - n) return DLS_TOOBIG;
  if (n + more <= *room) return DLS_OK;
  const int half = *room + *room / 2 + 8, wanted = n + more > half ? n + more : half;
  const dls_status status = dls_grow(alloc, list, (size_t)*room, (size_t)wanted, size);
  if (status == DLS_OK) *room = wanted;
  return status;
}

dls_status dls_structure_reserve(dls_structure *st, int n_nodes, int n_elements) {
  const dls_status status = grow(&st->alloc, (void **)&st->nodes, st->n_nodes, n_nodes,
                                 &st->node_room, sizeof *st->nodes);
  if (status != DLS_OK) return status;
  return grow(&st->alloc, (void **)&st->elements, st->n_elements, n_elements, &st->element_room,
              sizeof *st->elements);
}

dls_status dls_structure_add_node(dls_structure *st, double x, double y) {
  const dls_status status = dls_structure_reserve(st, 1, 0);
  if (status == DLS_OK) st->nodes[st->n_nodes++] = (dls_structure_node){.at = {x, y}};
  return status;
}

dls_status dls_structure_add_element(dls_structure *st, const dls_element *element) {
  const dls_status status = dls_structure_reserve(st, 0, 1);
  if (status == DLS_OK) st->elements[st->n_elements++] = *element;
  return status;
}

dls_status dls_structure_add_spring(dls_structure *st, const dls_structure_spring *spring) {
  const dls_status status = grow(&st->alloc, (void **)&st->springs, st->n_springs, 1,
                                 &st->spring_room, sizeof *st->springs);
  if (status == DLS_OK) st->springs[st->n_springs++] = *spring;
  return status;
}

dls_status dls_structure_add_contact(dls_structure *st, const dls_contact_pair *contact) {
  const dls_status status = grow(&st->alloc, (void **)&st->contacts, st->n_contacts, 1,
                                 &st->contact_room, sizeof *st->contacts);
  if (status == DLS_OK) st->contacts[st->n_contacts++] = *contact;
  return status;
}

/* A block of its own with n of what `from` holds; n = 0 gives NULL. */
static bool copy_list(const dls_alloc *alloc, const void *from, int n, size_t size, void **to) {
  *to = NULL;
  if (n == 0) return true;
  *to = dls_new(alloc, (size_t)n, size);
  if (*to == NULL) return false;
  memcpy(*to, from, (size_t)n * size);
  return true;
}

dls_status dls_structure_copy(const dls_structure *from, dls_structure *to) {
  const dls_alloc *alloc = &from->alloc;
  *to = *from;
  to->node_room = from->n_nodes;
  to->element_room = from->n_elements;
  to->spring_room = from->n_springs;
  to->contact_room = from->n_contacts;
  void *nodes, *elements, *springs, *contacts;
  bool good = copy_list(alloc, from->nodes, from->n_nodes, sizeof *from->nodes, &nodes);
  good =
      copy_list(alloc, from->elements, from->n_elements, sizeof *from->elements, &elements) && good;
  good = copy_list(alloc, from->springs, from->n_springs, sizeof *from->springs, &springs) && good;
  good =
      copy_list(alloc, from->contacts, from->n_contacts, sizeof *from->contacts, &contacts) && good;
  to->nodes = (dls_structure_node *)nodes;
  to->elements = (dls_element *)elements;
  to->springs = (dls_structure_spring *)springs;
  to->contacts = (dls_contact_pair *)contacts;
  if (good) return DLS_OK;
  dls_structure_destroy(to);
  return DLS_NOMEM;
}
