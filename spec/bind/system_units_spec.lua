local delassus = require "delassus"
local random = require "support.random"

local abs, max = math.abs, math.max

--- Random planar contacts at one instant, at rest, all masses and forces times `unit`.
local function problem(seed, unit, corners)
  local rnd = random(seed)
  local k = 1 + math.floor((rnd() + 1) * 1.5)
  local n = 2 * k + math.floor((rnd() + 1) * 1.5)
  local function numbers(size)
    local t = {}
    for i = 1, n do t[i] = size * rnd() end
    return t
  end
  local B, M = {}, {}
  for i = 1, n do B[i] = numbers(1) end
  for i = 1, n do
    M[i] = {}
    for j = 1, n do
      local sum = i == j and 0.5 or 0
      for l = 1, n do sum = sum + B[i][l] * B[j][l] end
      M[i][j] = sum * unit
    end
  end
  local forces, rest, contacts = numbers(10 * unit), numbers(0), {}
  for i = 1, k do
    local bias = { rnd(), rnd() }
    contacts[i] = { normal = numbers(1), tangent = numbers(1), friction = 0.5 + 0.45 * rnd(), gap = function() return 0 end,
      normal_bias = function() return bias[1] end, tangent_bias = function() return bias[2] end }
  end
  return delassus.system{ q = rest, u = rest, mass = M, forces = forces, contacts = contacts, friction_corners = corners }
end

--- The largest difference of two lists of numbers, the second times `unit`.
local function apart(a, b, unit)
  local worst = 0
  for i = 1, #a do worst = max(worst, abs(a[i] / unit - b[i])) end
  return worst
end

describe("a system's unit of mass", function()
  -- exact: powers of two change no rounding, so that the same system in tonnes or in milligrams has the same accelerations
  it("changes neither its accelerations nor how many solutions they have (200 seeds)", function()
    for seed = 1, 200 do
      for _, corners in ipairs{ 2, 4 } do
        local one = problem(seed, 1, corners)
        local found, all = pcall(one.accelerations, one), one:solutions()
        for _, exponent in ipairs{ -40, 30 } do
          local unit = 2.0 ^ exponent
          local s = problem(seed, unit, corners)
          local good, udot = pcall(s.accelerations, s)
          local solutions = s:solutions()
          local said = ("seed %d, %d corners, 2^%d"):format(seed, corners, exponent)
          if good ~= found or #solutions ~= #all then error(said .. ": " .. #solutions .. " solutions for " .. #all) end
          if good and apart(udot, one:accelerations(), 1) > 1e-9 then error(said .. ": other accelerations") end
          for i, solution in ipairs(solutions) do
            if apart(solution.udot, all[i].udot, 1) > 1e-9 then error(said .. ": other solution " .. i) end
          end
          for i = 1, good and #s.contacts or 0 do
            local a, b = s.contacts[i], one.contacts[i]
            local off = max(abs(a.normal_force / unit - b.normal_force), abs(a.tangential_force / unit - b.tangential_force))
            if off > 1e-8 then error(said .. ": other forces, by " .. off) end
          end
        end
      end
    end
  end)

  it("changes no step of a sliding block (kg and Gg)", function()
    local function run(unit, scheme)
      local s = delassus.system{ q = { 0, 0 }, u = { 1, 0 }, scheme = scheme, mass = { { 2 * unit, 0 }, { 0, 2 * unit } },
        forces = function(_, _, t) return { 30 * unit * math.sin(20 * t), -20 * unit } end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.4 } } }
      s:run(1)
      return s.q[1], s.u[1]
    end
    for _, scheme in ipairs{ "event-driven", "time-stepping" } do
      local x, v = run(1, scheme)
      for _, exponent in ipairs{ -30, 20, 40 } do
        local y, w = run(2.0 ^ exponent, scheme)
        assert.are.equal(x, y)
        assert.are.equal(v, w)
      end
    end
  end)
end)
