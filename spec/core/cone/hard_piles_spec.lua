-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Piles that touch exactly in lines and faces, with more points of contact than carry them: 200 seeds each.
local lcp = require "delassus.lcp"
local hard = require "support.hard_piles"
local seeds = require "support.seeds"

--- v = W p + q from the entries.
local function velocities(problem, p)
  local v = {}
  for i = 1, #problem.q do v[i] = problem.q[i] end
  for _, e in ipairs(problem.entries) do v[e[1]] = v[e[1]] + e[3] * p[e[2]] end
  return v
end

local function size(x, i, n)
  local sum = 0
  for k = i, i + n - 1 do sum = sum + x[k] * x[k] end
  return math.sqrt(sum)
end

--- How far a part of the friction is from its law: inside its disk it holds still, on the edge it goes against the slip.
local function breach(p, v, at, n, radius)
  local force, slip, along = size(p, at, n), size(v, at, n), 0
  for k = at, at + n - 1 do along = along + p[k] * v[k] end
  -- power lost: |p| |v| + p . v and the room left in the disk times the slip, as a velocity
  local press = math.max(radius, force, 1e-300)
  return math.max(0, force - radius) / press, math.max(along / press + slip, 0) / 2 + (radius - force) / press * slip
end

--- Impulses outside of their sets (relative) and velocities against the laws (m/s), each contact by itself.
local function judge(problem, p)
  local v, d = velocities(problem, p), problem.kinds and 6 or 3
  local outside, wrong, press = 0, 0, 0
  for i = 1, #p, d do press = math.max(press, p[i]) end
  for c = 1, problem.contacts do
    local i = d * (c - 1) + 1
    local law = problem.kinds and problem.kinds[c] or {}
    wrong = math.max(wrong, -v[i], math.min(1, p[i] / press) * math.abs(v[i]))
    outside = math.max(outside, -p[i] / press)
    for _, part in ipairs{ { i + 1, 2, problem.friction }, { i + 3, 1, law.spin }, { i + 4, 2, law.roll } } do
      if part[3] then
        local out, against = breach(p, v, part[1], part[2], part[3] * p[i])
        outside = math.max(outside, out)
        wrong = math.max(wrong, against * math.min(1, p[i] / press) * (d == 6 and part[3] / problem.friction or 1))
      end
    end
  end
  return outside, wrong
end

local small = { crossed = { layers = 3 }, parallel = { base = 3 }, column = { boxes = 4 },
  wall = { courses = 3, wide = 2 }, rolling = { base = 2 } }

describe("lcp.cone on piles with redundant contacts", function()
  for _, name in ipairs(hard.names) do
    it("residual outside: solves to 1e-10, " .. name .. ", 200 seeds", function()
      for seed = 1, seeds(200) do
        local problem = hard[name](seed, small[name])
        local r = lcp.cone{ W = problem.W, q = problem.q, friction = problem.friction, kinds = problem.kinds }
        local what = ("%s, seed %d: %s"):format(name, seed, r)
        assert.is_true(r.converged, what)
        local scale, outside, wrong = 0, judge(problem, r.impulse)
        for _, x in ipairs(problem.q) do scale = math.max(scale, math.abs(x)) end
        assert.is_true(outside <= 1e-12, what .. ", outside " .. outside)
        -- The residual's measure and this one differ by the ratio of impulses in the pile.
        assert.is_true(wrong <= 1e-8 * scale, what .. ", wrong " .. wrong / scale)
      end
    end)
  end

  it("residual: solves piles of 45 and 620 contacts that Newton's steps, sweeps and ADMM do not", function()
    for _, case in ipairs{ { "rolling", 18, { base = 3 } }, { "wall", 2, { courses = 10, wide = 6 } } } do
      local problem = hard[case[1]](case[2], case[3])
      local r = lcp.cone{ W = problem.W, q = problem.q, friction = problem.friction, kinds = problem.kinds }
      assert.is_true(r.converged, tostring(r))
    end
  end)
end)
