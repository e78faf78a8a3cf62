local delassus = require "delassus"
local seeds = require "support.seeds"

--- A bar that lands on its two ends in turn: in space along another capsule (one contact for both ends, their nearest
--- points), in the plane on a floor (a contact an end).
local function bars(seed, dt)
  local r = delassus.random(seed)
  local material = delassus.material{ restitution = r:uniform(0.2, 0.8), friction = seed % 3 == 0 and r:uniform(0, 0.5) or 0 }
  local radius, length, below = r:uniform(0.02, 0.2), r:uniform(0.5, 1.5), r:uniform(0.1, 0.4)
  local tilt, above, turn = r:uniform(-0.02, 0.02), r:uniform(0, 0.01), r:uniform(-0.3, 0.3)
  local inertia, law = r:uniform(0.04, 0.12), ({ "newton", "poisson", "sequential" })[1 + seed % 3]
  local height = radius + length / 2 * math.abs(math.sin(tilt)) + above
  local shape = delassus.capsule{ radius = radius, length = length }
  local space = delassus.world{ scheme = "event-driven", dt = dt, impact = law }
  space:capsule{ type = "static", radius = below, length = 40, material = material }
  local one = space:body{ shape = shape, mass = 1, material = material, inertia = { 0.02, inertia, inertia },
    position = { 0, 0, below + height }, rotation = { axis = { 0, 1, 0 }, angle = -tilt }, angular_velocity = { 0, -turn, 0 } }
  local plane = delassus.world{ scheme = "event-driven", dt = dt, impact = law, planar = true }
  plane:floor{ material = material }
  local two = plane:body{ shape = shape, mass = 1, material = material, inertia = inertia, position = { 0, height },
    rotation = tilt, angular_velocity = turn }
  return space, one, plane, two, below
end

--- Times of impacts whose flights are no part of an accumulation: impulses above 5e-3 N s at 1 kg.
local function impacts(world)
  local times = {}
  for _, e in ipairs(world.events) do
    if e.kind == "impact" and e.impulse > 5e-3 then times[#times + 1] = e.t end
  end
  table.sort(times)
  local out = {}
  for _, t in ipairs(times) do -- of both ends at once: one
    if not out[1] or t > out[#out] + 1e-12 then out[#out + 1] = t end
  end
  return out
end

describe("impacts that accumulate in event-driven worlds", function()
  it("are a contact's own: a bar that lands on two ends bounces in space as in the plane, 200 random bars", function()
    local n = 0
    for seed = 1, seeds(200) do
      local space, one, plane, two, below = bars(seed, 0.1)
      local told = "seed " .. seed
      space:run(0.3)
      plane:run(0.3)
      local a, b = impacts(space), impacts(plane)
      assert.equal(#b, #a, told)
      for i, t in ipairs(b) do assert.near(t, a[i], 1e-6, told) end
      n = n + #b
      assert.near(two.position.y, one.position.z - below, 1e-6, told)
      assert.near(two.velocity.y, one.velocity.z, 1e-5, told)
    end
    assert.is_true(n > seeds.least(2000))
  end)

  it("end where they do with steps 100 times as short, and each is told at its limit, in space as in the plane", function()
    local seen = {}
    for _, dt in ipairs { 0.1, 1e-3 } do
      local space, _, plane = bars(26, dt)
      for _, world in ipairs { space, plane } do
        world:run(0.1)
        local limits = {}
        for _, e in ipairs(world.events) do
          if e.kind == "accumulation" then limits[#limits + 1] = e.t end
        end
        seen[#seen + 1] = limits
      end
    end
    assert.is_true(#seen[1] >= 4)
    for k = 2, 4 do
      for i = 1, 4 do assert.near(seen[1][i], seen[k][i], 1e-9) end
    end
  end)

  it("are exact: the limit of a ball's impacts is t + 2 v e/(g (1 - e)), to 1e-11 s", function()
    for _, e in ipairs { 0.2, 0.5, 0.8, 0.95 } do
      local world = delassus.world{ scheme = "event-driven", dt = 0.05 }
      world:floor{ restitution = e }
      world:sphere{ radius = 0.1, position = { 0, 0, 0.15 }, restitution = e }
      world:run(5)
      local limit
      for _, x in ipairs(world.events) do limit = x.kind == "accumulation" and x.t or limit end
      local fall = math.sqrt(2 * 0.05 / 9.81)
      assert.near(fall * (1 + e) / (1 - e), limit, 1e-11)
    end
  end)
end)
