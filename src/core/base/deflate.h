/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_DEFLATE_H
#define DLS_BASE_DEFLATE_H

#include "core/base/alloc.h"

/* Compression of bytes by RFC 1951 ("deflate", without a wrapper around it): references to equal
** bytes up to 32 kB back, found by a hash of three bytes, and Huffman codes of their own for every
** 32,768 symbols. */

/* Bytes that n bytes take at most. */
size_t dls_deflate_bound(size_t n);

/* Compresses in[0 .. n) into out, which has dls_deflate_bound(n) bytes; *size: bytes written. n is
** below 2^31, else DLS_RANGE. DLS_NOMEM: *size is 0. */
dls_status dls_deflate(const dls_alloc *alloc, const uint8_t *in, size_t n, uint8_t *out,
                       size_t *size);

#endif
