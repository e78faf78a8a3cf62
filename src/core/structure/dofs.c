/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/dofs.h"

void dls_dofs_destroy(dls_dofs *dofs) {
  const size_t n = (size_t)dofs->n_nodes;
  if (dofs->alloc.fn != NULL) {
    dls_free(&dofs->alloc, dofs->number, 3 * n, sizeof *dofs->number);
    dls_free(&dofs->alloc, dofs->block, n + 1, sizeof *dofs->block);
    dls_free(&dofs->alloc, dofs->node_of, 3 * n, sizeof *dofs->node_of);
  }
  memset(dofs, 0, sizeof *dofs);
}

/* Every displacement of a node that anything hangs on counts as present (0), the others as
** absent. */
static void find_present(dls_dofs *dofs, const dls_structure *st) {
  int *number = dofs->number;
  for (int i = 0; i < 3 * st->n_nodes; i++) number[i] = DLS_DOF_ABSENT;
  for (int k = 0; k < st->n_elements; k++) {
    const dls_element *e = &st->elements[k];
    for (int i = 0; i < dls_element_nodes(e); i++) {
      int *own = number + 3 * e->node[i];
      own[0] = own[1] = 0;
      if (e->kind == DLS_ELEMENT_FRAME) own[2] = 0;
    }
  }
  for (int k = 0; k < st->n_springs; k++) {
    int *own = number + 3 * st->springs[k].node;
    own[0] = own[1] = 0;
  }
  for (int k = 0; k < st->n_contacts; k++) {
    const dls_contact_pair *c = &st->contacts[k];
    const int at[3] = {c->a[0], c->a[1], c->b};
    for (int i = 0; i < 3; i++)
      if (at[i] >= 0) number[3 * at[i]] = number[3 * at[i] + 1] = 0;
  }
}

static bool flawed(dls_structure_fault *fault, dls_flaw kind, int node) {
  fault->kind = kind;
  fault->node = node;
  return true;
}

/* Loads where nothing takes them. */
static bool misplaced(const dls_dofs *dofs, const dls_structure *st, dls_structure_fault *fault) {
  for (int i = 0; i < st->n_nodes; i++) {
    const dls_structure_node *node = &st->nodes[i];
    const int *own = dofs->number + 3 * i;
    bool force = false, moment = false;
    for (int g = 0; g < 2; g++) {
      force = force || node->load[g][0] != 0.0 || node->load[g][1] != 0.0;
      moment = moment || node->load[g][2] != 0.0;
    }
    if ((force || moment) && own[0] == DLS_DOF_ABSENT) return flawed(fault, DLS_FLAW_LOADED, i);
    if (moment && own[2] == DLS_DOF_ABSENT) return flawed(fault, DLS_FLAW_MOMENT, i);
  }
  for (int k = 0; k < st->n_springs; k++)
    if (dofs->number[3 * st->springs[k].node + st->springs[k].dof] == DLS_DOF_ABSENT)
      return flawed(fault, DLS_FLAW_SPRING, st->springs[k].node);
  return false;
}

static void count(dls_dofs *dofs, const dls_structure *st) {
  for (int i = 0; i < st->n_nodes; i++) {
    const int before = dofs->n;
    for (int d = 0; d < 3; d++) {
      int *number = &dofs->number[3 * i + d];
      if (*number == DLS_DOF_ABSENT) continue;
      *number = DLS_DOF_HELD;
      if (st->nodes[i].held >> d & 1) continue;
      *number = dofs->n;
      dofs->node_of[dofs->n++] = i;
    }
    if (dofs->n > before) dofs->block[dofs->n_blocks++] = before;
  }
  dofs->block[dofs->n_blocks] = dofs->n;
}

dls_status dls_dofs_number(dls_dofs *dofs, const dls_structure *st, dls_structure_fault *fault) {
  const size_t n = (size_t)st->n_nodes;
  dofs->alloc = st->alloc;
  dofs->n_nodes = st->n_nodes;
  dofs->number = (int *)dls_new(&st->alloc, 3 * n, sizeof *dofs->number);
  dofs->block = (int *)dls_new(&st->alloc, n + 1, sizeof *dofs->block);
  dofs->node_of = (int *)dls_new(&st->alloc, 3 * n, sizeof *dofs->node_of);
  dls_status status = DLS_NOMEM;
  if (dofs->number != NULL && dofs->block != NULL && dofs->node_of != NULL) {
    find_present(dofs, st);
    status = misplaced(dofs, st, fault) ? DLS_ARG : DLS_OK;
  }
  if (status == DLS_OK) count(dofs, st);
  else dls_dofs_destroy(dofs);
  return status;
}
