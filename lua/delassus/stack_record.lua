--- Runs a stack and keeps what it does: time series for tables, charts and the replay.
--
--    local recording = s:record{ time = 1.5, every = 1e-3 }
--    print(recording:table())
--    recording:report{ title = "A pile of 60 logs" }:save("stack.html")
--
-- @module delassus.stack_record
local core = require "delassus.core"
local progress = require "delassus.progress"

local Recording = {}
Recording.__index = Recording
Recording.__name = "delassus.StackRecording"

local FEW = 8 -- curves of a chart that are all drawn at first

-- How the bodies of a stack are drawn where nothing else is asked for: by their own radii and stiffnesses.
local looks = setmetatable({}, { __mode = "k" })

local function contact_name(j, n)
  if j == 1 then return "floor" end
  if j > n then return "ceiling" end
  return ("%d on %d"):format(j, j - 1)
end

--- Adds the state of now.
local function sample(recording, s)
  local k = #recording.t + 1
  recording.t[k] = s.time
  local forces, gaps = s.forces:totable(), s.gaps:totable()
  for j = 1, #forces do
    recording.forces[j][k], recording.gaps[j][k] = forces[j], gaps[j]
  end
  recording.heights[k], recording.force_frames[k] = s.positions:totable(), forces
  local names = { "kinetic", "potential", "stored", "damped", "numerical" }
  for i, energy in ipairs { s:energy() } do recording.energy[names[i]][k] = energy end
end

--- Collisions, largest force and its time of each contact, from the floor up.
function Recording:contacts()
  local s, rows, count = self.stack, {}, {}
  for _, event in ipairs(s.events) do
    if event.kind == "contact" then count[event.gap] = (count[event.gap] or 0) + 1 end
  end
  local peaks, times, n = s.peak_forces, s.peak_times, #s
  for j = 1, #peaks do
    rows[j] = { contact_name(j, n), peaks[j], times[j], count[j] or 0 }
  end
  return rows
end

--- Energies at the start, the largest, and at the end, J; the balance is the relative change of the sum of all.
function Recording:energies()
  local rows, first, last, scale = {}, 0, 0, 0
  for _, name in ipairs { "kinetic", "potential", "stored", "damped", "numerical" } do
    local list, most = self.energy[name], 0
    for k = 1, #list do most = math.max(most, list[k]) end
    rows[#rows + 1] = { name, list[1], most, list[#list] }
    first, last, scale = first + list[1], last + list[#list], math.max(scale, most)
  end
  return rows, scale > 0 and math.abs(last - first) / scale or 0
end

--- The tables of peak forces, collisions and energy as text.
-- @treturn string
function Recording:table()
  local lines = { "contact      peak force (N)    at (s)   collisions" }
  for _, row in ipairs(self:contacts()) do
    lines[#lines + 1] = ("%-12s %14.1f %9.4f %12d"):format(table.unpack(row))
  end
  lines[#lines + 1] = "\nenergy (J)       at first     at most      at last"
  local rows, balance = self:energies()
  for _, row in ipairs(rows) do lines[#lines + 1] = ("%-12s %12.3f %12.3f %12.3f"):format(table.unpack(row)) end
  lines[#lines + 1] = ("sum of all changed by %.1e of the largest; worst residual of a step %.1e"):format(balance,
    self.stack.worst_residual)
  return table.concat(lines, "\n")
end

local function largest(list)
  local most = 0
  for i = 1, #list do most = math.max(most, list[i]) end
  return most
end

--- Replay frames: at most 500 of the samples.
local function scene(self)
  local every, s = #self.t // 500 + 1, self.stack
  local time, heights, forces = {}, {}, {}
  for k = 1, #self.t, every do
    time[#time + 1], heights[#heights + 1], forces[#forces + 1] = self.t[k], self.heights[k], self.force_frames[k]
  end
  return { kind = "bars", time = time, bars = self.bars, heights = heights, forces = forces, floor = s.floor,
    ceiling = s.ceiling }
end

local function by_contact(self, lists)
  local y, order, n = {}, {}, #self.stack
  for j = 1, #lists do
    order[j] = contact_name(j, n)
    y[order[j]] = lists[j]
  end
  return y, order
end

--- The page: numbers, tables, charts and the replay. Give it to `save`.
-- @tparam table options `title` (required), `subtitle`, `text`
-- @treturn table delassus.report
function Recording:report(options)
  core.check("recording:report", options, { title = "!string", subtitle = "string", text = "table" })
  local report, s = require "delassus.report", self.stack
  local energies, balance = self:energies()
  local forces, order = by_contact(self, self.forces)
  local gaps = by_contact(self, self.gaps)
  local shown = #order > FEW and { order[1], order[2], order[#order // 2 + 1] } or nil
  return report {
    title = options.title, subtitle = options.subtitle, text = options.text,
    numbers = { { "Logs", #s }, { "Peak force", largest(s.peak_forces), "N" }, { "Collisions", s.collisions },
      { "Simulated time", s.time, "s" }, { "Pivots", s.pivots }, { "Worst residual", s.worst_residual },
      { "Energy balance", balance } },
    tables = {
      { title = "Contacts", columns = { "contact", "peak force (N)", "at (s)", "collisions" }, rows = self:contacts() },
      { title = "Energy", columns = { "energy (J)", "at first", "at most", "at last" }, rows = energies,
        note = "damped: taken by the logs' damping; numerical: lost by the first-order scheme" },
    },
    charts = {
      { title = "Force at the contacts", x_label = "time (s)", y_label = "force (N)", x = self.t, y = forces,
        order = order, shown = shown },
      { title = "Gaps", x_label = "time (s)", y_label = "gap (m)", x = self.t, y = gaps, order = order,
        shown = shown },
      { title = "Energy", x_label = "time (s)", y_label = "energy (J)", x = self.t, y = self.energy,
        order = { "kinetic", "potential", "stored", "damped", "numerical" } },
    },
    scene = scene(self),
  }
end

function Recording:__tostring()
  return ("delassus.StackRecording (%d bodies, %d samples, t = %.6g s)"):format(#self.stack, #self.t, self.stack.time)
end

-- A number of steps; refused beyond what can be counted.
local function steps(s, option, n)
  local count = math.tointeger(n)
  if not count then core.raise("stack:record", ("'%s' is too many steps of %s s"):format(option, tostring(s.dt))) end
  return count
end

--- Runs for `time` seconds and keeps a sample `every` seconds (rounded to whole steps).
-- @tparam table options `time` (s), `every` (s, default 1e-3), `bars` (how the replay draws the bodies: a list of
-- { radius =, length =, stiffness = }; default the bodies' own radii, thin bars where there is none, and stiffnesses)
-- @treturn table the recording: `t`, `forces[j]`, `gaps[j]`, `energy.kinetic` ..., `table()`, `report{}`
-- @usage local recording = s:record{ time = 0.5 }
local function record(s, options)
  core.check("stack:record", options, { time = "!positive", every = "positive", bars = "table" })
  local recording = setmetatable({ stack = s, t = {}, forces = {}, gaps = {}, heights = {}, force_frames = {},
    energy = { kinetic = {}, potential = {}, stored = {}, damped = {}, numerical = {} }, bars = options.bars },
    Recording)
  for j = 1, #s.forces do recording.forces[j], recording.gaps[j] = {}, {} end
  recording.bars = recording.bars or looks[s]
  local every = math.max(1, steps(s, "every", math.floor((options.every or 1e-3) / s.dt + 0.5)))
  local left = steps(s, "time", math.ceil(options.time / s.dt * (1 - 1e-12)))
  local total, tell = left, progress.start("stack", left)
  sample(recording, s)
  while left > 0 do
    local n = math.min(every, left)
    s:step(n)
    left = left - n
    sample(recording, s)
    tell(total - left)
  end
  return recording
end

local M = { record = record }

--- Keeps how the bodies of a new stack are drawn.
function M.look(s, bodies)
  looks[s] = {}
  for i = 1, #s do looks[s][i] = { radius = bodies[i].radius or 0, stiffness = bodies[i].stiffness } end
end

return M
