/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"

#include "bind/options.h"
#include "bind/raise.h"
#include "core/base/deflate.h"

/* Numbers of recordings made small for pages: rounded to multiples of a step, told as differences
** from what the numbers before let expect, and compressed.
**
** A table of rows and columns, row by row as 4-byte floats, is written column by column. A column
** begins with its order p, 0 to 3, the one with the least sum of |d|; then for every row one
** number, seven bits a byte, the lowest first, the eighth bit set where more follow: 0 for NaN,
** else 1 + 2 d where d >= 0 and -2 d where d < 0, with d = x_k - e_k, x_k the number as whole
** steps, e_k by polynomials through the p numbers before:
**   p = 0: 0   p = 1: x_(k-1)   p = 2: 2 x_(k-1) - x_(k-2)   p = 3: 3 x_(k-1) - 3 x_(k-2) + x_(k-3)
** where those before the first are 0, and after NaN, too. */

enum { ORDERS = 4 };
static const double FARTHEST = 1e9; /* steps: what lies beyond is told as that */

static int64_t expected(int order, const int64_t x[3]) {
  switch (order) {
    case 1: return x[0];
    case 2: return 2 * x[0] - x[1];
    case 3: return 3 * x[0] - 3 * x[1] + x[2];
    default: return 0;
  }
}

static void shift(int64_t x[3], int64_t now) {
  x[2] = x[1];
  x[1] = x[0];
  x[0] = now;
}

/* A number as whole steps; false for NaN. */
static bool steps_of(float value, double step, int64_t *out) {
  double x = (double)value / step;
  if (x != x) return false;
  if (x > FARTHEST) x = FARTHEST;
  if (x < -FARTHEST) x = -FARTHEST;
  *out = (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
  return true;
}

static int best_order(const float *x, size_t rows, size_t columns, double step) {
  double sum[ORDERS] = {0};
  int64_t before[3] = {0}, now = 0;
  int best = 0;
  for (size_t k = 0; k < rows; k++) {
    if (!steps_of(x[k * columns], step, &now)) now = 0;
    for (int p = 0; p < ORDERS; p++) {
      const int64_t d = now - expected(p, before);
      sum[p] += (double)(d < 0 ? -d : d);
    }
    shift(before, now);
  }
  for (int p = 1; p < ORDERS; p++)
    if (sum[p] < sum[best]) best = p;
  return best;
}

static size_t put_number(uint8_t *out, uint64_t x) {
  size_t n = 0;
  for (; x >= 128; x >>= 7) out[n++] = (uint8_t)(x | 128);
  out[n++] = (uint8_t)x;
  return n;
}

static size_t put_column(uint8_t *out, const float *x, size_t rows, size_t columns, double step) {
  const int order = best_order(x, rows, columns, step);
  int64_t before[3] = {0};
  size_t n = 0;
  out[n++] = (uint8_t)order;
  for (size_t k = 0; k < rows; k++) {
    int64_t now = 0;
    uint64_t told = 0;
    if (steps_of(x[k * columns], step, &now)) {
      const int64_t d = now - expected(order, before);
      told = d >= 0 ? 1 + 2 * (uint64_t)d : 2 * (uint64_t)-d;
    }
    shift(before, now);
    n += put_number(out + n, told);
  }
  return n;
}

/* squeeze(floats, columns, steps) -> bytes: `steps` is a list, taken again and again over the
** columns. */
static int squeeze(lua_State *L) {
  static const char function[] = "squeeze";
  size_t size;
  const char *floats = luaL_checklstring(L, 1, &size);
  const lua_Integer columns = luaL_checkinteger(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  const lua_Integer n_steps = (lua_Integer)lua_rawlen(L, 3);
  const size_t n = size / sizeof(float);
  if (columns < 1 || n_steps < 1 || size % sizeof(float) != 0 || n % (size_t)columns != 0)
    return dls_raise(L, function, "the numbers are no whole rows");
  /* 6: d < 8 * 1e9 < 2^34 */
  const size_t rows = n / (size_t)columns, most = 6 * n + (size_t)columns + 1;
  float *x = lua_newuserdatauv(L, size + sizeof(float), 0);
  uint8_t *told = lua_newuserdatauv(L, most, 0);
  memcpy(x, floats, size);
  size_t length = 0;
  for (lua_Integer c = 0; c < columns; c++) {
    lua_rawgeti(L, 3, c % n_steps + 1);
    const double step = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (!(step > 0)) return dls_raise(L, function, "a step must be > 0");
    length += put_column(told + length, x + c, rows, (size_t)columns, step);
  }
  luaL_Buffer b;
  uint8_t *out = (uint8_t *)luaL_buffinitsize(L, &b, dls_deflate_bound(length));
  const dls_alloc alloc = dls_lua_alloc(L);
  size_t written;
  dls_check_status(L, dls_deflate(&alloc, told, length, out, &written), function);
  luaL_pushresultsize(&b, written);
  return 1;
}

/* deflate(bytes) -> bytes, by RFC 1951. */
static int deflate(lua_State *L) {
  size_t n, written;
  const char *in = luaL_checklstring(L, 1, &n);
  luaL_Buffer b;
  uint8_t *out = (uint8_t *)luaL_buffinitsize(L, &b, dls_deflate_bound(n));
  const dls_alloc alloc = dls_lua_alloc(L);
  dls_check_status(L, dls_deflate(&alloc, (const uint8_t *)in, n, out, &written), "deflate");
  luaL_pushresultsize(&b, written);
  return 1;
}

void dls_open_squeeze(lua_State *L) {
  static const luaL_Reg functions[] = {{"squeeze", squeeze}, {"deflate", deflate}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
