/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_HASH_H
#define DLS_BASE_HASH_H

#include "core/base/real.h"

/* A 64-bit hash of a stream of bytes, the same on every machine: not cryptographic, but every
** input bit reaches every output bit. The stream is cut into words w of eight bytes, the first
** byte lowest (whatever the machine's order), the last word filled up with zeros:
**
**     h <- rotate_left(h xor (w K1), 29) K2           for every word
**     digest = finish(h xor length)                   length in bytes
**     finish(h): h ^= h >> 30; h *= K3; h ^= h >> 27; h *= K4; h ^= h >> 31
**
** with odd constants K1..K4 (hash.c). Each round is a bijection of h and of w.
** Numbers go in as their eight bytes: a double by its IEEE bits (so -0 and 0 differ), an integer
** in two's complement. Source of finish: S. Vigna's splitmix64, after D. Stafford's variant 13. */
typedef struct dls_hash {
  uint64_t h;      /* state after the whole words                                      */
  uint64_t word;   /* bytes waiting for a whole word, the first one lowest             */
  uint64_t length; /* bytes so far; length mod 8 of them wait                          */
} dls_hash;

dls_hash dls_hash_start(void);
void dls_hash_bytes(dls_hash *hash, const void *bytes, size_t n);
void dls_hash_word(dls_hash *hash, uint64_t value);
void dls_hash_int(dls_hash *hash, int64_t value);
void dls_hash_double(dls_hash *hash, double value);
void dls_hash_doubles(dls_hash *hash, const double *values, size_t n);

/* The hash of what went in so far; the stream may go on. */
uint64_t dls_hash_digest(const dls_hash *hash);

/* A digest as 16 hexadecimal characters, the most significant first, and a final zero. */
void dls_hash_text(uint64_t digest, char text[17]);

#endif
