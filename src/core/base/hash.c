/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/hash.h"

#define K1 UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */
#define K2 UINT64_C(0xd6e8feb86659fd93)
#define K3 UINT64_C(0xbf58476d1ce4e5b9)
#define K4 UINT64_C(0x94d049bb133111eb)

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static uint64_t mix(uint64_t h, uint64_t w) { return rotate_left(h ^ (w * K1), 29) * K2; }

dls_hash dls_hash_start(void) { return (dls_hash){K1, 0, 0}; }

static void add_byte(dls_hash *hash, unsigned char byte) {
  const int waiting = (int)(hash->length % 8);
  hash->word |= (uint64_t)byte << (8 * waiting);
  hash->length++;
  if (waiting < 7) return;
  hash->h = mix(hash->h, hash->word);
  hash->word = 0;
}

void dls_hash_bytes(dls_hash *hash, const void *bytes, size_t n) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < n; i++) add_byte(hash, byte[i]);
}

void dls_hash_word(dls_hash *hash, uint64_t value) {
  const int waiting = 8 * (int)(hash->length % 8);
  hash->h = mix(hash->h, hash->word | (value << waiting));
  hash->word = waiting == 0 ? 0 : value >> (64 - waiting);
  hash->length += 8;
}

void dls_hash_int(dls_hash *hash, int64_t value) { dls_hash_word(hash, (uint64_t)value); }

void dls_hash_double(dls_hash *hash, double value) {
  uint64_t u;
  memcpy(&u, &value, sizeof u);
  dls_hash_word(hash, u);
}

void dls_hash_doubles(dls_hash *hash, const double *values, size_t n) {
  for (size_t i = 0; i < n; i++) dls_hash_double(hash, values[i]);
}

uint64_t dls_hash_digest(const dls_hash *hash) {
  uint64_t h = hash->length % 8 == 0 ? hash->h : mix(hash->h, hash->word);
  h ^= hash->length;
  h = (h ^ (h >> 30)) * K3;
  h = (h ^ (h >> 27)) * K4;
  return h ^ (h >> 31);
}

void dls_hash_text(uint64_t digest, char text[17]) {
  for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[(digest >> (60 - 4 * i)) & 15];
  text[16] = '\0';
}
