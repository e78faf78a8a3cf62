-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The page of a system: coordinates over time and phase portraits, gaps, what contacts do, events, energy.
-- @module delassus.system_page
local core = require "delassus.core"
local report = require "delassus.report"

local M = {}

local CONTACTS = 12 -- in charts
local ROWS = 200 -- of the table of events, the last ones
local LEVEL = { apart = 0, slip = 0.35, stick = 0.7 }
local HOLE = 0 / 0

--- Samples that thin themselves out: at most `most`, of the whole time, every so many steps.
local Samples = {}
Samples.__index = Samples

--- @tparam integer n coordinates
-- @tparam[opt] integer most samples; default: all are kept
function M.samples(n, most)
  local samples = setmetatable({ t = {}, q = {}, u = {}, n = n, most = most or math.huge, stride = 1 }, Samples)
  for i = 1, n do samples.q[i], samples.u[i] = {}, {} end
  return samples
end

-- The samples that `keep(k)` says, k their number.
function Samples:filter(keep)
  local m = 0
  for k = 1, #self.t do
    if keep(k) then
      m = m + 1
      self.t[m] = self.t[k]
      for i = 1, self.n do self.q[i][m], self.u[i][m] = self.q[i][k], self.u[i][k] end
    end
  end
  for k = #self.t, m + 1, -1 do
    self.t[k] = nil
    for i = 1, self.n do self.q[i][k], self.u[i][k] = nil, nil end
  end
end

--- The state of now; what is later was undone.
function Samples:add(system)
  local t, last = system.time, self.t[#self.t]
  if last and t <= last then self:filter(function(k) return self.t[k] < t end) end
  local k, q, u = #self.t + 1, system.q, system.u
  self.t[k] = t
  for i = 1, self.n do self.q[i][k], self.u[i][k] = q[i], u[i] end
  if k < self.most then return end
  self:filter(function(j) return j % 2 == 1 end)
  self.stride = 2 * self.stride
end

-- Whether impacts came between a sample and the one before it, by sample.
local function struck(samples, events)
  local out, k = {}, 1
  for _, event in ipairs(events) do
    if event.kind == "impact" then
      while k < #samples.t and samples.t[k] < event.t do k = k + 1 end
      out[k] = true
    end
  end
  return out
end

-- Velocity over coordinate, with holes where it jumps.
local function portrait(samples, i, name, jumps)
  local x, y = {}, {}
  for k = 1, #samples.t do
    if jumps[k] then x[#x + 1], y[#y + 1] = samples.q[i][k], HOLE end
    x[#x + 1], y[#y + 1] = samples.q[i][k], samples.u[i][k]
  end
  return { title = "Phase portrait of " .. name, x_label = name, y_label = "d/dt " .. name, x = x, y = { [name] = y },
    linked = false }
end

local function coordinate_charts(samples, names, jumps)
  local charts = {}
  for i = 1, samples.n do
    local name = names[i] or "q" .. i
    charts[#charts + 1] = { title = name, x_label = "time (s)", x = samples.t, y = { [name] = samples.q[i] } }
    charts[#charts + 1] = portrait(samples, i, name, jumps)
  end
  return charts
end

-- Gaps by contact, energy by sample.
local function look(system, samples, potential)
  local gaps, energy, q, u = {}, { kinetic = {} }, {}, {}
  if potential then energy.potential, energy.sum = {}, {} end
  for k, t in ipairs(samples.t) do
    for i = 1, samples.n do q[i], u[i] = samples.q[i][k], samples.u[i][k] end
    local gap, kinetic = core.system_look(system, t, q, u)
    for i = 1, #gap do
      gaps[i] = gaps[i] or {}
      gaps[i][k] = gap[i]
    end
    energy.kinetic[k] = kinetic
    if potential then
      energy.potential[k] = potential(q, t)
      energy.sum[k] = kinetic + energy.potential[k]
    end
  end
  return gaps, energy
end

local function gap_chart(samples, gaps)
  local y, order, shown = {}, {}, {}
  for i = 1, math.min(#gaps, CONTACTS) do
    local name = "contact " .. i
    y[name], order[i] = gaps[i], name
    if i <= 8 then shown[i] = name end
  end
  return { title = "Gaps", x_label = "time (s)", y_label = "gap (m)", x = samples.t, y = y, order = order, shown = shown }
end

-- Modes from the log: of each contact a step function, its number where it is apart, a third and two thirds above it
-- where it slips and sticks. What it did before its first event is what that ended.
local function mode_chart(system, samples, events)
  local n = math.min(#system.contacts, CONTACTS)
  local from, to = samples.t[1], samples.t[#samples.t]
  local x, at, y, order = { from }, {}, {}, {}
  for _, event in ipairs(events) do
    if event.t > from and event.t < to and event.t > x[#x] then x[#x + 1] = event.t end
  end
  x[#x + 1] = to
  for i = 1, n do
    local name = "contact " .. i
    y[name], order[i] = {}, name
  end
  for _, event in ipairs(events) do
    if event.index <= n and not at[event.index] then
      local opens = event.kind == "separation" or event.kind == "slip" or event.kind == "stick"
      at[event.index] = not opens and "apart" or event.kind == "slip" and "stick" or "slip"
    end
  end
  for i = 1, n do at[i] = at[i] or system.contacts[i].state end
  local e = 1
  for k, t in ipairs(x) do
    while events[e] and events[e].t <= t do
      at[events[e].index], e = events[e].mode, e + 1
    end
    for i = 1, n do y[order[i]][k] = i + (LEVEL[at[i]] or LEVEL.stick) end
  end
  return { title = "Contacts: a line at its number is apart, a third above it slips, two thirds above it sticks",
    x_label = "time (s)", y_label = "contact", x = x, y = y, order = order, style = "steps" }
end

-- Kinds of events as points over time, at the number of their contact.
local function event_chart(events)
  local x, y, order = {}, {}, {}
  for k, event in ipairs(events) do
    x[k] = event.t
    if not y[event.kind] then
      y[event.kind], order[#order + 1] = {}, event.kind
    end
  end
  for kind, list in pairs(y) do
    for k, event in ipairs(events) do list[k] = event.kind == kind and event.index or HOLE end
  end
  table.sort(order)
  return { title = "Events", x_label = "time (s)", y_label = "contact", x = x, y = y, order = order, style = "points" }
end

local function event_table(events)
  local rows = {}
  for k = math.max(1, #events - ROWS + 1), #events do
    local e = events[k]
    rows[#rows + 1] = { ("%.9f"):format(e.t), e.kind, e.index, e.mode, e.velocity, e.normal_impulse }
  end
  return { title = "Events", columns = { "time (s)", "event", "contact", "then", "speed (m/s)", "impulse (N s)" },
    rows = rows, note = #events > ROWS and ("the last %d of %d"):format(ROWS, #events) or nil }
end

local function numbers(system)
  local stats = system.stats
  local out = { { "Time", system.time, "s" }, { "Scheme", system.scheme }, { "Coordinates", #system.q },
    { "Contacts", #system.contacts }, { "Events", stats.events }, { "Impacts", stats.impacts },
    { "Worst residual", stats.residual } }
  if system.scheme == "event-driven" then
    out[#out + 1] = { "Taken by impacts", stats.dissipated, "J" }
    local sets = system:sets()
    for _, name in ipairs { "C", "N", "T" } do
      out[#out + 1] = { "Index set " .. name .. " now", #sets[name] > 0 and table.concat(sets[name], ", ") or "empty" }
    end
  end
  return out
end

--- The report of a system's samples.
-- @tparam table options `title`, `names` of the coordinates, `potential` = function(q, t), J
function M.report(system, samples, options)
  local events, from, to = {}, samples.t[1], samples.t[#samples.t]
  for _, event in ipairs(system.events) do
    if event.t >= from and event.t <= to then events[#events + 1] = event end
  end
  local charts = coordinate_charts(samples, options.names or {}, struck(samples, events))
  local gaps, energy = look(system, samples, options.potential)
  if #gaps > 0 then charts[#charts + 1] = gap_chart(samples, gaps) end
  if #gaps > 0 and to > from then charts[#charts + 1] = mode_chart(system, samples, events) end
  if #events > 0 then charts[#charts + 1] = event_chart(events) end
  charts[#charts + 1] = { title = "Energy", x_label = "time (s)", y_label = "J", x = samples.t, y = energy }
  return report { title = options.title or "A system", numbers = numbers(system), charts = charts,
    tables = #events > 0 and { event_table(events) } or nil }
end

return M
