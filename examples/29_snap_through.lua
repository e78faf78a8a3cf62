-- A shallow truss (von Mises) under a growing load snaps through: two springs from the supports to a loaded crown.
-- Half span b, rise h, stiffness k, L0^2 = b^2 + h^2: the crown at the height y carries P(y) = 2 k y (L0 / L(y) - 1).
-- P is largest where L^3 = L0 b^2; under a dead load the crown then jumps to the other side, far below.
-- Leaves snap_through.svg: load over the crown's sinking, exact and as it went.
-- Ends with: snaps through at 584.7 N, exact 583.3 N; ends 0.2967 m below the supports
local delassus = require "delassus"

local b, h, k = 1, 0.25, 1e5
local L0 = math.sqrt(b * b + h * h)
local function load_at(y) return 2 * k * y * (L0 / math.sqrt(b * b + y * y) - 1) end
local y_top = math.sqrt((L0 * b * b) ^ (2 / 3) - b * b) -- dP/dy = 0: L^3 = L0 b^2
local P_top = load_at(y_top)

local world = delassus.world{ planar = true, gravity = {0, 0}, dt = 1e-3 }
local crown = world:body{ name = "crown", mass = 0.01, inertia = 1, position = {0, h} }
for _, side in ipairs{ -b, b } do
  world:spring{ world.ground, crown, anchor_a = {side, 0}, stiffness = k, damping = 1, length = L0 }
end

local sunk, went, snapped = {}, {}, nil
for step = 1, 24000 do
  local P = step * P_top / 20000 -- slowly: 20 s to the exact limit
  crown:apply{ force = {0, -P} }
  world:step()
  if not snapped and crown.position.y < 0 then snapped = P end
  if step % 10 == 0 then sunk[#sunk + 1], went[#went + 1] = h - crown.position.y, P end
end

local exact_sunk, exact_load = {}, {}
for i = 0, 200 do
  local y = h - i * 2.2 * h / 200
  exact_sunk[#exact_sunk + 1], exact_load[#exact_load + 1] = h - y, load_at(y)
end
assert(delassus.plot.figures{
  { x = sunk, y = { {"as it went", went} }, x_label = "crown sunk by (m)", y_label = "load (N)", title = "Under a growing load" },
  { x = exact_sunk, y = { {"equilibrium", exact_load} }, x_label = "crown sunk by (m)", y_label = "load (N)",
    title = "All states of equilibrium" }, columns = 1, file = "snap_through.svg" })
print(("snaps through at %.1f N, exact %.1f N; ends %.4f m below the supports"):format(snapped, P_top, -crown.position.y))
