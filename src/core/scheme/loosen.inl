/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Friction that depends on the slip speed is taken at the speed before the step. A contact that held is
** therefore solved with the friction of rest; where it gives way in this step it slides in it, and its
** friction is that of the slide: the step is solved once more. Without this every end of a stick is late
** by a step (NS-12: the period of stick-slip by 0.1 to 0.2 % at 1 ms). */

/* Speeds that the solve cannot tell from rest. A contact whose friction is within its bound has a residual of at least
** its slip (EQUATIONS G.1.7 with p - rho y inside the cone), so that what is above the worst residual slides. At the
** bound only the finest solve's error is taken for rest. */
static void know_noise(step *S, const dls_solve_report *report) {
  static const double ROUND_OFF = 1e-12, FINEST = 1e-9; /* of the scale of velocities */
  const double error = 10 * report->residual + ROUND_OFF;
  S->noise = error * report->scale;
  S->slips = (slip_bounds){(2 * report->residual + ROUND_OFF) * report->scale, dls_min(error, FINEST) * report->scale};
}

static dls_status loosen(step *S, bool *any) {
  dls_world *w = S->w;
  *any = false;
  for (int k = 0; k < S->rows.n_blocks && S->varies; k++) {
    dls_block *block = &S->rows.block[k];
    if (block->source < 0 || block->asleep || block->n < D || is_plain_block(S, k)) continue;
    dls_contact *c = &w->contacts_next[block->source];
    const double *v = S->rows.v + block->row, *more = S->shift + block->row;
    const double v_1 = v[1] + more[1], v_2 = D == 2 ? 0 : v[D - 1] + more[D - 1], slip = sqrt(v_1 * v_1 + v_2 * v_2);
    if (!(c->mark & DLS_MARK_HELD) || !(S->rows.p[block->row] > 0) || !(slip > S->noise)) continue;
    const dls_material m =
        c->tie >= 0 ? w->ties[c->tie].material : dls_world_material(w, c->a, c->b);
    double mu = c->mu;
    const dls_status status = friction_at(w, &m, slip, &mu);
    if (status != DLS_OK) return status;
    if (mu == c->mu || !(mu > 0)) continue;
    block->mu[0] = mu;
    *any = true;
  }
  return DLS_OK;
}

/* The coefficient used: impacts that came before the forces had that of rest, and the bound is the sum of both. */
static void note_loosened(step *S) {
  const bool impacts = S->w->impact != DLS_IMPACT_NEWTON;
  for (int k = 0; k < S->rows.n_blocks; k++) {
    const dls_block *block = &S->rows.block[k];
    if (block->source < 0 || block->asleep || block->n < D) continue;
    dls_contact *c = &S->w->contacts_next[block->source];
    const double before = impacts ? S->p_impact[block->row] : 0, p = S->rows.p[block->row];
    if (block->mu[0] == c->mu) continue;
    c->mu = before > 0 ? (before * c->mu + p * block->mu[0]) / (before + p) : block->mu[0];
  }
}

/* The rows' solution, with each contact's friction that of what it does. */
static dls_status solve_laws(step *S, const dls_solve_opts *opts, dls_solve_report *report) {
  const dls_rows_kernels *kernels = dls_rows_kernels_of(D);
  dls_status status = kernels->solve(&S->rows, opts, &S->w->arena, report);
  if (status != DLS_OK || !S->varies) return status;
  bool again = false;
  know_noise(S, report);
  status = loosen(S, &again);
  if (status != DLS_OK || !again) return status;
  const dls_solve_report first = *report;
  dls_solve_opts rest = *opts; /* one bound for both */
  rest.max_iterations = (int)dls_max(0, opts->max_iterations - first.work);
  status = kernels->solve(&S->rows, &rest, &S->w->arena, report);
  note_loosened(S);
  report->iterations += first.iterations;
  report->work += first.work;
  report->pivots += first.pivots;
  return status;
}
