-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Worlds have no axes, no handedness and no order of their own: a scene that is turned as a whole, mirrored, or made in
-- another order goes the same way. Bodies strike a floor by one point at a time (what stands on several has loads that are not
-- unique, and sliding that is not either).
local delassus = require "delassus"
local seeds = require "support.seeds"
local vec = delassus.vec

local function turn(q, v)
  local w, x = q[1], vec{ q[2], q[3], q[4] }
  local t = 2 * x:cross(v)
  return v + w * t + x:cross(t)
end

local function product(a, b)
  local x, y = vec{ a[2], a[3], a[4] }, vec{ b[2], b[3], b[4] }
  local v = a[1] * y + b[1] * x + x:cross(y)
  return { a[1] * b[1] - x:dot(y), v.x, v.y, v.z }
end

--- A body that is thrown at a floor; how = { turned = quaternion, mirrored = , later = (the floor) }; -> places and velocities
local function throw(seed, kind, how, law)
  local random = delassus.random(seed)
  local function within(size) return random:uniform(-size, size) end
  local function any(size) return vec{ within(size), within(size), within(size) } end
  local q = how.turned or { 1, 0, 0, 0 }
  local function polar(v) return turn(q, how.mirrored and vec{ -v.x, v.y, v.z } or v) end
  local function axial(v) return turn(q, how.mirrored and vec{ v.x, -v.y, -v.z } or v) end
  local down = { polar(vec{ 0, 0, -9.81 }):unpack() }
  local world = delassus.world{ gravity = down, record = false, tolerance = 1e-12, impact = law }
  local o = { density = 10 ^ random:uniform(2, 3.5), friction = random:uniform(0, 0.8), restitution = 0.3 }
  if random:uniform(0, 1) < 0.3 then o.stiffness, o.damping = 10 ^ random:uniform(4, 6), 100 end
  if random:uniform(0, 1) < 0.3 then o.rolling_friction, o.spinning_friction = 0.01, 0.01 end
  local r, spin, v, place = any(1), any(4), any(2), any(0.3)
  local angle = random:uniform(-3, 3)
  local x = math.sin(angle) / r:norm() * r
  local rotation = { math.cos(angle), x.x, x.y, x.z }
  if how.mirrored then rotation = { rotation[1], rotation[2], -rotation[3], -rotation[4] } end
  o.position, o.rotation = { polar(place + vec{ 0, 0, 0.8 }):unpack() }, product(q, rotation)
  o.velocity, o.angular_velocity = { polar(v):unpack() }, { axial(spin):unpack() }
  if kind == "cone" then
    o.radius1, o.radius2, o.length = 0.12, 0.08, 0.35
    if how.mirrored then o.radius1, o.radius2 = o.radius2, o.radius1 end
  elseif kind == "ellipsoid" then o.radii = { 0.2, 0.12, 0.09 }
  else o.radius, o.length = 0.12, 0.3 end
  local function floor()
    world:wall{ normal = { polar(vec{ 0, 0, 1 }):unpack() }, offset = 0, friction = o.friction, restitution = 0.3,
      rolling_friction = o.rolling_friction, spinning_friction = o.spinning_friction, stiffness = o.stiffness,
      damping = o.damping }
  end
  if not how.later then floor() end
  local body = world[kind](world, o)
  if how.later then floor() end
  local back, way = { q[1], -q[2], -q[3], -q[4] }, {}
  for step = 1, 500 do
    world:step()
    if step % 50 == 0 then
      for _, at in ipairs{ turn(back, body.centre), 0.1 * turn(back, body.velocity) } do
        way[#way + 1], way[#way + 2], way[#way + 3] = how.mirrored and -at.x or at.x, at.y, at.z
      end
    end
  end
  world:close()
  return way
end

describe("a body thrown at a floor", function()
  local hows = {
    ["turned as a whole"] = { turned = { 0.5, 0.1, -0.7, math.sqrt(1 - 0.75) } },
    mirrored = { mirrored = true },
    ["with a floor that is made after it"] = { later = true },
  }
  for name, how in pairs(hows) do
    it("goes the same way " .. name .. " (agreement), 200 seeds of all laws", function()
      local kinds, laws = { "cylinder", "cone", "ellipsoid", "cylinder", "cone" }, { "newton", "poisson", "sequential" }
      local failed = {}
      for seed = 1, seeds(200) do
        local kind, law = kinds[seed % 5 + 1], laws[seed % 3 + 1]
        local one, other, worst = throw(seed, kind, {}, law), throw(seed, kind, how, law), 0
        for i = 1, #one do worst = math.max(worst, math.abs(one[i] - other[i])) end
        -- Round-off and the tolerance, 1e-12, grow by each impact.
        if worst > 1e-7 then failed[#failed + 1] = ("seed %d, %s, %s: %.1e"):format(seed, kind, law, worst) end
      end
      assert.is_true(#failed == 0, table.concat(failed, "\n"))
    end)
  end
end)

describe("a scene that goes along with what it lies on", function()
  --- Three bodies fall on a plane that goes by v, without friction (loads of many corners are then shared in any way); -> way
  local function ride(seed, v)
    local random = delassus.random(seed)
    local function within(size) return random:uniform(-size, size) end
    local function any(size) return { within(size), within(size), within(size) } end
    local dt = ({ 1e-3, 1 / 240, 1 / 120 })[seed % 3 + 1]
    local world <close> = delassus.world{ dt = dt, record = false, tolerance = 1e-12 }
    local ice = delassus.material{ friction = 0, restitution = seed % 2 * 0.5 }
    local shapes = { delassus.box{ size = { 0.3, 0.2, 0.15 } }, delassus.cylinder{ radius = 0.1, length = 0.2 },
      delassus.cone{ radius1 = 0.12, radius2 = 0.08, length = 0.25 }, delassus.capsule{ radius = 0.07, length = 0.2 } }
    world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 0, 1 }, offset = 0 }, velocity = v, material = ice }
    local bodies, way = {}, {}
    for i = 1, 3 do
      local u, axis = any(1), any(1)
      bodies[i] = world:body{ shape = shapes[random:integer(1, 4)], density = 500, material = ice,
        position = { random:uniform(-0.2, 0.2) + i - 2, random:uniform(-0.2, 0.2), 0.4 }, angular_velocity = any(6),
        rotation = { axis = axis, angle = 2 }, velocity = { u[1] + v[1], u[2] + v[2], u[3] + v[3] } }
    end
    for step = 1, math.floor(0.5 / dt) do
      world:step()
      for i = 1, step % 10 == 0 and 3 or 0 do
        way[#way + 1] = bodies[i].centre - step * dt * delassus.vec(v)
      end
    end
    return way
  end

  it("goes the same way at any speed (agreement), 100 seeds at 0, 45 and 110 m/s", function()
    local failed = {}
    for seed = 1, seeds(100) do
      local rest, worst = ride(seed, { 0, 0, 0 }), 0
      for _, v in ipairs{ { 30, -30, 15 }, { 100, 40, -20 } } do
        for i, at in ipairs(ride(seed, v)) do worst = math.max(worst, (at - rest[i]):norm()) end
      end
      -- Round-off of places 50 m away, 1e-14, grows by impacts.
      if worst > 1e-7 then failed[#failed + 1] = ("seed %d: %.1e"):format(seed, worst) end
    end
    assert.is_true(#failed == 0, table.concat(failed, "\n"))
  end)

  --- The same in the plane at 1/60 s, with friction on round bodies: who meets another behind its first touch waits there.
  local function ride_flat(seed, v)
    local random, dt = delassus.random(seed), 1 / 60
    local function within(size) return random:uniform(-size, size) end
    local world <close> = delassus.world{ planar = true, dt = dt, record = false, tolerance = 1e-12 }
    local wood = delassus.material{ friction = 0.3, restitution = seed % 2 * 0.5 }
    world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 }, offset = 0 }, velocity = v, material = wood }
    local bodies, way = {}, {}
    for i = 1, 4 do
      local shape = i % 2 == 0 and delassus.disk{ radius = 0.08 } or delassus.capsule{ radius = 0.05, length = 0.2 }
      bodies[i] = world:body{ shape = shape, density = 500, material = wood, position = { within(0.1), 0.3 * i },
        rotation = within(3), velocity = { within(2) + v[1], within(2) - 4 + v[2] }, angular_velocity = within(6) }
    end
    for step = 1, 30 do
      world:step()
      for i = 1, 4 do way[#way + 1] = bodies[i].centre - step * dt * delassus.vec(v) end
    end
    return way
  end

  it("and so do those that wait at a touch, in the plane (agreement), 100 seeds at 0, 4 and 36 m/s", function()
    local failed = {}
    for seed = 1, seeds(100) do
      local rest, worst = ride_flat(seed, { 0, 0 }), 0
      for _, v in ipairs{ { 3, -2 }, { 30, 20 } } do
        for i, at in ipairs(ride_flat(seed, v)) do worst = math.max(worst, (at - rest[i]):norm()) end
      end
      if worst > 1e-6 then failed[#failed + 1] = ("seed %d: %.1e"):format(seed, worst) end
    end
    assert.is_true(#failed == 0, table.concat(failed, "\n"))
  end)

  --- A chain of four that falls flat on the plane at 1/60 s, by joints of either formulation; -> way
  local function ride_joined(seed, planar, v)
    local random, dt = delassus.random(seed), 1 / 60
    local function of(x, z) return planar and { x, z } or { x, 0, z } end
    local world <close> = delassus.world{ planar = planar, dt = dt, record = false, tolerance = 1e-12 }
    local ice = delassus.material{ friction = 0 }
    world:body{ type = "kinematic", shape = delassus.plane{ normal = of(0, 1), offset = 0 }, velocity = v, material = ice }
    local bodies, way, height = {}, {}, random:uniform(0.4, 0.8)
    for i = 1, 4 do
      bodies[i] = world:body{ shape = delassus.capsule{ radius = 0.04, length = 0.2 }, density = 500, material = ice,
        position = of(0.3 * i, height + 0.02 * i), velocity = v }
      if i > 1 then
        world:joint{ planar and "revolute" or "spherical", bodies[i - 1], bodies[i],
          anchor = of(0.3 * i - 0.15, height + 0.02 * i), formulation = seed % 2 == 0 and "rigid" or "reduced" }
      end
    end
    for step = 1, 40 do
      world:step()
      for i = 1, 4 do way[#way + 1] = bodies[i].centre - step * dt * delassus.vec(v) end
    end
    return way
  end

  it("and so do mechanisms (agreement), 20 chains in the plane and in space", function()
    for seed = 1, 20 do
      for _, planar in ipairs{ true, false } do
        local rest = ride_joined(seed, planar, planar and { 0, 0 } or { 0, 0, 0 })
        local fast = ride_joined(seed, planar, planar and { 30, 20 } or { 30, 10, 20 })
        for i = 1, #rest do assert.is_true((fast[i] - rest[i]):norm() < 1e-6, ("seed %d, planar %s"):format(seed, planar)) end
      end
    end
  end)
end)

describe("an ellipsoid on a roller that turns", function()
  -- The bend of the roller was measured by its support, along directions of the world: 6 cm apart after 0.6 s.
  it("goes the same way turned about the vertical (agreement), 200 seeds", function()
    local function fall(seed, phi)
      local random, c, s = delassus.random(seed), math.cos(phi), math.sin(phi)
      local function about(x, y, z) return { c * x - s * y, s * x + c * y, z } end
      local function upright(angle) return { axis = { 0, 0, 1 }, angle = angle + phi } end
      local world <close> = delassus.world{ dt = 2e-3, record = false }
      world:cylinder{ type = "kinematic", radius = 1, length = 6, position = { 0, 0, -1 }, rotation = upright(0), friction = 0.4,
        angular_velocity = about(1, 0, 0) }
      local body = world:ellipsoid{ radii = { 0.3, 0.1, 0.1 }, density = 500, friction = random:uniform(0.05, 0.6),
        position = about(random:uniform(-1, 1), random:uniform(-0.05, 0.05), 0.11), rotation = upright(random:uniform(0, 3)),
        velocity = about(random:uniform(-2, 2), random:uniform(-2, 2), 0), angular_velocity = about(0, 0, random:uniform(-3, 3)) }
      world:run(0.3)
      local p = body.position
      return { c * p[1] + s * p[2], c * p[2] - s * p[1], p[3] }
    end
    for seed = 1, seeds(200) do
      local one, other = fall(seed, 0), fall(seed, 0.7)
      for k = 1, 3 do
        if math.abs(one[k] - other[k]) > 1e-6 then error(("seed %d: %g m apart"):format(seed, one[k] - other[k])) end
      end
    end
  end)
end)
