-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"

-- Worlds that finalizers close, between calls and in the middle of them.
function phase()
  for _ = 1, 2 do
    local world = delassus.world{ planar = true, record = false }
    world:disk{ radius = 0.1, name = "ball" }
    setmetatable({}, { __gc = function() world:close() end })
    for k = 1, 40 do
      if not pcall(function() world:disk{ radius = 0.1, position = { k, 0 }, name = "b" .. k } end) then break end
    end
    collectgarbage()
  end
end
