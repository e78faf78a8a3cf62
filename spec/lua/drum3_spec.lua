-- A drum in space: its filling, its bed at rest, half a revolution and everything that is told about it.
local delassus = require "delassus"
local drum = require "delassus.drum"

local R, L = 0.7, 2
local options = { diameter = 2 * R, length = L, rpm = 20, fill = 0.5, seed = 3, dt = 4e-3,
  lifters = { count = 6, height = 0.1, width = 0.08 },
  logs = { diameter = { 0.16, 0.28 }, length = { 0.6, 0.95 }, strength = 50 } }

--- The ends of a log's axis.
local function ends_of(log)
  local q, p, half = log.rotation, log.position, log.shape.length / 2
  local axis = delassus.vec{ 1 - 2 * (q[3] ^ 2 + q[4] ^ 2), 2 * (q[2] * q[3] + q[1] * q[4]),
    2 * (q[2] * q[4] - q[1] * q[3]) }
  return p + axis * half, p - axis * half
end

local function pose_of(log) return { position = log.position, rotation = log.rotation } end

--- How far a log reaches beyond the drum's shell or ends (m).
local function outside(log)
  local worst, r = -math.huge, log.shape.radius
  for _, e in ipairs{ ends_of(log) } do
    worst = math.max(worst, math.sqrt(e.y ^ 2 + e.z ^ 2) + r - R, math.abs(e.x) + r - L / 2)
  end
  return worst
end

--- The share under the bed's surface by rays straight down.
local function fill_by_rays(d)
  local under, all = 0, 0
  for i = 0, 39 do
    local y = (i + 0.5) / 40 * 2 * R - R
    local bottom = math.sqrt(R * R - y * y)
    for k = 0, 19 do
      local x = (k + 0.5) / 20 * L - L / 2
      local top = math.min(0.5 * R, bottom - 0.01)
      local _, point = d.world:raycast({ x, y, top }, { x, y, -R - 1 })
      under, all = under + point.z + bottom, all + 2 * bottom
    end
  end
  return under / all
end

describe("a drum of logs in space", function()
  local function check_rest(d)
    assert.is_true(#d.logs >= 30 and #d.logs <= 60)
    assert.near(0.5, d.fill, 0.01)
    assert.near(d.fill, fill_by_rays(d), 0.03) -- lifters count as clear there
    local wood = 0
    for i, log in ipairs(d.logs) do
      local size = 2 * log.shape.radius
      wood = wood + math.pi / 4 * size ^ 2 * (log.shape.length + size * 2 / 3)
      local kinetic = log.energy - log.mass * 9.81 * log.position.z
      assert.is_true(kinetic < 1e-3 * log.mass * 9.81, log.name)
      assert.is_true(outside(log) <= 1e-4 * size, log.name)
      for j = 1, i - 1 do
        local other = d.logs[j]
        local gap = delassus.distance(log.shape, pose_of(log), other.shape, pose_of(other))
        assert.is_true(gap >= -1e-4 * 2 * math.min(log.shape.radius, other.shape.radius), log.name)
      end
    end
    local clear = (math.pi * R * R - 6 * 0.1 * 0.08) * L
    assert.near(wood / clear, d.solid, 1e-12)
  end

  local function check_turned(d)
    d:run { revolutions = 0.5 }
    local r = d:report()
    assert.near(0.5, r.revolutions, 1e-9)
    assert.near(1.5, r.time, 0.005)
    assert.equal(#d.logs, r.logs)
    assert.equal(d.world.stats.unconverged - d._unconverged, r.unconverged)
    assert.equal(0, r.unconverged)
    assert.is_true(r.worst_residual <= 1e-3, r.worst_residual) -- the drum's own tolerance
    assert.is_true(r.energy_balance < 1e-4, r.energy_balance)
    assert.is_true(d.world.stats.momentum_error <= 1e-12)
    assert.is_true(r.worst_penetration <= 1e-2, r.worst_penetration) -- of a diameter, in steps of 4 ms
    for _, log in ipairs(d.logs) do assert.is_true(outside(log) <= 1e-2 * 0.28, log.name) end
    -- the bed hangs on the rising side and the shell carries it: work goes in and is rubbed away
    assert.near(r.power * r.time, r.torque * r.revolutions * 2 * math.pi, 1e-9 * r.power * r.time)
    assert.is_true(r.torque > 0 and r.dissipated > 0 and r.repose_angle > math.rad(5) and r.repose_angle < math.rad(60))
    assert.near((20 * math.pi / 30) ^ 2 * R / 9.81, r.froude, 1e-12)
    assert.equal("string", type(r.regime))
    assert.equal(r.collisions, r.force.count)
    assert.near(r.collisions / r.time, r.collisions_per_second, 1e-9 * r.collisions)
    assert.is_true(r.force.p50 <= r.force.p95 and r.force.p95 <= r.force.p99 and r.force.p99 <= r.force.max)
    local binned, twice = 0, 0
    for _, bin in ipairs(r.force.histogram) do binned = binned + bin[3] end
    assert.equal(r.collisions, binned)
    for _, log in ipairs(r.per_log) do
      twice = twice + log.collisions
      assert.is_true(log.debarked >= 0 and log.debarked < 1)
    end
    assert.is_true(twice >= r.collisions and twice <= 2 * r.collisions)
    assert.is_true(r.damage >= 0 and r.damage <= 1)
    local path = os.tmpname()
    for _, ending in ipairs { ".html", ".csv", ".json" } do
      assert.is_true(r:save(path .. ending))
      os.remove(path .. ending)
    end
    os.remove(path)
  end

  -- One drum, since filling it takes longest: at rest, then half round.
  it("is conserved: filled to half it lies at rest without overlap; turned it keeps its balances and logs", function()
    local d = drum(options)
    d:settle()
    check_rest(d)
    check_turned(d)
  end)

  it("refuses logs longer than itself, and more than it holds", function()
    local function refused(pattern, logs, share)
      local small = drum { diameter = 1.4, length = 1, fill = share, logs = logs, lifters = { count = 0 } }
      assert.error_matches(function() small:settle() end, pattern)
    end
    refused("logs of 1.2 m do not fit into a drum of 1 m", { diameter = 0.3, length = 1.2 })
    refused("cannot be filled as asked: %d+ logs found no room above the bed; %d+ did",
      { diameter = 0.3, length = 0.9, count = 60 })
  end)
end)
