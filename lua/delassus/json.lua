-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- JSON, written and read.
-- Numbers keep all their digits; NaN and infinities, which JSON does not know, become `null`; keys are sorted, so that
-- the same value is always the same text. A table is a list when it has an entry 1, or was made by `json.list`.
-- @module delassus.json
local M = {}

local LIST = {}

--- Marks a table as a list, so that an empty one is written `[]`.
function M.list(t)
  return setmetatable(t or {}, LIST)
end

--- Stands for `null` inside lists and objects.
M.null = setmetatable({}, { __tostring = function() return "null" end })

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escape(c)
  return ESCAPES[c] or ("\\u%04x"):format(c:byte())
end

-- "</" and "<!" are escaped too: the text may stand inside an HTML page's script element.
local function quote(s)
  return '"' .. s:gsub('[%z\1-\31"\\\127]', escape):gsub("<([/!])", "\\u003c%1") .. '"'
end

--- A number as JSON: integers plainly, others with the fewest of 15, 16 or 17 digits that give back the same bits.
function M.number(x)
  if x ~= x or x == math.huge or x == -math.huge then return "null" end
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x == math.floor(x) and x > -1e15 and x < 1e15 then
    return x == 0 and 1 / x < 0 and "-0.0" or ("%d"):format(x)
  end
  for digits = 15, 16 do
    local text = ("%%.%dg"):format(digits):format(x)
    if tonumber(text) == x then return text end
  end
  return ("%.17g"):format(x)
end

--- The same, and 2.0 stays a float.
local function exact(x)
  local text = M.number(x)
  return math.type(x) == "float" and not text:find("[.en]") and text .. ".0" or text
end

local write

local function write_list(out, t, depth)
  out[#out + 1] = "["
  for i = 1, #t do
    if i > 1 then out[#out + 1] = "," end
    write(out, t[i], depth)
  end
  out[#out + 1] = "]"
end

local function write_object(out, t, depth)
  local keys = {}
  for key in next, t do
    if type(key) ~= "string" then error("json: an object's keys must be strings, got " .. tostring(key), 0) end
    keys[#keys + 1] = key
  end
  table.sort(keys)
  out[#out + 1] = "{"
  for i, key in ipairs(keys) do
    out[#out + 1] = (i > 1 and "," or "") .. quote(key) .. ":"
    write(out, t[key], depth)
  end
  out[#out + 1] = "}"
end

function write(out, value, depth)
  local kind = type(value)
  if value == M.null or value == nil then out[#out + 1] = "null"
  elseif kind == "number" then out[#out + 1] = (out.exact and exact or M.number)(value)
  elseif kind == "string" then out[#out + 1] = quote(value)
  elseif kind == "boolean" then out[#out + 1] = tostring(value)
  elseif kind == "table" then
    if depth > 100 then error("json: tables nested too deeply (or within themselves)", 0) end
    local as_list = getmetatable(value) == LIST or value[1] ~= nil
    return (as_list and write_list or write_object)(out, value, depth + 1)
  else
    error("json: cannot write a " .. kind, 0)
  end
end

--- The value as JSON text.
-- @param value numbers, strings, booleans, nil, and tables of them
-- @tparam[opt] boolean as_read true: what is read from it is the same value, floats that are whole among them
-- @treturn string
-- @raise for functions, userdata, keys that are no strings, and tables within themselves
function M.encode(value, as_read)
  local out = { exact = as_read }
  local ok, message = pcall(write, out, value, 0)
  if not ok then error(message, 2) end
  return table.concat(out)
end

--- The text with U+FFFD in place of bytes that are no UTF-8: names come as they are, and files for others are read by them.
function M.utf8(text)
  local out, from = {}, 1
  while true do
    local whole, bad = utf8.len(text, from)
    if whole then break end
    out[#out + 1] = text:sub(from, bad - 1)
    from = bad + 1
  end
  return from == 1 and text or table.concat(out, "\u{FFFD}") .. "\u{FFFD}" .. text:sub(from)
end

local UNESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function stop(s, i, what)
  error({ json = ("json: %s at character %d"):format(what, math.min(i, #s + 1)) }, 0)
end

local function read_string(s, i)
  local parts = {}
  i = i + 1
  while true do
    local j = s:find('["\\%c]', i)
    if not j then stop(s, #s + 1, "a string without its end") end
    parts[#parts + 1] = s:sub(i, j - 1)
    local c = s:sub(j, j)
    if c == '"' then return table.concat(parts), j + 1 end
    if c ~= "\\" then stop(s, j, "a control character in a string") end
    local e = s:sub(j + 1, j + 1)
    if e == "u" then
      local hex = s:match("^%x%x%x%x", j + 2)
      if not hex then stop(s, j, "a wrong \\u escape") end
      local code, low = tonumber(hex, 16), s:match("^\\u([dD][c-fC-F]%x%x)", j + 6)
      i = j + 6
      if code >= 0xD800 and code < 0xDC00 and low then
        code, i = 0x10000 + (code - 0xD800) * 1024 + (tonumber(low, 16) - 0xDC00), j + 12
      end
      parts[#parts + 1] = utf8.char(code)
    elseif UNESCAPES[e] then
      parts[#parts + 1], i = UNESCAPES[e], j + 2
    else
      stop(s, j, "an unknown escape")
    end
  end
end

local read

local function skip(s, i)
  return s:find("[^ \t\r\n]", i) or #s + 1
end

local function read_list(s, i, depth)
  local out, n = M.list(), 0
  i = skip(s, i + 1)
  if s:sub(i, i) == "]" then return out, i + 1 end
  while true do
    n = n + 1
    out[n], i = read(s, i, depth)
    if out[n] == nil then out[n] = M.null end
    i = skip(s, i)
    local c = s:sub(i, i)
    if c == "]" then return out, i + 1 end
    if c ~= "," then stop(s, i, "expected ',' or ']'") end
    i = skip(s, i + 1)
  end
end

local function read_object(s, i, depth)
  local out = {}
  i = skip(s, i + 1)
  if s:sub(i, i) == "}" then return out, i + 1 end
  while true do
    if s:sub(i, i) ~= '"' then stop(s, i, "expected a key") end
    local key
    key, i = read_string(s, i)
    i = skip(s, i)
    if s:sub(i, i) ~= ":" then stop(s, i, "expected ':'") end
    out[key], i = read(s, skip(s, i + 1), depth)
    i = skip(s, i)
    local c = s:sub(i, i)
    if c == "}" then return out, i + 1 end
    if c ~= "," then stop(s, i, "expected ',' or '}'") end
    i = skip(s, i + 1)
  end
end

local WORDS = { t = { "true", true }, f = { "false", false }, n = { "null", nil } }

function read(s, i, depth)
  if depth > 200 then stop(s, i, "values nested too deeply") end
  local c = s:sub(i, i)
  if c == '"' then return read_string(s, i) end
  if c == "{" then return read_object(s, i, depth + 1) end
  if c == "[" then return read_list(s, i, depth + 1) end
  local word = WORDS[c]
  if word and s:sub(i, i + #word[1] - 1) == word[1] then return word[2], i + #word[1] end
  local text = s:match("^-?%d+%.?%d*[eE]?[+-]?%d*", i)
  local x = text and not text:find("^-?0%d") and tonumber(text)
  if not x then stop(s, i, "expected a value") end
  return x, i + #text
end

--- Reads JSON text. A null in an object is no entry, in a list `json.null`.
-- @treturn any the value, or nil and a message
function M.decode(text)
  if type(text) ~= "string" then error("json.decode: expected a string, got " .. type(text), 2) end
  local ok, value, i = pcall(read, text, skip(text, 1), 0)
  if not ok then
    if type(value) == "table" and value.json then return nil, value.json end
    error(value, 0)
  end
  i = skip(text, i)
  if i <= #text then return nil, ("json: more after the value at character %d"):format(i) end
  return value
end

return M
