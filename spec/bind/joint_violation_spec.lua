-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- joint:violation() and what world:joint refuses of subspaces and cones.
local delassus = require "delassus"

local function between(lo, hi) return lo + (hi - lo) * math.random() end
local function direction()
  local v
  repeat v = delassus.vec{ between(-1, 1), between(-1, 1), between(-1, 1) } until v:norm() > 0.2 and v:norm() < 1
  return v / v:norm()
end

-- v from a body's axes to the world.
local function out_of(body, v)
  local q = body.rotation
  local axis = delassus.vec{ q[2], q[3], q[4] }
  local t = 2 * axis:cross(v)
  return v + q[1] * t + axis:cross(t)
end

local function angle(u, v) return math.atan(u:cross(v):norm(), u:dot(v)) end

-- Exact, from the two frames: distance and angle of what each kind holds. e: the axis in a; f: the same (universal:
-- axis2) in b; d: from a's anchor to b's; turned: angle of the rotation between the frames.
local exact = {
  spherical = function(_, _, d) return d:norm(), 0 end,
  revolute = function(e, f, d) return d:norm(), angle(e, f) end,
  prismatic = function(e, _, d, turned) return (d - e:dot(d) * e):norm(), turned end,
  cylindrical = function(e, f, d) return (d - e:dot(d) * e):norm(), angle(e, f) end,
  planar = function(e, f, d) return math.abs(e:dot(d)), angle(e, f) end,
  universal = function(e, f, d) return d:norm(), math.abs(math.pi / 2 - angle(e, f)) end,
  fixed = function(_, _, d, turned) return d:norm(), turned end,
}

describe("joint:violation", function()
  it("is the exact distance and angle of what each kind holds, rigid and penalty alike", function()
    for seed = 1, 200 do
      for kind, of in pairs(exact) do
        for _, formulation in ipairs{ "rigid", "penalty" } do
          math.randomseed(seed)
          local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
          local function body()
            local turn = { axis = direction(), angle = between(-3, 3) }
            return world:body{ mass = 1, inertia = { 1, 1, 1 }, position = direction(), rotation = turn }
          end
          local a, b = body(), body()
          local anchor, axis = direction(), direction()
          local across
          repeat across = axis:cross(direction()) until across:norm() > 0.1
          across = across / across:norm()
          local options = { kind, a, b, anchor = anchor, formulation = formulation }
          if kind ~= "spherical" and kind ~= "fixed" then options.axis = axis end
          if kind == "universal" then options.axis2 = across end
          local joint = world:joint(options)
          local function in_body(of_body, v) -- v in its axes
            local q = of_body.rotation
            local t = 2 * delassus.vec{ -q[2], -q[3], -q[4] }:cross(v)
            return v + q[1] * t + delassus.vec{ -q[2], -q[3], -q[4] }:cross(t)
          end
          local e_a, f_b = in_body(a, axis), in_body(b, kind == "universal" and across or axis)
          local p_a, p_b = in_body(a, anchor - a.position), in_body(b, anchor - b.position)
          local turn, about = between(0, 0.7), direction()
          local r = b.rotation
          local s, c = math.sin(turn / 2), math.cos(turn / 2)
          local v, w = delassus.vec{ s * about.x, s * about.y, s * about.z }, delassus.vec{ r[2], r[3], r[4] }
          local im = c * w + r[1] * v + v:cross(w)
          b.rotation = { c * r[1] - v:dot(w), im.x, im.y, im.z }
          b.position = b.position + between(0, 0.3) * direction()
          local d = b.position + out_of(b, p_b) - a.position - out_of(a, p_a)
          local metres, radians = of(out_of(a, e_a), out_of(b, f_b), d, turn)
          local m, rad = joint:violation()
          local what = ("seed %d, %s, %s: "):format(seed, kind, formulation)
          assert.is_true(math.abs(m - metres) < 1e-12, what .. m .. " m, right " .. metres)
          assert.is_true(math.abs(rad - radians) < 1e-12, what .. rad .. " rad, right " .. radians)
        end
      end
    end
  end)

  it("is the exact distance and angle in the plane", function()
    for seed = 1, 200 do
      for _, kind in ipairs{ "revolute", "prismatic", "fixed" } do
        for _, formulation in ipairs{ "rigid", "penalty" } do
          math.randomseed(seed)
          local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
          local b = world:body{ mass = 1, inertia = 1, position = { 1, 2 } }
          local options = { kind, world.ground, b, anchor = { 1, 2 }, formulation = formulation }
          if kind == "prismatic" then options.axis = { 0.6, 0.8 } end
          local joint = world:joint(options)
          local x, y, turn = between(-0.3, 0.3), between(-0.3, 0.3), between(-1, 1)
          b.position, b.rotation = { 1 + x, 2 + y }, turn
          local m, rad = joint:violation()
          local metres = kind == "prismatic" and math.abs(0.6 * y - 0.8 * x) or math.sqrt(x * x + y * y)
          local radians = kind == "revolute" and 0 or math.abs(turn)
          local what = ("seed %d, %s, %s: "):format(seed, kind, formulation)
          assert.is_true(math.abs(m - metres) < 1e-12, what .. m .. " m, right " .. metres)
          assert.is_true(math.abs(rad - radians) < 1e-12, what .. rad .. " rad, right " .. radians)
        end
      end
    end
  end)
end)

describe("world:joint refuses", function()
  local function refused(options)
    local world <close> = delassus.world{ record = false }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local before = world:hash()
    options[2], options[3] = world.ground, body
    local ok, why = pcall(world.joint, world, options)
    if ok then return false end
    assert.are.equal(before, world:hash())
    return why
  end

  it("screws that depend on each other", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local n, rows = math.random(2, 6), {}
      for i = 1, 6 do
        rows[i] = {}
        for k = 1, n do rows[i][k] = between(-1, 1) end
      end
      local kind = seed % 2 == 0 and "rigid" or "reduced"
      assert.is_false(refused{ "custom", subspace = rows, formulation = kind }, "seed " .. seed)
      local last = math.random(2, n)
      for i = 1, 6 do -- a combination of those before
        rows[i][last] = 0
        for k = 1, last - 1 do rows[i][last] = rows[i][last] + (k - 0.3) * rows[i][k] end
      end
      local why = refused{ "custom", subspace = rows, formulation = kind }
      assert.is_true(why and why:find(("column %d of 'subspace' depends on those before it"):format(last), 1, true) ~= nil,
        ("seed %d: %s"):format(seed, why))
    end
  end)

  it("motions of a chain that lead nowhere beyond those before them, free ones alone", function()
    local function still(rate) return function(t) return rate * t, rate, 0 end end
    local x, z = { 1, 0, 0 }, { 0, 0, 1 }
    local function slide(axis, motion) return { "slide", axis, motion = motion } end
    for _, case in ipairs{ { 2, slide(x), slide(x), { "rotate", z } }, { 3, slide(x), slide{ 1, 1, 0 }, slide{ 1, -2, 0 } },
      { 3, { "rotate", x }, slide(x), { "rotate", x } } } do
      local why = refused{ "chain", motions = table.move(case, 2, #case, 1, {}) }
      assert.matches(("'motions'[%d] depends on those before it"):format(case[1]), tostring(why), 1, true)
    end
    -- what is driven between two turns about x sets their axes apart
    assert.is_false(refused{ "chain", motions = { { "rotate", x }, slide(z, still(1)), { "rotate", x } } })
    for _, rates in ipairs{ { 0.5, 0.5, 0, 0.1 }, { 0.2, -0.2, 0, 0 } } do -- driven, or at a singular pose: no fault
      assert.is_false(refused{ "chain", motions = { { "rotate", z }, slide(x, still(rates[1])), slide(x, still(rates[2])),
        slide(z, still(rates[3])), slide({ -1, 0, 0 }, still(rates[4])), { "rotate", z } } })
    end
    assert.is_false(refused{ "chain", motions = { { "rotate", z }, { "rotate", x }, { "rotate", z } } })
  end)

  it("a cone of more than half a turn", function()
    local why = refused{ "spherical", limits = { cone = 45 } }
    assert.matches("'cone' must be an angle in radians from 0 to pi, got 45", why, 1, true)
    assert.is_false(refused{ "spherical", limits = { cone = math.pi } })
  end)
end)
