/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/step/division.h"

#include "core/ways/ways_swept.h"

/* Of a whole step as many as let nobody turn far in one; of parts so many times as many. */
static int parts_of(const dls_division *division, int fewest) {
  static const double LITTLE = 0.15; /* rad in a part */
  enum { MOST = 32, FINER = 4 };
  if (division->parts > 1) return FINER * division->parts;
  return (int)dls_clamp(division->turned / LITTLE + 1, fewest, MOST);
}

/* For what the step led through. */
static void want(dls_division *division, int n) {
  division->wanted = n;
  division->unsolved = false;
}

void dls_judge_solve(const dls_step *S, const dls_contact_stage *C, dls_division *division) {
  /* Of the steps so far one in RARE, and FIRST, may have missed (with 20 and 5, 216 balls that
  ** creep at 1/240 s, which miss a tenth in halves, too, take 1.65 of the time; walls, bricks,
  ** balls under a crate: the same). Blocks: of more than MANY there are no halves (struck walls
  ** have 740; 125 boxes jammed in a pit 1,500 and more, and miss in halves); of up to FEW halves
  ** are halved (five ragdolls miss 1 of 9,000 steps without). */
  enum { RARE = 100, FIRST = 3, MANY = 1200, FEW = 100, HALVES = 2 };
  const dls_world *w = S->w;
  const int n = S->rows.n_blocks;
  if (w->work.bounded || w->solve.method != DLS_SOLVE_AUTO || w->stats.unconverged == 0) return;
  const bool rare = RARE * w->n_unconverged <= w->steps + RARE * FIRST;
  const bool whole = division->parts == 1, half = division->unsolved && division->parts == HALVES;
  if (!(whole && rare && C->n_contacts > 0 && n <= MANY) && !(half && n <= FEW)) return;
  division->unsolved = true;
  division->wanted = HALVES * division->parts;
}

/* Fewest parts of a step in which something passes by turning, and of one in which something sank
** in that no projection takes out. */
enum { FEW_TURNED = 2, FEW_SUNK = 4 };

dls_status dls_judge_places(const dls_step *S, dls_ways *ways, bool sank, dls_division *division) {
  /* rad in a step, in a part. 800 seeds of passing_whirl_spec: none passes with FAR 0.1 to 0.5
  ** (with 1 one does), NEAR up to 0.1, LITTLE 0.08 to 0.6, FINER 2 to 8 */
  static const double FAR = 0.25, NEAR = 0.02;
  enum { SUNK_MOST = 16 }; /* who still sinks in parts of these is crushed */
  sank = sank && division->parts < SUNK_MOST;
  if (division->unjudged || S->w->work.bounded || (S->w->stats.infeasible && !sank)) return DLS_OK;
  const dls_ways_outcome out = {.u = S->u_n, .u_free = S->u_smooth, .q_n = S->q_n};
  const bool whole = division->parts == 1 || division->unsolved;
  dls_ways_verdict verdict;
  const dls_status status = dls_ways_judge(ways, &out, whole ? FAR : NEAR, whole, &verdict);
  if (status != DLS_OK) return status;
  division->turned = verdict.turned;
  if (sank || verdict.passed) want(division, parts_of(division, sank ? FEW_SUNK : FEW_TURNED));
  return DLS_OK;
}

/* The mean velocity of what moves freely, before the step. */
static dls_vec3 mean_velocity(const dls_step *S) {
  const dls_world *w = S->w;
  double mass = 0, v[3] = {0, 0, 0};
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_free(w, i)) continue;
    const double m = dls_mass_at(w, i);
    mass += m;
    for (int k = 0; k < S->dim; k++) v[k] += m * DLS_U(S, w->u, i)[k];
  }
  return mass > 0 ? dls_v3_scale(1 / mass, dls_v3_load(v)) : dls_v3(0, 0, 0);
}

/* What the step turned over, J, as seen by who goes along with the mean velocity: the same in every
** frame; at least what gravity makes of rest. *far: the longest way of a body there, by half its
** least extent. */
static double turned_over(const dls_step *S, const dls_ledger *l, double *far) {
  const dls_world *w = S->w;
  const dls_vec3 mean = mean_velocity(S), g = dls_v3_load(w->gravity);
  const double along[3] = {mean.x, mean.y, mean.z};
  double sum = fabs(l->correction) + fabs(l->friction) + fabs(l->impact) + fabs(l->damping) +
               fabs(l->stored) + fabs(l->springs);
  *far = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_free(w, i)) continue;
    const double m = dls_mass_at(w, i), *u = DLS_U(S, w->u, i), *u_n = DLS_U(S, S->u_n, i);
    double kinetic = dls_kinetic_at(w, i, DLS_Q(S, S->q_n, i), u_n) -
                     dls_kinetic_at(w, i, DLS_Q(S, w->q, i), u);
    double potential = dls_potential_at(w, i, DLS_Q(S, S->q_n, i)) -
                       dls_potential_at(w, i, DLS_Q(S, w->q, i)) + m * S->h * dls_v3_dot(g, mean);
    double before = 0, after = 0;
    for (int k = 0; k < S->dim; k++) {
      kinetic -= m * along[k] * (u_n[k] - u[k]);
      before += (u[k] - along[k]) * (u[k] - along[k]);
      after += (u_n[k] - along[k]) * (u_n[k] - along[k]);
    }
    sum += fabs(kinetic) + fabs(potential) + 0.5 * m * S->h * S->h * dls_v3_dot(g, g);
    const dls_body *body = &w->bodies[i];
    const double girth = body->disk_radius > 0 ? body->disk_radius
                         : body->shape         ? dls_shape_girth(body->shape)
                                               : DLS_INF;
    *far = dls_max(*far, S->h * sqrt(dls_max(before, after)) / girth);
  }
  return sum;
}

/* In a step as long as bodies, who is stopped is met by those behind it in the next one only: a
** pile that falls may be held up by projections alone, falling on. Shares of what the step turned
** over: what they give, and by how much that is more than all that was lost. In the parts nobody
** goes farther than FAR, so these are not judged again. */
void dls_judge_lift(const dls_step *S, const dls_ledger *l, dls_division *division) {
  /* FAR by half of a body's least extent. 100 funnels and 15 pits of lifted_spec, dominoes in a
  ** spiral (bench/everyday.lua): none gains 1e-3 with GIVEN 0.05 to 0.4 (pits are given 0.03 to
  ** 0.15 of their energy, 0.07 as it is), GAINED 0.003 to 0.03 (0.1: the spiral gains 0.015), FAR
  ** 0.1 to 0.5 (1: a funnel gains 0.008; 0: steps of a cloth of ropes take 57 ms for 5) */
  static const double GIVEN = 0.1, GAINED = 0.01, FAR = 0.25;
  enum { LIFT_MOST = 16 };
  const dls_world *w = S->w;
  if (division->unjudged || w->work.bounded || w->stats.infeasible || !(l->correction > 0)) return;
  const double lost = dls_max(l->friction, 0) + dls_max(l->impact, 0) + dls_max(l->damping, 0);
  double far;
  const double turned = turned_over(S, l, &far);
  if (far > FAR && (l->correction > GIVEN * turned || l->correction - lost > GAINED * turned))
    want(division, division->parts * (int)dls_min(ceil(far / FAR), LIFT_MOST));
}
