-- Reads the subset of JSON that reference data use: objects, lists, strings without escapes beyond
-- the simple ones, numbers, true, false, null (as json.null).
local M = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local escapes = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }
local words = { ["true"] = true, ["false"] = false, ["null"] = M.null }
local read

local function skip(s, i) return s:find("[^ \t\r\n]", i) or #s + 1 end

local function read_string(s, i)
  local from, parts = i + 1, {}
  while true do
    local at = assert(s:find('["\\]', from), "json: open string")
    parts[#parts + 1] = s:sub(from, at - 1)
    if s:byte(at) == 34 then return table.concat(parts), at + 1 end
    local c = s:sub(at + 1, at + 1)
    if c == "u" then
      parts[#parts + 1] = utf8.char(tonumber(s:sub(at + 2, at + 5), 16))
      from = at + 6
    else
      parts[#parts + 1] = escapes[c] or c
      from = at + 2
    end
  end
end

local function read_list(s, i)
  local list = {}
  i = skip(s, i + 1)
  while s:byte(i) ~= 93 do
    list[#list + 1], i = read(s, i)
    i = skip(s, i)
    if s:byte(i) == 44 then i = skip(s, i + 1) end
  end
  return list, i + 1
end

local function read_object(s, i)
  local object = {}
  i = skip(s, i + 1)
  while s:byte(i) ~= 125 do
    local key
    key, i = read_string(s, i)
    i = skip(s, i)
    assert(s:byte(i) == 58, "json: ':' expected")
    object[key], i = read(s, skip(s, i + 1))
    i = skip(s, i)
    if s:byte(i) == 44 then i = skip(s, i + 1) end
  end
  return object, i + 1
end

function read(s, i)
  local c = s:sub(i, i)
  if c == "{" then return read_object(s, i) end
  if c == "[" then return read_list(s, i) end
  if c == '"' then return read_string(s, i) end
  local word = s:match("^%a+", i)
  if word and words[word] ~= nil then return words[word], i + #word end
  if word == "NaN" then return 0 / 0, i + 3 end
  local number = assert(s:match("^[-+0-9.eE]+", i), "json: value expected at " .. i)
  return assert(tonumber(number)) + 0.0, i + #number
end

--- The value in the text s.
function M.decode(s) return (read(s, skip(s, 1))) end

--- The value in a file, or nil where it is absent.
function M.file(path)
  local file = io.open(path)
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return M.decode(text)
end

return M
