-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Contacts stated by hand and springs: gap functions of the coordinates of the whole world, what relaxes, what is told.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81

describe("a contact given by a gap function", function()
  it("is exact: a block slides down with g (sin - mu cos), whatever length its gradient has", function()
    for _, length in ipairs{ 1, 7, 0.01 } do
      for _, mu in ipairs{ 0, 0.3, 0.8 } do
        local a = math.rad(30)
        local n = { -math.sin(a), math.cos(a) }
        local world <close> = delassus.world{ planar = true, record = false, tolerance = 1e-13 }
        local block = world:body{ mass = 2, inertia = 1, position = { 0, 0 } }
        local contact = world:contact{ world.ground, block, friction = mu,
          gap = function(q) return length * (n[1] * q[1] + n[2] * q[2]) end,
          gradient = function() return { length * n[1], length * n[2], 0 } end }
        world:step(400)
        local rate = math.max(0, G * (math.sin(a) - mu * math.cos(a)))
        assert.near(-0.4 * rate * math.cos(a), block.velocity.x, 1e-9)
        assert.near(-0.4 * rate * math.sin(a), block.velocity.y, 1e-9)
        assert.near(2 * G * math.cos(a), contact.normal_force, 1e-7 * G)
        assert.near(n[1], contact.normal.x, 1e-12)
        assert.equal(mu == 0.8 and "stick" or "slip", contact.state)
        assert.is_true(world.stats.momentum_error < 1e-9)
      end
    end
  end)

  it("pushes along its gradient in joints' velocities, whichever body a joint names first: 200 seeds", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local kind, swapped = ({ "spherical", "revolute", "universal", "chain" })[seed % 4 + 1], seed % 8 > 3
      local world <close> = delassus.world{ dt = 1e-5, gravity = { 0, 0, 0 }, record = false,
        scheme = seed % 3 == 0 and "event-driven" or nil }
      local body = world:body{ mass = 1, inertia = { 0.5, 0.6, 0.7 }, position = { 0, 0, -1 } }
      world:joint{ kind, swapped and body or world.ground, swapped and world.ground or body, anchor = { 0, 0, 0 },
        axis = ({ revolute = { 0, 1, 0 }, universal = { 1, 0, 0 } })[kind], axis2 = kind == "universal" and { 0, 1, 0 } or nil,
        motions = kind == "chain" and { { "rotate", { 0, 0, 1 } }, { "slide", { 1, 0, 0 } } } or nil }
      local n, gradient, u = #world:velocities(), {}, {}
      for k = 1, n do
        gradient[k] = r:uniform(-1, 1)
        u[k] = -gradient[k]
      end
      world:contact{ world.ground, body, gap = function() return 0 end, gradient = function() return gradient end }
      world:set_velocities(u)
      local M = world:mass_matrix()
      world:step()
      local after, rate, pushed, along, square = world:velocities(), 0, {}, 0, 0
      for i = 1, n do
        rate, pushed[i] = rate + gradient[i] * after[i], 0
        for k = 1, n do pushed[i] = pushed[i] + M[i][k] * (after[k] - u[k]) end
        along, square = along + pushed[i] * gradient[i], square + gradient[i] ^ 2
      end
      if math.abs(rate) > 1e-6 then error(("seed %d, %s: the gap goes at %g"):format(seed, kind, rate)) end
      local impulse = along / square
      if impulse <= 0 then error(("seed %d, %s: impulse %g"):format(seed, kind, impulse)) end
      for i = 1, n do
        if math.abs(pushed[i] - impulse * gradient[i]) > 1e-4 then -- dt 1e-5: forces of inertia beside it
          error(("seed %d, %s: %g along %d, not %g"):format(seed, kind, pushed[i], i, impulse * gradient[i]))
        end
      end
    end
  end)

  it("is asked at world:coordinates(): frames' origins and joints, in the order in which bodies were made", function()
    for _, joints in ipairs{ false, true } do
      local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
      local dead = world:body{ mass = 1, inertia = 1 }
      local first = world:body{ mass = 1, inertia = 1, com = { 0.3, 0.1 }, position = { 4, 5 }, rotation = 0.5 }
      local third = world:body{ mass = 1, inertia = 1, position = { -1, -2 }, rotation = -0.2 }
      world:remove(dead)
      local late = world:body{ mass = 1, inertia = 1, position = { 7, 8 }, rotation = 0.1 } -- takes the slot that is free
      assert.is_true(late.index < first.index)
      if joints then world:joint{ "revolute", third, late, anchor = { 0, 0 } }.q = 0.25 end
      local n, at = #world:velocities(), select(2, world:index(first))
      local seen
      world:contact{ world.ground, first, gap = function(q) seen = q:totable() return q[2] + 10 end,
        gradient = function()
          local g = {}
          for i = 1, n do g[i] = i == at + 1 and 1 or 0 end
          return g
        end }
      world:step()
      local q = world:coordinates():totable()
      assert.equal(#q, #seen)
      for i, x in ipairs(q) do assert.near(x, seen[i], 1e-13, i) end
    end
  end)

  it("agrees with a point on a plane, mass centre off the origin and turning, in the plane and in space", function()
    for dim = 2, 3 do
      local function scene(hand)
        local world = delassus.world{ planar = dim == 2, record = false, tolerance = 1e-13 }
        local body = world:body(dim == 2 and { mass = 1.5, inertia = 0.2, com = { 0.1, -0.2 }, position = { 0, 0.7 },
          rotation = 0.4,
          velocity = { 0.3, 0 }, angular_velocity = 2 } or { mass = 1.5, inertia = { 0.2, 0.3, 0.25 }, com = { 0.1, -0.2, 0.05 },
          position = { 0, 0, 0.7 }, rotation = { axis = { 1, 0.3, 0 }, angle = 0.4 }, velocity = { 0.3, 0.1, 0 },
          angular_velocity = { 1, 2, 0.5 } })
        local point = dim == 2 and { 0.3, -0.4 } or { 0.3, -0.2, -0.4 }
        local law = { world.ground, body, point_b = point, friction = 0.4, restitution = 0.3 }
        if hand then
          local function matrix(q) -- columns: the body's axes
            if dim == 2 then
              local c, s = delassus.math.cos(q[3]), delassus.math.sin(q[3])
              return { { c, -s }, { s, c } }
            end
            local w, x, y, z = q[4], q[5], q[6], q[7]
            return { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
              { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
              { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
          end
          law.gap = function(q)
            local row, sum = matrix(q)[dim], q[dim]
            for k = 1, dim do sum = sum + row[k] * point[k] end
            return sum
          end
          law.gradient = function(q)
            local R = matrix(q)
            if dim == 2 then return { 0, 1, R[1][1] * point[1] + R[1][2] * point[2] } end
            local n = R[3] -- R' e_z, in body axes; the row for the rate there is point x n
            return { 0, 0, 1, point[2] * n[3] - point[3] * n[2], point[3] * n[1] - point[1] * n[3],
              point[1] * n[2] - point[2] * n[1] }
          end
        else
          law.normal = dim == 2 and { 0, 1 } or { 0, 0, 1 }
        end
        local contact = world:contact(law)
        return world, body, contact
      end
      local one <close>, a, c = scene(false)
      local two <close>, b, d = scene(true)
      local touched = 0
      for _ = 1, 40 do
        one:step(20)
        two:step(20)
        assert.is_true((a.position - b.position):norm() < 1e-9)
        assert.near(c.normal_force, d.normal_force, 1e-6 * G)
        touched = touched + (c.normal_force > 0 and 1 or 0)
      end
      assert.is_true(touched > 5)
    end
  end)

  it("is exact: a gap that time moves carries the body along, and the ledger tells who worked", function()
    for _, law in ipairs{ "newton", "poisson", "sequential" } do
      local world <close> = delassus.world{ planar = true, record = false, tolerance = 1e-13, impact = law }
      local body = world:body{ mass = 2, position = { 0, 0 } }
      local lift = world:contact{ world.ground, body, gap = function(q, t) return q[2] - 0.5 * t end,
        gradient = function() return { 0, 1, 0 } end }
      world:step(1000)
      assert.near(0.5, body.velocity.y, 1e-9)
      assert.near(0.5, body.position.y, 1e-6)
      assert.near(2 * G, lift.normal_force, 1e-5)
      assert.near(0, lift.velocity:norm(), 1e-9)
      local ledger = world:ledger()
      -- Lifted by 0.5 m, and set going at once: half of that work is lost in the impact.
      assert.near(2 * G * 0.5 + 2 * 0.25, ledger.kinematic, 1e-2)
      assert.near(0.25, ledger.impact, 1e-2)
      assert.near(0, ledger.error, 1e-9)
    end
    -- The same as a plane that moves up and down.
    local function scene(hand)
      local world = delassus.world{ planar = true, record = false, tolerance = 1e-12 }
      local function s(t) return 0.02 * delassus.math.sin(20 * t) end
      local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.12 }, restitution = 0.5, friction = 0 }
      if hand then
        world:contact{ world.ground, ball, restitution = 0.5, gap = function(q, t) return q[2] - 0.1 - s(t) end,
          gradient = function() return { 0, 1, 0 } end }
      else
        world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, restitution = 0.5, friction = 0,
          motion = function(t) return { 0, s(t) }, 0, { 0, 0.4 * delassus.math.cos(20 * t) }, 0 end }
      end
      return world, ball
    end
    local one <close>, a = scene(false)
    local two <close>, b = scene(true)
    for _ = 1, 40 do
      one:step(5)
      two:step(5)
      assert.near(a.position.y, b.position.y, 1e-5)
    end
  end)

  it("refuses what it cannot be, naming it, and the world stays as it was", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local a = world:body{ mass = 1, inertia = 1 }
    local b = world:body{ mass = 1, inertia = 1, position = { 3, 0 } }
    local c = world:body{ mass = 1, inertia = 1, position = { 6, 0 } }
    local function fails(options, gradient, message)
      options.gap, options.gradient = options.gap or function() return 0 end, function() return gradient end
      local contact = world:contact(options)
      local hash = world:hash()
      assert.error_matches(function() world:step() end, message, 1, true)
      assert.equal(hash, world:hash())
      world:remove(contact)
    end
    fails({ a, b }, { 0, 1, 0, 0, -1, 0 }, "must return 9 numbers (one a velocity), got 6")
    fails({ a, b }, { 0, 1, 0, 0, -1, 0, 0, 1, 0 }, "must be zero but for the contact's two bodies")
    fails({ a, b, friction = 0.1 }, { 0, 0, 1, 0, 0, -1, 0, 0, 0 }, "must move with the position of a body")
    fails({ a, b, gap = function() return 0 / 0 end }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 },
      "world:contact: 'gap' must return a finite number, got nan")
    world:joint{ "revolute", world.ground, c, anchor = { 5, 0 } }
    fails({ world.ground, b }, { 0, 0, 0, 0, 0, 0, 1 },
      "and reduced joints between them or to what stands still (number 7 is not)")
    fails({ world.ground, c, friction = 0.1 }, { 0, 0, 0, 0, 0, 0, 1 }, "must move with the position of a body")
    assert.error_matches(function() world:contact{ a, b, rope = 1, friction = 0.2 } end, "'friction' does not go with 'rope'")
  end)

  it("is told by tostring when it was removed", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local contact = world:contact{ world.ground, world:disk{ radius = 1, position = { 0, 1 } }, normal = { 0, 1 } }
    world:remove(contact)
    assert.equal("delassus.Contact (removed)", tostring(contact))
    assert.error_matches(function() return contact.gap end, "contact: attempt to use a removed contact", 1, true)
  end)
end)

describe("a compliant contact that has left the reach of its bodies", function()
  local law = { friction = 0, stiffness = 1e5, damping = 2e4 }

  --- A ball on a soft floor: found by shapes, or the same stated by hand, which is looked at in every step.
  local function bouncing(hand)
    local world = delassus.world{ planar = true, record = false }
    local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { 0, -1 }, friction = 0,
      stiffness = not hand and law.stiffness or nil, damping = not hand and law.damping or nil, collides = not hand }
    if hand then
      world:contact{ world.ground, ball, point_a = { 0, 0.1 }, normal = { 0, 1 }, stiffness = law.stiffness,
        damping = law.damping }
    else
      world:floor{ friction = 0, stiffness = math.huge }
    end
    return world, ball
  end

  it("relaxes as x' = c x / (h k + c), is in the snapshot, and takes part when it is met again", function()
    local world <close>, ball = bouncing(false)
    local other <close>, twin = bouncing(true)
    local like <close>, third = bouncing(false)
    world:step(3)
    other:step(3)
    local pull = { force = { 0, 400 } } -- off it goes, and comes back
    ball:apply(pull)
    twin:apply(pull)
    world:step(6)
    other:step(6)
    local stored = select(3, world:energy())
    assert.is_true(stored > 0)
    assert.equal(0, world.stats.contacts)
    assert.is_nil(world:contacts()())
    world:step()
    other:step()
    local ratio = law.damping / (world.dt * law.stiffness + law.damping)
    assert.near(ratio ^ 2 * stored, select(3, world:energy()), 1e-9 * stored)
    ball:apply{ force = { 0, -400 } }
    twin:apply{ force = { 0, -400 } }
    third:apply{ force = { 0, -400 } }
    local hash = world:hash()
    like:restore(world:snapshot())
    assert.equal(hash, like:hash())
    world:step(40)
    like:step(40)
    other:step(40)
    assert.equal(world:hash(), like:hash())
    assert.near(twin.position.y, ball.position.y, 1e-12)
    assert.near(twin.velocity.y, ball.velocity.y, 1e-9)
    assert.is_true(math.abs(world:ledger().error) < 1e-9 * world:ledger().turnover)
  end)
end)

describe("a spring", function()
  it("is told in the ledger by its own work; its damper's loss is under damping", function()
    for _, damping in ipairs{ 0, 3 } do
      local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
      local bob = world:body{ mass = 2, position = { 1.5, 0 } }
      world:spring{ world.ground, bob, stiffness = 50, damping = damping, length = 1 }
      bob:apply{ force = { 0, 1 } }
      local stored = select(3, world:energy())
      world:step(700)
      local ledger, kinetic, _, now = world:ledger(), world:energy()
      assert.near(stored - now, ledger.springs, 2e-3 * stored)
      assert.near(bob.position.y, ledger.forces, 1e-3)
      assert.near(kinetic, ledger.springs + ledger.forces - ledger.damping, 2e-2 * stored)
      assert.is_true(damping == 0 and ledger.damping == 0 or ledger.damping > 0.1)
    end
  end)
end)

describe("A hand-made contact that does not act", function()
  local function near(expected, v)
    for i = 1, #expected do assert.is_near(expected[i], v[i], 1e-12) end
  end

  it("is exact: its gap, point, normal and velocity are those of now, its friction its own", function()
    for _, planar in ipairs{ true, false } do
      local function place(x, y) return planar and {x, y} or {x, 0, y} end
      local world = delassus.world{ planar = planar, gravity = place(0, 0) }
      local a = world:body{ mass = 1, inertia = planar and 1 or {1, 1, 1}, position = place(1, 0), velocity = place(0, 1) }
      local b = world:body{ mass = 1, inertia = planar and 1 or {1, 1, 1}, position = place(1, 3), velocity = place(2, -1),
        angular_velocity = planar and 1 or {0, -1, 0} }
      local point = world:contact{ a, b, point_a = place(0, 0.5), point_b = place(0, -0.5), normal = place(0, 2), friction = 0.3 }
      local rope = world:contact{ a, b, rope = 5, restitution = 0.5 }
      local function hold(gap, height, at)
        assert.is_near(gap, point.gap, 1e-12)
        near(place(0, 1), point.normal)
        near(at, point.point)
        assert.is_near(-2, point.velocity:dot(point.normal), 1e-5)
        assert.are.equal("apart", point.state)
        assert.are.equal(0.3, point.friction)
        assert.are.equal(0, point.normal_force)
        assert.is_near(5 - height, rope.gap, 1e-12)
      end
      hold(2, 3, place(1, 2.5))
      near(place(2.5, -2), point.velocity)
      near(place(0, -1), rope.normal)
      b.angular_velocity = planar and 0 or {0, 0, 0}
      world:step(100)
      hold(1.8, math.sqrt(2.8 ^ 2 + 0.2 ^ 2), place(1.2, 2.4))
      point.active = false
      b.position = place(1, -1)
      hold(-2.1, 1.1, place(1, -1.5))
      assert.has_no.errors(function() tostring(point) end)
    end
  end)

  it("asks its gap function, in callbacks too, and passes on what that raises", function()
    local world = delassus.world{ planar = true }
    local ball = world:disk{ radius = 0.1, mass = 1, position = {0, 1} }
    local broken, seen = false, nil
    local contact = world:contact{ world.ground, ball, gap = function(q)
      if broken then error("not now") end
      return 2 * (q[2] - 0.1)
    end, gradient = function() return {0, 2, 0} end }
    assert.is_near(0.9, contact.gap, 1e-15) -- a distance: over the gradient's length
    assert.are.same({0, 1}, {contact.normal:unpack()})
    world:on("step", function() seen = contact.gap end)
    world:step()
    assert.is_near(ball.position.y - 0.1, seen, 1e-12)
    local hash = world:hash()
    broken = true
    assert.has_error(function() return contact.gap end)
    assert.are.equal("apart", contact.state) -- not asked
    assert.are.equal(hash, world:hash())
    broken = false
    world:run(1)
    assert.is_true(contact.normal_force > 0)
    assert.is_near(0, contact.gap, 1e-9)
  end)
end)

describe("A contact that is switched off", function()
  local function hung()
    local world = delassus.world{ planar = true }
    local bob = world:disk{ radius = 0.1, mass = 1, position = {1, 0} }
    return world, bob, world:contact{ world.ground, bob, rope = 1.2 }, world:contact{ world.ground, bob, rope = 2 }
  end

  it("is part of the state: it shows in the hash, and a world built alike takes it over", function()
    local world, bob, rope, longer = hung()
    world:run(0.5)
    local on = world:hash()
    rope.active = false
    local off, state = world:hash(), world:snapshot()
    assert.are_not.equal(on, off)
    world:run(0.5)
    local other, other_bob, other_rope = hung()
    other:restore(state)
    assert.is_false(other_rope.active)
    assert.equal(off, other:hash())
    other:run(0.5)
    assert.equal(world:hash(), other:hash())
    assert.equal(bob.position, other_bob.position)
    assert.is_true(bob.position:norm() > 1.2)
    world:restore(state)
    rope.active = true
    assert.equal(on, world:hash())
    longer.active = false
    assert.are_not.equal(on, world:hash())
    assert.are_not.equal(off, world:hash())
  end)

  it("by functions is read whenever: before the first step of a world with trees, after something was removed", function()
    local world = delassus.world { planar = true, record = false }
    local a = world:disk { radius = 0.1, mass = 1, position = { 0, 1 } }
    local b = world:disk { radius = 0.1, mass = 1, position = { 1, 1 } }
    local c = world:disk { radius = 0.1, mass = 1, position = { 3, 1 } }
    world:joint { "revolute", world.ground, a, anchor = { 0, 2 } }
    local listed
    local contact = world:contact {
      world.ground, c,
      gap = function(q) listed = #q return q[#q - 1] end, -- the height of c, the last that was made
      gradient = function(q)
        local g = {}
        for i = 1, #q do g[i] = i == #q - 1 and 1 or 0 end
        return g
      end,
    }
    assert.equal(1, contact.gap)
    assert.equal(7, listed)
    world:step()
    world:remove(b)
    c.position = { 3, 5 }
    assert.equal(5, contact.gap)
    assert.equal(4, listed)
    world:hash()
    assert.equal(5, contact.gap)
    assert.equal(c, contact.b)
    world:close()
  end)
end)

describe("The laws of a contact", function()
  it("are read: its own where it is stated by hand, what two materials make where it is found", function()
    local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
    world:floor{ restitution = 0.8, stiffness = 1e5, damping = 10 }
    world:sphere{ radius = 1, mass = 1, position = { 0, 0, 1 }, restitution = 0.3, stiffness = 3e5, damping = 30 }
    local hand = world:contact{ world.ground, world.bodies[2], normal = { 0, 0, 1 }, restitution = 0.25, damping = 3 }
    world:step()
    for contact in world:contacts() do
      local found = contact.found
      assert.equal(found and 0.3 or 0.25, contact.restitution)
      assert.near(found and 75e3 or math.huge, contact.stiffness, found and 1e-9 or 0)
      assert.near(found and 7.5 or 3, contact.damping, 1e-15)
    end
    assert.equal(0.25, hand.restitution)
  end)

  it("are changed where it is stated by hand: it bounces, slides and gives as one made so, to the bit", function()
    local laws = { { friction = 0.3 }, { restitution = 0.6 }, { stiffness = 2e4 },
      { stiffness = 2e4, damping = 60, friction = 0.2 }, { stiffness = 1e4, restitution = 0.5 } }
    for _, scheme in ipairs{ "time-stepping", "event-driven" } do
      for k, law in ipairs(laws) do
        local hashes = {}
        for _, late in ipairs{ false, true } do
          local world <close> = delassus.world{ scheme = scheme, record = false }
          local body = world:body{ mass = 2, inertia = { 1, 1, 1 }, position = { 0, 0, 0.05 }, velocity = { 1, 0, 0 } }
          local options = { world.ground, body, normal = { 0, 0, 1 } }
          if not late then for name, value in pairs(law) do options[name] = value end end
          local contact = world:contact(options)
          if late then
            for name, value in pairs(law) do
              contact[name] = value
              assert.equal(value, contact[name])
            end
          end
          world:step(300)
          hashes[#hashes + 1] = world:hash()
        end
        assert.equal(hashes[1], hashes[2], scheme .. ", law " .. k)
      end
    end
  end)

  it("are refused where they are not its own, out of range, and within a step", function()
    local world <close> = delassus.world{ record = false }
    world:floor()
    local body = world:sphere{ radius = 1, position = { 0, 0, 1 } }
    local hand = world:contact{ world.ground, body, normal = { 0, 0, 1 }, point_b = { 0, 0, -1 } }
    local rope = world:contact{ world.ground, body, rope = 5 }
    world:step()
    local found
    for contact in world:contacts() do if contact.found then found = contact end end
    local hash = world:hash()
    for name, value in pairs{ friction = -1, restitution = 1.5, stiffness = 0, damping = 0 / 0 } do
      local text = "contact: '" .. name .. "' "
      assert.error_matches(function() hand[name] = value end, text .. "must", 1, true)
      local why = text .. "of a contact found by shapes is that of its materials"
      assert.error_matches(function() found[name] = 1 end, why, 1, true)
    end
    assert.error_matches(function() rope.friction = 1 end, "contact: 'friction' does not go with 'rope'", 1, true)
    assert.equal(hash, world:hash())
    local told
    world:on("step", function() told = select(2, pcall(function() hand.damping = 1 end)) end)
    world:step()
    assert.truthy(tostring(told):find("contact: 'damping' cannot be changed while its world steps", 1, true))
  end)
end)

describe("a gap function", function()
  it("has the row of its gradient in world:delassus(), turns included", function()
    for _, slope in ipairs{ 0, 0.5, -2 } do
      for _, length in ipairs{ 1, 3 } do
        local world <close> = delassus.world{ record = false }
        local body = world:body{ mass = 2, inertia = { 0.4, 0.5, 0.6 } }
        world:contact{ world.ground, body,
          gap = function(q) return length * (q[3] + slope * 2 * q[5]) end, -- by the angle about x
          gradient = function() return { 0, 0, length, length * slope, 0, 0 } end }
        world:step(2)
        assert.near(1 / 2 + slope * slope / 0.4, world:delassus()[1][1], 1e-4)
      end
    end
  end)

  it("of a joint's coordinate stops it as its limit does, and in both schemes (200 seeds)", function()
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local planar, events, slides = seed % 2 == 0, seed % 3 == 0, seed % 5 == 0
      local at, length, anchored = random:uniform(0.2, 0.8), random:uniform(0.5, 2), random:integer(1, 2)
      local sign = planar and not slides and -1 or 1
      local axis = slides and (planar and { 0.6, -0.8 } or { 0.6, 0, -0.8 }) or (not planar and { 0, 1, 0 } or nil)
      local function pendulum(by_hand)
        local world = delassus.world{ planar = planar, scheme = events and "event-driven" or nil, record = false,
          tolerance = 1e-13, dt = events and 5e-3 or 1e-3 }
        local function place(x) return planar and { x, 0 } or { x, 0, 0 } end
        local base = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 } }
        world:joint{ "revolute", world.ground, base, anchor = place(0), axis = not planar and { 0, 1, 0 } or nil, stiffness = 40 }
        local body = world:body{ mass = 2, inertia = planar and 0.3 or { 0.3, 0.3, 0.3 }, position = place(1) }
        local limits = sign > 0 and { -50, at } or { -at, 50 }
        local joint = world:joint{ slides and "prismatic" or "revolute", base, body, anchor = place(0), axis = axis,
          limits = not by_hand and limits or nil }
        local a, b = base, body
        if anchored == 2 then a, b = body, base end
        if by_hand then
          world:contact{ a, b, gap = function(q) return length * (at - sign * q[2]) end,
            gradient = function() return { 0, -sign * length } end }
        end
        return world, joint
      end
      local left <close>, limited = pendulum(false)
      local right <close>, stopped = pendulum(true)
      for _ = 1, 6 do
        left:step(events and 20 or 100)
        right:step(events and 20 or 100)
        assert.near(limited.q, stopped.q, 1e-6, "seed " .. seed)
        assert.is_true(sign * stopped.q <= at + 1e-9, "seed " .. seed)
      end
      assert.is_true(math.abs(right:ledger().error) < 1e-9 * right:ledger().turnover, "seed " .. seed)
    end
  end)

  it("may not act on other coordinates", function()
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local b = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    world:joint{ "revolute", world.ground, a, axis = { 0, 1, 0 } }
    world:joint{ "revolute", a, b, axis = { 0, 1, 0 } }
    local contact = world:contact{ world.ground, b, gap = function(q) return q[1] + q[2] end,
      gradient = function() return { 1, 1 } end }
    assert.error_matches(function() return contact.gap end, "world:contact: 'gradient' must be zero but for the contact's two "
      .. "bodies, where they are free, and reduced joints between them or to what stands still (number 1 is not)", 1, true)
  end)

  --- Two worlds of the same bodies, one by reduced joints and one by rigid ones, agree as they run.
  local function agree(seed, steps, make)
    local one <close>, a = make(delassus.random(seed), nil)
    local two <close>, b = make(delassus.random(seed), "rigid")
    local pressed = 0
    for _ = 1, 10 do
      one:step(steps)
      two:step(steps)
      pressed = pressed + one.stats.contacts
      for k = 1, 2 do
        local off = (a[k].position - b[k].position):norm() + math.abs(a[k].rotation - b[k].rotation)
        if off > 1e-7 then error(("seed %d: %g apart"):format(seed, off)) end
      end
    end
    return pressed > 0 and 1 or 0
  end

  it("of two joints to the ground is a cam and its follower, as by their bodies' coordinates (200 seeds)", function()
    local pressed = 0
    for seed = 1, 200 do
      pressed = pressed + agree(seed, 20, function(random, formulation)
        local world = delassus.world{ planar = true, record = false, tolerance = 1e-13 }
        local lift, n, i = random:uniform(0.02, 0.1), random:integer(1, 3), formulation and 0 or 2
        local cam = world:body{ mass = 1, inertia = random:uniform(0.05, 0.2), angular_velocity = random:uniform(1, 4) }
        local follower = world:body{ mass = random:uniform(0.5, 2), inertia = 0.1, position = { 0, 1 } }
        world:joint{ "revolute", world.ground, cam, anchor = { 0, 0 }, formulation = formulation }
        world:joint{ "prismatic", world.ground, follower, anchor = { 0, 1 }, axis = { 0, 1 }, formulation = formulation }
        world:contact{ cam, follower, gap = function(q)
          local turn, height = q[3 - i], (q[5] or q[2] + 1) - 1
          return height - lift * math.sin(n * turn)
        end, gradient = function(q)
          local slope = -lift * n * math.cos(n * q[3 - i])
          return formulation and { 0, 0, slope, 0, 1, 0 } or { slope, 1 }
        end }
        return world, { cam, follower }
      end)
    end
    assert.is_true(pressed > 180, pressed)
  end)

  it("of a joint to the ground and one between its bodies is a stop of the sum of both (200 seeds)", function()
    local pressed = 0
    for seed = 1, 200 do
      pressed = pressed + agree(seed, 50, function(random, formulation)
        local world = delassus.world{ planar = true, record = false, tolerance = 1e-13 }
        local at = random:uniform(0.1, 0.8)
        local a = world:box{ size = { 1, 0.1 }, density = 100, position = { 0.5, 0 } }
        local b = world:box{ size = { 1, 0.1 }, density = random:uniform(50, 200), position = { 1.5, 0 } }
        world:joint{ "revolute", world.ground, a, anchor = { 0, 0 }, formulation = formulation }
        world:joint{ "revolute", a, b, anchor = { 1, 0 }, formulation = formulation, damping = random:uniform(0, 3) }
        world:contact{ a, b, gap = function(q) return at + (q[6] or q[1] + q[2]) end,
          gradient = function() return formulation and { 0, 0, 0, 0, 0, 1 } or { 1, 1 } end }
        return world, { a, b }
      end)
    end
    assert.is_true(pressed > 100, pressed)
  end)
end)

describe("a gradient of the other sign", function()
  local TOLD = "world:contact: 'gradient' points the other way: 'gap' falls along it as it should grow"

  --- A ball at (0, 0, 1) beside a floor or in the plane; law(q, t, height): its gap; slope: of its gradient along the height.
  local function drop(planar, scheme, law, slope, turned)
    local world = delassus.world{ planar = planar, record = false, scheme = scheme }
    local up = planar and 2 or 3
    local ball = world[planar and "disk" or "sphere"](world, { radius = 0.1, position = planar and { 0, 1 } or { 0, 0, 1 } })
    local a, b = world.ground, ball
    if turned then a, b = b, a end
    local gradient = {}
    for i = 1, planar and 3 or 6 do gradient[i] = i == up and slope or 0 end
    local contact = world:contact{ a, b, gap = function(q, t) return law(q[up] - 0.1, t) end,
      gradient = function() return gradient end }
    return world, contact, ball
  end

  it("is told where it is first asked for: steps, event-driven ones, accelerations", function()
    for _, planar in ipairs{ true, false } do
      for _, scale in ipairs{ 1, 1e-3, 1e6 } do
        for _, turned in ipairs{ false, true } do
          local function law(height) return scale * height end
          for _, scheme in ipairs{ "time-stepping", "event-driven" } do
            local world <close>, _, ball = drop(planar, scheme, law, -scale, turned)
            assert.error_matches(function() world:step() end, TOLD, 1, true)
            assert.equal(1, ball.position[planar and 2 or 3])
            assert.equal(0, world.time)
          end
          local world <close>, contact = drop(planar, nil, law, -scale, turned)
          assert.error_matches(function() return contact.gap end, TOLD, 1, true)
          assert.error_matches(function() world:accelerations() end, TOLD, 1, true)
        end
      end
    end
  end)

  it("is told of angles", function()
    local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
    local bar = world:box{ size = { 1, 0.1 }, angular_velocity = -1 }
    world:contact{ world.ground, bar, gap = function(q) return q[3] + 0.1 end, gradient = function() return { 0, 0, -1 } end }
    assert.error_matches(function() world:step() end, TOLD, 1, true)
  end)

  it("is told later where the gap knows of the body only then", function()
    local world <close> = drop(true, nil, function(height) return height < 0.5 and height or 9 end, -1)
    assert.error_matches(function() world:run(1) end, TOLD, 1, true)
    assert.is_true(world.time > 0.3)
  end)

  it("is not told of what is right, or cannot be told: steps, noise, time, nothing, no number beside it", function()
    local random = delassus.random(1)
    local laws = {
      function(height) return height end,
      function(height) return math.floor(1e3 * height) / 1e3 end,
      function(height) return height + random:uniform(-1e-9, 1e-9) end,
      function(height, t) return height - 0.2 * math.sin(50 * t) end,
      function() return 1 end,
      function() return -1e-12 end,
      function(height) return math.max(height, 0.3) end,
      function(height) return height <= 0.9 and height or 0 / 0 end,
    }
    for k, law in ipairs(laws) do
      for _, slope in ipairs{ 1, 0.5, 3 } do
        local world <close> = drop(true, nil, law, slope)
        for step = 1, 50 do
          local made, why = pcall(world.step, world)
          assert.is_true(made or not tostring(why):find("the other way", 1, true), ("law %d, step %d: %s"):format(k, step, why))
        end
      end
    end
  end)
end)
