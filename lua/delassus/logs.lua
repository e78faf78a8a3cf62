--- Logs as mills measure them, from a CSV file.
--
--    # comment lines start with #
--    diameter (cm),length (m),density (kg/m3)
--    18.5,2.40,870
--
-- The first line that is no comment names the columns, in any order, with their units in brackets: `diameter` (mm, cm,
-- m, in), `length` (mm, cm, m, ft), and if there is one `density` (kg/m3, t/m3, g/cm3); without brackets m and kg/m3
-- (a number that no log can have is told); other columns are left alone.
-- Fields are separated by commas, semicolons (then decimal commas are understood) or tabs.
-- @module delassus.logs
require "delassus"
local core = require "delassus.core"

local M = {}

local length_units = { m = 1, cm = 0.01, mm = 0.001, ["in"] = 0.0254, ft = 0.3048 }
local density_units = { ["kg/m3"] = 1, ["kg/m^3"] = 1, ["kg/m³"] = 1, ["t/m3"] = 1000, ["g/cm3"] = 1000 }

--- What a column may be: units, and the range in which a log's number lies (a wrong unit shows here).
local kinds = {
  diameter = { units = length_units, least = 0.01, most = 4, unit = "m", example = "cm" },
  length = { units = length_units, least = 0.05, most = 40, unit = "m", example = "m" },
  density = { units = density_units, least = 100, most = 2000, unit = "kg/m3", example = "kg/m3" },
}

local function trim(text) return (text:gsub("^%s+", ""):gsub("%s+$", "")) end

--- The fields of a line; one in double quotes may hold the separator.
local function fields(line, separator)
  local list, at = {}, 1
  while at <= #line + 1 do
    local quoted, after = line:match('^%s*"([^"]*)"%s*()', at)
    if quoted and (after > #line or line:sub(after, after) == separator) then
      list[#list + 1], at = quoted, after + 1
    else
      local stop = line:find(separator, at, true) or #line + 1
      list[#list + 1], at = trim(line:sub(at, stop - 1)), stop + 1
    end
  end
  return list
end

local function separator_of(header)
  for _, separator in ipairs { "\t", ";", "," } do
    if header:find(separator, 1, true) then return separator end
  end
  return ","
end

local function sorted_units(units)
  local names = {}
  for name in next, units do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

--- Columns by name: {place, factor}. nil and a message where one is missing or has an unknown unit.
local function read_header(list)
  local columns = {}
  for place, title in ipairs(list) do
    local name, unit = title:lower():match("^%s*(%a+)%s*[%(%[]%s*(.-)%s*[%)%]]%s*$")
    name = name or title:lower():match("^%s*(%a+)%s*$")
    local kind = kinds[name]
    if kind then
      if columns[name] then return nil, ("two columns are called '%s'"):format(name) end
      unit = unit or kind.unit
      if not kind.units[unit] then
        return nil, ("column '%s' is in '%s': expected one of %s"):format(name, unit, sorted_units(kind.units))
      end
      columns[name] = { place = place, factor = kind.units[unit], unit = unit }
    end
  end
  for _, name in ipairs { "diameter", "length" } do
    if not columns[name] then
      return nil, ("there is no column '%s (%s)'"):format(name, kinds[name].example)
    end
  end
  return columns
end

local function read_number(text, separator)
  if separator ~= "," then text = text:gsub(",", ".") end
  local x = text:match("^[-+%d.eE]+$") and tonumber(text)
  return x and x - x == 0 and x + 0.0 or nil
end

--- One log, or nil and what is wrong.
local function read_log(list, columns, separator, density)
  local log = { density = density }
  for _, name in ipairs { "diameter", "length", "density" } do
    local column, kind = columns[name], kinds[name]
    if column then
      local text = list[column.place]
      if not text or text == "" then return nil, ("'%s' is missing"):format(name) end
      local x = read_number(text, separator)
      if not x or x <= 0 then return nil, ("'%s' must be a number > 0, got '%s'"):format(name, text) end
      x = x * column.factor
      if x < kind.least or x > kind.most then
        return nil, ("'%s' of %s %s = %.6g %s: a log has %g to %g (is the unit right?)"):format(name, text,
          column.unit, x, kind.unit, kind.least, kind.most)
      end
      log[name] = x
    end
  end
  return log
end

--- Logs from the text of a CSV file; `name` stands in messages.
-- @tparam string text
-- @tparam[opt] table options `density` for files without that column (kg/m3, default 850), `name`
-- @treturn table|nil list of { diameter = m, length = m, density = kg/m3 }; nil and "name:line: what is wrong"
function M.parse(text, options)
  if type(text) ~= "string" then core.raise("logs.parse", "expected a string, got " .. tostring(text)) end
  options = options or {}
  core.check("logs.parse", options, { density = "positive", name = "string" })
  local name, number = options.name or "logs", 0
  local columns, separator
  local logs = {}
  for line in (text:gsub("^\239\187\191", "") .. "\n"):gmatch("([^\r\n]*)\r?\n") do
    number = number + 1
    if line:match("%S") and not line:match("^%s*#") then
      local result, problem
      if not columns then
        separator = separator_of(line)
        columns, problem = read_header(fields(line, separator))
        result = columns
      else
        result, problem = read_log(fields(line, separator), columns, separator, options.density or 850)
        logs[#logs + 1] = result
      end
      if not result then return nil, ("%s:%d: %s"):format(name, number, problem) end
    end
  end
  if not columns then return nil, ("%s:%d: there is no line with the names of the columns"):format(name, number) end
  if #logs == 0 then return nil, ("%s:%d: there are no logs below the names of the columns"):format(name, number) end
  return logs
end

--- Logs from a CSV file.
-- @tparam string path
-- @tparam[opt] table options as for `parse`
-- @treturn table|nil list of logs; nil and a message with the line
-- @usage local logs = assert(require("delassus.logs").read("examples/data/logs.csv"))
function M.read(path, options)
  if type(path) ~= "string" then core.raise("logs.read", "expected a file name, got " .. tostring(path)) end
  local file, problem = io.open(path, "rb")
  if not file then return nil, problem end
  local text
  text, problem = file:read("a")
  file:close()
  if not text then return nil, ("%s: %s"):format(path, problem) end
  local given = { name = path }
  for key, value in next, options or {} do given[key] = value end
  return M.parse(text, given)
end

return M
