/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/delassus.h"

#include "core/accelerations/joint_acc.h"
#include "core/accelerations/user_contact.h"
#include "core/base/dim.h"
#include "core/model/records.h"

/* Limits that are reached, or held directions; what holds velocities is no constraint. */
static int joint_rows(const dls_world *w, int index, bool held, dls_acc_row *rows) {
  const int n = dls_joint_acc_rows(w, index, rows);
  int kept = 0;
  for (int k = 0; k < n; k++) {
    if (rows[k].kind == DLS_ROW_BOX || (rows[k].kind == DLS_ROW_BILATERAL) != held) continue;
    rows[kept++] = rows[k];
  }
  return kept;
}

int dls_world_delassus_rows(const dls_world *w) {
  int n = 0;
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  const dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++)
    if (contacts[i].listed) n += w->dim;
  for (int i = 0; i < w->n_joints; i++)
    n += joint_rows(w, i, false, rows) + joint_rows(w, i, true, rows);
  for (int i = 0; i < w->n_gears; i++) n += dls_gear_acc_row(w, i, rows);
  return n;
}

/* A force along d at a point, on the two bodies of a row: sides about the mass centres. */
static int push_pair(const dls_world *w, int a, int b, dls_vec3 point, dls_vec3 d,
                     dls_row_side *out) {
  int n = 0;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? a : b, link = body == 0 ? -1 : w->trees->body_link[body];
    if (link < 0) continue;
    const dls_vec3 force = e == 0 ? dls_v3_neg(d) : d;
    const dls_vec3 arm =
        dls_v3_sub(point, dls_forest_link_centre(w->trees->forest, w->trees->state, link));
    out[n].link = link;
    dls_sp_store(out[n++].j, (dls_spatial){dls_v3_cross(arm, force), force});
  }
  return n;
}

static int push_row(const dls_world *w, const dls_acc_row *row, dls_row_side *out) {
  const int body[4] = {row->a, row->b, row->c, row->d};
  int n = 0;
  for (int e = 0; e < row->n_ends; e++) {
    const int link = body[e] == 0 ? -1 : w->trees->body_link[body[e]];
    const double *j = row->J + e * DLS_NU(w->dim);
    if (link < 0) continue;
    const double flat[6] = {0, 0, j[2], j[0], j[1], 0};
    const double full[6] = {w->dim == 3 ? j[3] : 0, w->dim == 3 ? j[4] : 0, w->dim == 3 ? j[5] : 0,
                            j[0], j[1], j[2]};
    out[n].link = link;
    memcpy(out[n++].j, w->dim == 2 ? flat : full, sizeof flat);
  }
  return n;
}

/* The normal row of a contact by a gap function: along its gradient. */
static dls_status push_gap(dls_world *w, int user, dls_row_side *out, int *n) {
  const dls_user_contact *contact = &w->user_contacts[user];
  dls_acc_row row = {.a = contact->a, .b = contact->b, .n_ends = 2};
  dls_contact now;
  const dls_status status = dls_world_user_gap(w, user, &now, row.J);
  if (status == DLS_OK) *n += push_row(w, &row, out);
  return status;
}

static bool is_by_function(const dls_world *w, const dls_contact *c) {
  return c->user >= 0 && w->user_contacts[c->user].kind == DLS_USER_GAP;
}

static dls_status fill(dls_world *w, int *first, dls_row_side *sides) {
  int at = 0, n_sides = 0;
  first[0] = 0;
  const dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &contacts[i];
    if (!c->listed) continue;
    const dls_vec3 n = dls_v3_load(c->normal), flat = dls_v3(n.y, -n.x, 0);
    const dls_vec3 t1 = w->dim == 2 ? flat : dls_v3_orthogonal(n);
    const dls_vec3 axis[3] = {n, t1, dls_v3_cross(n, t1)};
    for (int k = 0; k < w->dim; k++) {
      dls_status status = DLS_OK;
      if (k == 0 && is_by_function(w, c)) status = push_gap(w, c->user, sides + n_sides, &n_sides);
      else n_sides += push_pair(w, c->a, c->b, dls_v3_load(c->point), axis[k], sides + n_sides);
      if (status != DLS_OK) return status;
      first[++at] = n_sides;
    }
  }
  for (int held = 0; held < 2; held++)
    for (int i = 0; i < w->n_joints; i++) {
      dls_acc_row rows[DLS_JOINT_ACC_ROWS];
      const int n = joint_rows(w, i, held != 0, rows);
      for (int k = 0; k < n; k++) {
        n_sides += push_row(w, &rows[k], sides + n_sides);
        first[++at] = n_sides;
      }
    }
  for (int i = 0; i < w->n_gears; i++) {
    dls_acc_row row;
    if (!dls_gear_acc_row(w, i, &row)) continue;
    n_sides += push_row(w, &row, sides + n_sides);
    first[++at] = n_sides;
  }
  return DLS_OK;
}

dls_status dls_world_delassus(dls_world *w, int n, double *W) {
  dls_trees *t = w->trees;
  dls_status status = dls_trees_factor(w);
  if (status != DLS_OK) return status;
  const size_t n_first = (size_t)n + 1, n_sides = 4 * (size_t)n + 1;
  int *first = dls_new(&w->alloc, n_first, sizeof *first);
  dls_row_side *sides = dls_new(&w->alloc, n_sides, sizeof *sides);
  status = first && sides ? DLS_OK : DLS_NOMEM;
  if (status == DLS_OK) {
    status = fill(w, first, sides);
  }
  if (status == DLS_OK) {
    const dls_forest_rows list = {n, first, sides, NULL, NULL};
    status = dls_arena_reserve(&t->arena, &w->alloc, dls_forest_delassus_bytes(t->forest, &list));
    if (status == DLS_OK) status = dls_forest_delassus(t->forest, t->state, &list, &t->arena, W);
  }
  dls_free(&w->alloc, first, n_first, sizeof *first);
  dls_free(&w->alloc, sides, n_sides, sizeof *sides);
  return status;
}
