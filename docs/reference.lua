-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The reference as Markdown: calls with their options from `delassus.entries`, classes from types/delassus.d.lua,
-- topics from `delassus.topics`: what help tells at the prompt, on a page.
-- @module docs.reference
local entries = require "delassus.entries"

local M = {}

local function cell(text) return (text:gsub("|", "\\|"):gsub("\\|", "/")) end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

--- The source file of each class, by its full name: the first that registers it.
local function sources()
  local out = {}
  local files = assert(io.popen("ls src/bind/*.c lua/delassus/*.lua"))
  for path in files:lines() do
    local text = read(path)
    for name in text:gmatch('"delassus%.(%u%w+)"') do out[name] = out[name] or path end
    for name in text:gmatch('_class = {"delassus%.(%l%w+)"') do out[name] = path end
  end
  files:close()
  return out
end

local function entry_page(entry)
  local out = { "### " .. entry.name, "", "`" .. entry.head .. "`", "", entry.text, "" }
  if #entry.options > 0 then
    out[#out + 1] = "| option | default | unit, shape | |\n|---|---|---|---|"
    for _, option in ipairs(entry.options) do
      out[#out + 1] = ("| `%s` | %s | %s | %s |"):format(option.name, option.required and "required"
        or "`" .. option.default .. "`", option.unit == "" and " " or cell(option.unit),
        option.text == "" and " " or cell(option.text))
    end
    out[#out + 1] = ""
  end
  if #entry.members > 0 then
    out[#out + 1] = "| field | unit, shape | |\n|---|---|---|"
    for _, member in ipairs(entry.members) do
      local name = member.kind == ":" and member.name .. (member.text:match("^%b()") or "()") or member.name
      local text = member.kind == ":" and member.text:gsub("^%b()%s*", "") or member.text
      out[#out + 1] = ("| `%s` | %s | %s |"):format(name, member.unit == "" and " " or cell(member.unit),
        text == "" and " " or cell(text))
    end
    out[#out + 1] = ""
  end
  for _, also in ipairs(entry.also) do out[#out + 1] = ("And the options of `%s`.\n"):format(also) end
  return table.concat(out, "\n")
end

--- Classes of the definitions: { name =, text =, fields = { name, type, text }, methods = { call, text } }, in order.
function M.classes()
  local out, class, doc = {}, nil, {}
  for line in read "types/delassus.d.lua":gmatch("[^\n]*") do
    local name = line:match("^%-%-%-@class delassus%.(%w+)")
    local field, kind = line:match("^%-%-%-@field (%S+) (.*)$")
    local call = line:match("^function [%w_]+[.:]([%w_]+%b()) end")
    if name then
      class = { name = name, text = table.concat(doc, " "), fields = {}, methods = {} }
      out[#out + 1], doc = class, {}
    elseif field and class then
      class.fields[#class.fields + 1] = { (field:gsub("%?$", "")), kind }
    elseif call and class then
      class.methods[#class.methods + 1] = { call, table.concat(doc, " ") }
      doc = {}
    elseif line:match("^%-%-%-@") then
      doc[#doc + 1] = nil
    elseif line:match("^%-%-%-") then
      doc[#doc + 1] = line:match("^%-%-%-%s?(.*)$")
    else
      doc = {}
    end
  end
  return out
end

-- A field's type ends where its words begin: at the first blank outside of brackets and not behind a bar or comma.
local function split(kind)
  local depth = 0
  for at = 1, #kind do
    local c = kind:sub(at, at)
    if c:match("[%[{(<]") then depth = depth + 1 elseif c:match("[%]})>]") then depth = depth - 1 end
    if c == " " and depth == 0 and not kind:sub(1, at - 1):match("[|,:]$") then
      return kind:sub(1, at - 1), kind:sub(at + 1)
    end
  end
  return kind, ""
end

local function class_page(class, source)
  local out = { "### " .. class.name, "", class.text, "" }
  if source then out[#out + 1] = ("Source: `%s`.\n"):format(source) end
  if #class.fields > 0 then
    out[#out + 1] = "| property | type | |\n|---|---|---|"
    for _, field in ipairs(class.fields) do
      local kind, text = split(field[2])
      out[#out + 1] = ("| `%s` | `%s` | %s |"):format(field[1], (kind:gsub("delassus%.", "")), text == "" and " " or cell(text))
    end
    out[#out + 1] = ""
  end
  if #class.methods > 0 then
    out[#out + 1] = "| method | |\n|---|---|"
    for _, method in ipairs(class.methods) do
      out[#out + 1] = ("| `%s` | %s |"):format(method[1], method[2] == "" and " " or cell(method[2]))
    end
    out[#out + 1] = ""
  end
  return table.concat(out, "\n")
end

local HEAD = [[
# Reference

Every public name, from the text that `help` shows at the prompt. A wrong option or value raises an error that names the call,
the option, the rule and what was given; files that cannot be read or written answer `nil, message`; a solver that finds no
solution answers with `converged = false`. "required" has no default; a length in the column of shapes is a number of entries.
]]

--- The whole reference.
function M.markdown()
  local out = { HEAD, "## Calls and their options\n" }
  for _, entry in ipairs((entries.all())) do out[#out + 1] = entry_page(entry) end
  out[#out + 1] = "## Classes\n"
  local where = sources()
  for _, class in ipairs(M.classes()) do
    if not class.name:match("Options$") then out[#out + 1] = class_page(class, where[class.name] or where[class.name:lower()]) end
  end
  return table.concat(out, "\n")
end

--- The topics of help as a page.
function M.topics()
  local out = { "# In short\n\nThe topics of `help` at the prompt.\n" }
  for paragraph in (require "delassus.topics" .. "\n"):gmatch("(.-\n)\n") do
    local head, body = paragraph:match("^([^,\n]+)[^\n]*\n(.*)$")
    out[#out + 1] = ("## %s\n\n```\n%s```\n"):format(head, body)
  end
  return table.concat(out, "\n")
end

return M
