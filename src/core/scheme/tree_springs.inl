/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Springs and dampers inside trees: rows on single velocities (spring_law.h), eliminated into the factor
** (forest/soft.h). Everything else that acts on trees in the step sees the answer with them. */

/* A bound of J M^-1 J' along the coordinates of a joint, by its two bodies as if nothing else held them. */
static double most_give(const step *S, const dls_joint *joint) {
  double sum = 0;
  if (joint->kind != DLS_KIND_SPHERICAL &&
      (joint->n_motions != 1 || joint->motions[0].kind != DLS_MOTION_ROTATE)) return DLS_INF;
  for (int e = 0; e < 2; e++) {
    const dls_body *body = &S->w->bodies[e == 0 ? joint->a : joint->b];
    if (!moves_freely(body)) continue;
    if (!(body->mass > 0)) return DLS_INF;
#if D == 2
    sum += body->inverse[0];
#else
    sum += body->inverse[0] + body->inverse[4] + body->inverse[8]; /* the trace: no direction has more */
#endif
  }
  return sum;
}

/* Whether all springs are resolved by that bound, which t->mean then holds; else it is the diagonal of M^-1. The
** factor at hand is that of M. */
static dls_status find_gives(step *S) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  bool resolved = true;
  for (int k = 0; k < t->n_links; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !has_spring(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    const double most = most_give(S, joint);
    for (int i = 0; i < t->forest->links[k].nu; i++) t->mean[t->forest->links[k].iu + i] = most;
    resolved = resolved && S->h * most * (joint->damping + S->h * joint->stiffness) < 1;
  }
  return resolved ? DLS_OK : dls_forest_mobility(t->forest, t->state, &w->arena, t->mean);
}

/* The deflections of a link's joint, as the law takes them: see springs.inl. */
static void deflections(const step *S, int k, double x[6]) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  const dls_link_info *info = &t->forest->links[k];
  const int index = t->link_joint[k];
  const dls_joint *joint = &w->joints[index];
  for (int i = 0; i < info->nu; i++)
    x[i] = w->joint_state[index].q[i] - (S->theta - 0.5) * S->h * t->state->u[info->iu + i];
#if D == 3
  if (joint->kind != DLS_KIND_SPHERICAL) return;
  const int child = joint->turned ? joint->a : joint->b, carrier = joint->turned ? joint->b : joint->a;
  const dls_vec3 spin = dls_v3_sub(dls_v3_load(U(S->u_c, child) + 3), dls_v3_load(U(S->u_c, carrier) + 3));
  const dls_vec3 v0 = dls_m3_apply_t(&S->POSES[child].R, spin); /* of the bodies: joints admit the mean alone */
  dls_v3_store(x, dls_v3_axpy(rotation_vector(t->state->q + info->iq), -0.5 * S->h, v0));
#else
  (void)joint;
#endif
}

/* The factor becomes that with springs; f, impulses along the velocities, gets what they ask for beside it:
** (M + 1/gamma) du = f - h k x - 2 u/gamma, du the change of the velocities state->u. */
static dls_status soften_trees(step *S, double *f) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  bool any = false;
  for (int k = 0; k < t->n_links && !any; k++)
    any = t->link_joint[k] >= 0 && has_spring(w, &w->joints[t->link_joint[k]]);
  if (!any) return DLS_OK;
  const size_t nu = (size_t)t->forest->nu;
  memset(t->soft, 0, nu * sizeof *t->soft);
  memset(t->late, 0, nu * sizeof *t->late);
  memset(t->law, 0, nu * sizeof *t->law);
  dls_status status = find_gives(S);
  for (int k = 0; k < t->n_links && status == DLS_OK; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !has_spring(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    double x[6], give = 0;
    deflections(S, k, x);
    for (int i = 0; i < joint->nu; i++) give = dls_max(give, t->mean[t->forest->links[k].iu + i]);
    for (int i = 0; i < joint->nu; i++) {
      const int at = t->forest->links[k].iu + i; /* a ball's three are one, whatever its axes are */
      const double own = joint->kind == DLS_KIND_SPHERICAL ? give : t->mean[at];
      const dls_spring_law law = dls_spring_law_make(joint->stiffness, joint->damping, x[i], S->h, own);
      t->law[at] = law;
      t->soft[at] = dls_spring_law_mass(&law, S->h);
      t->late[at] = S->h * law.late;
      S->tree_late = S->tree_late || law.late > 0;
      f[at] -= S->h * law.k * law.x + 2 * t->soft[at] * t->state->u[at];
    }
  }
  S->soft = true;
  return status == DLS_OK ? factor_with(S, t->soft) : status;
}

/* Without springs for a while (plain), and with them again. */
static dls_status set_soft(step *S, bool soft) {
  return S->soft ? factor_with(S, soft ? S->w->trees->soft : NULL) : DLS_OK;
}

/* Where impacts have changed velocities by d (t->u_end less those before): (M + 1/gamma) du = -2 d/gamma more. */
static void start_trees_struck(step *S) {
  dls_trees *t = S->w->trees;
  double *f = t->u_scratch;
  for (int i = 0; i < t->forest->nu; i++) {
    t->law[i].struck = t->u_end[i] - t->u_before[i];
    f[i] = -2 * t->soft[i] * t->law[i].struck;
  }
  dls_forest_respond(t->forest, t->state, f, NULL, t->du);
  memset(S->answer, 0, (size_t)S->w->n_bodies * NU * sizeof(double));
  spread(S, t->du, false, S->answer);
  for (int i = 0; i < t->forest->nu; i++) t->u_free[i] += t->du[i];
  for (int i = 0; i < S->w->n_bodies; i++)
    if (held_by_tree(S, i)) add_u(U(S->rows.u_free, i), 1, U(S->answer, i));
}

/* After the solve: what they did, and the mean rates. */
static void charge_tree_springs(step *S) {
  dls_trees *t = S->w->trees;
  for (int i = 0; i < t->forest->nu && S->soft; i++) {
    const double mean = 0.5 * (t->state->u[i] + t->u_end[i] + t->law[i].struck);
    t->mean[i] = mean;
    if (t->law[i].k > 0 || t->law[i].c > 0) dls_spring_law_charge(&t->law[i], S->h, mean, &S->sprung);
  }
  S->soft = false;
}

/* f: impulses along the velocities that draw t->u_end to the mean ones, beside what the factor does. */
static void draw_late(const step *S, double *f) {
  const dls_trees *t = S->w->trees;
  for (int i = 0; i < t->forest->nu && S->tree_late; i++) f[i] -= t->late[i] * (t->u_end[i] - t->mean[i]);
}

/* What they did: t->u_end after, less `du` before. Answers the sum, J. */
static double charge_tree_late(step *S, const double *du) {
  const dls_trees *t = S->w->trees;
  double sum = 0;
  for (int i = 0; i < t->forest->nu && S->tree_late; i++) {
    if (!(t->late[i] > 0)) continue;
    const double p = -t->late[i] * (t->u_end[i] - t->mean[i]), work = p * (t->u_end[i] - 0.5 * du[i]);
    dls_spring_law_charge_late(&t->law[i], work, &S->sprung);
    sum += work;
  }
  return sum;
}
