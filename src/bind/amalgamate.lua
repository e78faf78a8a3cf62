-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- amalgamate.lua ROCKSPEC EMBED.c OUT.c: the whole library as one C file (make static): headers once, in the order in
-- which they need each other, then the translation units that the rockspec lists, then EMBED.c, the Lua files.
--
-- What a unit declares for itself (static functions and objects, types, tags, enumerators) gets the unit's name in
-- front, token by token; fields of the same name do not. Its macros end with it. Functions that units share are static.

local rockspec, embedded, out = ...

local environment = {}
assert(loadfile(rockspec, "t", environment))()

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- --- tokens --------------------------------------------------------------------------------------------------

local KEYWORDS = {}
for word in ([[auto break case char const continue default do double else enum extern float for goto if inline int long
  register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool bool
  true false NULL _Pragma _Alignas __attribute__ __asm__]]):gmatch "%S+" do KEYWORDS[word] = true end

--- The last place of the comment that begins at text[at].
local function comment_end(text, at)
  return assert(select(2, text:find("*/", at + 2, true)), "amalgamate: an open comment")
end

--- Tokens {kind, text} of kinds space (with comments), name, number, string, directive (a whole line) and mark (one
--- character, or "->", "##", "...").
local function tokens(text)
  local list, at, fresh = {}, 1, true
  local function take(kind, stop)
    list[#list + 1] = { kind = kind, text = text:sub(at, stop) }
    at = stop + 1
  end
  while at <= #text do
    local c = text:sub(at, at)
    local two = text:sub(at, at + 1)
    if c == "\n" then
      take("space", at)
      fresh = true
    elseif two == "\\\n" then take("space", at + 1)
    elseif c:find "%s" then take("space", select(2, text:find("^[ \t\r\f\v]+", at)))
    elseif two == "/*" then take("space", comment_end(text, at))
    elseif two == "//" then take("space", (text:find("\n", at, true) or #text + 1) - 1)
    elseif c == "#" and fresh then
      local stop = at
      while true do -- a line goes on behind a backslash and within a comment
        local line_end = text:find("\n", stop, true) or #text + 1
        local comment = text:find("/*", stop, true)
        if comment and comment < line_end then stop = comment_end(text, comment) + 1
        elseif text:sub(line_end - 1, line_end - 1) == "\\" then stop = line_end + 1
        else
          stop = line_end
          break
        end
      end
      take("directive", stop - 1)
    else
      fresh = false
      if c == '"' or c == "'" then
        local stop = at + 1
        while text:sub(stop, stop) ~= c do stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1) end
        take("string", stop)
      elseif c:find "[%a_]" then take("name", select(2, text:find("^[%w_]+", at)))
      elseif text:find("^%.?%d", at) then
        local stop = at
        while true do -- a number takes signs behind its exponent
          if text:find("^[eEpP][+-]", stop) then stop = stop + 2
          elseif text:find("^[%w_.]", stop) then stop = stop + 1
          else break end
        end
        take("number", stop - 1)
      elseif text:sub(at, at + 2) == "..." then take("mark", at + 2)
      elseif two == "->" or two == "##" then take("mark", at + 1)
      else take("mark", at) end
    end
  end
  return list
end

local function is(token, text) return token ~= nil and token.text == text end

--- The tokens that say something, in a list of their own.
local function solid(list)
  local kept = {}
  for _, token in ipairs(list) do if token.kind ~= "space" then kept[#kept + 1] = token end end
  return kept
end

-- --- macros --------------------------------------------------------------------------------------------------

--- A #define: name, parameters (nil where it has none), text of the body behind them; nil for any other directive.
local function definition(line)
  local name, rest = line:match "^#%s*define%s+([%a_][%w_]*)(.*)$"
  if not name then return nil end
  local list, body = rest:match "^%(([^)]*)%)(.*)$"
  if not list then return name, nil, rest end
  local parameters = {}
  for parameter in list:gmatch "[%w_.]+" do parameters[#parameters + 1] = parameter end
  return name, parameters, body
end

--- The arguments of a call whose "(" is list[open], each a list of tokens, and the place of its ")".
local function arguments(list, open)
  local found, depth, at = { {} }, 0, open
  while list[at] do
    local text = list[at].text
    if text == "(" or text == "{" or text == "[" then depth = depth + 1
    elseif text == ")" or text == "}" or text == "]" then depth = depth - 1 end
    if depth == 0 then return found, at end
    if text == "," and depth == 1 then found[#found + 1] = {}
    elseif at > open then table.insert(found[#found], list[at]) end
    at = at + 1
  end
  return nil
end

--- Behind these a name stays as it is: written out, joined to something, a field.
local KEEPING = { ["#"] = true, ["##"] = true, ["."] = true, ["->"] = true }

--- Learns a macro, and which of its parameters are to stay as they are.
local function learn(macros, line)
  local name, parameters, body = definition(line)
  if not name then return end
  local list, place, kept = solid(tokens(body or "")), {}, {}
  for i, parameter in ipairs(parameters or {}) do place[parameter] = i end
  for i, token in ipairs(list) do
    local before = list[i - 1]
    if place[token.text] and before and KEEPING[before.text] then kept[place[token.text]] = true end
    local other = macros[token.text]
    if (other or token.text == "offsetof") and is(list[i + 1], "(") then
      for k, argument in ipairs(arguments(list, i + 1) or {}) do
        local stays = token.text == "offsetof" and k == 2 or other and other.kept[k]
        if stays and #argument == 1 and place[argument[1].text] then kept[place[argument[1].text]] = true end
      end
    end
  end
  local old = macros[name]
  if old then for k in pairs(old.kept) do kept[k] = true end end
  local bodies = old and old.bodies or {}
  bodies[#bodies + 1] = { parameters = parameters, list = list }
  macros[name] = { kept = kept, bodies = bodies, parameters = parameters }
end

--- A macro's body with its arguments in their places and joined names joined.
local function expanded(body, args)
  local value, list = {}, {}
  for i, parameter in ipairs(body.parameters or {}) do value[parameter] = args[i] end
  for _, token in ipairs(body.list) do
    for _, part in ipairs(value[token.text] or { token }) do list[#list + 1] = { kind = part.kind, text = part.text } end
  end
  local joined = {}
  local at = 1
  while list[at] do
    if list[at].text == "##" and #joined > 0 and list[at + 1] then
      local last = joined[#joined]
      joined[#joined] = { kind = "name", text = last.text .. list[at + 1].text }
      at = at + 2
    else
      joined[#joined + 1] = list[at]
      at = at + 1
    end
  end
  return joined
end

-- --- what a unit declares at file scope ----------------------------------------------------------------------

local collect

--- Adds the name, or what its macros make of it, to the names: list[at] with the "(" behind it where it calls one.
--- Answers the place of its last token.
local function spell(list, at, macros, names)
  local token, last = list[at], at
  local macro = macros[token.text]
  if not macro then
    if token.kind == "name" and not KEYWORDS[token.text] then names[token.text] = true end
    return last
  end
  local args
  if macro.parameters then
    if not is(list[at + 1], "(") then return last end
    args, last = arguments(list, at + 1)
  end
  for _, body in ipairs(macro.bodies) do
    local whole = expanded(body, args or {})
    if whole[1] and whole[1].text ~= token.text and spell(whole, 1, macros, {}) == #whole then spell(whole, 1, macros, names) end
  end
  return last
end

--- Takes over the enumerators and tags of a declaration, at any depth.
local function collect_tags(list, first, last, macros, names)
  for i = first, last do
    local text = list[i].text
    if text == "struct" or text == "union" or text == "enum" then
      local k = i + 1
      if list[k] and list[k].kind == "name" then -- of a type that is made here
        local stop = spell(list, k, macros, {})
        if is(list[stop + 1], "{") then spell(list, k, macros, names) end
        k = stop + 1
      end
      if text == "enum" and is(list[k], "{") then
        local depth, head = 0, true
        for j = k + 1, last do
          local inner = list[j].text
          if inner == "}" and depth == 0 then break end
          if head and list[j].kind == "name" then spell(list, j, macros, names) end
          head = inner == "," and depth == 0
          if inner == "(" then depth = depth + 1 elseif inner == ")" then depth = depth - 1 end
        end
      end
    end
  end
end

--- Is the token an attribute, by its name or by a macro's?
local function is_attribute(token, macros)
  local macro = token and macros[token.text]
  if is(token, "__attribute__") or is(token, "_Alignas") then return true end
  for _, body in ipairs(macro and macro.bodies or {}) do if is(body.list[1], "__attribute__") then return true end end
  return false
end

--- Takes over the names that a declaration, without its bodies in braces, declares.
local function collect_declarators(list, macros, names)
  local depth, values, i = 0, false, 1
  while list[i] do
    local token, before = list[i], list[i - 1]
    local text = token.text
    if is_attribute(token, macros) and is(list[i + 1], "(") then i = select(2, arguments(list, i + 1))
    elseif text == "struct" or text == "union" or text == "enum" then
      if list[i + 1] and list[i + 1].kind == "name" then i = spell(list, i + 1, macros, {}) end -- the tag is no declarator
    elseif text == "=" then values = true
    elseif text == "," and depth == 0 then values = false
    elseif text == "(" or text == "[" or text == "{" then depth = depth + 1
    elseif text == ")" or text == "]" or text == "}" then depth = depth - 1
    elseif token.kind == "name" and not KEYWORDS[text] and not values then
      local stop = spell(list, i, macros, {})
      local after = list[stop + 1]
      local ends = after == nil or is_attribute(after, macros) or after.text:find "^[%[(,;=]$" ~= nil
      local pointer = before and (before.text == "*" or before.text == "const")
      local inside = depth > 0 and pointer and after and after.text:find "^[)%[]$"
      if depth == 0 and ends or inside then
        spell(list, i, macros, names)
        while depth > 0 and list[stop + 1] do
          stop = stop + 1
          if list[stop].text == "(" then depth = depth + 1 elseif list[stop].text == ")" then depth = depth - 1 end
        end
        if is(list[stop + 1], "(") then stop = select(2, arguments(list, stop + 1)) end
      end
      i = stop
    end
    i = i + 1
  end
end

--- The names that begin a joined name.
local function joints(list)
  local found = {}
  for i, token in ipairs(list) do
    if token.kind == "name" and is(list[i + 1], "##") and not is(list[i - 1], "##") then found[#found + 1] = token end
  end
  return found
end

--- Says a macro "static", by itself or by one of the macros in it?
local function has_static(name, macros)
  for _, body in ipairs(macros[name] and macros[name].bodies or {}) do
    for _, token in ipairs(body.list) do
      if token.text == "static" or (token.text ~= name and has_static(token.text, macros)) then return true end
    end
  end
  return false
end

--- One declaration list[first .. last], the last a ";" or the "}" of a function's body.
local function collect_one(list, first, last, macros, names)
  collect_tags(list, first, last, macros, names)
  local ours, head, depth = false, {}, 0
  for i = first, last do
    local text = list[i].text
    if text == "=" or text == "(" then break end
    if text == "static" or text == "typedef" or has_static(text, macros) then ours = true end
  end
  if not ours then return end
  for i = first, last do -- bodies in braces, of types, values and functions, are left out
    local text = list[i].text
    if text == "}" then depth = depth - 1 end
    if depth == 0 and text ~= "}" and text ~= "{" then head[#head + 1] = list[i] end
    if text == "{" then depth = depth + 1 end
  end
  collect_declarators(head, macros, names)
end

--- A macro that declares, called at file scope: what it is in full, and the names that it joins from a beginning of its own.
local function collect_call(list, first, macros, names)
  local args, close = arguments(list, first + 1)
  for _, body in ipairs(macros[list[first].text].bodies) do
    for _, beginning in ipairs(joints(body.list)) do macros["##"][beginning.text] = true end
    collect(expanded(body, args), macros, names)
  end
  return close
end

function collect(list, macros, names)
  local first, depth, parens, at = 1, 0, 0, 1
  while list[at] do
    local text = list[at].text
    local macro = at == first and macros[text]
    if macro and macro.parameters and is(list[at + 1], "(") then
      local _, close = arguments(list, at + 1)
      if list[close + 1] == nil or not list[close + 1].text:find "^[{*=]$" then
        collect_call(list, at, macros, names)
        at, first, text = close, close + 1, ""
      end
    end
    if text == "(" then parens = parens + 1 elseif text == ")" then parens = parens - 1 end
    if text == "{" then depth = depth + 1 elseif text == "}" then depth = depth - 1 end
    local ended = depth == 0 and parens == 0 and (text == ";" or text == "}")
    if text == "}" and ended then -- of a function, not of a type or a value: those go on to their ";"
      local opened, level = at, 0
      repeat
        if list[opened].text == "}" then level = level + 1 elseif list[opened].text == "{" then level = level - 1 end
        opened = opened - 1
      until level == 0
      ended = is(list[opened], ")")
    end
    if ended then
      if at > first then collect_one(list, first, at, macros, names) end
      first = at + 1
    end
    at = at + 1
  end
  assert(depth == 0 and parens == 0, "amalgamate: braces that do not meet")
end

-- --- writing a unit with its names -----------------------------------------------------------------------------

local AGGREGATE = { struct = true, union = true }
local TAGGED = { struct = true, union = true, enum = true }

--- Does "{" open the fields of a struct? list[k] is the mark.
local function opens_fields(list, k)
  local at = k - 1
  if is(list[at], ")") then -- behind a tag OF(name)
    repeat at = at - 1 until at < 1 or list[at].text == "("
    at = at - 1
  end
  local of = list[at]
  if of and of.kind == "name" and list[at - 1] and TAGGED[list[at - 1].text] then of = list[at - 1] end
  return of ~= nil and AGGREGATE[of.text] == true
end

--- Among fields, is list[k] the name of one? inner: within parentheses.
local function names_field(list, k, inner)
  local before, after = list[k - 1], list[k + 1]
  if not before or not after or TAGGED[before.text] then return false end
  local typed = before.kind == "name" or before.text:find "^[*,)]$"
  local plain = not inner and after.text:find "^[;,%[:]$"
  local called = before.text == "*" and after.text:find "^[)%[]$"
  return typed and (plain or called)
end

--- The tokens that keep their names: fields, and what macros write out or join.
local function kept(list, macros)
  local stays, view = {}, {}
  for _, token in ipairs(list) do if token.kind ~= "space" and token.kind ~= "directive" then view[#view + 1] = token end end
  local braces, parens = {}, 0
  for k, token in ipairs(view) do
    local text, before = token.text, view[k - 1]
    if text == "{" then braces[#braces + 1] = { fields = opens_fields(view, k), parens = parens }
    elseif text == "}" then braces[#braces] = nil
    elseif text == "(" or text == "[" then parens = parens + 1
    elseif text == ")" or text == "]" then parens = parens - 1
    elseif token.kind == "name" then
      local brace, macro = braces[#braces], macros[text]
      if before and (before.text == "." or before.text == "->") then stays[token] = true end
      if brace and brace.fields and names_field(view, k, parens ~= brace.parens) then stays[token] = true end
      for i, argument in ipairs((macro or text == "offsetof") and is(view[k + 1], "(") and arguments(view, k + 1) or {}) do
        if text == "offsetof" and i == 2 or macro and macro.kept[i] then
          for _, part in ipairs(argument) do stays[part] = true end
        end
      end
    end
  end
  return stays
end

--- The text with the prefix before names.
local function rename(list, names, macros, prefix)
  local stays, written = kept(list, macros), {}
  for i, token in ipairs(list) do
    local ours = token.kind == "name" and names[token.text] and not stays[token]
    written[i] = ours and prefix .. token.text or token.text
  end
  return table.concat(written)
end

--- A directive with its names: only bodies of macros have any. What a macro joins a name from has it in front.
local function rename_directive(line, names, macros, prefix)
  local name, parameters, body = definition(line)
  if not name then return line end
  local own, mine = {}, setmetatable({}, { __index = names })
  for _, parameter in ipairs(parameters or {}) do own[parameter] = true end
  local list = tokens(body)
  for _, beginning in ipairs(has_static(name, macros) and joints(solid(list)) or {}) do
    if macros["##"][beginning.text] then mine[beginning.text] = true end
  end
  for parameter in pairs(own) do mine[parameter] = false end
  return line:sub(1, #line - #body) .. rename(list, mine, macros, prefix)
end

-- --- headers and units -----------------------------------------------------------------------------------------

local headers, seen, shared_macros, options = {}, {}, {}, {}

local function header_of(line) return line:match '^#%s*include%s+"([^"]+)"' end

--- A file without its own includes: headers go to the list of headers, parts (*.inc.h) in their place, and the headers
--- that set the compiler's options to where they are asked for.
local function inlined(path, of_header)
  local lines = {}
  for line in read(path):gmatch "([^\n]*)\n" do
    local header = header_of(line)
    if not header then lines[#lines + 1] = line
    elseif header == "delassus.h" then seen[header] = true
    else
      local file = exists("src/" .. header) and "src/" .. header or path:match "^(.*/)" .. header
      if header:find "%.inc%.h$" then lines[#lines + 1] = inlined(file)
      elseif options[file] == nil and not seen[file] then
        seen[file] = true
        local text = inlined(file, true)
        local sets = text:find "#pragma GCC optimize" and file ~= "src/core/base/real.h"
        options[file] = sets and text or false
        if not sets then headers[#headers + 1] = { path = file, text = text } end
      end
      if options[file] and not of_header then -- each time it is asked for, so without its guard
        lines[#lines + 1] = (options[file]:gsub("#ifndef DLS[^\n]*\n#define DLS[^\n]*\n", ""):gsub("\n#endif%s*$", "\n"))
      end
    end
  end
  return table.concat(lines, "\n")
end

local OTHER = { typedef = true, static = true, extern = true, struct = true, union = true, enum = true }

--- A header's functions are seen in this file alone.
local function private(text)
  local list, written = tokens(text), {}
  local first, depth, parens = nil, 0, 0
  for i, token in ipairs(list) do
    local mark = token.text
    written[i] = mark
    local is_word = token.kind ~= "space" and token.kind ~= "directive"
    if is_word and mark ~= "DLS_INSIDE" and mark ~= "DLS_OUTSIDE" then
      first = first or i
      if mark == "(" then parens = parens + 1 elseif mark == ")" then parens = parens - 1 end
      if mark == "{" then depth = depth + 1 elseif mark == "}" then depth = depth - 1 end
      if depth == 0 and parens == 0 and (mark == ";" or mark == "}" and list[first].text == "static") then
        local head, declaration = list[first].text, table.concat(written, "", first, i)
        local by_type = declaration:find "^%s*[%w_]+_fn%s+[%w_]+;$" -- a function's type
        local is_function = mark == ";" and not OTHER[head] and (by_type or declaration:find "[%w_]+%s*%(")
        if is_function and not declaration:find "luaopen_" and not head:find "^DLS_" then written[first] = "static " .. head end
        first = nil
      end
    end
  end
  return table.concat(written)
end

--- Objects that units share, which C cannot declare as static where their size is not told yet: their names get
-- delassus_ in front.
local function share(objects, text)
  for declaration in text:gmatch "extern%s+([^;{(]-;)" do
    for name in declaration:gmatch "(dls_[%w_]+)%s*%f[,;%[]" do objects[name] = true end
  end
  for name in ("\n" .. text):gmatch "\nconst [%w_]+ (dls_[%w_]+)%s*%f[=%[]" do objects[name] = true end
end

local function unit(path, text)
  local prefix = path:gsub("^src/", ""):gsub("^core/", ""):gsub("%.c$", ""):gsub("[^%w]", "_") .. "__"
  local list, macros = tokens(text), setmetatable({ ["##"] = {} }, { __index = shared_macros })
  local defined, order, plain = {}, {}, {}
  for _, token in ipairs(list) do
    if token.kind == "directive" then
      local name = definition(token.text)
      if name and not defined[name] then
        defined[name] = true
        order[#order + 1] = name
      end
      learn(macros, token.text)
    elseif token.kind ~= "space" then plain[#plain + 1] = token end
  end
  local found, names = {}, {}
  collect(plain, macros, found)
  for name in pairs(found) do
    if not KEYWORDS[name] and not defined[name] and not name:find "^[Dd][Ll][Ss]_" and not name:find "^luaopen_" and
      not name:find "^delassus_" then
      names[name] = true
    end
  end
  for _, token in ipairs(list) do
    if token.kind == "directive" then token.text = rename_directive(token.text, names, macros, prefix) end
  end
  local pieces = { rename(list, names, macros, prefix) }
  for _, name in ipairs(order) do pieces[#pieces + 1] = "#undef " .. name end
  text = table.concat(pieces, "\n") .. "\n"
  if text:find "#pragma GCC optimize" then
    text = "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push_options\n#endif\n" .. text ..
      "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n"
  end
  return ("/* --- %s */\n%s"):format(path, text)
end

local sources = {}
for name, module in pairs(environment.build.modules) do
  if type(module) == "table" then sources = assert(module.sources, name) end
end

local texts, first_bound = {}, nil
local units = { table.unpack(sources) }
table.sort(units, function(a, b) -- the binding behind everything else
  local bound_a, bound_b = a:find "^src/bind/" ~= nil, b:find "^src/bind/" ~= nil
  if bound_a ~= bound_b then return bound_b end
  return a < b
end)
units[#units + 1] = embedded
for i, path in ipairs(units) do
  if not first_bound and (path:find "^src/bind/" or path == embedded) then first_bound = { unit = i, header = #headers + 1 } end
  texts[i] = inlined(path)
end
for _, header in ipairs(headers) do
  for _, token in ipairs(tokens(header.text)) do if token.kind == "directive" then learn(shared_macros, token.text) end end
end

local file = assert(io.open(out, "wb"))
local function put(...) assert(file:write(...)) end
put(([[
/* delassus %s as one file: core, C interface (delassus.h), Lua binding and Lua files.
** Made by src/bind/amalgamate.lua from the sources; edit those.
**
**     cc -O2 -c delassus.c -I/usr/include/lua5.4     with Lua 5.4
**     cc -O2 -c delassus.c -DDELASSUS_NO_LUA         without
**
]]):format((read("src/delassus.h"):match '#define DELASSUS_VERSION "([^"]+)"')))
for line in read("LICENSE"):gmatch "([^\n]*)\n" do put((("** " .. line):gsub("%s+$", "")), "\n") end
put "*/\n"
put [[
#if defined(_WIN32) && defined(__GNUC__) && !defined(__clang__) && !defined(DLS_ISA_MOST)
#define DLS_ISA_MOST 0 /* gcc does not align the stack for vectors of 32 bytes there (its bug 54412) */
#endif
#if !defined(_POSIX_C_SOURCE) && !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#define DELASSUS_ONE_FILE 1
/* Nobody calls all of the inside; what is not set gcc guesses across functions, and was wrong of each place it told. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpsabi"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#include "delassus.h"
]]
local objects, order = {}, {}
for _, header in ipairs(headers) do share(objects, header.text) end
for _, path in ipairs(sources) do share(objects, read(path)) end
for name in pairs(objects) do order[#order + 1] = name end
table.sort(order)
for _, name in ipairs(order) do put("#define ", name, " delassus_", name, "\n") end
for i, header in ipairs(headers) do
  if i == first_bound.header then put "#ifndef DELASSUS_NO_LUA\n" end
  put("/* --- ", header.path, " */\n", private(header.text), "\n")
end
if first_bound.header <= #headers then put "#endif\n" end
for i, path in ipairs(units) do
  if i == first_bound.unit then put "#ifndef DELASSUS_NO_LUA\n" end
  put(unit(path, texts[i]))
end
put "#endif\n"
assert(file:close())
