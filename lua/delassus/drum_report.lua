-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What happened in a drum: collisions, forces, work, debarking; as a table of fields, a page, a CSV or JSON.
--
-- Debarking is exponential saturation in what a log has suffered: its degree after work W (J) and N collisions is
-- 1 - exp(-(W / (A work) + N / collisions)), A the log's bark area (m^2). The two constants, `work` (J/m^2) and
-- `collisions`, are assumptions until somebody measures them: `calibrated = false` says so.
-- The repose angle is the mean inclination of the bed's surface over the second half of the recorded instants.
-- @module delassus.drum_report
local bed = require "delassus.drum_bed"
local json = require "delassus.json"
local plot = require "delassus.plot"
local recording = require "delassus.drum_record"
local report = require "delassus.report"
local strict = require "delassus.strict"
local core = require "delassus.core"

local M = {}

local LN10 = 2.302585092994046

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

--- Inclination of the bed's surface against the horizontal in radians, positive where it rises the way the drum turns:
-- a line through the highest logs of 24 columns by least squares, the outer eighth on each side left out.
function M.inclination(d)
  local columns, radius, top = 24, d.diameter / 2, {}
  for _, body in ipairs(d.logs) do
    local across, up = bed.centre(d, body)
    local k = math.floor((across + radius) / d.diameter * columns)
    if not top[k] or up > top[k] then top[k] = up end
  end
  local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
  for k = columns // 8, columns - columns // 8 - 1 do
    local x, y = -radius + (k + 0.5) * d.diameter / columns, top[k]
    if y then n, sx, sy, sxx, sxy = n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y end
  end
  local spread = n * sxx - sx * sx
  if n < 3 or spread <= 0 then return 0 end
  return math.atan((n * sxy - sx * sy) / spread) * (d.rpm < 0 and -1 or 1)
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
    { "Froude number", r.froude }, { "Regime", r.regime }, { "Bed inclination", math.deg(r.repose_angle), "degrees" },
    { "Worst residual of a step", r.worst_residual }, { "Steps that missed the tolerance", r.unconverged },
    { "Worst overlap, of a diameter", r.worst_penetration },
    { "Energy balance", r.energy_balance },
  }
end

local function histogram_chart(title, label, spread)
  local x, y = {}, {}
  for i, bin in ipairs(spread.histogram) do
    x[i], y[i] = core.math.log(math.sqrt(bin[1] * bin[2])) / LN10, bin[3]
  end
  return { title = title, x_label = label, y_label = "collisions", x = x, y = { collisions = y }, style = "bars" }
end

local function charts(r)
  local list = r._recorder and r._recorder:charts() or {}
  if #r.force.histogram > 0 then
    table.insert(list, 3, histogram_chart("Peak force of the collisions", "log10 of the force (N)", r.force))
  end
  return list
end

local TEXT = "The shell gets its speed within %g s, which are not counted. A collision is the onset of touch of two bodies "
  .. "with a speed v of approach of at least %g m/s that had not touched for %g s: what is closer in time is one "
  .. "collision, so that the number does not depend on the step where that is a tenth of this time. Its peak force is "
  .. "v sqrt(k m), with the stiffness k of the two logs' boundary springs in series and the effective mass m along the "
  .. "normal; its energy is m v^2/2. The work a log suffers is what its contacts dissipate, shared by two logs."

local function debarking_text(r)
  local p = r.debarking.parameters
  return ("Debarking saturates: a log of bark area A is 1 - exp(-(W/(A w) + N/n)) debarked after the work W and N "
    .. "collisions, with w = %g J/m^2 and n = %g. %s"):format(p.work, p.collisions, r.debarking.calibrated and
    "Both were given." or "These are assumptions, not measured ones: compare drums by them, do not trust the value.")
end

local function page(r)
  local rows = {}
  for i, log in ipairs(r.per_log) do
    rows[i] = { log.name, log.collisions, log.work, log.peak_force, log.debarked }
  end
  return report {
    title = "Drum of logs", subtitle = r._subtitle,
    numbers = key_numbers(r), scene = r._recorder, charts = charts(r),
    text = { r._text, debarking_text(r) },
    tables = { { title = "Logs", columns = { "log", "collisions", "work (J)", "peak force (N)", "debarked" }, rows = rows,
      note = not r.debarking.calibrated and "Debarking is not calibrated." or nil } },
  }
end

local function without_names(list)
  return table.move(list, 1, #list, 1, json.list())
end

local function pairs_of(degrees)
  local list = json.list()
  for k, at in ipairs(degrees) do list[k] = { at.t, at.degree } end
  return list
end

-- The fields as JSON can hold them: lists by number only.
local function plain(r)
  local out = {}
  for name, value in next, r do
    if name:sub(1, 1) ~= "_" then out[name] = value end
  end
  out.per_log, out.damage = without_names(r.per_log), r._damage
  out.debarking = { calibrated = r.debarking.calibrated, parameters = r.debarking.parameters,
    degree = pairs_of(r.debarking) }
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
  local ending = path:lower():match("%.(%w+)$")
  if ending == "html" then return page(self):save(path) end
  if ending == "csv" then return plot.write(path, csv(self)) end
  if ending == "json" then return plot.write(path, json.encode(plain(self)) .. "\n") end
  core.raise("report:save", ("'%s' must end in .html, .csv or .json"):format(path))
end

local class = strict.class("report", methods, {
  damage = function(r) return r._damage end, -- nil without `logs.strength`
}, function(r)
  local lines = { "Drum report" }
  for _, row in ipairs(key_numbers(r)) do
    local value = type(row[2]) == "number" and ("%.6g"):format(row[2]) or tostring(row[2])
    lines[#lines + 1] = ("  %-40s %s %s"):format(row[1], value, row[3] or "")
  end
  return table.concat(lines, "\n")
end)

local function per_log(r, d, tally)
  local mean = 0
  for i, body in ipairs(d.logs) do
    local one = tally:body(body.index)
    local log = { name = body.name, collisions = one.collisions, work = one.work, peak_force = one.peak_force,
      debarked = recording.degree(d, one, body.data) }
    r.per_log[i], r.per_log[body.name] = log, log
    mean = mean + log.debarked / #d.logs
  end
  return mean
end

-- Mean of the second half of what was noted, or what is now.
local function late_mean(list, now)
  local sum, n = 0, 0
  for k = #list // 2 + 1, #list do sum, n = sum + list[k], n + 1 end
  return n > 0 and sum / n or now
end

--- Makes the report of a drum that has run.
function M.make(d)
  local tally, ledger, notes = d._tally, d.world:ledger(), d._notes
  local time = d.world.time - d._start
  local shell = ledger.kinematic - d._ledger.kinematic
  local r = {
    time = time, revolutions = d._angle / (2 * math.pi), logs = #d.logs, collisions = tally.collisions,
    collisions_per_second = time > 0 and tally.collisions / time or 0, force = tally.force, energy = tally.energy,
    power = time > 0 and shell / time or 0, torque = d._angle > 0 and shell / d._angle or 0, dissipated = tally.work,
    energy_balance = math.abs(ledger.error - d._ledger.error) / math.max(ledger.turnover - d._ledger.turnover, 1e-300),
    per_log = {}, debarking = { calibrated = d._debarking.calibrated, parameters = {
      work = d._debarking.work, collisions = d._debarking.collisions } },
    froude = d.froude, regime = d.regime, repose_angle = late_mean(notes.inclination, M.inclination(d)),
    worst_residual = tally.residual, worst_penetration = tally.penetration,
    unconverged = d.world.stats.unconverged - d._unconverged, _recorder = d._recorder,
    _subtitle = ("%g m, %g rpm, %.0f %% full, %d logs, steps of %g s"):format(d.diameter, d.rpm, 100 * d.fill, #d.logs,
      d.world.dt), _text = TEXT:format(d._run_up, d._least, d._merge),
  }
  local mean = per_log(r, d, tally)
  r._damage = damage(r.force, d._log.strength)
  for k, t in ipairs(notes.time) do r.debarking[k] = { t, notes.degree[k], t = t, degree = notes.degree[k] } end
  if #r.debarking == 0 then r.debarking[1] = { time, mean, t = time, degree = mean } end
  return setmetatable(r, class)
end

return M
