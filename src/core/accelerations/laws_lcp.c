/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/laws.h"

#include "core/lcp/enumerate.h"
#include "core/lcp/lemke.h"

/* Laws whose disks have one number each as an LCP in y = (z_N or r of each unknown, a- of each disk),
** w = (a_N or a+, l):
**
**     z_T = r - radius - mu z_N,   a_T = a+ - a-,   l = 2 (radius + mu z_N) - r,   0 <= r _|_ a+ >= 0,   0 <= a- _|_ l >= 0
*/
static void write_problem(const dls_acc_laws *l, double *M, double *q) {
  const size_t m = (size_t)l->m, size = m + (size_t)l->n_disks;
  memset(M, 0, size * size * sizeof *M);
  for (size_t k = 0; k < m; k++) {
    double *row = M + k * size;
    q[k] = l->c[k];
    for (size_t j = 0; j < m; j++) {
      const double A = l->A[k * m + j];
      row[j] += A;
      if (l->disk_of[j] < 0) continue;
      const dls_acc_disk *d = &l->disk[l->disk_of[j]];
      q[k] -= A * d->radius;
      if (d->normal >= 0) row[d->normal] -= A * d->mu;
    }
    if (l->disk_of[k] >= 0) row[m + (size_t)l->disk_of[k]] = 1;
  }
  for (int d = 0; d < l->n_disks; d++) {
    double *row = M + (m + (size_t)d) * size;
    q[m + (size_t)d] = 2 * l->disk[d].radius;
    if (l->disk[d].normal >= 0) row[l->disk[d].normal] = 2 * l->disk[d].mu;
    row[l->disk[d].at] = -1;
  }
}

static void read_answer(const dls_acc_laws *l, const double *y, double *z) {
  memcpy(z, y, (size_t)l->m * sizeof *z);
  for (int d = 0; d < l->n_disks; d++) {
    const dls_acc_disk *disk = &l->disk[d];
    z[disk->at] -= disk->radius + (disk->normal >= 0 ? disk->mu * y[disk->normal] : 0);
  }
}

static dls_status enumerate(dls_acc_room *room, const dls_acc_laws *l, const dls_lcp *p, double *y,
                            double *w, double *z, double *a, dls_acc_list *list) {
  dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  opts.solutions = &room->all;
  const dls_status status = dls_lcp_enumerate(p, &opts, &room->method, y, w, &report);
  for (int k = 0; k < room->all.n_found && status == DLS_OK; k++) {
    read_answer(l, room->all.z + (size_t)k * (size_t)p->n, z);
    (void)dls_acc_list_add(l, z, a, list);
  }
  return status;
}

dls_status dls_acc_by_lcp(dls_acc_room *room, const dls_acc_laws *l, double *z, double *a,
                          dls_acc_list *list, bool *all) {
  const int n = l->m + l->n_disks;
  const size_t size = (size_t)n;
  dls_arena *tmp = &room->method;
  const dls_lcp shape = {.n = n};
  size_t bytes = dls_bytes_add(dls_arena_bytes(dls_bytes(size, size), sizeof(double)),
                               4 * dls_arena_bytes(size, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_lcp_lemke_bytes(&shape));
  if (n <= DLS_LCP_ENUMERATE_MAX) bytes = dls_bytes_add(bytes, dls_lcp_enumerate_bytes(&shape));
  *all = false;
  dls_status status = dls_arena_reserve(tmp, &room->alloc, bytes);
  if (status != DLS_OK) return status;
  double *M = DLS_TAKE(tmp, double, size * size), *q = DLS_TAKE(tmp, double, size);
  double *y = DLS_TAKE(tmp, double, size), *w = DLS_TAKE(tmp, double, size);
  if (!M || !q || !y || !w) return DLS_FULL;
  const dls_lcp p = {.n = n, .M = M, .q = q};
  write_problem(l, M, q);
  if (n > DLS_ACC_ALL && list->n == 0) {
    const dls_lcp_opts opts = dls_lcp_opts_default();
    dls_lcp_report report;
    status = dls_lcp_lemke(&p, &opts, tmp, y, w, &report);
    if (status != DLS_OK) return status;
    read_answer(l, y, z);
    (void)dls_acc_list_add(l, z, a, list);
  }
  *all = n <= DLS_ACC_ALL || (list->n == 0 && n <= DLS_LCP_ENUMERATE_MAX);
  return *all ? enumerate(room, l, &p, y, w, z, a, list) : DLS_OK;
}

dls_status dls_acc_without_friction(dls_acc_room *room, const dls_acc_laws *l, double *z) {
  int n = 0;
  for (int k = 0; k < l->m; k++) n += l->disk_of[k] < 0;
  const size_t size = (size_t)n;
  dls_arena *tmp = &room->method;
  const dls_lcp shape = {.n = n};
  const size_t bytes =
      dls_bytes_add(dls_arena_bytes(dls_bytes(size, size), sizeof(double)),
                    3 * dls_arena_bytes(size, sizeof(double)) + dls_lcp_lemke_bytes(&shape));
  memset(z, 0, (size_t)l->m * sizeof *z);
  if (n == 0) return DLS_OK;
  dls_status status = dls_arena_reserve(tmp, &room->alloc, bytes);
  if (status != DLS_OK) return status;
  double *M = DLS_TAKE(tmp, double, size * size), *q = DLS_TAKE(tmp, double, size);
  double *y = DLS_TAKE(tmp, double, size), *w = DLS_TAKE(tmp, double, size);
  if (!M || !q || !y || !w) return DLS_FULL;
  for (int k = 0, i = 0; k < l->m; k++) {
    if (l->disk_of[k] >= 0) continue;
    q[i] = l->c[k];
    for (int j = 0, c = 0; j < l->m; j++)
      if (l->disk_of[j] < 0)
        M[(size_t)i * size + (size_t)c++] = l->A[(size_t)k * (size_t)l->m + (size_t)j];
    i++;
  }
  const dls_lcp p = {.n = n, .M = M, .q = q};
  const dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  status = dls_lcp_lemke(&p, &opts, tmp, y, w, &report);
  for (int k = 0, i = 0; k < l->m && status == DLS_OK; k++)
    if (l->disk_of[k] < 0) z[k] = y[i++];
  return status;
}
