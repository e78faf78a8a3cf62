--- What happened in a drum: collisions, forces, work, debarking; as a table of fields, a page, a CSV or JSON.
--
-- Debarking is exponential saturation in what a log has suffered: its degree after work W (J) and N collisions is
-- 1 - exp(-(W / (A work) + N / collisions)), A the log's bark area (m^2). The two constants, `work` (J/m^2) and
-- `collisions`, are assumptions until somebody measures them: `calibrated = false` says so.
-- @module delassus.drum_report
local json = require "delassus.json"
local record = require "delassus.record"
local report = require "delassus.report"
local strict = require "delassus.strict"
local core = require "delassus.core"

local M = {}

--- Regimes by Froude number: Mellmann 2001 and Henein 1983. Ranges overlap.
local REGIMES = {
  { "slipping", 0, 1e-4 }, { "slumping", 1e-5, 1e-3 }, { "rolling", 1e-4, 1e-2 }, { "cascading", 1e-3, 0.1 },
  { "cataracting", 0.1, 1 }, { "centrifuging", 1, math.huge },
}

--- One or two names of the bed's motion.
function M.regime(froude)
  local names = {}
  for _, row in ipairs(REGIMES) do
    if froude >= row[2] and froude < row[3] then names[#names + 1] = row[1] end
  end
  return table.concat(names, ", ")
end

--- Reads the debarking constants; without them stated assumptions.
function M.debarking(given)
  core.check("drum: debarking", given, { work = "positive", collisions = "positive" })
  return { work = given.work or 2000, collisions = given.collisions or 400,
    calibrated = given.work ~= nil and given.collisions ~= nil }
end

--- A recording of the drum: poses, collisions and peak forces of the logs, a few series.
function M.recorder(d, file)
  local bodies = { { name = "shell", type = "kinematic",
    shape = { kind = "drum", radius = d.diameter / 2, length = not d.planar and d.length or nil,
      lifters = d._lifters.count > 0 and d._lifters or nil } } }
  for i, body in ipairs(d.logs) do
    local r = body.data.diameter / 2
    bodies[i + 1] = { name = body.name, type = "dynamic", shape = d.planar and { kind = "disk", radius = r }
      or { kind = "capsule", radius = r, length = math.max(body.data.length - 2 * r, 0) } }
  end
  local rec = d._recorder
  if not rec or file then
    rec = record {
      title = "Drum", planar = d.planar, bodies = bodies, file = file,
      channels = { { name = "collisions", label = "collisions" }, { name = "force", label = "peak force", unit = "N" } },
      series = { { name = "collisions", label = "collisions a second", unit = "1/s" },
        { name = "power", label = "power at the shell", unit = "W" },
        { name = "residual", label = "residual of the step" } },
    }
    d._recorder = rec
  end
  local self, last = {}, nil

  --- Takes a frame.
  function self.frame(_)
    local poses, collisions, force = {}, { 0 }, { 0 }
    local function pose(body)
      local n, p, r = #poses, body.position, body.rotation
      for i = 1, #p do poses[n + i] = p[i] end
      if d.planar then poses[n + 3] = r else for i = 1, 4 do poses[n + 3 + i] = r[i] end end
    end
    pose(d.shell)
    for i, body in ipairs(d.logs) do
      local one = d._tally:body(body.index)
      pose(body)
      collisions[i + 1], force[i + 1] = one.collisions, one.peak_force
    end
    local now = { t = d.world.time, n = d._tally.collisions, work = d.world:ledger().kinematic }
    local dt = last and now.t - last.t or 0
    rec:frame { time = now.t - d._start, poses = poses, channels = { collisions = collisions, force = force },
      series = { collisions = dt > 0 and (now.n - last.n) / dt or 0, power = dt > 0 and (now.work - last.work) / dt or 0,
        residual = d.world.stats.residual } }
    last = now
  end

  --- Ends the file, if there is one.
  function self.finish(_)
    if not file then return true end
    rec:close()
    if rec.problem then return nil, rec.problem end
    return true
  end

  return self
end

--- Inclination of the bed's surface against the horizontal, in degrees: a line through the highest logs of 24 columns
-- by least squares, the outer quarter on each side left out.
local function repose_angle(d)
  local columns, radius = 24, d.diameter / 2
  local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
  for k = 1, columns do
    local x0, x1 = -radius + (k - 1) * d.diameter / columns, -radius + k * d.diameter / columns
    local x, top = (x0 + x1) / 2, nil
    for _, body in ipairs(d.logs) do
      local p = body.position
      local across, up = p[#p - 1], p[#p]
      if across >= x0 and across < x1 and (not top or up > top) then top = up end
    end
    if top and math.abs(x) < 0.75 * radius then
      n, sx, sy, sxx, sxy = n + 1, sx + x, sy + top, sxx + x * x, sxy + x * top
    end
  end
  local spread = n * sxx - sx * sx
  return n > 2 and spread > 0 and math.deg(math.atan((n * sxy - sx * sy) / spread)) or 0
end

local function degree(d, one, log)
  local area = math.pi * log.diameter * (d.planar and 1 or log.length)
  local dose = one.work / (area * d._debarking.work) + one.collisions / d._debarking.collisions
  return 1 - core.math.exp(-dose)
end

--- Share of all collisions with more force than `strength`, from the histogram's bins.
local function damage(force, strength)
  if not strength then return nil end
  local over, all = 0, 0
  for _, bin in ipairs(force.histogram) do
    local part = math.min(1, math.max(0, (bin[2] - strength) / (bin[2] - bin[1])))
    over, all = over + part * bin[3], all + bin[3]
  end
  return all > 0 and over / all or 0
end

local methods = {}

local function key_numbers(r)
  return {
    { "Time", r.time, "s" }, { "Revolutions", r.revolutions }, { "Logs", r.logs }, { "Collisions", r.collisions },
    { "Collisions a second", r.collisions_per_second }, { "Peak force, median", r.force.p50, "N" },
    { "Peak force, 99 %", r.force.p99, "N" }, { "Largest force", r.force.max, "N" },
    { "Mean power at the shell", r.power, "W" }, { "Mean torque", r.torque, "N m" },
    { "Dissipated", r.dissipated, "J" }, { "Mean debarking degree (not calibrated)", r.debarking[#r.debarking][2] },
    { "Froude number", r.froude }, { "Regime", r.regime }, { "Bed inclination", r.repose_angle, "degrees" },
    { "Worst residual", r.worst_residual }, { "Worst overlap, of a diameter", r.worst_penetration },
    { "Energy balance", r.energy_balance },
  }
end

local function histogram_chart(title, label, spread)
  local x, y = {}, {}
  for i, bin in ipairs(spread.histogram) do x[i], y[i] = math.sqrt(bin[1] * bin[2]), bin[3] end
  return { title = title, x_label = label, y_label = "collisions", x = x, y = { collisions = y }, style = "bars" }
end

local function page(r)
  local rows = {}
  for i, log in ipairs(r.per_log) do
    rows[i] = { log.name, log.collisions, log.work, log.peak_force, log.debarked }
  end
  local charts = {}
  if #r.force.histogram > 0 then charts[1] = histogram_chart("Peak force of the collisions", "force (N)", r.force) end
  return report {
    title = "Drum of logs", subtitle = ("%g m, %g rpm, %.0f %% full, %d logs"):format(
      r._drum.diameter, r._drum.rpm, 100 * r._drum.fill, r.logs),
    numbers = key_numbers(r), scene = r._drum._recorder,
    charts = charts,
    tables = { { title = "Logs", columns = { "log", "collisions", "work (J)", "peak force (N)", "debarked" }, rows = rows,
      note = "Debarking constants are assumptions until measured ones are given." } },
  }
end

local function write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, problem = file:write(text)
  local closed, problem2 = file:close()
  if not ok or not closed then return nil, problem or problem2 end
  return true
end

local function plain(r)
  local out = {}
  for name, value in next, r do
    if name:sub(1, 1) ~= "_" then out[name] = value end
  end
  return out
end

local function csv(r)
  local lines = { "log,collisions,work (J),peak force (N),debarked" }
  for i, log in ipairs(r.per_log) do
    lines[i + 1] = ("%s,%d,%.17g,%.17g,%.17g"):format(log.name, log.collisions, log.work, log.peak_force, log.debarked)
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Writes the report: ".html" a page with the replay, ".csv" one line a log, ".json" every field.
-- @treturn boolean|nil true, or nil and a message
-- @raise for another ending
function methods.save(self, path)
  if type(path) ~= "string" then core.raise("report:save", "needs a file name") end
  local ending = path:match("%.(%w+)$")
  if ending == "html" then return page(self):save(path) end
  if ending == "csv" then return write(path, csv(self)) end
  if ending == "json" then return write(path, json.encode(plain(self)) .. "\n") end
  core.raise("report:save", ("'%s' must end in .html, .csv or .json"):format(path))
end

local class = strict.class("report", methods, {}, function(r)
  local lines = { "Drum report" }
  for _, row in ipairs(key_numbers(r)) do
    local value = type(row[2]) == "number" and ("%.6g"):format(row[2]) or tostring(row[2])
    lines[#lines + 1] = ("  %-40s %s %s"):format(row[1], value, row[3] or "")
  end
  return table.concat(lines, "\n")
end)

--- Makes the report of a drum that has run.
function M.make(d)
  local tally, ledger, series = d._tally, d.world:ledger(), d._series
  local time = d.world.time - d._start
  local shell = ledger.kinematic - d._ledger.kinematic
  local r = {
    time = time, revolutions = d._angle / (2 * math.pi), logs = #d.logs, collisions = tally.collisions,
    collisions_per_second = time > 0 and tally.collisions / time or 0, force = tally.force, energy = tally.energy,
    power = time > 0 and shell / time or 0, torque = d._angle > 0 and shell / d._angle or 0, dissipated = tally.work,
    energy_balance = math.abs(ledger.error - d._ledger.error) / math.max(ledger.turnover - d._ledger.turnover, 1e-300),
    per_log = {}, debarking = { calibrated = d._debarking.calibrated, parameters = {
      work = d._debarking.work, collisions = d._debarking.collisions } },
    froude = d.froude, regime = d.regime, repose_angle = repose_angle(d),
    worst_residual = tally.residual, worst_penetration = tally.penetration, _drum = d,
  }
  local mean = 0
  for i, body in ipairs(d.logs) do
    local one = tally:body(body.index)
    r.per_log[i] = { name = body.name, collisions = one.collisions, work = one.work, peak_force = one.peak_force,
      debarked = degree(d, one, body.data) }
    r.per_log[body.name] = r.per_log[i]
    mean = mean + r.per_log[i].debarked / #d.logs
  end
  r.damage = damage(r.force, d._log.strength)
  -- Before now the mean degree is taken in proportion to the dose so far.
  local dose = -math.log(math.max(1 - mean, 1e-300))
  for k, t in ipairs(series.time) do
    local share = tally.work > 0 and series.work[k] / tally.work or 0
    r.debarking[k] = { t, 1 - core.math.exp(-dose * share) }
  end
  if #r.debarking == 0 then r.debarking[1] = { time, mean } end
  return setmetatable(r, class)
end

return M
