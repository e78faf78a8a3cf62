-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Which statuses functions of the core may answer: those that they write down, and those of what they call. More than
-- they do answer, where a caller deals with one; what functions of users answer is not seen.
local M = {}

local CODES = { NOMEM = true, FULL = true, ARG = true, SINGULAR = true, TOOBIG = true, STOPPED = true, STATE = true,
  UNSTABLE = true, RANGE = true }

local function blank(text) return (text:gsub("[^\n]", " ")) end

--- Code alone, of the same length: comments and strings are blank.
local function bare(text) return (text:gsub("/%*.-%*/", blank):gsub('"[^"\n]*"', blank)) end

local function codes_in(text)
  local list = {}
  for sign, code in text:gmatch "(.?.?%s?)%f[%w_]DLS_(%u+)%f[^%w_]" do
    if CODES[code] and not sign:match "[=!]=%s?$" then list[code] = true end
  end
  return list
end

--- Reads one file into `functions` (bodies) and `declared` (of headers): name -> what is known of it.
local function read(path, text, functions, declared)
  local code = bare(text)
  for first, line, name, open in code:gmatch "()(%f[^\n%z]%a[%w_ %*\n]-[ %*]([%a_][%w_]*)(%b()))" do
    local last = first + #line
    local sign = code:match("^%s*([{;])", last)
    local status = line:match "dls_status%s+[%a_][%w_]*$" or line:sub(1, #line - #open):match "dls_status%s+[%w_]+$"
    if sign == "{" then
      local from = code:find("{", last, true)
      local body = code:match("^%b{}", from) or ""
      local key = line:match "^static " and path .. ":" .. name or name
      local calls = {}
      for called in body:gmatch "%f[%w_>.]([%a_][%w_]*)%s*%(" do calls[called] = true end
      functions[key] = { path = path, status = status ~= nil, codes = status and codes_in(body) or {}, calls = calls }
    elseif sign == ";" and status and path:match "%.h$" then
      local before = text:sub(1, first - 1):match "/%*([^\n]?.*)%*/%s*$"
      before = before and before:match "^.*/%*(.-)$" or before or ""
      declared[#declared + 1] = { path = path, name = name, comment = before }
    end
  end
end

--- Names of functions declared in headers of the core, each with a code of `always` that it may answer and neither its
-- comment nor the first comment of its header names.
-- @tparam table texts path -> text of all files of the core
function M.unnamed(texts, always)
  local functions, declared, heads, wrong = {}, {}, {}, {}
  for path, text in pairs(texts) do
    read(path, text, functions, declared)
    heads[path] = text:match "#define DLS_.-\n.-(/%*.-%*/)" or ""
  end
  local function find(name, path) return functions[path .. ":" .. name] or functions[name] end
  local more = true
  while more do
    more = false
    for _, f in pairs(functions) do
      for name in pairs(f.status and f.calls or {}) do
        local called = find(name, f.path)
        for code in pairs(called and called.status and called.codes or {}) do
          if not f.codes[code] then f.codes[code], more = true, true end
        end
      end
    end
  end
  for _, d in ipairs(declared) do
    local f = functions[d.name]
    local said = codes_in(d.comment .. heads[d.path])
    for _, code in ipairs(always) do
      if f and f.codes[code] and not said[code] then wrong[#wrong + 1] = ("%s: %s: %s"):format(d.path, d.name, code) end
    end
  end
  table.sort(wrong)
  return wrong, declared, functions
end

return M
