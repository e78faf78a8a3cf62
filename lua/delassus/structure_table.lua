-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Tables of structures as text: the tableaux of a path as Popov and Lovtsov print them, its events, a state's contacts.
-- @module delassus.structure_table
local core = require "delassus.core"

local M = {}

local MOST = 60 -- contacts: 180 rows of 362 numbers a table

--- Names of the variables of m contacts in the order of the columns: forces, displacements, p.
local function names_of(m)
  local names = {}
  for _, letter in ipairs { "x", "z" } do
    for _, kind in ipairs { "n", "+", "-" } do
      for i = 1, m do names[#names + 1] = letter .. kind .. i end
    end
  end
  names[#names + 1] = "p"
  return names
end

--- The first tableau [E | -R | -r_v | q_c] and the basis x.
local function begin(path)
  local R, q, r = path:problem()
  local n, T = #q, {}
  local names = names_of(n // 3)
  local basis, column = {}, {}
  for j, name in ipairs(names) do column[name] = j end
  for i = 1, n do
    local row = {}
    for j = 1, n do
      row[j] = i == j and 1 or 0
      row[n + j] = -R[i][j]
    end
    row[2 * n + 1], row[2 * n + 2] = -r[i], q[i]
    T[i], basis[i] = row, names[i]
  end
  return { T = T, basis = basis, names = names, column = column, n = n }
end

local function row_of(t, name)
  for i, basic in ipairs(t.basis) do if basic == name then return i end end
end

local function pivot(t, entering, leaving)
  local r, c = row_of(t, leaving), t.column[entering]
  local row = t.T[r]
  local d = row[c]
  for j = 1, #row do row[j] = row[j] / d end
  for i, other in ipairs(t.T) do
    local f = other[c]
    if i ~= r and f ~= 0 then
      for j = 1, #other do other[j] = other[j] - f * row[j] end
    end
  end
  t.basis[r] = entering
end

local function complement(name)
  if name == "p" then return nil end
  return (name:sub(1, 1) == "x" and "z" or "x") .. name:sub(2)
end

--- A number of a table: round-off beside the largest number of its column is zero.
local function cell(x, largest)
  if math.abs(x) <= 1e-11 * largest then x = 0 end
  return ("%10.5g"):format(x)
end

local function largest_of(t)
  local most = {}
  for j = 1, 2 * t.n + 2 do
    most[j] = 1
    for i = 1, t.n do most[j] = math.max(most[j], math.abs(t.T[i][j])) end
  end
  return most
end

--- The tableau with the ratios of the entering column, the row that leaves marked.
local function lines_of(t, title, entering, leaving)
  local lines, head, most = { title }, { ("%-8s"):format("basis") }, largest_of(t)
  for j, name in ipairs(t.names) do head[j + 1] = ("%10s"):format(name) end
  lines[2] = table.concat(head) .. ("%10s%12s"):format("q_c", entering and "ratio " .. entering or "ratio")
  for i = 1, t.n do
    local row, parts = t.T[i], { ("%-8s"):format(t.basis[i]) }
    for j = 1, 2 * t.n + 2 do parts[j + 1] = cell(row[j], most[j]) end
    local c = entering and t.column[entering]
    local ratio = c and row[c] > 1e-11 * most[c] and ("%12.6g"):format(row[2 * t.n + 2] / row[c]) or ("%12s"):format("-")
    lines[i + 2] = table.concat(parts) .. ratio .. (t.basis[i] == leaving and " *" or "")
  end
  return table.concat(lines, "\n")
end

local function title_of(k, event)
  if not event then return "Step 0: p = 0" end
  return ("Step %d: %s leaves, %s enters, p = %.10g"):format(k, event.leaving, event.entering, event.p)
end

--- The last table: p leaves the basis, its values are those at p = 0 of a line in p (column p).
local function last_table(path, t, entering)
  if not entering or path.status == "mechanism" or not row_of(t, "p") then return nil end
  if t.T[row_of(t, "p")][t.column[entering]] == 0 then return nil end
  pivot(t, entering, "p")
  local title = path.status == "ray"
    and ("p leaves, %s enters: values are q_c - p column p for every larger p"):format(entering)
    or ("p leaves, %s enters: values are q_c - p column p up to p = %.10g"):format(entering, path.p_limit)
  return lines_of(t, title)
end

--- The tables of the paper: a tableau before each pivot, with the ratios of the entering column, and the last one.
-- @treturn string
-- @raise where q_c has negative numbers (the path then starts from another basis), or beyond 60 contacts
function M.tableaux(path)
  local t = begin(path)
  if t.n > 3 * MOST then core.raise("path:table", ("a table of %d contacts is not for reading"):format(t.n // 3)) end
  for i = 1, t.n do
    if t.T[i][2 * t.n + 2] < 0 then
      core.raise("path:table", ("q_c is negative in row %s: the path does not start from the basis x"):format(t.basis[i]))
    end
  end
  local parts, events, entering = {}, path.events, "p"
  for k = 0, #events do
    if k > 0 then pivot(t, events[k].entering, events[k].leaving) end
    local next_event = events[k + 1]
    parts[#parts + 1] = lines_of(t, title_of(k, events[k]), entering, next_event and next_event.leaving)
    entering = next_event and complement(next_event.leaving) or entering
  end
  parts[#parts + 1] = last_table(path, t, #events > 0 and entering or nil)
  parts[#parts + 1] = path.explanation
  return table.concat(parts, "\n\n") .. "\n"
end

--- The changes of the contacts, one a line, and how the path ended.
function M.events(path)
  local lines = { ("%5s %16s %8s  %s"):format("event", "p", "contact", "change") }
  for k, event in ipairs(path.events) do
    local contact = event.contact and event.contact.index or "-"
    lines[#lines + 1] = ("%5d %16.9g %8s  %s"):format(k, event.p, contact, event.change)
  end
  lines[#lines + 1] = path.explanation
  return table.concat(lines, "\n") .. "\n"
end

--- The contacts of a state, one a line.
function M.contacts(state)
  local lines = { ("%8s %14s %14s %14s %14s  %s"):format("contact", "normal", "tangential", "opening", "slip", "state") }
  for i, c in ipairs(state.contacts) do
    lines[i + 1] = ("%8d %14.7g %14.7g %14.7g %14.7g  %s"):format(i, c.normal_force, c.tangential_force, c.opening,
      c.slip, c.state)
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
