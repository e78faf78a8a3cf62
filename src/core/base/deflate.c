/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/deflate.h"

#include <string.h>

enum {
  WINDOW = 32768,       /* bytes a reference reaches back           */
  HASHES = 32768,       /* values of the hash of three bytes        */
  TRIES = 24,           /* places looked at for the longest match   */
  LEAST = 3, MOST = 258, /* bytes of a match                         */
  BLOCK = 32768,        /* symbols of a block                       */
  LITERALS = 286, DISTANCES = 30, CODES = 19, /* sizes of the three alphabets */
  END = 256             /* the symbol that ends a block             */
};

/* A code: number of bits of each symbol, and the bits, the first one lowest. */
typedef struct huffman {
  uint8_t length[LITERALS]; /* bits of each symbol; 0: it is not used */
  uint16_t bits[LITERALS]; /* of each symbol */
} huffman;

typedef struct writer {
  uint8_t *out;  /* as much as the caller has */
  size_t n;      /* bytes written */
  uint64_t held; /* bits waiting for a whole byte */
  int n_held;    /* how many of these */
} writer;

typedef struct work {
  /* last place of a hash; the place before it of the same; -1: none */
  int32_t head[HASHES], before[WINDOW];
  /* a byte; or length << 16 | distance - 1 */
  uint32_t symbols[BLOCK];
  int n_symbols;
  uint32_t counts[LITERALS], far_counts[DISTANCES];
  huffman code, far_code, length_code;
} work;

static void put(writer *w, uint32_t bits, int n) {
  w->held |= (uint64_t)bits << w->n_held;
  w->n_held += n;
  for (; w->n_held >= 8; w->n_held -= 8, w->held >>= 8) w->out[w->n++] = (uint8_t)w->held;
}

/* --- Huffman's codes -------------------------------------------------------------------------- */

/* Symbols that occur, rarest first (by count, then by number); answers how many. */
static int sort_symbols(const uint32_t *counts, int n, int *order) {
  int used = 0;
  for (int s = 0; s < n; s++) {
    if (counts[s] == 0) continue;
    int k = used++;
    for (; k > 0 && counts[order[k - 1]] > counts[s]; k--) order[k] = order[k - 1];
    order[k] = s;
  }
  return used;
}

/* Depths of the leaves of Huffman's tree over sorted counts: two queues, leaves and joined
** nodes. */
static void tree_depths(const uint32_t *counts, const int *order, int n, int *depth) {
  uint32_t weight[2 * LITERALS];
  int parent[2 * LITERALS], leaf = 0, joined = n;
  for (int k = 0; k < n; k++) weight[k] = counts[order[k]];
  for (int made = n; made < 2 * n - 1; made++) {
    weight[made] = 0;
    for (int side = 0; side < 2; side++) {
      const bool take_leaf = leaf < n && (joined >= made || weight[leaf] <= weight[joined]);
      const int node = take_leaf ? leaf++ : joined++;
      weight[made] += weight[node];
      parent[node] = made;
    }
  }
  depth[2 * n - 2] = 0;
  for (int k = 2 * n - 3; k >= 0; k--) depth[k] = depth[parent[k]] + 1;
}

/* How many symbols have each length, none longer than most: Kraft's sum is brought back to one. */
static void limit_lengths(int *of_length, int most) {
  uint32_t total = 0;
  for (int i = most + 1; i < 2 * LITERALS; i++) {
    of_length[most] += of_length[i];
    of_length[i] = 0;
  }
  for (int i = most; i > 0; i--) total += (uint32_t)of_length[i] << (most - i);
  for (; total > 1u << most; total--) {
    int i = most - 1;
    while (of_length[i] == 0) i--;
    of_length[most]--;
    of_length[i]--;
    of_length[i + 1] += 2;
  }
}

static uint16_t reversed(uint32_t bits, int n) {
  uint32_t out = 0;
  for (int i = 0; i < n; i++) out |= (bits >> i & 1u) << (n - 1 - i);
  return (uint16_t)out;
}

/* The canonical bits of a code's lengths. */
static void assign_bits(huffman *code, int n) {
  int of_length[16] = {0};
  uint32_t next[17] = {0};
  for (int s = 0; s < n; s++) of_length[code->length[s]]++;
  of_length[0] = 0;
  for (int i = 1; i <= 15; i++) next[i + 1] = (next[i] + (uint32_t)of_length[i]) << 1;
  for (int s = 0; s < n; s++) {
    const int length = code->length[s];
    if (length > 0) code->bits[s] = reversed(next[length]++, length);
  }
}

/* The code of n symbols that occur so often, of at most `most` bits. */
static void make_code(const uint32_t *counts, int n, int most, huffman *code) {
  int order[LITERALS], depth[2 * LITERALS], of_length[2 * LITERALS] = {0};
  const int used = sort_symbols(counts, n, order);
  memset(code, 0, sizeof *code);
  if (used == 0) return;
  if (used == 1) {
    code->length[order[0]] = 1;
    assign_bits(code, n);
    return;
  }
  tree_depths(counts, order, used, depth);
  for (int k = 0; k < used; k++) of_length[depth[k]]++;
  limit_lengths(of_length, most);
  int k = 0; /* the rarest get the longest */
  for (int length = most; length > 0; length--)
    for (int i = 0; i < of_length[length]; i++) code->length[order[k++]] = (uint8_t)length;
  assign_bits(code, n);
}

/* --- lengths and distances -------------------------------------------------------------------- */

typedef struct extra {
  int symbol, bits; /* a length's or distance's; how many bits follow it */
  uint32_t value; /* these bits */
} extra;

/* Ranges of lengths 3 .. 258: symbols 257 on, four a power of two. */
static extra length_of(uint32_t length) {
  uint32_t x = length - LEAST;
  int bits = 0;
  if (length == MOST) return (extra){285, 0, 0};
  if (x < 8) return (extra){257 + (int)x, 0, 0};
  while (x >> bits >= 8) bits++;
  return (extra){257 + 4 * bits + (int)(x >> bits), bits, x & ((1u << bits) - 1)};
}

/* Ranges of distances 1 .. 32768: two a power of two. */
static extra distance_of(uint32_t distance) {
  uint32_t x = distance - 1;
  int bits = 0;
  if (x < 4) return (extra){(int)x, 0, 0};
  while (x >> bits >= 4) bits++;
  return (extra){2 * bits + (int)(x >> bits), bits, x & ((1u << bits) - 1)};
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The lengths of both codes, runs of them shortened: symbols 16 (the last, 3 to 6 times), 17 and 18
** (zeros). */
static int shorten(const uint8_t *lengths, int n, uint8_t *symbol, uint8_t *more) {
  int m = 0;
  for (int i = 0; i < n;) {
    int run = 1;
    while (i + run < n && lengths[i + run] == lengths[i]) run++;
    const bool zero = lengths[i] == 0;
    if (!zero) {
      symbol[m] = lengths[i];
      more[m++] = 0;
      i++;
      run--;
    }
    while (run >= 3) {
      const int most = !zero ? 6 : run >= 11 ? 138 : 10;
      const int take = run < most ? run : most;
      symbol[m] = (uint8_t)(!zero ? 16 : run >= 11 ? 18 : 17);
      more[m++] = (uint8_t)(take - (zero && run >= 11 ? 11 : 3));
      i += take;
      run -= take;
    }
    for (; run > 0; run--, i++) {
      symbol[m] = lengths[i];
      more[m++] = 0;
    }
  }
  return m;
}

static void write_codes(work *k, writer *w) {
  static const uint8_t places[CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[LITERALS + DISTANCES], symbol[LITERALS + DISTANCES], more[LITERALS + DISTANCES];
  uint32_t counts[CODES] = {0};
  int n = LITERALS, n_far = DISTANCES, n_places = CODES;
  while (n > 257 && k->code.length[n - 1] == 0) n--;
  while (n_far > 1 && k->far_code.length[n_far - 1] == 0) n_far--;
  memcpy(lengths, k->code.length, (size_t)n);
  memcpy(lengths + n, k->far_code.length, (size_t)n_far);
  const int m = shorten(lengths, n + n_far, symbol, more);
  for (int i = 0; i < m; i++) counts[symbol[i]]++;
  make_code(counts, CODES, 7, &k->length_code);
  while (n_places > 4 && k->length_code.length[places[n_places - 1]] == 0) n_places--;
  put(w, (uint32_t)(n - 257), 5);
  put(w, (uint32_t)(n_far - 1), 5);
  put(w, (uint32_t)(n_places - 4), 4);
  for (int i = 0; i < n_places; i++) put(w, k->length_code.length[places[i]], 3);
  for (int i = 0; i < m; i++) {
    put(w, k->length_code.bits[symbol[i]], k->length_code.length[symbol[i]]);
    if (symbol[i] == 16) put(w, more[i], 2);
    if (symbol[i] == 17) put(w, more[i], 3);
    if (symbol[i] == 18) put(w, more[i], 7);
  }
}

static void put_symbol(const huffman *code, writer *w, const extra *x) {
  put(w, code->bits[x->symbol], code->length[x->symbol]);
  if (x->bits > 0) put(w, x->value, x->bits);
}

static void write_block(work *k, writer *w, bool last) {
  const extra end = {END, 0, 0};
  k->counts[END]++;
  make_code(k->counts, LITERALS, 15, &k->code);
  make_code(k->far_counts, DISTANCES, 15, &k->far_code);
  put(w, last ? 1 : 0, 1);
  put(w, 2, 2); /* codes of its own */
  write_codes(k, w);
  for (int i = 0; i < k->n_symbols; i++) {
    const uint32_t s = k->symbols[i];
    const extra literal = {(int)s, 0, 0};
    if (s < 256) {
      put_symbol(&k->code, w, &literal);
      continue;
    }
    const extra length = length_of(s >> 16), distance = distance_of((s & 0xFFFF) + 1);
    put_symbol(&k->code, w, &length);
    put_symbol(&k->far_code, w, &distance);
  }
  put_symbol(&k->code, w, &end);
  k->n_symbols = 0;
  memset(k->counts, 0, sizeof k->counts);
  memset(k->far_counts, 0, sizeof k->far_counts);
}

/* --- matches ---------------------------------------------------------------------------------- */

static uint32_t hash3(const uint8_t *p) {
  return ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16) * 2654435761u >> 17;
}

static void enter(work *k, const uint8_t *in, size_t n, size_t i) {
  if (i + LEAST > n) return;
  const uint32_t h = hash3(in + i);
  k->before[i % WINDOW] = k->head[h];
  k->head[h] = (int32_t)i;
}

/* The longest match of what begins at i; 0: none of three bytes. */
static size_t longest(const work *k, const uint8_t *in, size_t n, size_t i, size_t *distance) {
  size_t best = 0;
  const size_t room = n - i < MOST ? n - i : MOST;
  if (room < LEAST) return 0;
  int32_t at = k->head[hash3(in + i)];
  for (int tries = 0; tries < TRIES && at >= 0 && i - (size_t)at < WINDOW; tries++) {
    const uint8_t *p = in + at;
    size_t length = 0;
    while (length < room && p[length] == in[i + length]) length++;
    if (length > best) {
      best = length;
      *distance = i - (size_t)at;
    }
    if (best == room) break;
    const int32_t next = k->before[(size_t)at % WINDOW];
    if (next >= at) break;
    at = next;
  }
  return best >= LEAST ? best : 0;
}

size_t dls_deflate_bound(size_t n) { return n + n / 4 + 1024 + (n / BLOCK + 1) * 512; }

dls_status dls_deflate(const dls_alloc *alloc, const uint8_t *in, size_t n, uint8_t *out,
                       size_t *size) {
  *size = 0;
  if (n > INT32_MAX) return DLS_RANGE;
  work *k = dls_new(alloc, 1, sizeof *k);
  if (!k) return DLS_NOMEM;
  memset(k, 0, sizeof *k);
  memset(k->head, 0xFF, sizeof k->head);
  writer w = {.out = out};
  size_t i = 0;
  while (i < n) {
    size_t distance = 0, length = longest(k, in, n, i, &distance);
    if (length > 0) {
      k->symbols[k->n_symbols++] = (uint32_t)length << 16 | (uint32_t)(distance - 1);
      k->counts[length_of((uint32_t)length).symbol]++;
      k->far_counts[distance_of((uint32_t)distance).symbol]++;
    } else {
      k->symbols[k->n_symbols++] = in[i];
      k->counts[in[i]]++;
      length = 1;
    }
    for (; length > 0; length--, i++) enter(k, in, n, i);
    if (k->n_symbols == BLOCK && i < n) write_block(k, &w, false);
  }
  write_block(k, &w, true);
  if (w.n_held > 0) put(&w, 0, 8 - w.n_held);
  *size = w.n;
  dls_free(alloc, k, 1, sizeof *k);
  return DLS_OK;
}
