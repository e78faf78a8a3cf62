-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Worlds have no scale of their own: with lengths times 4^n, masses times 4^m and times by 2^n, gravity the same, all that
-- is computed differs by powers of two: positions and velocities are the same to the last bit, whatever joints hold. (Of
-- contacts, which are found to tolerances, and of loops that jam two or three steps of a thousand go another way by round-off.)
local delassus = require "delassus"
local seeds = require "support.seeds"

--- A scene of the seed: lengths by S, masses by M; -> world, bodies, unit of time
local function scene(kind, seed, S, M, limits)
  local random, planar, T = delassus.random(seed), seed % 2 == 0, math.sqrt(S)
  local function within(lo, hi) return random:uniform(lo, hi) end
  local function some(share) return within(0, 1) < share end
  local function vec(x, y, z) return planar and { x * S, y * S } or { x * S, (z or 0) * S, y * S } end
  local function any(size)
    local x, y, z = within(-size, size), within(-size, size), within(-size, size)
    return planar and { x, y } or { x, y, z }
  end
  local world = delassus.world{ planar = planar, dt = ({ 1e-3, 5e-3, 1 / 60 })[seed % 3 + 1] * T, record = false }
  local bodies = {}
  local function body(x, y)
    local size, spin, u = within(0.06, 0.12), any(3), any(1)
    local o = { density = M * 10 ^ within(2, 3) / (planar and S ^ 2 or S ^ 3), friction = within(0, 0.7),
      restitution = some(0.5) and 0.4 or 0, position = vec(x, y, within(-0.2, 0.2)) }
    for k = 1, #u do u[k] = u[k] * S / T end
    for k = 1, #spin do spin[k] = spin[k] / T end
    o.velocity, o.angular_velocity = u, planar and spin[1] or spin
    o.rotation = planar and within(-3, 3) or { axis = any(1), angle = within(-3, 3) }
    local shape = random:integer(1, 3)
    if shape == 1 then o.radius = size * S
    elseif shape == 2 then o.size = planar and { 2 * size * S, size * S } or { 2 * size * S, size * S, 1.5 * size * S }
    else o.radius, o.length = 0.5 * size * S, size * S end
    bodies[#bodies + 1] = world[({ planar and "disk" or "sphere", "box", "capsule" })[shape]](world, o)
    return bodies[#bodies]
  end
  if kind == "free" or kind == "compliant" then
    local soft = { stiffness = 1e4 * M / S, damping = 100 * M / T, friction = 0.5 }
    world:floor{ material = delassus.material(kind == "free" and { friction = 0.5 } or soft) }
    for i = 1, 5 do body(within(-0.2, 0.2), 0.1 + 0.25 * i) end
    return world, bodies, T
  end
  local before = world.ground
  for i = 1, 4 do
    local name = ({ "revolute", "prismatic", "revolute", "universal", "spherical" })[random:integer(1, planar and 3 or 5)]
    local axis, slides = any(1), name == "prismatic"
    local by = slides and M / T or M * S ^ 2 / T -- of a damper
    local link = body(0.5 * i - 0.25, 0)
    local o = { name, before, link, anchor = vec(0.5 * i - 0.5, 0), formulation = kind }
    if slides or (not planar and name ~= "spherical") then o.axis = axis end
    if name == "universal" then o.axis2 = { axis[2], -axis[1], 0 } end
    if name ~= "universal" then
      o.stiffness, o.damping = some(0.4) and 30 * by / T or 0, some(0.4) and by or 0
      o.friction = some(0.3) and name ~= "spherical" and by / T * (slides and S or 1) or 0
    end
    if limits and name == "spherical" then o.limits = { cone = within(0.05, 0.5) }
    elseif limits and name ~= "universal" then
      local unit = slides and S or 1
      o.limits = { -within(0.01, 0.3) * unit, within(0.01, 0.3) * unit }
    end
    world:joint(o)
    before = link
  end
  world:spring{ world.ground, before, anchor_a = vec(within(-1, 1), within(-1, 1)), anchor_b = vec(0, 0),
    length = within(0, 1) * S, stiffness = M * 10 ^ within(0, 5) / T ^ 2, damping = some(0.5) and M / T or 0 }
  return world, bodies, T
end

--- How far bodies and those of scenes a thousand times as small and as large are apart after some steps, in units of the first.
local function apart(kind, seed, limits)
  local most = 0
  local world <close>, bodies = scene(kind, seed, 1, 1, limits)
  world:step(8)
  for _, S in ipairs{ 2.0 ^ -10, 2.0 ^ 10 } do
    local other <close>, same, T = scene(kind, seed, S, 4.0 ^ (seed % 5 - 2), limits)
    other:step(8)
    for i, one in ipairs(bodies) do
      local off = (one.position - same[i].position * (1 / S)):norm()
      off = math.max(off, (one.velocity - same[i].velocity * (T / S)):norm() / (1 + one.velocity:norm()))
      most = off <= most and most or off
    end
  end
  return most
end

describe("a world", function()
  for how, exact in pairs{ free = false, compliant = false, reduced = true, rigid = true, penalty = true,
    ["reduced, limits"] = true, ["rigid, limits"] = false } do
    local kind, limits = how:match("^%a+"), how:find("limits") ~= nil
    it("is the same a thousand times as small and as large: " .. how .. " (200 pairs and more)", function()
      local astray = 0 -- loops on limits that nothing closes, below 1 of 100
      for seed = 1, seeds(limits and 100 or 200) do
        local off = apart(kind, seed, limits)
        local same = off <= (exact and 0 or 1e-6)
        if not same then astray = astray + 1 end
        assert.is_true(same or how == "rigid, limits", ("%s, seed %d: off by %g"):format(how, seed, off))
      end
      assert.is_true(astray <= 2, ("%s: %d part"):format(how, astray))
    end)
  end
end)
