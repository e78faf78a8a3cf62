-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Fast spins under the integrators: a top of 150 rad/s for a second.
local delassus = require "delassus"

-- ../shared/cases/MB-HT-heavytop.json (Euler's equations, DOP853 at 1e-13): mass centre and quaternion at t.
local rows = {
  { t = 0.5, -0.7024682970567325, -0.02116518470151041, -0.7114002576516003,
    0.5845606240696226, -0.7006628954120057, 0.38432575302284605, 0.14019307880070095 },
  { t = 1.0, 0.17334396409820096, 0.6400885920702291, -0.7484907911339107,
    0.7329439806798332, -0.2782857193379971, 0.5318246113337679, -0.32017614273617806 } }

local function top()
  local world = delassus.world{ record = false }
  local body = world:body{ mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, com = { 0, 1, 0 } }
  world:joint{ "ball", world.ground, body, anchor = { 0, 0, 0 } }.qd = { 0, 150, -4.61538 }
  return world, body
end

describe("a fast top", function()
  for _, case in ipairs{ { reading = "adams", dt = 1e-4 }, { reading = "pece", dt = 2e-4 }, { reading = "kappa", dt = 2e-4 },
    { method = "rk4", dt = 2e-4, tolerance = 1e-6 } } do
    it("stays on its path: " .. (case.reading or case.method), function()
      local world <close>, body = top()
      for _, row in ipairs(rows) do
        local counts = world:integrate{ method = case.method, reading = case.reading, dt = case.dt, to = row.t }
        local q = body.rotation
        local sign = q[1] * row[4] > 0 and 1 or -1
        for k = 1, 3 do assert.near(row[k], body.centre[k], case.tolerance or 2e-9) end
        for k = 1, 4 do assert.near(row[3 + k], sign * q[k], case.tolerance or 2e-9) end
        assert.is_true(case.method ~= nil or counts.defect < 1e-14) -- the size of the local error: it does not grow
      end
    end)
  end
end)

describe("an integration", function()
  it("refuses dry friction of joints, which could hold them: steps know it", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      local world <close> = delassus.world{ record = false }
      local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
      local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, friction = 2,
        formulation = formulation }
      assert.error_matches(function() world:integrate{ to = 1 } end,
        "the friction of joint #1 could hold it: such worlds are stepped", 1, true)
      world:run(5)
      assert.near(0, joint.qd, 1e-3) -- at rest, off the lowest point as far as friction holds it
      assert.is_true(math.abs(joint.q - math.pi / 2) > 0.05 and math.abs(joint.q - math.pi / 2) < 0.21)
    end
  end)
end)
