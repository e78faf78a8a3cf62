-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- How many random scenes the dear specs look at: seeds(n) is all of n; an eighth of them where DELASSUS_FEW_SEEDS is set,
-- where accesses to memory are watched (make asan), not statistics.
local few = os.getenv "DELASSUS_FEW_SEEDS"

local M = {}

--- How often random scenes must have met something to say something of it: n; among few that is chance, and any number does.
function M.least(n) return few and -1 or n end

return setmetatable(M, { __call = function(_, n) return few and math.ceil(n / 8) or n end })
