local delassus = require "delassus"
local core = require "delassus.core"
local stack = require "delassus.stack"

-- Elementary functions at random places, and a run of the stack's matrix form.
return function()
  local random, m, hash = delassus.random(4), delassus.math, ""
  for _ = 1, 500 do
    local x, y = random:normal() * m.exp(random:uniform(-20, 20)), random:uniform(-1, 1)
    hash = core.hash(hash, m.sin(x), m.cos(x), m.tan(x), m.atan(x), m.exp(10 * y), m.log(m.exp(y)), m.asin(y), m.acos(y),
      m.atan2(x, y), m.pow(2 + y, x % 7))
  end
  local model <close> = stack.model { r = { { 2e4, -1e4, -1e4 }, { -1e4, 1e4, 0 }, { -1e4, 0, 1e4 } }, m = { 3 },
    C = { { 1, 0 }, { 0, -1 } }, D0 = { 0.1, 0.2 }, massless = { 2, 3 }, forces = { -7 }, velocities = { -1 }, dt = 1e-3 }
  model:run(2)
  return hash .. model:hash()
end
