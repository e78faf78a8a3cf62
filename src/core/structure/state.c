/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/state.h"

#include "core/lcp/residual.h"
#include "core/math/lanes.h"
#include "core/structure/element.h"
#include "core/structure/harden.h"
#include "core/structure/motions.h"

#define MOVED 1e-12     /* of the largest z, or w: a variable below is zero up to round-off    */
#define LOST 1e-3       /* of the loads: forces left over that no stiffness explains; a beam cut
                           into 1,000 frames leaves 1e-7 */
#define MOVED_FREELY 1e-9 /* of the largest displacement: the same for a slip that no law knows */

void dls_state_destroy(dls_structure_state *s) {
  const size_t n = 3 * (size_t)s->n_nodes, m = (size_t)s->m;
  if (s->alloc.fn != NULL) {
    dls_free(&s->alloc, s->u, n, sizeof *s->u);
    dls_free(&s->alloc, s->support, n, sizeof *s->support);
    dls_free(&s->alloc, s->contacts, m, sizeof *s->contacts);
    dls_free(&s->alloc, s->link, 2 * m, sizeof *s->link);
  }
  memset(s, 0, sizeof *s);
}

/* --- contacts -------------------------------------------------------------------------------- */

/* Numbers of a state under way. */
typedef struct maker {
  dls_structure_state *s; /* of the caller */
  const dls_condensed *c; /* borrowed */
  const dls_law *law; /* borrowed */
  const double *slip0; /* contacts: committed slips, m; NULL: none */
  bool rate, hard; /* hard: no link has a compliance (any more) */
  double wrong; /* N: worst of the law where hard (harden.h) */
  double *z;   /* law->n: a copy                            */
  double *w;   /* law->n: forces                            */
  double *rhs; /* law->n: q + p d                           */
  double *f;   /* dofs.n: loads, then unknowns              */
  double *tmp; /* of the solve                              */
} maker;

static double largest(int n, const double *x) { return dls_lanes_best()->amax(n, x); }

/* A force of the law: zero, without its round-off, where the variable beside it is not, and where
** round-off is all there is. */
static double force_of(const maker *k, int i, double zero) {
  const double *part = k->s->part, *const *by = (const double *const *)k->law->round_off;
  const double noise = k->hard ? 0.0 : fabs(part[0]) * by[0][i] + fabs(part[1]) * by[1][i];
  return k->z[i] > zero || k->w[i] <= noise ? 0.0 : k->w[i];
}

/* Forces, openings, slips and states from z and w. */
static void read_law(const maker *k) {
  const dls_law *law = k->law;
  const int m = law->m, nt = law->n_tangents;
  const double zero = MOVED * largest(law->n, k->z), weak = MOVED * largest(law->n, k->w);
  for (int i = 0; i < m; i++) {
    dls_contact_answer *a = &k->s->contacts[i];
    a->normal_force = force_of(k, i, zero);
    a->opening = k->z[i];
    a->state = k->z[i] > zero ? DLS_CONTACT_APART : DLS_CONTACT_STICK;
    k->s->link[i] = a->normal_force - (k->rate ? 0.0 : law->tightening);
  }
  for (int t = 0; t < nt; t++) {
    dls_contact_answer *a = &k->s->contacts[law->contact[t]];
    const double slip = k->z[m + t] - k->z[m + nt + t];
    a->tangential_force = 0.5 * (force_of(k, m + t, zero) - force_of(k, m + nt + t, zero));
    if (a->state == DLS_CONTACT_APART && fabs(a->tangential_force) <= weak)
      a->tangential_force = 0.0; /* two forces that are zero, the one as the other */
    a->slip = slip + (k->slip0 == NULL || k->rate ? 0.0 : k->slip0[law->contact[t]]);
    if (a->state != DLS_CONTACT_APART && fabs(slip) > zero) a->state = DLS_CONTACT_SLIP;
    k->s->link[m + t] = a->tangential_force;
  }
}

/* Forces on the unknowns: loads, contacts, and what the links' springs have too much. */
static void add_links(const maker *k) {
  const dls_condensed *c = k->c;
  const double *part = k->s->part;
  for (int i = 0; i < c->links.n; i++) {
    const dls_structure_link *l = &c->links.link[i];
    const dls_contact_answer *a = &k->s->contacts[l->contact];
    double zeta = i < c->links.m ? a->opening - part[0] * c->st.contacts[l->contact].gap : a->slip;
    zeta -= part[0] * l->shift[0] + part[1] * l->shift[1];
    const double soft = k->hard ? 0.0 : l->weight * l->compliance;
    const double force = (1.0 - soft) * k->s->link[i] + l->weight * zeta;
    for (int e = 0; e < l->n; e++)
      if (l->dof[e] >= 0) k->f[l->dof[e]] += force * l->c[e];
  }
}

/* Displacements of all nodes from the unknowns in k->f. */
static void place_displacements(const maker *k) {
  const dls_condensed *c = k->c;
  for (int i = 0; i < 3 * c->st.n_nodes; i++) {
    const int at = c->dofs.number[i];
    const dls_structure_node *node = &c->st.nodes[i / 3];
    const bool held = node->held >> (i % 3) & 1;
    k->s->u[i] = at >= 0 ? k->f[at]
                 : held
                     ? k->s->part[0] * node->shift[0][i % 3] + k->s->part[1] * node->shift[1][i % 3]
                     : 0.0;
  }
}

/* A contact without a tangent link moves as its nodes do. */
static void read_free_slips(const maker *k) {
  const dls_structure *st = &k->c->st;
  const double zero = MOVED_FREELY * largest(3 * st->n_nodes, k->s->u);
  for (int i = 0; i < st->n_contacts; i++) {
    if (k->c->links.tangent[i] >= 0) continue;
    const dls_contact_pair *p = &st->contacts[i];
    dls_contact_answer *a = &k->s->contacts[i];
    const double tx = p->normal[1], ty = -p->normal[0];
    const double share = p->a[1] < 0 ? 0.0 : p->share;
    const double *u = k->s->u;
    double slip = tx * u[3 * p->b] + ty * u[3 * p->b + 1];
    if (p->a[0] >= 0) slip -= (1.0 - share) * (tx * u[3 * p->a[0]] + ty * u[3 * p->a[0] + 1]);
    if (p->a[1] >= 0) slip -= share * (tx * u[3 * p->a[1]] + ty * u[3 * p->a[1] + 1]);
    a->slip = slip;
    if (a->state != DLS_CONTACT_APART && fabs(slip) > zero) a->state = DLS_CONTACT_SLIP;
  }
}

/* --- residuals ------------------------------------------------------------------------------- */

/* What links that could not be made hard are dislocated by their compliance, times rho, N. */
static double yielded(const maker *k) {
  const dls_links *links = &k->c->links;
  double most = 0.0;
  for (int i = 0; i < links->n; i++) {
    const dls_structure_link *l = &links->link[i];
    const double x = k->s->link[i];
    if (l->compliance > 0.0) most = dls_max(most, l->weight * l->compliance * fabs(x));
  }
  return most;
}

/* The forces of the loads (law.h). */
static double loads_of(const maker *k) {
  const double *part = k->s->part;
  return dls_max(fabs(part[0]) * k->law->size, fabs(part[1]) * k->law->growing);
}

/* Of whatever moves freely; the basis of the path has no part in it. */
static double unbalance(const maker *k) {
  return dls_motions_unbalance(&k->c->motions, k->s->part, k->s->link, loads_of(k),
                               k->law->round_off);
}

/* Of the law, relative to the forces of the loads (law.h). */
static double law_residual(const maker *k) {
  const dls_law *law = k->law;
  const dls_lcp at = {.n = law->n, .M = law->M, .q = k->rhs};
  double natural, wrong = k->wrong;
  if (law->n == 0 || k->rate) return 0.0;
  if (!k->hard) {
    const double residual = dls_lcp_residual(&at, k->z, k->w, &natural);
    const double sum = largest(law->n, k->rhs), soft = yielded(k);
    wrong = residual * (sum > 0.0 ? sum : 1.0);
    k->s->jammed = soft > wrong;
    wrong = dls_max(wrong, soft);
  }
  const double parts = loads_of(k);
  return parts > 0.0 ? wrong / parts : wrong;
}

/* |K_rho u - f - ...| over the largest sum of |K_rho_ij u_j|; f holds the right side, u the
** answer; *left: the largest force left over, N. */
static double equilibrium(const maker *k, const double *f, const double *u, double *left) {
  const dls_stiffness *K = &k->c->K;
  double worst = 0.0, size = 0.0;
  for (int i = 0; i < k->c->dofs.n; i++) {
    double sum = -f[i], parts = fabs(f[i]);
    for (int e = K->start[i]; e < K->start[i + 1]; e++) {
      const double term = K->value[e] * u[K->col[e]];
      sum += term;
      parts += fabs(term);
    }
    worst = dls_max(worst, fabs(sum));
    size = dls_max(size, parts);
  }
  *left = worst;
  return size > 0.0 ? worst / size : 0.0;
}

/* Forces left over, relative to loads and contacts' forces, or 0 where they are less than LOST of
** these and than what rounding makes of gaps: beyond that displacements are round-off, inverted, of
** a structure that does not resist even with its contacts closed. */
static double lost(const maker *k, double left) {
  const dls_condensed *c = k->c;
  const double *part = k->s->part;
  double size = loads_of(k);
  const double stiff = c->dofs.n > 0 ? largest(c->K.start[c->dofs.n], c->K.value) : 0.0;
  for (int i = 0; i < c->dofs.n; i++)
    size = dls_max(size, fabs(part[0] * c->f[0][i]) + fabs(part[1] * c->f[1][i]));
  for (int i = 0; i < c->links.n; i++) {
    const dls_structure_link *l = &c->links.link[i];
    const double slip = k->slip0 == NULL ? 0.0 : k->slip0[l->contact];
    const double by = fabs(c->st.contacts[l->contact].gap) + fabs(slip) + fabs(l->shift[0]) +
                      fabs(part[1] * l->shift[1]);
    size = dls_max(size, dls_max(fabs(k->s->link[i]), DLS_ROUND_OFF / LOST * stiff * by));
  }
  return left > LOST * size && size > 0.0 ? left / size : 0.0;
}

/* --- making ---------------------------------------------------------------------------------- */
static dls_status solve(maker *k, dls_stop *stop) {
  const dls_condensed *c = k->c;
  const int n = c->dofs.n;
  double *load = k->tmp + dls_condensed_tmp(c);
  for (int i = 0; i < n; i++) k->f[i] = k->s->part[0] * c->f[0][i] + k->s->part[1] * c->f[1][i];
  add_links(k);
  if (n > 0) memcpy(load, k->f, (size_t)n * sizeof *load);
  const dls_status status = dls_condensed_solve(c, load, k->f, k->tmp, stop);
  if (status != DLS_OK) return status;
  double left;
  k->s->residual = dls_max(law_residual(k), equilibrium(k, load, k->f, &left));
  k->s->unbalance = dls_max(unbalance(k), lost(k, left));
  k->s->residual = dls_max(k->s->residual, k->s->unbalance);
  place_displacements(k);
  read_free_slips(k);
  return DLS_OK;
}

/* Right side, z of the hard links, and forces. */
static dls_status image(maker *k, const double *z, dls_stop *stop) {
  const dls_law *law = k->law;
  const size_t n = (size_t)law->n;
  if (n == 0) return DLS_OK;
  memcpy(k->z, z, n * sizeof *z);
  for (size_t i = 0; i < n; i++) k->rhs[i] = k->rate ? law->d[i] : law->q[i] + k->s->p * law->d[i];
  dls_lanes_best()->gemv(law->n, law->n, law->M, n, k->z, k->w);
  for (size_t i = 0; i < n; i++) k->w[i] += k->rhs[i];
  return dls_law_harden(k->c, law, k->slip0, k->s->part, stop, k->z, k->w, &k->hard, &k->wrong);
}

dls_status dls_state_make(dls_structure_state *s, const dls_condensed *c, const dls_law *law,
                          const double *slip0, double p, const double *z, bool rate,
                          dls_stop *stop) {
  const dls_alloc *alloc = &c->st.alloc;
  const size_t m = (size_t)c->links.m, n_nodes = (size_t)c->st.n_nodes;
  const size_t n_tmp = dls_condensed_tmp(c) + (size_t)c->dofs.n, n_law = (size_t)law->n;
  maker k = {.s = s, .c = c, .law = law, .slip0 = slip0, .rate = rate};
  memset(s, 0, sizeof *s);
  s->alloc = *alloc;
  s->n_nodes = c->st.n_nodes;
  s->m = c->links.m;
  s->p = p;
  s->part[0] = rate ? 0.0 : 1.0;
  s->part[1] = rate ? 1.0 : p;
  s->u = (double *)dls_new(alloc, 3 * n_nodes, sizeof *s->u);
  s->support = (double *)dls_new(alloc, 3 * n_nodes, sizeof *s->support);
  s->contacts = (dls_contact_answer *)dls_new(alloc, m, sizeof *s->contacts);
  s->link = (double *)dls_new(alloc, 2 * m, sizeof *s->link);
  k.w = (double *)dls_new(alloc, 3 * n_law, sizeof *k.w);
  k.f = (double *)dls_new(alloc, (size_t)c->dofs.n, sizeof *k.f);
  k.tmp = (double *)dls_new(alloc, n_tmp, sizeof *k.tmp);
  dls_status status = DLS_NOMEM;
  if (s->u != NULL && s->support != NULL && s->contacts != NULL && s->link != NULL && k.w != NULL &&
      k.f != NULL && k.tmp != NULL) {
    k.rhs = k.w + n_law;
    k.z = k.rhs + n_law;
    status = image(&k, z, stop);
  }
  if (status == DLS_OK) {
    read_law(&k);
    status = solve(&k, stop);
  }
  dls_free(alloc, k.w, 3 * n_law, sizeof *k.w);
  dls_free(alloc, k.f, (size_t)c->dofs.n, sizeof *k.f);
  dls_free(alloc, k.tmp, n_tmp, sizeof *k.tmp);
  if (status != DLS_OK) dls_state_destroy(s);
  return status;
}

/* --- elements and supports ------------------------------------------------------------------- */
double dls_state_element(const dls_structure_state *s, const dls_element *e, double *u) {
  const int each = dls_element_node_dofs(e);
  for (int i = 0; i < dls_element_dofs(e); i++) u[i] = s->u[3 * e->node[i / each] + i % each];
  return s->part[0] * e->heat[0] + s->part[1] * e->heat[1];
}

/* Forces of the nodes on the elements, less loads and contacts: what supports and springs give. */
static void balance(dls_structure_state *s, const dls_structure *st) {
  double K[DLS_ELEMENT_MOST * DLS_ELEMENT_MOST], heat[DLS_ELEMENT_MOST], u[DLS_ELEMENT_MOST];
  for (int k = 0; k < st->n_elements; k++) {
    const dls_element *e = &st->elements[k];
    const int n = dls_element_dofs(e), each = dls_element_node_dofs(e);
    const double T = dls_state_element(s, e, u);
    dls_element_matrix(st, e, K, heat);
    for (int i = 0; i < n; i++) {
      double sum = -heat[i] * T;
      for (int j = 0; j < n; j++) sum += K[n * i + j] * u[j];
      s->support[3 * e->node[i / each] + i % each] += sum;
    }
  }
  for (int i = 0; i < st->n_nodes; i++)
    for (int d = 0; d < 3; d++)
      s->support[3 * i + d] -=
          s->part[0] * st->nodes[i].load[0][d] + s->part[1] * st->nodes[i].load[1][d];
}

/* The forces of contact i on its nodes, taken off. */
static void less_contact(dls_structure_state *s, const dls_structure *st, int i, double normal) {
  const dls_contact_pair *c = &st->contacts[i];
  const double t = s->contacts[i].tangential_force, share = c->a[1] < 0 ? 0.0 : c->share;
  const double f[2] = {normal * c->normal[0] + t * c->normal[1],
                       normal * c->normal[1] - t * c->normal[0]};
  const int node[3] = {c->b, c->a[0], c->a[1]};
  const double part[3] = {1.0, share - 1.0, -share};
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < 2 && node[k] >= 0; d++) s->support[3 * node[k] + d] -= part[k] * f[d];
}

dls_status dls_state_supports(dls_structure_state *s, const dls_structure *st,
                              const dls_dofs *dofs) {
  const size_t n = 3 * (size_t)st->n_nodes;
  if (s->supported) return DLS_OK;
  unsigned char *held = (unsigned char *)dls_new(&s->alloc, n, 1);
  if (held == NULL) return DLS_NOMEM;
  for (size_t i = 0; i < n; i++) held[i] = dofs->number[i] == DLS_DOF_HELD;
  for (int k = 0; k < st->n_springs; k++) held[3 * st->springs[k].node + st->springs[k].dof] = 1;
  balance(s, st);
  for (int i = 0; i < s->m; i++) less_contact(s, st, i, s->link[i]);
  for (size_t i = 0; i < n; i++)
    if (!held[i]) s->support[i] = 0.0;
  dls_free(&s->alloc, held, n, 1);
  s->supported = true;
  return DLS_OK;
}
