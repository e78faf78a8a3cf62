-- Cost of one forward-dynamics evaluation with all kinematics, nanoseconds a body, against N:
--   lua5.4 bench/tree.lua [largest N, default 1000]
-- Columns: system, bodies, method, ns a body (the best of several batches), residual of M udot + bias = tau
-- by inverse dynamics relative to the largest |udot|. Systems as in cases/tree: rotated joint frames,
-- generic inertias, joint torques, random state.
local core = require "delassus.core"

local largest = tonumber(arg and arg[1]) or 1000

local function sample(kind, n)
  math.randomseed(12345)
  local function rnd(a) return (2 * math.random() - 1) * a end
  local function rotation()
    local w, x, y, z = 1, rnd(1), rnd(1), rnd(1)
    local s = 1 / math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w * s, x * s, y * s, z * s
    return { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) }
  end
  local links, q, u, tau = {}, {}, {}, {}
  local axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
  local function add(parent, joint, axis, rotated)
    links[#links + 1] = {
      parent = parent, position = parent == 0 and { 0, 0, 0 } or { rnd(0.1), rnd(0.1), -0.3 + rnd(0.05) },
      rotation = rotated and rotation() or nil, mass = 1 + rnd(0.5), com = { rnd(0.03), rnd(0.03), -0.15 + rnd(0.03) },
      inertia = { 0.006 + rnd(0.001), 0.006 + rnd(0.001), 0.004 + rnd(0.001), rnd(5e-4), rnd(5e-4), rnd(5e-4) },
      kind = joint ~= "revolute" and joint or nil,
      motions = joint == "revolute" and { { "rotate", axes[axis] } } or nil,
    }
    if joint == "free" then
      for _ = 1, 3 do q[#q + 1] = rnd(1) end
    end
    if joint == "revolute" then
      q[#q + 1] = rnd(1)
    else
      local a, b, c = rnd(0.5), rnd(0.5), rnd(0.5)
      local s = 1 / math.sqrt(1 + a * a + b * b + c * c)
      for _, x in ipairs { s, a * s, b * s, c * s } do q[#q + 1] = x end
    end
    for _ = 1, joint == "revolute" and 1 or (joint == "free" and 6 or 3) do
      u[#u + 1] = rnd(1)
      tau[#tau + 1] = rnd(0.5)
    end
    return #links
  end
  if kind == "ball" or kind == "rev" then
    for i = 1, n do add(i - 1, kind == "ball" and "spherical" or "revolute", 3, true) end
  elseif kind == "tree" then
    for i = 1, n do add(i // 2, "revolute", 3, true) end
  else -- humanoid: a free base, waist 2, legs 2 x 6, arms 2 x 5
    add(0, "free")
    local chest = add(add(1, "revolute", 3), "revolute", 2)
    for side = 1, 4 do
      local at = side <= 2 and 1 or chest
      for _, axis in ipairs(side <= 2 and { 3, 1, 2, 2, 2, 1 } or { 2, 1, 3, 2, 3 }) do
        at = add(at, "revolute", axis)
      end
    end
  end
  local forest = core.forest { links = links, gravity = { 0, 0, -9.81 } }
  forest:wide()
  return forest:set { q = q, u = u, tau = tau }, #links, q, u, tau
end

local function residual(forest, method, tau)
  forest:evaluate(method, 1)
  local udot = forest:udot()
  forest:set {}
  local got, worst, most = forest:inverse_dynamics(udot), 0, 0
  for i = 1, #tau do worst = math.max(worst, math.abs(got[i] - tau[i])) end
  for i = 1, #udot do most = math.max(most, math.abs(udot[i])) end
  return worst / most
end

-- Nanoseconds of run(n) / n, the best of 15 runs of at least 2 ms.
local function time(run)
  local n, best = 1, math.huge
  while true do
    local t = core.now()
    run(n)
    if core.now() - t > 2e-3 then break end
    n = n * 2
  end
  for _ = 1, 15 do
    local t = core.now()
    run(n)
    best = math.min(best, core.now() - t)
  end
  return best / n * 1e9
end

-- 64 states of the forest at once, a state and body.
local function time_batch(forest, bodies, q, u, tau)
  local batch = forest:batch(64)
  for k = 1, 64 do
    batch:set_coordinates(k, q)
    batch:set_velocities(k, u)
    batch:set_torques(k, tau)
  end
  return time(function(n) batch:evaluate(n) end) / 64 / bodies, batch.path
end

print("system,bodies,method,ns_per_body,residual")
local cases = { { "humanoid", 25 }, { "tree", 511 } }
for _, kind in ipairs { "ball", "rev" } do
  for _, n in ipairs { 1, 2, 7, 30, 100, 1000, 10000 } do
    if n <= largest then cases[#cases + 1] = { kind, n } end
  end
end
for _, case in ipairs(cases) do
  local forest, bodies, q, u, tau = sample(case[1], case[2])
  for _, method in ipairs { "fast", "ldl", "sweep" } do
    local ns = time(function(n) forest:evaluate(method, n) end) / bodies
    print(("%s,%d,%s,%.1f,%.1e"):format(case[1], bodies, method, ns, residual(forest, method, tau)))
  end
  if bodies <= 100 then
    local ns, path = time_batch(forest, bodies, q, u, tau)
    print(("%s,%d,batch of 64 (%s),%.1f,%.1e"):format(case[1], bodies, path, ns, residual(forest, "fast", tau)))
  end
end
