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
  c->spare = 0;
}

static inline void block_plain(dls_block *block, int a, int b, int row, int source, double mu,
                               bool asleep) {
  block->kind = DLS_ROW_CONE;
  block->a = a, block->b = b;
  block->row = row, block->n = 2;
  block->source = source;
  block->mu[0] = mu, block->mu[1] = 0, block->mu[2] = 0;
  block->lo = 0, block->hi = 0;
  block->second = 0;
  block->asleep = asleep;
}

/* The normal's row, then the tangent's. */
static inline void rows_plain(double *J, double r_a, double r_b, double nx, double ny, double gap) {
  const double half = 0.5 * gap, at_a = r_a + half, at_b = half + r_b;
  const double ax = at_a * nx, ay = at_a * ny, bx = -at_b * nx, by = -at_b * ny;
  J[0] = -nx, J[1] = -ny, J[2] = 0, J[3] = nx, J[4] = ny, J[5] = 0;
  J[6] = -ny, J[7] = nx, J[8] = ax * nx + ay * ny;
  J[9] = ny, J[10] = -nx, J[11] = -(bx * nx) - by * ny;
}

static const dls_contact no_contact = {.tie = -1};

/* In beds of more contacts a sleeper was in a chain that carries much: the others' impulses of the last step are of
** use with its own alone. */
enum { DEEP_BED = 4096 };

/* Near pairs of one material, of[0 .. n - 1]; their blocks are noted as of pair k - left. Nothing of a pair can be
** predicted, so there are hardly any branches. */
static dls_status meet_plain_disks(step *S, const chosen *of, int n, int left) {
  dls_rows *rows = &S->rows;
  const dls_material *m = &S->w->materials[of->law];
  const dls_contact *contacts = S->w->contacts;
  const double mu = m->friction, e = m->restitution, e_t = m->tangential_restitution;
  const double way = S->theta * S->h, *const gaps = S->meets[0], *const frees = S->meets[3];
  const bool deep = S->w->n_contacts > DEEP_BED;
  const double g[2] = {S->w->gravity[0], S->w->gravity[1]};
  int made = S->n_contacts, k_block = rows->n_blocks, row = rows->n_rows;
  dls_status status = DLS_OK;
  for (const chosen *end = of + n; of < end; of++) {
    const int k = of->k;
    const candidate pair = S->near[k];
    const dls_contact *before = of->old >= 0 ? &contacts[of->old] : &no_contact;
    if (before->key != 0) before = &no_contact;
    const double gap = gaps[k], v_free = frees[k];
    const bool asleep = (gap > CLOSED * S->meets[5][k]) & (gap + way * v_free > 0), was = before->listed;
    if (asleep & !was) continue;
    if (made >= S->room_contacts) {
      status = want_contacts(S);
      break;
    }
    const int a = pair.a, b = pair.b;
    const double nx = S->meets[1][k], ny = S->meets[2][k], v_before = S->meets[4][k];
    const double r_a = S->disk[pair.a].radius, r_b = S->disk[pair.b].radius;
    double *J = rows->J + (size_t)row * 2 * NU, *s = rows->s + row, *p = rows->p + row, point[3];
    int mark = 0;
    const double back = rebound_at(S, e, gap, v_before, v_free, -e * v_before, &mark);
    const int known = before == &no_contact ? -1 : of->old;
    S->plain[k_block] = (plain){known, k, pair.b, was * (before->age + 1), asleep ? 0 : mark};
    if (S->compliant) name_plain(&S->w->contacts_next[made], a, b);
    block_plain(&rows->block[k_block], a, b, row, made, mu, asleep);
    point_plain(&S->disk[pair.b], nx, ny, gap, point);
    S->height[k_block] = -(g[0] * point[0] + g[1] * point[1]);
    S->near_of[k_block] = k - left;
    rows_plain(J, r_a, r_b, nx, ny, gap);
    rows->gamma[row] = rows->gamma[row + 1] = 0;
    rows->length[row] = rows->length[row + 1] = 1;
    S->drift[row] = 0;
    S->bounce[row] = e;
    S->tangential[row] = e_t;
    s[0] = dls_choose(asleep, gap / way, back);
    s[1] = 0;
    if (e_t > 0 && v_before < 0 && !was) s[1] = e_t * row_velocity(J + 2 * NU, U(S->u_c, a), U(S->u_c, b));
    const double *old = before->impulse;
    const bool starts = (asleep & !deep) | (before == &no_contact); /* from nothing, and not from -0 */
    p[0] = dls_choose(starts, 0, dls_max(0, nx * old[0] + ny * old[1]));
    p[1] = dls_choose(starts, 0, ny * old[0] - nx * old[1]);
    row += 2, k_block++, made++;
  }
  S->n_contacts = made, rows->n_blocks = k_block, rows->n_rows = row;
  return status;
}
