/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/pack.h"

#include "core/math/colour.h"

/* Most neighbours of a group: beyond them lanes stay empty. */
#define NEIGHBOURS 63
/* Lanes of slots for each block of A that may be spent, and some for small problems. */
#define SPEND 3
#define FEW 16
/* As in cone/local.c: relative to the block's norm. */
#define FLAT 1e-14

static const dls_cone_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_cone_lanes_plain, dls_cone_lanes_avx2, dls_cone_lanes_avx512);

const dls_cone_lanes *dls_cone_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

static const dls_cone_lanes *widest(void) { return by_isa[dls_isa()]; }

/* --- room ------------------------------------------------------------------------------------- */

typedef struct room {
  int d;        /* rows of a lane; 0: no packs for this problem */
  size_t packs; /* at most                                      */
  size_t slots; /* at most                                      */
} room;

static int dim_of(const dls_cone_problem *pr, int g) {
  return dls_cone_laws[pr->groups[g].kind].n_rows;
}

static room room_for(const dls_cone_problem *pr, size_t blocks) {
  room r = {0};
  size_t m = (size_t)pr->n_groups;
  int d = 2;
  if (m < FEW || blocks > NEIGHBOURS * m) return r;
  for (int g = 0; g < pr->n_groups; g++) d = dim_of(pr, g) > d ? dim_of(pr, g) : d;
  if (d > 3) return r;
  r.d = d;
  r.packs = m / DLS_CONE_LANES + DLS_COLOURS;
  r.slots = (SPEND * blocks) / DLS_CONE_LANES + FEW;
  return r;
}

static size_t own_rows(int d) {
  return d == 2 ? DLS_CONE_PLANAR_ROWS : DLS_CONE_SPATIAL_ROWS;
}

size_t dls_cone_pack_bytes(const dls_cone_problem *pr) {
  room r = room_for(pr, dls_cone_system_blocks(pr));
  if (r.d == 0) return 0;
  size_t m = (size_t)pr->n_groups, d = (size_t)r.d, sum = 0;
  size_t take[] = {
      dls_arena_bytes(8 * r.packs, sizeof(int)),
      dls_arena_bytes(r.packs + 1, sizeof(int)),
      dls_arena_bytes(8 * r.slots, sizeof(int)),
      dls_arena_bytes(8 * d * d * r.slots, sizeof(double)),
      dls_arena_bytes(8 * d * r.packs, sizeof(double)),
      dls_arena_bytes(8 * own_rows(r.d) * r.packs, sizeof(double)),
      dls_arena_bytes(r.packs, 1),
      dls_arena_bytes(m, sizeof(int)),
      dls_arena_bytes(m, sizeof(int)),
      dls_arena_bytes(m, sizeof(int)),
      dls_arena_bytes(DLS_COLOURS * (NEIGHBOURS + 1) + 1, sizeof(int)),
  };
  for (size_t k = 0; k < sizeof take / sizeof *take; k++)
    sum = dls_bytes_add(sum, take[k]);
  return sum;
}

/* --- colours ---------------------------------------------------------------------------------- */

static int neighbours(const dls_cone_system *sys, int g) {
  return sys->start[g + 1] - sys->start[g];
}

/* The first colour that no neighbour has, group after group; false where there are too many. */
static bool paint(const dls_cone_system *sys, int *colour) {
  for (int g = 0; g < sys->n_groups; g++) {
    uint64_t taken = 0;
    if (neighbours(sys, g) > NEIGHBOURS) return false;
    for (int b = sys->start[g]; b < sys->start[g + 1]; b++)
      if (sys->col[b] < g) taken |= (uint64_t)1 << colour[sys->col[b]];
    colour[g] = dls_first_free(taken);
    if (colour[g] == DLS_COLOURS) return false;
  }
  return true;
}

/* Groups by colour, within a colour by falling number of neighbours (a pack's lanes then have about
** as many), within that by number. count: DLS_COLOURS (NEIGHBOURS + 1) + 1. */
static void sort_groups(const dls_cone_system *sys, const int *colour, int *count,
                        int *order) {
  const int keys = DLS_COLOURS * (NEIGHBOURS + 1);
  for (int k = 0; k <= keys; k++) count[k] = 0;
#define KEY(g) (colour[g] * (NEIGHBOURS + 1) + NEIGHBOURS - neighbours(sys, g))
  for (int g = 0; g < sys->n_groups; g++) count[KEY(g) + 1]++;
  for (int k = 0; k < keys; k++) count[k + 1] += count[k];
  for (int g = 0; g < sys->n_groups; g++) order[count[KEY(g)]++] = g;
#undef KEY
}

/* Lanes in that order, a new pack for each colour; lane[g]: the lane of group g. False: no room. */
static bool fill_lanes(const dls_cone_system *sys, const int *colour, const int *order,
                       room r, dls_cone_pack *pack, int *lane) {
  int n = 0;
  for (int k = 0; k < sys->n_groups; k++) {
    const int g = order[k];
    if (k > 0 && colour[g] != colour[order[k - 1]])
      while (n % 8 != 0) pack->group[n++] = -1;
    lane[g] = n;
    pack->group[n++] = g;
  }
  while (n % 8 != 0) pack->group[n++] = -1;
  pack->n_packs = n / 8;
  pack->start[0] = 0;
  for (int p = 0; p < pack->n_packs; p++) {
    int most = 0;
    for (int l = 8 * p; l < 8 * p + 8; l++)
      if (pack->group[l] >= 0 && neighbours(sys, pack->group[l]) > most)
        most = neighbours(sys, pack->group[l]);
    if ((size_t)(pack->start[p] + most) > r.slots) return false;
    pack->start[p + 1] = pack->start[p] + most;
  }
  return true;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void fill_slots(dls_cone_pack *pack, int p, int l, int g, const int *lane) {
  const dls_cone_system *sys = pack->sys;
  const int d = pack->d, *col = sys->col + sys->start[g], n = neighbours(sys, g);
  const double *a = sys->value + sys->at[g];
  for (int s = 0; s < n; s++) {
    const size_t slot = (size_t)(pack->start[p] + s);
    const int j = col[s], dj = sys->dim[j];
    double *value = pack->value + slot * (size_t)(8 * d * d) + l;
    pack->index[8 * slot + (size_t)l] = lane[j] / 8 * 8 * d + lane[j] % 8;
    for (int r = 0; r < sys->dim[g]; r++)
      for (int k = 0; k < dj; k++) value[8 * (r * d + k)] = *a++;
  }
}

/* One lane's rows of `own`, 8 apart; true where the group must go the way of cone/local.c. */
static bool fill_planar(const dls_cone_system *sys, int g, double *own) {
  const double *a = sys->diag + sys->diag_at[g], norm = sys->norm[g];
  const bool cone = sys->dim[g] == 2;
  const double mu = cone ? sys->shape[g].mu[0] : 0;
  const double det = cone ? a[0] * a[3] - a[1] * a[2] : 0;
  own[64] = norm;
  if (!cone || !(a[0] > FLAT * norm) || !(det > FLAT * norm * norm) ||
      !(a[0] + mu * a[1] > FLAT * norm) || !(a[0] - mu * a[1] > FLAT * norm))
    return true;
  for (int k = 0; k < 4; k++) own[8 * k] = a[k];
  own[32] = 1 / det;
  own[40] = 1 / (a[0] + mu * a[1]);
  own[48] = 1 / (a[0] - mu * a[1]);
  own[56] = mu;
  return false;
}

static bool fill_spatial(const dls_cone_system *sys, int g, const dls_cone_local *local,
                         double *own) {
  const double *a = sys->diag + sys->diag_at[g], norm = sys->norm[g];
  const bool cone = sys->dim[g] == 3 && sys->shape[g].n_parts == 1;
  const double mu = cone ? sys->shape[g].mu[0] : 0;
  own[88] = norm;
  own[8] = own[32] = 1e200; /* a general lane sticks at nothing, which costs no step */
  if (!cone || !(a[0] > FLAT * norm) || !(mu > 0)) return true;
  own[0] = 1 / a[0];
  for (int k = 0; k < 4; k++) own[8 + 8 * k] = local->S[k];
  for (int k = 0; k < 2; k++)
    own[40 + 8 * k] = local->nt[k], own[56 + 8 * k] = local->tn[k];
  own[72] = mu;
  own[80] = own[96] = local->alpha_0;
  return false;
}

static void fill_numbers(dls_cone_pack *pack, const int *lane) {
  const dls_cone_system *sys = pack->sys;
  const size_t d = (size_t)pack->d, rows = own_rows(pack->d),
               packs = (size_t)pack->n_packs;
  const size_t slots = (size_t)pack->start[packs];
  memset(pack->value, 0, 8 * d * d * slots * sizeof(double));
  memset(pack->c, 0, 8 * d * packs * sizeof(double));
  memset(pack->own, 0, 8 * rows * packs * sizeof(double));
  memset(pack->general, 0, packs);
  for (size_t k = 0; k < 8 * slots; k++) pack->index[k] = pack->n;
  for (int i = 0; i < 8 * pack->n_packs; i++) {
    const int g = pack->group[i], p = i / 8, l = i % 8;
    if (g < 0) continue;
    double *own = pack->own + (size_t)p * 8 * rows + l;
    const bool general = pack->d == 2 ? fill_planar(sys, g, own)
                                      : fill_spatial(sys, g, &pack->locals[g], own);
    if (general) pack->general[p] |= (unsigned char)(1u << l);
    fill_slots(pack, p, l, g, lane);
  }
  dls_cone_pack_load(pack, sys->c, pack->c);
}

dls_status dls_cone_pack_make(const dls_cone_system *sys, dls_cone_local *locals,
                              int path, dls_arena *tmp, dls_cone_pack *pack) {
  const room r = room_for(sys->problem, (size_t)sys->start[sys->n_groups]);
  const size_t m = (size_t)sys->n_groups, d = (size_t)r.d;
  *pack = (dls_cone_pack){.sys = sys,
                          .locals = locals,
                          .d = r.d,
                          .lanes = path < 0 ? widest() : dls_cone_lanes_at(path)};
  if (r.d == 0 || pack->lanes == NULL) return DLS_OK;
  pack->group = DLS_TAKE(tmp, int, 8 * r.packs);
  pack->start = DLS_TAKE(tmp, int, r.packs + 1);
  pack->index = DLS_TAKE(tmp, int, 8 * r.slots);
  pack->value = DLS_TAKE(tmp, double, 8 * d * d * r.slots);
  pack->c = DLS_TAKE(tmp, double, 8 * d * r.packs);
  pack->own = DLS_TAKE(tmp, double, 8 * own_rows(r.d) * r.packs);
  pack->general = DLS_TAKE(tmp, unsigned char, r.packs);
  size_t mark = dls_arena_mark(tmp);
  int *colour = DLS_TAKE(tmp, int, m), *order = DLS_TAKE(tmp, int, m),
      *lane = DLS_TAKE(tmp, int, m);
  int *count = DLS_TAKE(tmp, int, DLS_COLOURS *(NEIGHBOURS + 1) + 1);
  if (!pack->group || !pack->start || !pack->index || !pack->value || !pack->c ||
      !pack->own || !pack->general || !colour || !order || !lane || !count)
    return DLS_FULL;
  if (paint(sys, colour)) {
    sort_groups(sys, colour, count, order);
    pack->ready = fill_lanes(sys, colour, order, r, pack, lane);
    pack->n = 8 * pack->d * pack->n_packs;
    if (pack->ready) fill_numbers(pack, lane);
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* --- vectors ---------------------------------------------------------------------------------- */

void dls_cone_pack_load(const dls_cone_pack *pack, const double *z, double *lanes) {
  const int d = pack->d;
  memset(lanes, 0, (size_t)pack->n * sizeof(double));
  for (int i = 0; i < 8 * pack->n_packs; i++) {
    const int g = pack->group[i];
    for (int k = 0; g >= 0 && k < pack->sys->dim[g]; k++)
      lanes[i / 8 * 8 * d + 8 * k + i % 8] = z[pack->sys->groups[g].row + k];
  }
}

void dls_cone_pack_unload(const dls_cone_pack *pack, const double *lanes, double *z) {
  const int d = pack->d;
  for (int i = 0; i < 8 * pack->n_packs; i++) {
    const int g = pack->group[i];
    for (int k = 0; g >= 0 && k < pack->sys->dim[g]; k++)
      z[pack->sys->groups[g].row + k] = lanes[i / 8 * 8 * d + 8 * k + i % 8];
  }
}
