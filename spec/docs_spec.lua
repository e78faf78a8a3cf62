-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The manual: every Lua block runs and prints what it promises, every public name and option is in the reference, links lead
-- somewhere.
package.path = "docs/?.lua;" .. package.path
local core = require "delassus.core"
local delassus = require "delassus"
local entries = require "delassus.entries"
local markdown = require "markdown"
local reference = require "reference"
local run = require "run"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  return list, (pipe:close())
end

local root = lines_of("pwd")[1]

--- A search path with its relative parts made to start at the checkout.
local function absolute(path)
  return (path:gsub("[^;]+", function(part)
    return part:sub(1, 1) == "/" and part or root .. "/" .. part:gsub("^%./", "")
  end))
end

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

describe("the manual's page", function()
  teardown(function() os.execute("rm -rf " .. folder) end)

  for _, path in ipairs(lines_of("ls docs/*.md")) do
    it(path .. " has Lua that runs and prints what it promises", function()
      local said, good = lines_of(("cd %s && LUA_PATH='%s' LUA_CPATH='%s' timeout 120 lua5.4 %s/docs/run.lua %s/%s 2>&1")
        :format(folder, absolute(package.path), absolute(package.cpath), root, root, path))
      assert.is_true(good, table.concat(said, "\n"))
    end)

    it(path .. " has lines of at most 140 characters, but in tables, and no tab beside code", function()
      local k, code = 0, false
      for line in io.lines(path) do
        k = k + 1
        if line:match("^```") then code = not code end
        if not line:match("^|") then assert.is_true((utf8.len(line) or #line) <= 140, path .. ":" .. k) end
        if not code then assert.falsy(line:find("\t", 1, true), path .. ":" .. k) end
      end
    end)
  end

  it("README.md has Lua that runs", function()
    local text = read "README.md"
    local blocks = 0
    for block in ("\n" .. text):gmatch("\n\n(    .-)\n\n%f[%S]") do
      block = block:gsub("\n    ", "\n"):gsub("^    ", "")
      local prompt = block:match("^%$ ")
      if prompt then
        local lines = {}
        for line in block:gmatch("\n> ([^\n]*)") do lines[#lines + 1] = line:match("^[%w_, ]+=[^=]") and line
          or line:match("^print") and line or "return " .. line end
        local env = setmetatable({}, { __index = _G })
        for _, line in ipairs(lines) do assert(load(line, "=README", "t", env))() end
        blocks = blocks + 1
      elseif block:find("require", 1, true) then
        local world = delassus.world
        local env = setmetatable({ print = function() end, require = require }, { __index = _G })
        assert(load((block:gsub("world:show%(%)", "")), "=README", "t", env))()
        assert.equal(world, delassus.world)
        blocks = blocks + 1
      end
    end
    assert.equal(2, blocks)
  end)

  it("is caught when it promises what is not so", function()
    assert.equal(1, #run.complaints("```lua\nprint(1 + 1) --> 3\n```\n", "page"))
    assert.equal(1, #run.complaints("```lua\nlocal x = nil + 1\n```\n", "page"))
    assert.equal(1, #run.complaints("```lua\nif false then\n  print(1) --> 1\nend\n```\n", "page"))
    assert.equal(0, #run.complaints("text\n```lua\nlocal a = 1\n```\nmore\n```lua\nprint(a) --> 1\n```\n", "page"))
  end)
end)

describe("the reference", function()
  local text = reference.markdown() .. "\n### "

  local function section(name)
    local first = text:find("\n### " .. name .. "\n", 1, true)
    return first and text:sub(first, text:find("\n### ", first + 5, true))
  end

  it("names pages of docs/design that are there", function()
    for path in (text .. require "delassus.topics"):gmatch("docs/design/[%w_]+%.md") do assert(io.open(path)):close() end
  end)

  it("names code that is there, file and identifier, in CONTRIBUTING.md, src/README.md and docs/design", function()
    local files, code, lost, stems, words = {}, {}, {}, {}, {}
    for _, path in ipairs(lines_of "find src lua spec bench docs rocks examples rockspec bin -type f") do
      files[#files + 1] = "/" .. path
      stems[path:match "([^/]*)%.%w+$" or path] = true
      if path:match "%.[ch]$" or path:match "%.lua$" then code[#code + 1] = read(path) end
    end
    for word in table.concat(code, "\n"):gmatch "[%w_]+" do words[word] = true end
    local names = "\n" .. table.concat(files, "\n") .. "\n"
    local function is_file(name)
      if name == "lua.h" or name:find "^_?%d?%.%w+$" then return true end -- Lua's own; a suffix of names
      return names:find("/" .. name:gsub("[%-%.%+]", "%%%0"):gsub("%*", "[^/\n]*") .. "\n") ~= nil
    end
    local function is_there(name)
      if name:match "%.[ch]$" then return is_file(name) end
      if name:match "^%a%w+_[%w_]+$" then return words[name] or stems[name] end
      return true
    end
    for _, path in ipairs(lines_of "ls CONTRIBUTING.md src/README.md docs/design/*.md") do
      for name in read(path):gmatch "`([%w_/%-%.%*]+)`" do
        if not is_there(name) then lost[#lost + 1] = path .. ": " .. name end
      end
    end
    assert.are.same({}, lost)
    assert.is_true(is_there "ladder/rung.h" and not is_there "ladder/rungs.h" and not is_there("dls_" .. "rungs"))
  end)

  it("leads to files that are there from comments of C sources, too", function()
    local there, lost = { ["lauxlib.h"] = true, ["stdio.h"] = true, ["math.h"] = true, ["string.h"] = true }, {}
    local sources = lines_of "find src -name '*.[ch]' -not -path '*/node_modules/*'"
    for _, path in ipairs(sources) do -- by any end of its path
      for at in ("/" .. path):gmatch "()/" do there[path:sub(at)] = true end
    end
    local function look(path, source)
      for comment in source:gmatch "/%*.-%*/" do
        for before, name in (" " .. comment):gmatch "([^%w_/])([%w_/%.]*[%w_][%w_][%w_][%w_]%.[ch])%f[^%w_]" do
          if not before:find "[>%.]" and not there[name] then lost[#lost + 1] = path .. ": " .. name end
        end
      end
    end
    for _, path in ipairs(sources) do look(path, read(path)) end
    assert.are.same({}, lost)
    look("a source", "/* see no_such_file.h */")
    assert.equal(1, #lost)
  end)

  it("has an entry for every call, with every option", function()
    for _, entry in ipairs((entries.all())) do
      local here = assert.truthy(section(entry.name), entry.name) and section(entry.name)
      for _, option in ipairs(entry.options) do
        assert.truthy(here:find("| `" .. option.name .. "` |", 1, true), entry.name .. " " .. option.name)
      end
    end
  end)

  for _, name in ipairs { "Batch", "Body", "ConeSolver", "Contact", "Gear", "Joint", "LcpPath", "LcpSolver", "Material",
    "Matrix", "Random", "Shape", "Sparse", "Spring", "Stack", "StackModel", "Structure", "StructureContact",
    "StructureElement", "StructureNode", "StructurePath", "StructureState", "System", "SystemContact", "Vec", "Vector",
    "World" } do
    it("has every name of the class " .. name .. ", and its source", function()
      local here = assert(section(name), name)
      local told = core.help("delassus." .. name) or core.help("delassus." .. name:lower()) -- small values: "delassus.vec"
      for kind, member in told:gmatch("\n  ([.:])([%a_][%w_]*)") do
        local row = kind == "." and "| `" .. member .. "` |" or "| `" .. member .. "("
        assert.truthy(here:find(row, 1, true), name .. kind .. member)
      end
      assert.truthy(here:find("Source: `(%S+)`"), name)
    end)
  end
end)

describe("the manual as one page", function()
  local make = require "make"
  local file = folder .. ".html"
  local html = make.build(file)
  os.remove(file)

  it("has links that lead somewhere", function()
    local there = {}
    for anchor in html:gmatch(' id="([^"]+)"') do there[anchor] = true end
    for anchor in html:gmatch('href="#([^"]+)"') do assert.is_true(there[anchor] or false, anchor) end
    assert.falsy(html:find("%.md[\"#]"))
  end)

  it("holds every page of docs", function()
    local pages = {}
    for i, path in ipairs(lines_of("ls docs/*.md")) do pages[i] = path:match("([%w_]+)%.md$") end
    local made = table.move(make.pages, 1, #make.pages, 1, {})
    table.sort(made)
    assert.same(pages, made)
    for _, page in ipairs(pages) do assert.truthy(html:find('<h1 id="' .. page .. '"', 1, true), page) end
  end)

  it("opens and closes its elements in turn", function()
    local void = { meta = true, input = true, br = true, link = true, img = true, hr = true }
    local open = {}
    local body = html:match("<main>(.*)</main>"):gsub("<svg.-</svg>", "")
    for slash, name in body:gmatch("<(/?)(%a%w*)[^>]*>") do
      if slash == "/" then assert.equal(name, table.remove(open)) elseif not void[name] then open[#open + 1] = name end
    end
    assert.equal(0, #open)
  end)

  it("escapes what is code, and knows tables, lists and links", function()
    assert.equal("<p>a <code>&lt;b&gt; | *c*</code> <strong>d</strong> <a href=\"#units--frames\">e</a></p>",
      (markdown.html("a `<b> | *c*` **d** [e](units.md#frames)", "x")))
    assert.equal("<ul>\n<li>a b</li>\n<li>c</li>\n</ul>", (markdown.html("- a\n  b\n- c", "x")))
    assert.equal('<h2 id="x--the-step">The step</h2>', (markdown.html("## The step", "x")))
    assert.equal("<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><code>x|y</code></td><td>2</td></tr>\n</table>",
      (markdown.html("| a | b |\n|---|---|\n| `x|y` | 2 |", "x")))
  end)
end)
