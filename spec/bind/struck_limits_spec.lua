-- Limits of joints where impacts come before the forces: what an impact held and then left is not held at the step's end.
local delassus = require "delassus"
local seeds = require "support.seeds"

-- Three boxes on two joints with limits, thrown on a floor in the plane: the largest gain of a step, of the energy that is
-- there after the first one.
local function gain(seed, impact)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local w = delassus.world { planar = true, dt = 1 / 120, record = false, impact = impact }
  w:floor { friction = between(0, 1) }
  local before
  for i = 1, 3 do
    local s = between(0.1, 0.2)
    local box = w:box { size = { 2 * s, s }, density = 500, friction = 0.5, position = { 0.4 * i, 0.5 + 0.1 * i },
      rotation = between(-3, 3), velocity = { between(-2, 2), between(-4, 0) }, angular_velocity = between(-10, 10) }
    if before then
      w:joint { "revolute", before, box, anchor = { 0.4 * i - 0.2, 0.45 + 0.1 * i },
        limits = { -between(0.2, 1), between(0.2, 1) }, formulation = i == 2 and "reduced" or "rigid" }
    end
    before = box
  end
  local function energy()
    local kinetic, potential = w:energy()
    return kinetic + potential
  end
  w:step()
  local first = energy()
  local last, most = first, 0
  for _ = 1, 240 do
    w:step()
    local now = energy()
    most, last = math.max(most, (now - last) / first), now
  end
  return most
end

describe("limits of joints that are struck", function()
  -- 77 of 200 gained by Poisson's law, up to four times their energy; what is left is what projections of overlaps lift
  for _, impact in ipairs { "poisson", "sequential", "newton" } do
    it("add no energy, " .. impact, function()
      for seed = 1, seeds(200) do
        local most = gain(seed, impact)
        assert.is_true(most < 5e-3, ("seed %d: a step gained %g of the energy"):format(seed, most))
      end
    end)
  end
end)

describe("a limit that is near while an impact is elsewhere", function()
  it("lets its joint turn until it is reached, by every law", function()
    for _, impact in ipairs{ "newton", "poisson", "sequential" } do
      for _, formulation in ipairs{ "reduced", "rigid" } do
        local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-3, impact = impact, record = false, strict = true }
        world:floor{ restitution = 0.5, friction = 0.3 }
        local at, fall = { 0, 0, 0.1 }, { 0, 0, -1 }
        local ball = world:sphere{ radius = 0.1, mass = 1, position = at, velocity = fall, restitution = 0.5, friction = 0.3 }
        local arm = world:body{ mass = 2, inertia = { 0.02, 0.02, 0.02 }, position = at, velocity = fall,
          angular_velocity = { 4, 0, 0 } }
        local hinge = world:joint{ "revolute", ball, arm, anchor = at, axis = { 1, 0, 0 }, limits = { -1, 0.006 },
          formulation = formulation }
        world:step()
        local where = impact .. ", " .. formulation
        assert.near(4, hinge.qd, 1e-12, where)
        assert.near(0.5, ball.velocity.z, 1e-12, where)
        world:step()
        assert.near(0.006, hinge.q, 1e-12, where)
        assert.near(0, hinge.qd, 1e-12, where)
      end
    end
  end)
end)
