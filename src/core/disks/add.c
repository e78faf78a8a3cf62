/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/disks/compact.h"
#include "core/disks/source.h"

/* As much as dls_keep_compressed() looks at. */
static inline void name_contact(dls_contact *c, int a, int b) {
  c->key = 0;
  c->a = a, c->b = b;
  c->user = -1;
  c->state = 0;
  c->age = 0;
  c->listed = 1;
  c->mark = 0;
  c->held = 0;
}

/* Block k is not to be compact after all. */
static void write_rows(dls_rows *rows, int k) {
  dls_disks_write(rows, k);
  rows->block[k].compact = rows->block[k].special = false;
}

/* Whether the disks of a near pair, open at q_c, touch in the rest of the step. */
static bool come_together(const dls_disk_stage *D, const dls_near *pair, double closed) {
  const dls_spot2 *a = &D->spot[pair->a], *b = &D->spot[pair->b];
  const double *u_a = D->u_ahead + 3 * (size_t)pair->a, *u_b = D->u_ahead + 3 * (size_t)pair->b;
  const double r = a->radius + b->radius + closed;
  return dls_come_within(b->x - a->x, b->y - a->y, u_b[0] - u_a[0], u_b[1] - u_a[1], r,
                         D->theta * D->h);
}

static const dls_warm_start no_contact = {.was = -1};

/* In beds of more contacts a speculative contact was in a chain that carries much: the others'
** impulses of the last step are of use with its own alone. */
enum { DEEP_BED = 4096 };

/* Slip before the step, m/s. */
static double slip_before(const dls_disk_stage *D, const dls_disk_contact *c) {
  double v[2];
  dls_disk_speeds(c, D->u_c + 3 * (size_t)c->a, D->u_c + 3 * (size_t)c->b, v);
  return v[1];
}

/* Nothing of a pair can be predicted, so there are hardly any branches. */
dls_status dls_disks_add(dls_disk_stage *D, const dls_chosen *of, int n, int left, int *n_contacts,
                         int most) {
  dls_rows *rows = D->rows;
  const dls_world *w = D->w;
  const dls_meets2 meets = D->meets;
  const dls_material *m = &w->materials[of->law];
  const dls_warm_start *starts = w->warm.start;
  const double mu = m->friction, e = m->restitution, e_t = m->tangential_restitution;
  const double way = D->theta * D->h, by_way = 1 / way, g[2] = {w->gravity[0], w->gravity[1]};
  const bool deep = w->n_contacts > DEEP_BED;
  const dls_step_halves step = {(1 - D->theta) * D->h, way};
  const int bounces = e > 0 ? DLS_DISK_BOUNCES : 0;
  /* m: infinite, and nothing is held less (contacts/carried.h) */
  const double slow = D->swift && e > 0 ? 0 : DLS_INF;
  const dls_block models[2] = {
      /* a contact that acts; a speculative one */
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .compact = true, .special = true},
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .compact = true, .special = true,
       .speculative = true}};
  const int first = rows->n_blocks, first_made = *n_contacts;
  int made = first_made, k_block = first, row = rows->n_rows, compact_from = first;
  dls_status status = DLS_OK;
  for (const dls_chosen *end = of + n; of < end; of++) {
    const int k = of->k;
    const dls_warm_start *before = of->old >= 0 ? &starts[of->old] : &no_contact;
    if (before->how & DLS_START_KEYED) before = &no_contact;
    const double gap = meets.gap[k], v_free = meets.v_free[k], v_before = meets.v_before[k];
    const double closed = DLS_CLOSED * meets.size[k];
    const bool held =
        ((before->how & DLS_START_HELD) != 0) & dls_law_keeps_closed(&step, gap, v_before, closed);
    const bool open = gap > closed, speculative = open & (gap + way * v_free > 0) & !held;
    const bool was = before->how & DLS_START_LISTED;
    if (open & !was && (speculative || !come_together(D, &D->near[k], closed))) continue;
    if (made >= most) {
      status = DLS_FULL;
      break;
    }
    const dls_near pair = D->near[k];
    const int a = pair.a, b = pair.b;
    const double nx = meets.nx[k], ny = meets.ny[k];
    const dls_spot2 *at_b = &D->spot[pair.b];
    double *s = rows->s + row, *p = rows->p + row, point[2];
    bool dies;
    const double back = dls_law_rebound(&step, e, gap, v_before, v_free, -e * v_before, &dies);
    const int known = before == &no_contact ? -1 : of->old;
    const int acted = before->how & DLS_START_ACTS ? DLS_DISK_ACTED : 0;
    const int mark = (speculative ? DLS_DISK_SPECULATIVE : dies * DLS_MARK_DIED) | acted | bounces;
    const int age = was * (before->age + (before->age < DLS_OLDEST));
    D->source[k_block] = (dls_disk_source){known, k, k - left, age, mark};
    D->speculative[D->n_speculative] = k_block;
    D->n_speculative += speculative;
    if (D->compliant) name_contact(&w->contacts_next[made], a, b);
    dls_block *block = &rows->block[k_block];
    *block = models[speculative];
    block->a = a, block->b = b;
    block->row = row, block->source = made;
    dls_disk_point(at_b, nx, ny, gap, point);
    D->height[k_block] = -(g[0] * point[0] + g[1] * point[1]);
    dls_disk_contact *c = &dls_disk_contacts(rows)[k_block];
    c->nx = nx, c->ny = ny;
    c->turn_a = D->spot[pair.a].radius + 0.5 * gap, c->turn_b = at_b->radius + 0.5 * gap;
    c->mu = mu;
    c->a = a, c->b = b;
    if (!dls_disk_weigh(c, rows->inv_mass[a], rows->inv_mass[b], rows->inv_inertia[a],
                        rows->inv_inertia[b])) { /* hardly ever */
      dls_note_compact(rows, compact_from, k_block);
      write_rows(rows, k_block);
      compact_from = k_block + 1;
    }
    const double held_by = dls_choose(speculative, gap * by_way, back);
    s[0] = dls_choose(way * (v_before - held_by) - slow > closed, v_before, held_by);
    s[1] = e_t > 0 && v_before < 0 && !was ? e_t * slip_before(D, c) : 0;
    const double *old = (speculative & !deep) ? no_contact.push : before->push;
    p[0] = dls_max(0, nx * old[0] + ny * old[1]) + 0.0; /* from nothing, and not from -0 */
    p[1] = dls_clamp(ny * old[0] - nx * old[1], -mu * p[0], mu * p[0]) + 0.0;
    row += 2, k_block++, made++;
  }
  dls_note_compact(rows, compact_from, k_block);
  dls_disks_note(D, first, k_block - first, first_made);
  *n_contacts = made, rows->n_blocks = k_block, rows->n_rows = row;
  return status;
}
