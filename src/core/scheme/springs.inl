/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Springs and dampers as rows (spring_law.h): of rigid and penalty joints along their coordinates, and of
** springs between two points along the line through them. Those of trees are in tree_springs.inl.
**
** The deflection of a coordinate is that before the step. A line and a ball's rotation vector change
** their directions within the step: they are measured in its middle, x + h m/2 = x_c + h (v - v0)/4, which is
** the same where a deflection is linear, and the same backwards in time where it is not. The pull of a spring
** is along the line at q_c, through both points: momentum and angular momentum are kept to the bit's
** rounding, and where the line turns (a spring of no length, a long rotation) nothing else is needed, since
** without other forces the change of velocity is along it, and with them of the order of h. With theta other
** than 1/2, x stands for x - (theta - 1/2) h v0: positions then go by the later velocity, and shifted so they
** go by the mean one, as the law wants it. */

static void start_trees_struck(step *S);

static int count_spring_rows(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].formulation != DLS_REDUCED && has_spring(w, &w->joints[i])) n += w->joints[i].nu;
  for (int i = 0; i < w->n_springs && !w->springs_push; i++) n += w->springs[i].alive;
  return n;
}

static int count_spring_blocks(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    n += w->joints[i].formulation != DLS_REDUCED && has_spring(w, &w->joints[i]);
  for (int i = 0; i < w->n_springs && !w->springs_push; i++) n += w->springs[i].alive;
  return n;
}

/* The spring row that block k begins with; NULL: it is no such block. */
static spring_row *springs_of(const step *S, int k) {
  return S->rows.block[k].source < 0 && S->what[k] >= SPRINGS ? &S->spring_row[S->what[k] - SPRINGS] : NULL;
}

/* M^-1 j of a body by itself, whatever joints do; posed by S->POSES. */
static void free_inverse(const step *S, int i, const double *j, double *out) {
  const dls_body *body = &S->w->bodies[i];
  memset(out, 0, NU * sizeof *out);
  if (!moves_freely(body)) return;
  for (int k = 0; k < D; k++) out[k] = j[k] / body->mass;
#if D == 2
  out[2] = body->inverse[0] * j[2];
#else
  const dls_mat3 inverse = dls_m3_load(body->inverse);
  const dls_vec3 turn = dls_m3_apply_t(&S->POSES[i].R, dls_v3_load(j + 3));
  dls_v3_store(out + 3, dls_m3_apply(&S->POSES[i].R, dls_m3_apply(&inverse, turn)));
#endif
}

/* J M^-1 J' of a row between two bodies that n other rows between them hold, by Gram and Schmidt in M^-1. */
static double give_along(const step *S, int a, int b, const double *J, const double *held, int n) {
  static const double DEPENDENT = 1e-12; /* of a row's own share: it adds nothing to those before */
  double e[7][2 * NU], M_e[7][2 * NU], own = 0, left = 0;
  int rank = 0;
  const dls_body *bodies = S->w->bodies;
  if ((moves_freely(&bodies[a]) && !(bodies[a].mass > 0)) || (moves_freely(&bodies[b]) && !(bodies[b].mass > 0)))
    return DLS_INF;
  for (int i = 0; i <= n; i++) {
    double *x = e[rank], *Mx = M_e[rank];
    memcpy(x, i < n ? held + (size_t)i * 2 * NU : J, 2 * NU * sizeof *x);
    for (int pass = 0; pass < 3; pass++) {
      free_inverse(S, a, x, Mx);
      free_inverse(S, b, x + NU, Mx + NU);
      left = row_velocity(x, Mx, Mx + NU);
      if (pass == 0) own = left;
      for (int j = 0; j < rank && pass < 2; j++) {
        const double part = row_velocity(x, M_e[j], M_e[j] + NU);
        for (int m = 0; m < 2 * NU; m++) x[m] -= part * e[j][m];
      }
    }
    if (i == n) return dls_max(left, DEPENDENT * own);
    if (!(left > DEPENDENT * own)) continue;
    const double unit = 1 / sqrt(left);
    for (int m = 0; m < 2 * NU; m++) x[m] *= unit, Mx[m] *= unit;
    rank++;
  }
  return left;
}

/* The row of a spring by its law for the give at hand. */
static void set_spring(step *S, spring_row *of) {
  const dls_spring_law *was = &of->law;
  S->n_late -= was->late > 0;
  of->law = dls_spring_law_within(dls_spring_law_make(was->k, was->c, was->x, S->h, of->give), S->h, of->way);
  S->n_late += of->law.late > 0;
  S->rows.gamma[of->row] = 1 / dls_spring_law_mass(&of->law, S->h);
  S->rows.s[of->row] = of->v0 + dls_spring_law_shift(&of->law, S->h);
}

/* Row i of a block becomes the spring of a law that has k, c and x alone. */
static spring_row *lay_spring(step *S, const dls_block *block, int i, dls_spring_law law, double give, double way) {
  const int row = block->row + i;
  const double *J = S->rows.J + (size_t)row * 2 * NU;
  spring_row *of = &S->spring_row[S->n_spring_rows++];
  *of = (spring_row){.law = law, .row = row, .a = block->a, .b = block->b, .give = give, .way = way, .late = -1};
  of->v0 = row_velocity(J, U(S->u_c, block->a), U(S->u_c, block->b)) + 2 * S->drift[row];
  set_spring(S, of);
  return of;
}

/* Where the deflection of a coordinate counts from; now: its value at q_c; v0 its rate before. */
static double start_of(const step *S, int joint, int k, double now, double v0) {
  if (S->w->joints[joint].kind == DLS_KIND_SPHERICAL) return now - 0.5 * S->h * v0;
  return S->stretch[6 * (size_t)joint + (size_t)k] - (S->theta - 0.5) * S->h * v0;
}

/* Of a rigid joint, whose constraints are the rows held. */
static void add_joint_springs(step *S, const hinge *h, int index, const double *held, int n_held) {
  const dls_joint *joint = h->joint;
  double x[6] = {0};
  if (!has_spring(S->w, joint) || !h->regular) return;
  const dls_block *block =
      functional_block(S, h, index, DLS_ROW_BILATERAL, SPRINGS + S->n_spring_rows, h->dual, joint->nu);
  if (joint->kind == DLS_KIND_SPHERICAL) dls_v3_store(x, rotation_vector(h->q));
  for (int k = 0; k < joint->nu; k++) {
    const int row = block->row + k;
    const double *J = S->rows.J + (size_t)row * 2 * NU;
    S->drift[row] = -along(h->dual + 6 * k, h->rate);
    const double v0 = row_velocity(J, U(S->u_c, joint->a), U(S->u_c, joint->b)) + S->drift[row];
    const double give = give_along(S, joint->a, joint->b, J, held, n_held);
    const dls_spring_law law = {.k = joint->stiffness, .c = joint->damping, .x = start_of(S, index, k, x[k], v0)};
    spring_row *of = lay_spring(S, block, k, law, give, DLS_INF);
    of->joint = index, of->k = k;
  }
}

/* n rows for a block of springs between a and b, whose J the caller writes. */
static dls_block *spring_block(step *S, int a, int b, int n, int source) {
  dls_rows *rows = &S->rows;
  S->what[rows->n_blocks] = SPRINGS + S->n_spring_rows;
  dls_block *block = &rows->block[rows->n_blocks++];
  *block = (dls_block){.kind = DLS_ROW_BILATERAL, .a = a, .b = b, .row = rows->n_rows, .n = (unsigned char)n,
                       .source = source};
  for (int i = 0; i < n; i++) {
    const int row = rows->n_rows++;
    rows->p[row] = S->bounce[row] = S->tangential[row] = S->drift[row] = 0;
    rows->length[row] = 1;
  }
  return block;
}

/* Of a penalty joint: along its coordinates, as if its rows held. */
static void add_penalty_springs(step *S, int index) {
  const dls_joint *joint = &S->w->joints[index];
  double held[6 * 2 * NU];
  int n_held = 0;
  for (int k = 0; k < S->n_penalties; k++)
    if (S->penalty[k].joint == index && S->penalty[k].row < joint->penalty.n_held)
      memcpy(held + (size_t)n_held++ * 2 * NU, S->penalty[k].J, 2 * NU * sizeof(double));
  dls_along at;
  dls_penalty_look_along(S->w, index, S->q_c, S->u_c, &at);
  const dls_block *block = spring_block(S, joint->a, joint->b, joint->nu, -1 - index);
  for (int k = 0; k < joint->nu; k++) {
    const int row = block->row + k;
    double *J = S->rows.J + (size_t)row * 2 * NU;
    body_row(at.J[k], J);
    body_row(at.J[k] + 6, J + NU);
    const dls_body *turns = &S->w->bodies[moves_freely(&S->w->bodies[joint->b]) ? joint->b : joint->a];
    if (dls_v3_norm(dls_v3_load(at.J[k] + 6)) == 0) S->rows.length[row] = turns->gyration;
    S->drift[row] = -at.drift[k];
    const double give = give_along(S, joint->a, joint->b, J, held, n_held);
    const double from = start_of(S, index, k, at.x[k], at.rate[k]);
    const dls_spring_law law = {.k = joint->stiffness, .c = joint->damping, .x = from};
    spring_row *of = lay_spring(S, block, k, law, give, DLS_INF);
    of->joint = index, of->k = k;
  }
}

/* The line of a spring at q: its length and the row of what that changes by; false: it has no direction. */
static bool spring_line(const step *S, const dls_spring *spring, const double *q, double *length, double *J) {
  const int ends[2] = {spring->a, spring->b};
  const double *anchors[2] = {spring->anchor_a, spring->anchor_b};
  dls_vec3 r[2], x[2];
  for (int e = 0; e < 2; e++) {
    const pose T = pose_of(&S->w->bodies[ends[e]], Q(q, ends[e]));
    r[e] = turned(&T, anchors[e]);
    x[e] = dls_v3_sub(r[e], arm_to(Q(q, ends[e]), dls_v3(0, 0, 0)));
  }
  dls_vec3 way = dls_v3_sub(x[1], x[0]);
  *length = dls_v3_norm(way);
  if (!(*length > 0)) { /* of no length at rest, too, any direction is the one that it goes to */
    if (spring->length > 0) return false;
    way = dls_v3_sub(velocity_at(U(S->u_c, spring->b), r[1]), velocity_at(U(S->u_c, spring->a), r[0]));
    if (!(dls_v3_norm(way) > 0)) way = dls_v3(1, 0, 0);
  }
  write_row(J, dls_v3_scale(1 / dls_v3_norm(way), way), r[0], r[1]);
  return true;
}

/* Where springs push: as they are at q_c. */
static void push_springs(step *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_springs && w->springs_push; i++) {
    const dls_spring *s = &w->springs[i];
    double J[2 * NU], length;
    if (!s->alive || !spring_line(S, s, S->q_c, &length, J)) continue;
    const double rate = row_velocity(J, U(S->u_c, s->a), U(S->u_c, s->b));
    const double force = -(s->stiffness * (length - s->length) + s->damping * rate);
    add_u(U(S->push, s->a), force, J);
    add_u(U(S->push, s->b), force, J + NU);
  }
}

/* How far a spring may close until one of its bodies has turned by half a radian, m. */
static double way_to_turn(const step *S, int a, int b, const double *J, double w) {
  double most = 0, turn[NU];
  for (int e = 0; e < 2; e++) {
    free_inverse(S, e == 0 ? a : b, J + e * NU, turn);
#if D == 2
    most = dls_max(most, fabs(turn[2]));
#else
    most = dls_max(most, dls_v3_norm(dls_v3_load(turn + 3)));
#endif
  }
  return most > 0 && w < DLS_INF ? 0.5 * w / most : DLS_INF;
}

static void add_line_spring(step *S, int index) {
  const dls_spring *spring = &S->w->springs[index];
  double J[2 * NU], length;
  if (!moves_freely(&S->w->bodies[spring->a]) && !moves_freely(&S->w->bodies[spring->b])) return;
  if (!(spring->stiffness > 0 || spring->damping > 0) || !spring_line(S, spring, S->q_c, &length, J)) return;
  const dls_block *block = spring_block(S, spring->a, spring->b, 1, -1 - index);
  memcpy(S->rows.J + (size_t)block->row * 2 * NU, J, sizeof J);
  const double v0 = row_velocity(J, U(S->u_c, spring->a), U(S->u_c, spring->b));
  const double give = give_along(S, spring->a, spring->b, J, NULL, 0);
  const dls_spring_law law = {.k = spring->stiffness, .c = spring->damping,
                              .x = length - spring->length - 0.5 * S->h * v0};
  lay_spring(S, block, 0, law, give, way_to_turn(S, spring->a, spring->b, J, give))->joint = -1 - index;
}

/* --- how much bodies give that joints hold ------------------------------------------------------------ */

/* The blocks of all constraints, and springs that seem unresolved as rows that ask; answers how many those are. */
static int list_asking(const step *S, dls_rows *ask, int *of) {
  const dls_rows *rows = &S->rows;
  int n = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const bool springs = springs_of(S, k) != NULL;
    if (block->kind != DLS_ROW_BILATERAL || springs) continue;
    dls_block *held = &ask->block[ask->n_blocks++];
    *held = *block;
    held->row = ask->n_rows;
    memcpy(ask->J + (size_t)ask->n_rows * 2 * NU, rows->J + (size_t)block->row * 2 * NU,
           (size_t)block->n * 2 * NU * sizeof(double));
    memcpy(ask->length + ask->n_rows, rows->length + block->row, block->n * sizeof(double));
    ask->n_rows += block->n;
  }
  for (int k = 0; k < S->n_spring_rows; k++) {
    const spring_row *spring = &S->spring_row[k];
    if (!(spring->law.apart > 0)) continue;
    const bool more = n > 0 && of[n - 1] == k - 1 && spring->k > 0 && spring->joint == spring[-1].joint;
    of[n++] = k;
    if (more) ask->block[ask->n_blocks - 1].n++; /* rows of a joint meet the same others */
    else
      ask->block[ask->n_blocks++] = (dls_block){.kind = DLS_ROW_UNILATERAL, .a = spring->a, .b = spring->b,
                                                .row = ask->n_rows, .n = 1, .source = -1};
    memcpy(ask->J + (size_t)ask->n_rows * 2 * NU, rows->J + (size_t)spring->row * 2 * NU, 2 * NU * sizeof(double));
    ask->length[ask->n_rows++] = 1;
  }
  return n;
}

/* What bodies give along a spring is less where joints beside its own hold them. It is asked for where it matters:
** where a spring seems not to be resolved. */
static dls_status look_closer(step *S) {
  dls_world *w = S->w;
  const dls_rows_kernels *kernels = dls_rows_kernels_of(D);
  if (S->n_late == 0 || (S->n_unreduced + S->n_gears == 0 && !dls_trees_used(w))) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena), bytes = (size_t)w->n_bodies * NU * sizeof(double);
  const int n_rows = S->rows.n_rows;
  dls_rows ask;
  int *of = DLS_TAKE(&w->arena, int, S->n_spring_rows);
  double *give = DLS_TAKE(&w->arena, double, n_rows);
  dls_status status = dls_rows_take(&ask, &w->arena, D, w->n_bodies, n_rows, n_rows);
  w->need_arena = dls_bytes_add(w->arena.size, dls_rows_bytes(D, w->n_bodies, n_rows, n_rows));
  if (status != DLS_OK || !of || !give) return DLS_FULL;
  ask.inv_mass = S->rows.inv_mass;
  ask.inv_inertia = S->rows.inv_inertia;
  ask.second = S->second;
  ask.stop = w->stop;
  if (dls_trees_used(w)) status = lend_trees(S, &ask);
  if (status == DLS_OK) status = set_soft(S, false);
  if (status != DLS_OK) return status;
  const int n = list_asking(S, &ask, of);
  memset(ask.u, 0, bytes);
  memset(ask.u_free, 0, bytes);
  for (int i = 0; i < ask.n_rows; i++) ask.gamma[i] = ask.s[i] = ask.p[i] = 0;
  kernels->prepare(&ask, false);
  status = kernels->gives(&ask, &w->arena, give);
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, ask.need);
  for (int i = 0; status == DLS_OK && i < n; i++) {
    spring_row *spring = &S->spring_row[of[i]];
    spring->give = dls_min(spring->give, give[ask.n_rows - n + i]);
    set_spring(S, spring);
  }
  dls_arena_release(&w->arena, mark);
  return status == DLS_OK ? set_soft(S, true) : status;
}

/* Those of rigid joints are there already, beside their constraints. */
static dls_status find_spring_rows(step *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++)
    if (dls_is_penalty(&w->joints[i]) && has_spring(w, &w->joints[i])) add_penalty_springs(S, i);
  for (int i = 0; i < w->n_springs && !w->springs_push; i++)
    if (w->springs[i].alive) add_line_spring(S, i);
  return look_closer(S);
}

/* Impacts of the step have come before its forces (impacts.inl): springs start from what those left. */
static void start_struck(step *S) {
  const size_t nu = (size_t)S->w->n_bodies * NU;
  dls_rows *rows = &S->rows;
  bool any = false;
  for (size_t i = 0; i < nu && !any; i++) any = rows->u_free[i] != S->u_smooth[i];
  for (int k = 0; k < rows->n_blocks && any; k++) {
    const dls_block *block = &rows->block[k];
    spring_row *of = springs_of(S, k);
    for (int i = block->row; of && i < block->row + block->n; i++, of++) {
      const double *J = rows->J + (size_t)i * 2 * NU;
      of->law.struck = row_velocity(J, U(rows->u_free, block->a), U(rows->u_free, block->b)) -
                       row_velocity(J, U(S->u_smooth, block->a), U(S->u_smooth, block->b));
      rows->s[i] += of->law.struck;
    }
  }
  if (any && S->soft) start_trees_struck(S);
}

/* --- after the solve -------------------------------------------------------------------------------- */

/* What the rows of a block of springs did on the bodies: reactions, and the change of momentum. */
static void record_springs(step *S, const dls_block *block, spring_row *of) {
  for (int i = block->row; i < block->row + block->n; i++, of++) {
    const double *J = S->rows.J + (size_t)i * 2 * NU, p = S->rows.p[i];
    const double *u_a = U(S->rows.u, block->a), *u_b = U(S->rows.u, block->b);
    of->mean = 0.5 * (row_velocity(J, U(S->u_c, block->a), U(S->u_c, block->b)) + row_velocity(J, u_a, u_b)) +
               S->drift[i] + 0.5 * of->law.struck;
    if (of->joint >= 0) {
      add_own(S, of->joint, J, p / S->h);
      continue;
    }
    for (int e = 0; e < 2; e++) {
      const int account = S->account[e == 0 ? block->a : block->b];
      for (int k = 0; k < D && account >= 0; k++) {
        S->unexplained[D * (size_t)account + (size_t)k] -= p * J[e * NU + k];
        S->judged.largest = dls_max(S->judged.largest, fabs(p * J[e * NU + k]));
      }
    }
  }
}

/* Row i of such a block worked by `work`. */
static void charge_spring_row(step *S, const spring_row *of, double work) {
  dls_spring_work own = {0};
  dls_spring_law_charge(&of->law, S->h, of->mean, &own);
  S->sprung.springs += work + own.damping + own.scheme; /* by the impulse that was found */
  S->sprung.damping += own.damping;
  S->sprung.scheme += own.scheme;
}

/* --- the end of the step ---------------------------------------------------------------------------- */

/* Their row at q'; what drives make of it is in *drift. h: the last rigid joint that was looked at, and left for the
** next rows of the same. */
static bool late_row(step *S, const spring_row *of, hinge *h, overlap *o, double *drift) {
  const dls_world *w = S->w;
  *drift = 0;
  *o = (overlap){.size = 1, .both = true, .source = of->joint};
  if (of->joint < 0) {
    const dls_spring *spring = &w->springs[-1 - of->joint];
    double length;
    o->a = spring->a, o->b = spring->b;
    return spring_line(S, spring, S->q_n, &length, o->J);
  }
  const dls_joint *joint = &w->joints[of->joint];
  o->a = joint->a, o->b = joint->b;
  if (joint->formulation == DLS_PENALTY) {
    dls_along at;
    dls_penalty_look_along(w, of->joint, S->q_n, NULL, &at);
    body_row(at.J[of->k], o->J);
    body_row(at.J[of->k] + 6, o->J + NU);
    *drift = -at.drift[of->k];
    return true;
  }
  if (h->joint != joint) *h = hinge_at(S, of->joint, S->q_n);
  if (!h->regular) return false;
  write_functional(S, h, S->q_n, h->dual + 6 * of->k, o->J);
  *drift = -along(h->dual + 6 * of->k, h->rate);
  return true;
}

/* Bodies on which such rows act. */
static void hold_late(step *S) {
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    const spring_row *of = &S->spring_row[k];
    if (!(of->law.late > 0)) continue;
    const int i = of->joint;
    S->held[i < 0 ? S->w->springs[-1 - i].a : S->w->joints[i].a] = 1;
    S->held[i < 0 ? S->w->springs[-1 - i].b : S->w->joints[i].b] = 1;
  }
}

/* Velocities are drawn to the mean ones: (2) of spring_law.h, rows from number *n on. */
static void find_late(step *S, overlap *o, int *n) {
  hinge h;
  h.joint = NULL;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    spring_row *of = &S->spring_row[k];
    overlap *out = &o[*n];
    double drift;
    of->late = -1;
    if (!(of->law.late > 0) || !late_row(S, of, &h, out, &drift)) continue;
    out->gap = drift - of->mean;
    out->gamma = 1 / (S->h * of->law.late);
    weigh_row(S, out);
    of->late = (*n)++;
  }
}

/* What they did, of what the end of the step made of the bodies' velocities: u before, u_n after. Answers the
** sum, J. */
static double charge_late(step *S, const overlap *o, const double *u, const double *u_n) {
  double sum = 0;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    const spring_row *of = &S->spring_row[k];
    if (of->late < 0) continue;
    const overlap *at = &o[of->late];
    const double work = 0.5 * at->pi * (speed_of(at, u) + speed_of(at, u_n));
    dls_spring_law_charge_late(&of->law, work, &S->sprung);
    sum += work;
    for (int e = 0; e < 2; e++) { /* whoever moves the other end works, too */
      const int body = end_of(at, e);
      if (moves_freely(&S->w->bodies[body])) continue;
      const double carried = at->pi * dot_u(at->J + e * NU, U(u_n, body));
      S->closed_kinematic -= carried;
      sum -= carried;
    }
  }
  return sum;
}
