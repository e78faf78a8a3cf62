/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/agree.h"

/* E / |A_gg|, and solves with its factor, each of which leaves E / lambda of what the one before
** did; the largest change of c, of the scale; factors, each without the groups that the one before
** left out. */
static const double SOFT = 1e-5, MOST = 1e-2;
enum { SOLVES = 4, FACTORS = 4 };

/* Whether joints give way to the rows of group g: the least pivot of A_gg is no round-off. */
static bool gives_way(const dls_cone_system *sys, int g) {
  static const double FIRM = 1e-4; /* of |A_gg| */
  const int d = sys->dim[g];
  double A[DLS_CONE_ROWS * DLS_CONE_ROWS];
  memcpy(A, sys->diag + sys->diag_at[g], (size_t)(d * d) * sizeof *A);
  for (int k = 0; k < d; k++) {
    if (!(A[k * (d + 1)] > FIRM * sys->norm[g])) return false;
    for (int i = k + 1; i < d; i++)
      for (int j = k + 1; j < d; j++) A[i * d + j] -= A[i * d + k] * A[k * d + j] / A[k * (d + 1)];
  }
  return true;
}

static bool presses(const dls_cone_system *sys, int g, const double *z) {
  const dls_cone_kind kind = sys->groups[g].kind;
  return kind != DLS_CONE_BOX && kind != DLS_CONE_BILATERAL && z[sys->groups[g].row] > 0 &&
         gives_way(sys, g);
}

/* Whether the shift of group g is the force of a spring, which stays. */
static bool is_soft(const dls_cone_system *sys, int g) {
  const double *compliance = sys->problem->compliance;
  return compliance && compliance[sys->groups[g].row] > 0;
}

/* Whether row k of a group that presses can hold: rows of friction have some. */
static bool can_hold(const dls_cone_system *sys, int g, int k) {
  const dls_cone_shape *shape = &sys->shape[g];
  for (int part = 0, at = 1; part < shape->n_parts; at += shape->rows[part], part++)
    if (k >= at && k < at + shape->rows[part]) return shape->mu[part] > 0;
  return true;
}

/* The factor of A + E on the rows of those that are asked, of one on the others. */
static void factor(const dls_cone_system *sys, dls_cone_newton_work *w, const bool *asked) {
  for (int g = 0; g < sys->n_groups; g++) {
    const int d = sys->dim[g], row = sys->groups[g].row;
    double *X = w->X + sys->diag_at[g], *Y = w->Y + sys->diag_at[g];
    for (int k = 0; k < d; k++) {
      const bool holds = asked[g] && can_hold(sys, g, k);
      for (int j = 0; j < d; j++) X[k * d + j] = holds && j == k, Y[k * d + j] = !holds && j == k;
      w->E[row + k] = SOFT * sys->norm[g];
    }
  }
  (void)dls_cone_factor_make(&w->factor, w->X, w->Y, w->E);
}

/* out: of velocities u what those that are asked have, 0 elsewhere. */
static void read_asked(const dls_cone_system *sys, const bool *asked, const double *u,
                       double *out) {
  for (int g = 0; g < sys->n_groups; g++)
    for (int k = 0, i = sys->groups[g].row; k < sys->dim[g]; k++, i++)
      out[i] = asked[g] && can_hold(sys, g, k) ? u[i] : 0;
}

/* w->u_s: what is left of the velocities of those that are asked. */
static void bring_to_rest(const dls_cone_system *sys, dls_cone_newton_work *w, const bool *asked,
                          const double *z, const double *u) {
  factor(sys, w, asked);
  memcpy(w->z_try, z, (size_t)sys->n * sizeof(double));
  read_asked(sys, asked, u, w->u_s);
  for (int turn = 0; turn < SOLVES; turn++) {
    for (int i = 0; i < sys->n; i++) w->dz[i] = -w->u_s[i];
    dls_cone_factor_solve(&w->factor, w->dz);
    for (int i = 0; i < sys->n; i++) w->z_try[i] += w->dz[i];
    dls_cone_system_image(sys, w->z_try, true, w->u_try);
    read_asked(sys, asked, w->u_try, w->u_s);
  }
}

/* Leaves out whose c would change by too much; how many. */
static int leave_out(const dls_cone_system *sys, const double *change, bool *asked) {
  int left = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    double most = 0;
    for (int k = 0; k < sys->dim[g]; k++)
      most = dls_max(most, fabs(change[sys->groups[g].row + k]));
    if (most <= MOST * sys->scale) continue;
    asked[g] = false;
    left++;
  }
  return left;
}

int dls_cone_agree(dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                   const double *u) {
  if (!dls_cone_newton_factor(sys, w)->ready) return 0;
  const size_t mark = dls_arena_mark(w->room);
  bool *asked = DLS_TAKE(w->room, bool, sys->n_groups);
  int made = 0, left = 1;
  if (!asked) return 0;
  for (int g = 0; g < sys->n_groups; g++) asked[g] = presses(sys, g, z);
  for (; left > 0 && made < FACTORS; made++) {
    bring_to_rest(sys, w, asked, z, u);
    left = leave_out(sys, w->u_s, asked);
  }
  for (int g = 0; left == 0 && g < sys->n_groups; g++)
    for (int k = 0, i = sys->groups[g].row; k < sys->dim[g] && !is_soft(sys, g); k++, i++)
      sys->c[i] -= w->u_s[i];
  dls_arena_release(w->room, mark);
  return made;
}
