--- `delassus.help(x)`: what a value answers to, what a call takes, what a word means; as text.
-- @module delassus.help
local class = require "delassus.class"
local core = require "delassus.core"
local entries = require "delassus.entries"

--- Names of a table's fields, sorted, with what they are; `place` is what entries call the table, where they know it.
local function describe_table(t, place)
  local names, manners, kinds = {}, debug.getmetatable(t) or {}, {}
  local function add(list, kind)
    for name, value in next, type(list) == "table" and list or {} do
      if type(name) == "string" and name:sub(1, 1) ~= "_" and not kinds[name] then
        kinds[name] = kind and (kind ~= "method" or type(value) == "function") and kind or type(value)
        names[#names + 1] = name
      end
    end
  end
  add(manners.parts, "module")
  add(t)
  local members = manners.members or {}
  add(members.getters, "property")
  add(members.methods or manners.__index, "method")
  table.sort(names)
  local lines = {}
  for i, name in ipairs(names) do
    local call = kinds[name] == "method"
    local entry = place and entries.of(("%s.%s"):format(place, name))
    local head = entry and entry.head:sub(#place + 2)
    lines[i] = head and "\n  ." .. head or ("\n  %s%s  (%s)"):format(call and ":" or ".", name, kinds[name])
  end
  return table.concat(lines)
end

local CLASSES = { "Batch", "Body", "ConeSolver", "Contact", "Gear", "Joint", "LcpPath", "LcpSolver", "Material", "Matrix",
  "Random", "Shape", "Sparse", "Spring", "Stack", "StackModel", "Structure", "StructureContact", "StructureElement",
  "StructureNode", "StructurePath", "StructureState", "System", "SystemContact", "Vec", "Vector", "World" }

--- The text of a class by its name; small values are classes in small letters.
local function class_text(name)
  local text, found = core.help("delassus." .. name)
  if not text then text, found = core.help("delassus." .. name:lower()) end
  return text and text .. class.lines(found)
end

local topics -- text by name

local function topic(word)
  if not topics then
    topics = {}
    for paragraph in (require "delassus.topics" .. "\n"):gmatch("(.-\n)\n") do
      local head, body = paragraph:match("^(.-)\n(.*)\n$")
      for name in head:gmatch("[^,%s]+") do topics[name] = head:match("^[^,]+") .. "\n" .. body end
    end
  end
  return topics[word]
end

--- The members of a class, as a list of { name, line }: "step", ":step(n)  n steps".
local function members_of(class_name)
  local list = {}
  for line in ((class_text(class_name) or "") .. "\n"):gmatch("\n  ([.:][^\n]*)") do
    list[#list + 1] = { name = line:match("^.([%w_]+)"), line = (line:gsub("^(:[%w_]+)  {", "%1{")) }
  end
  return list
end

--- "world:step" -> the line that the class World tells of its method; "step" -> those of all classes that have one.
local function member_text(word)
  local noun, name = word:match("^([%w_]+)[.:]([%w_]+)$")
  local lines = {}
  for _, known in ipairs(CLASSES) do
    if not noun or known:lower() == noun:lower():gsub("_", "") then
      for _, member in ipairs(members_of(known)) do
        if member.name == (name or word) then lines[#lines + 1] = (noun or known:lower()) .. member.line end
      end
    end
  end
  local answered = noun and entries.of(noun) -- what a call answers: "stats.residual"
  for _, member in ipairs(answered and answered.members or {}) do
    local unit = member.unit ~= "" and ("[%s] "):format(member.unit) or ""
    if member.name == name then
      lines[#lines + 1] = (noun .. member.kind .. name .. "  " .. unit .. member.text):gsub("%s+$", "")
    end
  end
  return lines[1] and table.concat(lines, "\n")
end

--- What a word is told of: the entry of a call, a class, a topic, a member of a class.
local function word_text(word)
  local known = entries.of(word) or entries.of("delassus." .. word)
  if word:find("^[%w_]+%.[%w_]+$") then known = known or entries.of((word:gsub("%.", ":"))) end
  local told = topic(word)
  if known and told then return told .. "\n\n" .. entries.text(known) end
  if known then return entries.text(known) end
  if told then return told end
  for _, name in ipairs(CLASSES) do
    if word:lower() == name:lower() or word == "delassus." .. name then return class_text(name) end
  end
  return member_text(word)
end

--- The same of a word as it is typed: "world:step()", " lcp.solve", "delassus.lcp.solve".
local function typed_text(word)
  word = word:match("^%s*(.-)%s*$"):gsub("%s*%b()$", "")
  return word_text(word) or word_text((word:gsub("^delassus%.", "")))
end

--- All words that help knows, as a set.
local function words()
  local set = {}
  topic("")
  for name in next, topics do set[name] = true end
  for _, entry in ipairs((entries.all())) do
    set[entry.name] = true
    set[entry.name:match("[%w_]+$")] = true
  end
  for _, name in ipairs(CLASSES) do
    set[name] = true
    for _, member in ipairs(members_of(name)) do set[member.name] = true end
  end
  return set
end

local function unknown_word(word)
  local names = {}
  for name in next, topics or {} do names[#names + 1] = name end
  table.sort(names)
  local _, message = pcall(core.unknown, "help", "word", word, words())
  return (message:gsub("^.-help: ", "")) .. "\ntopics: " .. table.concat(names, ", ")
    .. "\ncalls, as in help\"world:joint\"; classes, as in help\"Body\"; any value, as in help(world)"
end

-- Entries of objects made in Lua, by the name of their metatable.
local objects = { ["delassus.Run"] = "Run", ["delassus.Recorder"] = "Recorder", ["delassus.Report"] = "Report",
  ["delassus.drum"] = "drum object", ["delassus.report"] = "drum report", ["delassus.StackReport"] = "StackReport",
  ["delassus.StackRecording"] = "StackRecording", ["delassus.SystemRun"] = "SystemRun",
  ["delassus.SystemRecording"] = "SystemRecording", ["delassus.LcpSolution"] = "LcpSolution",
  ["delassus.ConeSolution"] = "ConeSolution", ["delassus.view"] = "View" }

local MODULES = { "drum", "lcp", "load", "logs", "plot", "record", "report", "show", "stack", "structure", "sweep" }

--- The name of a loaded module of the library.
local function module_name(x)
  for _, name in ipairs(MODULES) do
    if x ~= nil and rawequal(x, package.loaded["delassus." .. name]) then return name end
  end
end

local calls -- name of the entry by function

--- The text of a function of this library; nil for others.
local function function_text(f)
  if not calls then
    calls = {}
    local places = { delassus = require "delassus", lcp = require "delassus.lcp", logs = require "delassus.logs",
      world = core.methods "delassus.World", body = core.methods "delassus.Body", stack = require "delassus.stack",
      structure = core.methods "delassus.Structure", system = core.methods "delassus.System" }
    for _, entry in ipairs((entries.all())) do
      local place, name = entry.name:match("^([%w_]+)[.:]([%w_]+)$")
      local call = place and places[place] and places[place][name]
      if type(call) == "function" then calls[call] = entry.name end
    end
    for _, name in ipairs(CLASSES) do
      local ok, methods = pcall(core.methods, "delassus." .. name)
      if not ok then ok, methods = pcall(core.methods, "delassus." .. name:lower()) end
      for method, call in next, ok and methods or {} do calls[call] = calls[call] or name:lower() .. ":" .. method end
    end
  end
  local name = calls[f]
  return name and word_text(name)
end

--- What `x` answers to: properties with units and methods of an object of this library, the fields of a table; the
-- options of a call ("world:joint", or the function itself); a class ("Body"); a topic ("friction"). Without an
-- argument, the library itself.
-- @param x any value
-- @treturn string one line a name
-- @usage print(delassus.help(delassus.vec{1, 2, 3}))  print(delassus.help "units")
local function help(...)
  local x = ...
  if select("#", ...) == 0 then x = require "delassus" end
  if type(x) == "string" then return typed_text(x) or unknown_word(x) end
  local text, name = core.help(x)
  if text then return text .. class.lines(name) end
  local module = module_name(x)
  if module then
    local told, fields = word_text(module), type(x) == "table" and describe_table(x, module) or ""
    return told and fields == "" and told or (told and told .. "\n\n" or "") .. "delassus." .. module .. fields
  end
  local named = type(x) == "table" and objects[(debug.getmetatable(x) or {}).__name]
  if named then return entries.text(entries.of(named)) end
  if type(x) == "function" then return function_text(x) or ("%s (a function)"):format(tostring(x)) end
  if type(x) == "table" then
    local own = x == require "delassus" and '\nhelp "units", "joint", "contact", ... tell of topics; "world:joint" of a call'
    return (rawget(x, "_VERSION") or tostring(x)) .. describe_table(x, own and "delassus") .. (own or "")
  end
  return ("%s (a %s)"):format(tostring(x), type(x))
end

return help
