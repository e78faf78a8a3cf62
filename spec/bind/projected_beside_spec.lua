-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Positions of small heaps in worlds with joints: what joints have no part in is projected as in a world without. Oracles: the
-- heap alone, and distances between balls where what is pushed apart meets a mechanism behind.
local delassus = require "delassus"
local chance = require "support.chance"
local near = require "support.near"
local seeds = require "support.seeds"

local R = 0.05

local function add_planar_heap(w, c)
  local bodies = {}
  w:floor{ friction = 0.4 }
  for i = 1, 12 do
    local o = { density = 800, friction = 0.4, position = { 0.11 * (i % 3) + c.from(-0.01, 0.01), 0.06 + 0.13 * (i // 3) } }
    local kind = c.pick{ "box", "disk" }
    if kind == "box" then o.size, o.rotation = { 0.08, 0.06 }, c.from(0, 3) else o.radius = c.from(0.03, 0.05) end
    bodies[i] = w[kind](w, o)
  end
  return bodies
end

local function add_heap(w, c)
  if w.planar then return add_planar_heap(w, c) end
  local bodies = {}
  w:floor{ friction = 0.4 }
  for i = 1, 9 do
    local o = { density = 800, friction = 0.4, position = { c.from(-0.1, 0.1), c.from(-0.1, 0.1), 0.16 * i },
      rotation = { axis = { c.from(-1, 1), c.from(-1, 1), 1 }, angle = c.from(0, 3) } }
    local kind = c.pick{ "box", "capsule", "sphere" }
    if kind == "box" then o.size = { 0.1, 0.12, 0.08 } else o.radius = 0.04 end
    if kind == "capsule" then o.length = 0.1 end
    bodies[i] = w[kind](w, o)
  end
  return bodies
end

local function add_chain(w, formulation, x)
  local before = w.ground
  local function at(along) return w.planar and { along, 2 } or { along, 0, 2 } end
  for i = 1, 3 do
    local bar = w:capsule{ radius = 0.02, length = 0.2, density = 800, position = at(x + 0.3 * (i - 0.5)) }
    w:joint{ "revolute", before, bar, anchor = at(x + 0.3 * (i - 1)), axis = not w.planar and { 0, 1, 0 } or nil,
      formulation = formulation }
    before = bar
  end
  return before
end

describe("A small heap in a world with joints", function()
  for _, planar in ipairs{ true, false } do
    local off = planar and 1e-9 or 1e-12 -- disks alone are solved otherwise than beside joints, each to the tolerance
    it("is what it is alone, " .. (planar and "in the plane" or "in space"), function()
      local most = 0
      for seed = 1, seeds(200) do
        local formulation = chance(seed).pick{ "reduced", "rigid" }
        local both <close> = delassus.world{ planar = planar, dt = 4e-3, record = false }
        local bodies = add_heap(both, chance(seed))
        add_chain(both, formulation, 3)
        local heap <close> = delassus.world{ planar = planar, dt = 4e-3, record = false }
        local alone = add_heap(heap, chance(seed))
        for _ = 1, 60 do
          both:step()
          heap:step()
          most = math.max(most, heap.stats.overlap)
          near(heap.stats.overlap, both.stats.overlap, off, "seed " .. seed)
          for i, body in ipairs(bodies) do
            for k = 1, planar and 2 or 3 do near(alone[i].position[k], body.position[k], off, "seed " .. seed) end
          end
        end
      end
      assert.is_true(most > 1e-4, "overlaps up to " .. most) -- there was something to project
    end)
  end

  it("is projected with the mechanism where what it pushes apart would meet that", function()
    local met = 0
    for seed = 1, seeds(200) do
      local c = chance(seed)
      local w <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
      local depth, gap = R * 10 ^ c.from(-6, -2), R * 10 ^ c.from(-7, -3)
      local bar = w:capsule{ radius = R, length = 0.3, mass = c.from(0.5, 2), position = { 0, 0, 0 },
        rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } }
      w:joint{ "revolute", w.ground, bar, anchor = { 0, 0, -0.15 }, axis = { 0, 1, 0 },
        formulation = c.pick{ "reduced", "rigid" } }
      local x, height, balls = R + gap + R, c.from(-0.1, 0.1), {}
      for i = 1, 2 do
        balls[i] = w:sphere{ radius = R, mass = c.from(0.5, 2), position = { x, 0, height } }
        x = x + 2 * R - depth
      end
      w:step()
      local p, q, angle = balls[1].position, balls[2].position, w.joints[1].q
      local apart = q.x - p.x
      -- of the ball's centre from the axis of the bar, which has turned by an angle about y
      local off = p.x * math.cos(angle) - (p.z + 0.15) * math.sin(angle)
      assert.is_true(apart > 2 * R * (1 - 1e-10), ("seed %d: balls overlap by %g"):format(seed, 2 * R - apart))
      assert.is_true(off > 2 * R * (1 - 1e-10), ("seed %d: ball and bar overlap by %g"):format(seed, 2 * R - off))
      near(0, (w.joints[1]:violation()), 1e-10, "seed " .. seed)
      if math.abs(angle) > 1e-12 then met = met + 1 end
    end
    assert.is_true(met > seeds(200) / 4, met .. " met")
  end)
end)
