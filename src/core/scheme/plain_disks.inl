/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rigid disks with Coulomb's friction, most contacts of a drum: what list_contact() and make_block() do
** for any contact, written out. Every number is stored once. */

static inline bool is_plain(const dls_material *m) {
  return (m->law <= 0) & !(m->stiffness < DLS_INF) & !(m->rolling > 0) & (m->kinetic == m->friction);
}

/* What is known of the contact when it is found; the step fills the rest (record). */
static inline void list_plain(dls_contact *c, const ball *a, const ball *b, double nx, double ny,
                              double gap, double v_before, double mu, const dls_contact *before) {
  const double half = a->free && b->free ? 0.5 * gap : 0;
  const double arm = b->free ? -(half + b->radius) : a->radius + half;
  const ball *owner = b->free ? b : a;
  c->key = 0;
  c->a = a->body, c->b = b->body;
  c->tie = -1;
  c->state = 0;
  c->age = before && before->listed ? before->age + 1 : 0;
  c->listed = 1;
  c->mark = 0;
  c->spare = 0;
  c->point[0] = owner->x + arm * nx, c->point[1] = owner->y + arm * ny, c->point[2] = 0;
  c->normal[0] = nx, c->normal[1] = ny, c->normal[2] = 0;
  c->gap = gap;
  c->p_n = 0;
  c->impulse[0] = 0, c->impulse[1] = 0, c->impulse[2] = 0;
  c->torque[0] = 0, c->torque[1] = 0, c->torque[2] = 0;
  c->velocity[0] = 0, c->velocity[1] = 0, c->velocity[2] = 0;
  c->before = v_before;
  c->slip = 0;
  c->x = 0, c->x_before = 0;
  c->damping = 0;
  c->mu = mu;
  c->reach = dls_min(a->radius, b->radius);
}

static inline void block_plain(dls_block *block, int a, int b, int row, int source, double mu,
                               bool asleep) {
  block->kind = mu > 0 ? DLS_ROW_CONE : DLS_ROW_UNILATERAL;
  block->a = a, block->b = b;
  block->row = row, block->n = mu > 0 ? 2 : 1;
  block->source = source;
  block->island = 0;
  block->mu[0] = mu, block->mu[1] = 0, block->mu[2] = 0;
  block->lo = 0, block->hi = 0;
  block->second = 0;
  block->asleep = asleep;
}

/* The normal's row, then the tangent's. */
static inline void rows_plain(double *J, const ball *a, const ball *b, double nx, double ny, double gap) {
  const double half = a->free && b->free ? 0.5 * gap : 0;
  const double at_a = a->radius + half, at_b = half + b->radius;
  const double ax = at_a * nx, ay = at_a * ny, bx = -at_b * nx, by = -at_b * ny;
  J[0] = -nx, J[1] = -ny, J[2] = 0, J[3] = nx, J[4] = ny, J[5] = 0;
  J[6] = -ny, J[7] = nx, J[8] = ax * nx + ay * ny;
  J[9] = ny, J[10] = -nx, J[11] = -(bx * nx) - by * ny;
}

/* Pair k of S->near. */
static inline dls_status meet_plain_disks(step *S, int k, const ball *a, const ball *b,
                                          const dls_material *m, int *at) {
  const double gap = S->meets[0][k], nx = S->meets[1][k], ny = S->meets[2][k];
  const double v_free = S->meets[3][k], v_before = S->meets[4][k], way = S->theta * S->h;
  const bool asleep = (gap > CLOSED * dls_min(a->radius, b->radius)) & (gap + way * v_free > 0);
  const dls_contact *before = remembered(S->w, at, a->body, b->body, 0);
  if (asleep && !(before && before->listed)) return DLS_OK;
  if (S->n_contacts >= S->room_contacts) return want_contacts(S);

  dls_rows *rows = &S->rows;
  const int row = rows->n_rows;
  const double mu = m->friction;
  double *J = next_rows(S), *s = rows->s + row, *p = rows->p + row;
  dls_contact *contact = &S->w->contacts_next[S->n_contacts];
  dls_block *block = &rows->block[rows->n_blocks];
  list_plain(contact, a, b, nx, ny, gap, v_before, mu, before);
  block_plain(block, a->body, b->body, row, S->n_contacts, mu, asleep);
  S->height[rows->n_blocks] = height_of(S, contact->point);
  rows_plain(J, a, b, nx, ny, gap);
  rows->gamma[row] = rows->gamma[row + 1] = 0;
  rows->length[row] = rows->length[row + 1] = 1;
  S->drift[row] = 0;
  S->bounce[row] = m->restitution;
  S->tangential[row] = m->tangential_restitution;
  s[0] = asleep ? gap / way : rebound_of(S, m->restitution, contact, v_free, -m->restitution * v_before);
  s[1] = 0;
  if (m->tangential_restitution > 0 && block->n > 1 && v_before < 0 && !(before && before->listed))
    s[1] = m->tangential_restitution * row_velocity(J + 2 * NU, U(S->u_c, a->body), U(S->u_c, b->body));
  p[0] = p[1] = 0;
  if (before && !asleep) {
    const double *old = before->impulse;
    p[0] = dls_max(0, nx * old[0] + ny * old[1]);
    if (block->n > 1) p[1] = ny * old[0] - nx * old[1];
  }
  rows->n_rows += block->n;
  rows->n_blocks++;
  S->n_contacts++;
  return DLS_OK;
}
