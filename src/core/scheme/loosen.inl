/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Friction that depends on the slip speed is taken at the speed before the step. A contact that held is
** therefore solved with the friction of rest; where it gives way in this step it slides in it, and its
** friction is that of the slide: the step is solved once more. Without this every end of a stick is late
** by a step (NS-12: the period of stick-slip by 0.1 to 0.2 % at 1 ms). */

static dls_status loosen(step *S, bool *any) {
  dls_world *w = S->w;
  *any = false;
  for (int k = 0; k < S->rows.n_blocks && S->varies; k++) {
    dls_block *block = &S->rows.block[k];
    if (block->source < 0 || block->asleep || block->n < D || is_plain_block(S, k)) continue;
    dls_contact *c = &w->contacts_next[block->source];
    const double *v = S->rows.v + block->row;
    const double slip = D == 2 ? fabs(v[1]) : sqrt(v[1] * v[1] + v[D - 1] * v[D - 1]);
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
  S->noise = (10 * report->residual + 1e-12) * report->scale;
  status = loosen(S, &again);
  if (status != DLS_OK || !again) return status;
  const dls_solve_report first = *report;
  status = kernels->solve(&S->rows, opts, &S->w->arena, report);
  note_loosened(S);
  report->iterations += first.iterations;
  report->pivots += first.pivots;
  return status;
}
