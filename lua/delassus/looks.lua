-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- How bodies look in a replay where that is not their shape: kept beside their world, for recordings alone.
-- @module delassus.looks
local M = {}

local by_world = setmetatable({}, { __mode = "k" })

--- Gives a body of a world its visuals (see `delassus.record_mechanism`).
function M.set(world, body, visuals)
  by_world[world] = by_world[world] or {}
  by_world[world][body.index] = { name = body.name, visuals = visuals }
end

--- The visuals of a body, or nil. A later body of the same place has another name, or none.
function M.of(body)
  local list = by_world[body.world]
  local look = list and list[body.index]
  return look and look.name == body.name and look.visuals or nil
end

return M
