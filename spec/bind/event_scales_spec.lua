-- Bodies that have nothing to do with each other, of masses from 1e-6 to 1e6 kg, each on its own way by events.
local delassus = require "delassus"
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local seeds = require "support.seeds"

local G = 9.81

--- Where a block of friction mu is at T that starts with v and is pulled by k t: it stops, waits, and slips.
local function exact(block, T)
  local pull, drag, x, from = block.k / block.m, block.mu * G, 0, 0
  local function way(t) return pull * t ^ 3 / 6 - drag * t ^ 2 / 2 end
  local function gain(t) return pull * t ^ 2 / 2 - drag * t end
  if block.v > 0 then
    local root = drag ^ 2 - 2 * pull * block.v
    local stop = root < 0 and math.huge or pull > 0 and (drag - math.sqrt(root)) / pull or block.v / drag
    if stop >= T then return block.v * T + way(T) end
    x, from = block.v * stop + way(stop), stop
  end
  local slip = pull > 0 and math.max(from, drag / pull) or math.huge
  if slip >= T then return x end
  return x + way(T) - way(slip) - gain(slip) * (T - slip)
end

local function random_blocks(seed)
  local random = numbers(seed)
  local function between(a, b) return a + (b - a) * (random() + 1) / 2 end
  local blocks = {}
  for i = 1, 1 + math.floor(between(1, 4)) do
    local m, mu = 10 ^ between(-6, 6), between(0.05, 1)
    blocks[i] = { m = m, mu = mu, v = random() > 0 and 0 or between(0.1, 5) * 10 ^ between(-2, 1),
      k = random() > 0.4 and 0 or mu * m * G / between(0.1, 2) }
  end
  return blocks, between(0.2, 2), between(0.01, 0.5)
end

local function system(blocks, dt)
  local q, u, mass, contacts = {}, {}, {}, {}
  local n = 2 * #blocks
  for i, block in ipairs(blocks) do
    local normal, tangent = {}, {}
    for j = 1, n do normal[j], tangent[j] = j == 2 * i and 1 or 0, j == 2 * i - 1 and 1 or 0 end
    q[2 * i - 1], q[2 * i], u[2 * i - 1], u[2 * i] = 0, 0, block.v, 0
    contacts[i] = { gap = function(x) return x[2 * i] end, normal = normal, tangent = tangent, friction = block.mu }
  end
  for i = 1, n do
    mass[i] = {}
    for j = 1, n do mass[i][j] = i == j and blocks[(i + 1) // 2].m or 0 end
  end
  local s = delassus.system { q = q, u = u, mass = mass, dt = dt, contacts = contacts, forces = function(_, _, t)
    local f = {}
    for i, block in ipairs(blocks) do f[2 * i - 1], f[2 * i] = block.k * t, -block.m * G end
    return f
  end }
  return s, function(i) return s.q[2 * i - 1] end
end

local function world_of(blocks, dt, planar)
  local world = delassus.world { planar = planar, scheme = "event-driven", dt = dt }
  local floor = world:floor { friction = 1, group = "floor" }
  local bodies, pull = {}, {}
  for i, block in ipairs(blocks) do
    local o = { mass = block.m, group = "block", collides = { "floor" }, position = planar and { i, 0.01 } or { 0, i, 0.01 },
      velocity = planar and { block.v, 0 } or { block.v, 0, 0 } }
    if planar then o.size = { 0.4, 0.02 } else o.radius, o.inertia = 0.01, { 1e9 * block.m, 1e9 * block.m, 1e9 * block.m } end
    bodies[i] = (planar and world.box or world.sphere)(world, o) -- in space what hardly turns, on one point
    pull[bodies[i]] = block.k
    world:pair { bodies[i], floor, friction = block.mu }
  end
  world:field(function(body, t)
    local k = pull[body]
    if k then return planar and { k * t, 0 } or { k * t, 0, 0 } end
  end)
  return world, function(i) return bodies[i].position.x - (planar and i or 0) end
end

describe("blocks on a rough floor that have nothing to do with each other", function()
  for name, make in pairs { ["a system"] = system,
    ["a planar world"] = function(blocks, dt) return world_of(blocks, dt, true) end,
    ["a world in space"] = function(blocks, dt) return world_of(blocks, dt, false) end } do
    it(("stop and slip each at its own time in %s, exact: masses from 1e-6 to 1e6 kg (200 seeds)"):format(name), function()
      for seed = 1, seeds(200) do
        local blocks, T, dt = random_blocks(seed)
        local thing, at = make(blocks, dt)
        thing:run(T)
        for i, block in ipairs(blocks) do
          local x = exact(block, T)
          near(x, at(i), 1e-6 * (math.abs(x) + 1e-3), ("seed %d, block %d of %g kg"):format(seed, i, block.m))
        end
        thing:close()
      end
    end)
  end
end)

describe("bodies that are lifted from a floor", function()
  for _, planar in ipairs { true, false } do
    it(("leave it each at its own time %s, exact: masses from 1e-6 to 1e6 kg (200 seeds)")
      :format(planar and "in the plane" or "in space"), function()
      for seed = 1, seeds(200) do
        local random = numbers(seed)
        local function between(a, b) return a + (b - a) * (random() + 1) / 2 end
        local world = delassus.world { planar = planar, scheme = "event-driven", dt = between(0.01, 0.3) }
        local bodies, pull, T = {}, {}, between(0.5, 2)
        world:floor { friction = 0.5 }
        for i = 1, 2 + math.floor(between(0, 4)) do
          local m = 10 ^ between(-6, 6)
          bodies[i] = (planar and world.disk or world.sphere)(world, { radius = 0.1, mass = m, friction = 0.5,
            position = planar and { i, 0.1 } or { i, 0, 0.1 } })
          pull[bodies[i]] = m * G / between(0.1, 2)
        end
        world:field(function(body, t)
          local k = pull[body]
          if k then return planar and { 0, k * t } or { 0, 0, k * t } end
        end)
        world:run(T)
        for i, body in ipairs(bodies) do
          local k = pull[body] / body.mass
          local since = math.max(0, T - G / k)
          local height = (planar and body.position.y or body.position.z) - 0.1
          near(k * since ^ 3 / 6, height, 1e-9 * (1 + k * since ^ 3), ("seed %d, body %d of %g kg"):format(seed, i, body.mass))
        end
        world:close()
      end
    end)
  end
end)

describe("1 kg on a sled that is pulled ever faster", function()
  it("slips when its friction is reached, exact: sleds from 1 to 1e12 kg", function()
    local mu, k = 0.3, 2
    for power = 0, 12, 2 do
      local M = 10 ^ power
      local s = delassus.system { q = { 0, 0, 0, 0 }, u = { 0, 0, 0, 0 }, dt = 0.05,
        mass = { { M, 0, 0, 0 }, { 0, M, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } },
        forces = function(_, _, t) return { (M + 1) * k * t, -M * G, 0, -G } end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1, 0, 0 } },
          { gap = function(q) return q[4] - q[2] end, normal = { 0, -1, 0, 1 }, tangent = { -1, 0, 1, 0 }, friction = mu } } }
      s:run(2)
      local slip
      for _, event in ipairs(s.events) do if event.kind == "slip" then slip = slip or event.t end end
      near(mu * G / k, slip or 0, 1e-9, ("sled of %g kg"):format(M))
    end
  end)
end)
