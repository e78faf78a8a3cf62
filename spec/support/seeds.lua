-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- How many random scenes the dearest specs look at: all of n; an eighth of them where DELASSUS_FEW_SEEDS is set, where
-- accesses to memory are watched (make asan), not statistics.
local few = os.getenv "DELASSUS_FEW_SEEDS"

return function(n) return few and math.ceil(n / 8) or n end
