-- Thirty balls on a chain of spherical joints, thrown sideways: cost grows with the number of bodies, not its cube.
-- Three formulations of the same mechanics (EQUATIONS C.3) must give the same accelerations:
-- Shimanovskiy's block L'DL, Vereshchagin's sweep and the dense system, beside our own structured form.
-- The largest difference, relative to the largest acceleration, is rounding.
-- Ends with: 30 balls, 90 velocities: ldl, sweep and dense agree with auto to 1e-12: true
local delassus = require "delassus"

local function chain(factor)
  local world = delassus.world { factor = factor, record = false }
  local before = world.ground
  for i = 1, 30 do
    local ball = world:body { mass = 1, inertia = { 0.01, 0.01, 0.01 }, position = { 0, 0, -0.2 * i } }
    local joint = world:joint { "spherical", before, ball, anchor = { 0, 0, -0.2 * (i - 1) } }
    joint.qd = { 0.1 * i, 1, -0.05 * i }
    before = ball
  end
  return world
end

local reference, worst, largest = chain("auto"):accelerations(), 0, 0
for i = 1, #reference do largest = math.max(largest, math.abs(reference[i])) end
for _, factor in ipairs { "ldl", "sweep", "dense" } do
  local udot = chain(factor):accelerations()
  for i = 1, #udot do worst = math.max(worst, math.abs(udot[i] - reference[i]) / largest) end
end
print(("30 balls, %d velocities: ldl, sweep and dense agree with auto to 1e-12: %s"):format(#reference, worst < 1e-12))
