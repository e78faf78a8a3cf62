/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rigid disks that both move freely, with Coulomb's friction: most contacts of a drum. What list_contact()
** and make_block() do for any contact, written out. The contact's record is written once, when all is known
** (record_plain). */

static inline bool is_plain(const dls_material *m) {
  return (m->law <= 0) & !(m->stiffness < DLS_INF) & !(m->rolling > 0) & (m->kinetic == m->friction) &
         (m->friction > 0);
}

static inline bool is_plain_pair(const step *S, const ball *a, const ball *b) {
  return a->lone & b->lone & (S->w->impact == DLS_IMPACT_NEWTON);
}

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
  block->island = 0;
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

/* Pair k of S->near; the contact of the last step between its bodies, or NULL. Nothing of it can be predicted, so
** there are hardly any branches. */
static inline dls_status meet_plain_disks(step *S, int k, candidate pair, const dls_material *m,
                                          const dls_contact *before) {
  const dls_spot2 *disk_a = &S->disk[pair.a], *disk_b = &S->disk[pair.b];
  const double gap = S->meets[0][k], v_free = S->meets[3][k], way = S->theta * S->h;
  const int a = S->ball[pair.a].body, b = S->ball[pair.b].body;
  const bool asleep = (gap > CLOSED * S->meets[5][k]) & (gap + way * v_free > 0);
  if (!before || before->key != 0) before = &no_contact;
  const bool was = before->listed;
  if (asleep && !was) return DLS_OK;
  if (S->n_contacts >= S->room_contacts) return want_contacts(S);

  dls_rows *rows = &S->rows;
  const int row = rows->n_rows;
  const double nx = S->meets[1][k], ny = S->meets[2][k], v_before = S->meets[4][k], mu = m->friction;
  double *J = next_rows(S), *s = rows->s + row, *p = rows->p + row, point[3];
  plain *kept = &S->plain[rows->n_blocks];
  *kept = (plain){before == &no_contact ? -1 : (int)(before - S->w->contacts), k, pair.b, was * (before->age + 1), 0};
  if (S->compliant) name_plain(&S->w->contacts_next[S->n_contacts], a, b);
  block_plain(&rows->block[rows->n_blocks], a, b, row, S->n_contacts, mu, asleep);
  point_plain(disk_b, nx, ny, gap, point);
  S->height[rows->n_blocks] = height_of(S, point);
  rows_plain(J, disk_a->radius, disk_b->radius, nx, ny, gap);
  rows->gamma[row] = rows->gamma[row + 1] = 0;
  rows->length[row] = rows->length[row + 1] = 1;
  S->drift[row] = 0;
  S->bounce[row] = m->restitution;
  S->tangential[row] = m->tangential_restitution;
  const double back = rebound_at(S, m->restitution, gap, v_before, v_free, -m->restitution * v_before, &kept->mark);
  s[0] = dls_choose(asleep, gap / way, back);
  kept->mark *= !asleep;
  s[1] = 0;
  if (m->tangential_restitution > 0 && v_before < 0 && !was)
    s[1] = m->tangential_restitution * row_velocity(J + 2 * NU, U(S->u_c, a), U(S->u_c, b));
  const double *old = before->impulse;
  const bool alone = asleep & (S->w->n_contacts <= DEEP_BED);
  const bool starts = alone | (before == &no_contact); /* from nothing, and not from -0 */
  p[0] = dls_choose(starts, 0, dls_max(0, nx * old[0] + ny * old[1]));
  p[1] = dls_choose(starts, 0, ny * old[0] - nx * old[1]);
  rows->n_rows += 2;
  rows->n_blocks++;
  S->n_contacts++;
  return DLS_OK;
}
