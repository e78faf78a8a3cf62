/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/status.h"

const char *dls_status_text(dls_status status) {
  static const char *const texts[] = {
#define X(code, text) text,
      DLS_STATUS_LIST(X)
#undef X
  };
  const unsigned i = (unsigned)status;
  return i < DLS_N_STATUS ? texts[i] : "unknown status";
}
