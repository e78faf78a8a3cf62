/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rigid disks that both move freely, with Coulomb's friction: most contacts of a drum. What list_contact()
** and make_block() do for any contact, written out. The contact's record is written once, when all is known
** (record_plain). */

/* Where the impulse acts: the middle of the gap. */
static inline void point_plain(const dls_spot2 *b, double nx, double ny, double gap, double point[3]) {
  const double arm = -(0.5 * gap + b->radius);
  point[0] = b->x + arm * nx, point[1] = b->y + arm * ny, point[2] = 0;
}

/* As much as keep_compressed() looks at. */
static inline void name_plain(dls_contact *c, int a, int b) {
  c->key = 0;
  c->a = a, c->b = b;
  c->tie = -1;
  c->state = 0;
  c->age = 0;
  c->listed = 1;
  c->mark = 0;
  c->held = 0;
}

/* Blocks from .. to - 1 are lean, where there are any. */
static void note_lean(dls_rows *rows, int from, int to) {
  int *run = rows->lean_run + 2 * rows->n_lean;
  if (from == to) return;
  if (rows->n_lean > 0 && run[-1] == from) {
    run[-1] = to;
    return;
  }
  run[0] = from, run[1] = to;
  rows->n_lean++;
}

/* Block k is not to be lean after all. */
static void write_plain_rows(dls_rows *rows, int k) {
  const int row = rows->block[k].row;
  dls_lean_rows(&rows->lean[k], rows->J + (size_t)row * 2 * NU);
  rows->gamma[row] = rows->gamma[row + 1] = 0;
  rows->length[row] = rows->length[row + 1] = 1;
  rows->block[k].lean = rows->block[k].round = false;
}

/* Blocks block .. block + n - 1 are plain, and their contacts those from number `contact` on. */
static void note_plain(step *S, int block, int n, int contact) {
  plain_run *run = S->plain_run + S->n_plain_runs;
  if (n == 0) return;
  if (S->n_plain_runs > 0 && run[-1].block + run[-1].n == block && run[-1].contact + run[-1].n == contact) {
    run[-1].n += n;
    return;
  }
  *run = (plain_run){block, n, contact};
  S->n_plain_runs++;
}

/* Whether the disks of a near pair touch in the rest of the step. */
static bool plain_meet(const step *S, const candidate *pair, double closed) {
  const dls_spot2 *a = &S->disk[pair->a], *b = &S->disk[pair->b];
  return disks_meet(S, pair->a, pair->b, b->x - a->x, b->y - a->y, a->radius + b->radius + closed);
}

static const dls_trace no_contact = {.was = -1};

/* In beds of more contacts a sleeper was in a chain that carries much: the others' impulses of the last step are of
** use with its own alone. */
enum { DEEP_BED = 4096 };

/* Near pairs of one material, of[0 .. n - 1]; their blocks are noted as of pair k - left. Nothing of a pair can be
** predicted, so there are hardly any branches. */
static dls_status meet_plain_disks(step *S, const chosen *of, int n, int left) {
  dls_rows *rows = &S->rows;
  const dls_material *m = &S->w->materials[of->law];
  const dls_trace *traces = S->w->brief.trace;
  const double mu = m->friction, e = m->restitution, e_t = m->tangential_restitution;
  const double way = S->theta * S->h, by_way = 1 / way, g[2] = {S->w->gravity[0], S->w->gravity[1]};
  const bool deep = S->w->n_contacts > DEEP_BED;
  const int bounces = e > 0 ? PLAIN_BOUNCES : 0;
  const dls_block models[2] = { /* awake, asleep */
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .lean = true, .round = true},
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .lean = true, .round = true, .asleep = true}};
  const int first = rows->n_blocks, first_made = S->n_contacts;
  int made = first_made, k_block = first, row = rows->n_rows, lean_from = first;
  dls_status status = DLS_OK;
  for (const chosen *end = of + n; of < end; of++) {
    const int k = of->k;
    const dls_trace *before = of->old >= 0 ? &traces[of->old] : &no_contact;
    if (before->how & DLS_TRACE_KEYED) before = &no_contact;
    const double gap = S->meets[0][k], v_free = S->meets[3][k], v_before = S->meets[4][k];
    const double closed = CLOSED * S->meets[5][k];
    const bool held = ((before->how & DLS_TRACE_HELD) != 0) & keeps_closed(S, gap, v_before, closed);
    const bool open = gap > closed, asleep = open & (gap + way * v_free > 0) & !held;
    const bool was = before->how & DLS_TRACE_LISTED;
    if (open & !was && (asleep || !plain_meet(S, &S->near[k], closed))) continue;
    if (made >= S->room_contacts) {
      status = want_contacts(S);
      break;
    }
    const candidate pair = S->near[k];
    const int a = pair.a, b = pair.b;
    const double nx = S->meets[1][k], ny = S->meets[2][k];
    const dls_spot2 *at_b = &S->disk[pair.b];
    double *s = rows->s + row, *p = rows->p + row, point[3];
    int mark = 0;
    const double back = rebound_at(S, e, gap, v_before, v_free, -e * v_before, &mark);
    const int known = before == &no_contact ? -1 : of->old;
    const int acted = before->how & DLS_TRACE_ACTS ? PLAIN_ACTED : 0;
    S->plain[k_block] = (plain){known, k, k - left, was * (before->age + (before->age < DLS_OLDEST)),
                                (asleep ? PLAIN_ASLEEP : mark) | acted | bounces};
    S->sleeper[S->n_sleepers] = k_block;
    S->n_sleepers += asleep;
    if (S->compliant) name_plain(&S->w->contacts_next[made], a, b);
    dls_block *block = &rows->block[k_block];
    *block = models[asleep];
    block->a = a, block->b = b;
    block->row = row, block->source = made;
    point_plain(at_b, nx, ny, gap, point);
    S->height[k_block] = -(g[0] * point[0] + g[1] * point[1]);
    dls_lean *lean = &rows->lean[k_block];
    lean->nx = nx, lean->ny = ny;
    lean->turn_a = S->disk[pair.a].radius + 0.5 * gap, lean->turn_b = at_b->radius + 0.5 * gap;
    lean->mu = mu;
    lean->a = a, lean->b = b;
    if (!dls_lean_weigh(lean, rows->inv_mass[a], rows->inv_mass[b], rows->inv_inertia[a],
                        rows->inv_inertia[b])) { /* hardly ever */
      note_lean(rows, lean_from, k_block);
      write_plain_rows(rows, k_block);
      lean_from = k_block + 1;
    }
    s[0] = dls_choose(asleep, gap * by_way, back);
    s[1] = 0;
    if (e_t > 0 && v_before < 0 && !was) {
      double v[2];
      dls_lean_speeds(lean, U(S->u_c, a), U(S->u_c, b), v);
      s[1] = e_t * v[1];
    }
    const double *old = (asleep & !deep) ? no_contact.push : before->push;
    p[0] = dls_max(0, nx * old[0] + ny * old[1]) + 0.0; /* from nothing, and not from -0 */
    p[1] = dls_clamp(ny * old[0] - nx * old[1], -mu * p[0], mu * p[0]) + 0.0;
    row += 2, k_block++, made++;
  }
  note_lean(rows, lean_from, k_block);
  note_plain(S, first, k_block - first, first_made);
  S->n_contacts = made, rows->n_blocks = k_block, rows->n_rows = row;
  return status;
}
