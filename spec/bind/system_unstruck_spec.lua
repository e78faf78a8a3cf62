-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Impacts beside closed contacts that part: what nothing strikes has no impulse, whatever the friction and the form of the law.
local delassus = require "delassus"
local seeds = require "support.seeds"

describe("contacts that nothing strikes", function()
  -- At friction of 0.8 and more, by four corners, some had jammed out of nothing: 4.5 N s and more.
  it("have no impulse, by themselves and beside a ball that strikes: 1,000 random ones", function()
    for seed = 1, seeds(1000) do
      local r = delassus.random(seed)
      local function some() return r:uniform(-1, 1) end
      local off, a = some() / 2, r:uniform(0.5, 2)
      local M, Wn, Wt, u = { { a, off }, { off, r:uniform(0.5, 2) } }, { some(), some() }, { some(), some() }, { some(), some() }
      local rate = Wn[1] * u[1] + Wn[2] * u[2]
      if rate < 0 then u[1], u[2], rate = -u[1], -u[2], -rate end
      local law, corners, mu = ({ "newton", "poisson" })[seed % 2 + 1], seed % 4 < 2 and 4 or 2, r:uniform(0, 4)
      local function contact(before)
        local function row(v) return before and { 0, v[1], v[2] } or v end
        return { gap = function(q) return Wn[1] * q[#q - 1] + Wn[2] * q[#q] end, normal = row(Wn), tangent = row(Wt),
          friction = mu, restitution = r:uniform() }
      end
      local alone = delassus.system{ q = { 0, 0 }, u = u, mass = M, forces = { 0, 0 }, impact = law, friction_corners = corners,
        contacts = { contact() } }
      local normal = alone:impact()
      local beside = delassus.system{ q = { 0, 0, 0 }, u = { -1, u[1], u[2] }, forces = { 0, 0, 0 }, impact = law,
        friction_corners = corners, dt = 1e-3, mass = { { 1, 0, 0 }, { 0, a, off }, { 0, off, M[2][2] } },
        contacts = { { gap = function(q) return q[1] end, normal = { 1, 0, 0 }, restitution = 0.5 }, contact(true) } }
      beside:step()
      local v = beside.u
      if rate > 1e-6 and (normal[1] ~= 0 or math.abs(v[1] - 0.5) > 1e-12 or v[2] ~= u[1] or v[3] ~= u[2]) then
        error(("seed %d: %g N s, velocities %g %g of %g %g"):format(seed, normal[1], v[2], v[3], u[1], u[2]))
      end
    end
  end)
end)
