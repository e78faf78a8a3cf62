-- Scenes for a bound on time (bench/bound.lua, spec/bind/world_work_spec.lua): each is { name, make(seed, options), steps,
-- cold }: how many steps something happens, and how many at the start are none of its usual ones.
local delassus = require "delassus"

local function world(options)
  local own = { record = false }
  for name, value in pairs(options) do own[name] = value end
  return delassus.world(own)
end

--- Twenty dominoes, pushed; 2 s.
local function dominoes(seed, options)
  local random, w = delassus.random(seed), world(options)
  w:floor{ friction = 0.5 }
  local gap, first = random:uniform(0.015, 0.03), nil
  for i = 1, 20 do
    local b = w:box{ size = { 0.0075, 0.024, 0.048 }, density = 700, position = { gap * i, 0, 0.024 }, friction = 0.3 }
    first = first or b
  end
  first:impulse{ impulse = { random:uniform(0.001, 0.002), 0, 0 }, at = { gap, 0, 0.045 } }
  return w
end

--- A limb: a capsule between two points.
local function limb(w, from, to, radius)
  local d = { to[1] - from[1], to[2] - from[2], to[3] - from[3] }
  local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
  local axis = { 0, -d[3], d[2] } -- from x to d
  local angle = math.acos(d[1] / length)
  if axis[2] == 0 and axis[3] == 0 then axis = { 0, 0, 1 } end
  return w:capsule{ radius = radius, length = length, density = 1000, friction = 0.6, rotation = { axis = axis, angle = angle },
    position = { (from[1] + to[1]) / 2, (from[2] + to[2]) / 2, (from[3] + to[3]) / 2 } }
end

--- A humanoid of 30 degrees of freedom falls onto a heap of boxes; 3 s.
local function humanoid(seed, options)
  local random, w = delassus.random(seed), world(options)
  w:floor{ friction = 0.6 }
  for k = 0, 11 do
    w:box{ size = { 0.4, 0.4, 0.3 }, density = 300, friction = 0.6, position = { 0.45 * (k % 3 - 1) + random:uniform(-0.02, 0.02),
      0.45 * (k // 3 % 2) - 0.2, 0.15 + 0.3 * (k // 6) } }
  end
  local x, y, z = random:uniform(-0.2, 0.2), random:uniform(-0.1, 0.1), 1.8
  local function at(a, b, c) return { x + a, y + b, z + c } end
  local pelvis = limb(w, at(0, -0.08, 0), at(0, 0.08, 0), 0.1)
  local belly = limb(w, at(0, -0.05, 0.22), at(0, 0.05, 0.22), 0.1)
  local chest = limb(w, at(0, -0.1, 0.46), at(0, 0.1, 0.46), 0.11)
  local head = limb(w, at(0, 0, 0.72), at(0, 0, 0.78), 0.1)
  w:joint{ "spherical", pelvis, belly, anchor = at(0, 0, 0.11), limits = { cone = 0.5 } }
  w:joint{ "spherical", belly, chest, anchor = at(0, 0, 0.34), limits = { cone = 0.5 } }
  w:joint{ "spherical", chest, head, anchor = at(0, 0, 0.6), limits = { cone = 0.6 } }
  for s = -1, 1, 2 do
    local thigh = limb(w, at(0, 0.1 * s, -0.15), at(0, 0.12 * s, -0.45), 0.07)
    local shin = limb(w, at(0, 0.12 * s, -0.58), at(0, 0.13 * s, -0.88), 0.055)
    local foot = limb(w, at(0, 0.13 * s, -1), at(0.15, 0.13 * s, -1), 0.04)
    w:joint{ "spherical", pelvis, thigh, anchor = at(0, 0.1 * s, -0.05), limits = { cone = 1.2 } }
    w:joint{ "revolute", thigh, shin, anchor = at(0, 0.12 * s, -0.51), axis = { 0, 1, 0 }, limits = { 0, 2.2 } }
    w:joint{ "universal", shin, foot, anchor = at(0, 0.13 * s, -0.96), axis = { 0, 1, 0 }, axis2 = { 1, 0, 0 } }
    local upper = limb(w, at(0, 0.26 * s, 0.46), at(0, 0.46 * s, 0.46), 0.05)
    local lower = limb(w, at(0, 0.58 * s, 0.46), at(0, 0.8 * s, 0.46), 0.04)
    w:joint{ "spherical", chest, upper, anchor = at(0, 0.22 * s, 0.46), limits = { cone = 1.4 } }
    w:joint{ "revolute", upper, lower, anchor = at(0, 0.52 * s, 0.46), axis = { 0, 0, 1 }, limits = { -2.2, 2.2 } }
  end
  return w
end

--- 35 logs in a drum in space, that turns; 10 s, the first 0.4 s, in which they fall, not counted.
local function drum(seed, options)
  local random, w = delassus.random(seed), world(options)
  w:drum{ radius = 0.8, length = 1.2, lifters = { count = 8, height = 0.08, width = 0.06 }, type = "kinematic",
    friction = 0.4, restitution = 0.2, angular_velocity = { 1.5, 0, 0 } }
  for k = 0, 34 do
    w:capsule{ radius = random:uniform(0.05, 0.1), length = 0.8, density = 800, friction = 0.4, restitution = 0.2,
      position = { random:uniform(-0.05, 0.05), 0.21 * (k % 5 - 2), 0.21 * (k // 5) - 0.6 } }
  end
  return w
end

return {
  { name = "20 dominoes", make = dominoes, steps = 2000, cold = 5 },
  { name = "a humanoid on 12 boxes", make = humanoid, steps = 3000, cold = 5 },
  { name = "a turning drum of 35 logs", make = drum, steps = 10000, cold = 400 },
}
