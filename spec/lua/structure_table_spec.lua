-- What the examples of structures print, parsed: the tables of Popov and Lovtsov's paper; pictures and pages.
local json = require "delassus.json"
local near = require "spec.support.near"
local structures = require "spec.support.structures"

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local root = lines_of("pwd")[1]
local function absolute(path)
  return (path:gsub("[^;]+", function(part) return part:sub(1, 1) == "/" and part or root .. "/" .. part:gsub("^%./", "") end))
end

--- What an example prints, in a folder of its own.
local function run(example)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local lines = lines_of(("cd %s && LUA_PATH='%s' LUA_CPATH='%s' lua5.4 %s/examples/%s 2>&1"):format(folder,
    absolute(package.path), absolute(package.cpath), root, example))
  os.execute("rm -rf " .. folder)
  return lines
end

--- The tables of a text: lists of { name, numbers, ratio, leaves }, by their order.
local function tables_of(lines)
  local tables, rows
  tables = {}
  for _, line in ipairs(lines) do
    if line:match "^basis" then
      rows = {}
      tables[#tables + 1] = rows
    elseif rows and line:match "^[xzp]" then
      local words = {}
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      local row = { name = words[1], leaves = words[#words] == "*" }
      if row.leaves then words[#words] = nil end
      row.ratio = tonumber(words[#words])
      for k = 2, #words - 1 do row[k - 1] = assert(tonumber(words[k]), line) end
      rows[#rows + 1] = row
    else
      rows = nil
    end
  end
  return tables
end

describe("the tables of example 1", function()
  local printed = tables_of(run "20_beam_on_three_supports.lua")

  it("are those of the paper, to the five digits printed", function()
    assert.equal(3, #printed)
    local pattern = { 1, -2, 1 }
    local load = { -3 / 32, 11 / 16, 13 / 32 }
    local Rtt = { { 0.5, -0.5, 0 }, { -0.5, 1, -0.5 }, { 0, -0.5, 0.5 } }
    for i = 1, 9 do -- table 1: E, -R, -r_v, 1
      local row, k, block = printed[1][i], (i - 1) % 3 + 1, (i - 1) // 3
      local f, sign = block == 0 and 1 or 0.6, block == 0 and 0 or 3 - 2 * block
      for j = 1, 9 do near(i == j and 1 or 0, row[j], 0, "E") end
      for j = 1, 3 do
        near(-f * 0.1875 * pattern[k] * pattern[j], row[9 + j], 6e-6, "-Rnn")
        near(-sign * Rtt[k][j], row[12 + j], 6e-6, "-Rtt")
        near(sign * Rtt[k][j], row[15 + j], 6e-6, "Rtt")
      end
      near(-f * load[k], row[19], 6e-6, "-r_v")
      near(1, row[20], 0, "q_c")
    end
    local two = { { "p", 10.667 }, { "xn2", 8.3333 }, { "xn3", 5.3333 }, { "x+1", 0.4 }, { "x+2", 5.4 }, { "x+3", 3.6 },
      { "x-1", 0.4 }, { "x-2", 5.4 }, { "x-3", 3.6 } }
    local column = { -2, -1, -1, 0, -0.6, -0.6, 0, -0.6, -0.6 }
    local three = { { "zn1", -5.3333 }, { "xn2", 3 }, { "xn3", 0 }, { "x+1", 0.4 }, { "x+2", 2.2 }, { "x+3", 0.4 },
      { "x-1", 0.4 }, { "x-2", 2.2 }, { "x-3", 0.4 } }
    local of_p = { 0.5, 0.5, 0.5, 0, 0.3, 0.3, 0, 0.3, 0.3 }
    for i = 1, 9 do
      assert.equal(two[i][1], printed[2][i].name)
      near(two[i][2], printed[2][i][20], 6e-4, "values of table 2")
      near(column[i], printed[2][i][10], 6e-5, "column of zn1 in table 2")
      assert.equal(three[i][1], printed[3][i].name)
      near(three[i][2], printed[3][i][20], 6e-5, "values of table 3")
      near(-of_p[i], printed[3][i][19], 6e-5, "column of p in table 3")
    end
  end)

  it("show the ratios, and the row that leaves", function()
    near(32 / 3, printed[1][1].ratio, 1e-4, "ratio")
    assert.is_true(printed[1][1].leaves)
    near(1 / 0.05625, printed[1][4].ratio, 1e-4, "ratio")
    for i = 1, 9 do
      assert.equal(i == 1 or i == 4 or i == 7, printed[1][i].ratio ~= nil)
      assert.is_nil(printed[2][i].ratio) -- no positive entry: a ray
      assert.is_false(printed[2][i].leaves)
    end
  end)

  it("are those of d_example1.json", function()
    local file = io.open "../shared/cases/papers/d_example1.json"
    if not file then return print("d_example1: no ../shared here, not compared") end
    local d = json.decode(file:read "a")
    file:close()
    for k, rows in ipairs { d.tableau0, d.tableau1, d.tableau2 } do
      for i, row in ipairs(rows) do
        for j, x in ipairs(row) do near(x, printed[k][i][j], 5.1e-5 * math.max(1, math.abs(x)), "entry") end
      end
    end
  end)
end)

describe("the tables of the other examples", function()
  it("have the errors of example 2 for n = 5 .. 160, and its first events", function()
    local lines = run "21_rough_bar.lua"
    local expected = { { 5, 0.03098, 4, 25.0232, 3 }, { 10, 0.03098, 8, 12.5271, 7 }, { 20, 0.03098, 16, 6.27904, 15 },
      { 40, 0.02016, 31, 3.15501, 31 }, { 80, 0.00029, 63, 1.58759, 62 }, { 160, 0.00029, 126, 0.79394, 125 } }
    local found, events = {}, {}
    for _, line in ipairs(lines) do
      local row = {}
      for word in line:gmatch "%S+" do row[#row + 1] = tonumber(word) end
      if #row == 5 then found[#found + 1] = row end
      if line:match "slips$" then events[#events + 1] = row end
    end
    assert.equal(6, #found)
    for k, row in ipairs(expected) do
      for j, x in ipairs(row) do near(x, found[k][j], j == 4 and 6e-5 or j == 2 and 1.1e-5 or 0, "entry") end
    end
    near(0.1272, events[1][2], 1e-9, "p of the first event")
    near(1.1448, events[5][2], 1e-9, "p of the last")
  end)

  it("have the events, loads and zones of example 3", function()
    local lines, found = run "22_wall_in_soil.lua", {}
    for _, line in ipairs(lines) do
      local ny, events, p, top, zones = line:match "^%s+(%d+)%s+(%d+)%s+(%S+)%s+(%S+)%s+(%S+ / %S+)$"
      if ny then found[tonumber(ny)] = { tonumber(events), tonumber(p), tonumber(top), zones } end
    end
    assert.same({ 17, 0.351839863, 9.36897e-5, "o+ooo / ooo++" }, found[5])
    assert.same({ 40, 3.21604587, 1.09499e-4, "oooo++oooo / oooooooo++" }, found[10])
    assert.same({ 76, 12.9842581, 1.16243e-4, "oooooooooo-k+ooooooo / oooooooooooooooooo++" }, found[20])
  end)
end)

describe("pictures", function()
  local st, wall = structures.wall(4, 4)
  local path = st:follow { to = 10, tightening = 1 }

  it("show rest and deformation, contacts by colour, forces by arrows", function()
    local picture = path:at(5):plot { title = "A <wall>" }
    assert.matches("^<svg ", picture)
    assert.matches("</svg>\n$", picture)
    assert.equal(8, select(2, picture:gsub("<title>contact %d", "")))
    for _, class in ipairs { "rest", "bent", "frame", "support", "force", "load" } do
      assert.truthy(picture:find('class="' .. class .. '"', 1, true), class)
    end
    assert.matches("A &lt;wall&gt;", picture)
    assert.is_nil(path:at(5):plot({ forces = false }):find('class="force"', 1, true))
    assert.error_matches(function() path:at(5):plot { scal = 2 } end, "state:plot: unknown option 'scal'")
    assert.error_matches(function() path:at(5):plot { scale = "2" } end, "state:plot: 'scale' must be a number")
  end)

  it("show the load over a displacement, snap-back and all", function()
    local picture = structures.point(-1, 0):follow({ to = 10 }):plot()
    assert.matches("x of node 3", picture)
    assert.matches("y of node %d", path:plot { node = wall[3], displacement = "y" })
    assert.error_matches(function() path:plot { node = 3 } end, "expected a node of this structure, got 3")
    assert.error_matches(function() path:plot { displacement = "z" } end, "must be one of 'x', 'y', 'rotation'")
  end)

  it("move in a page with a slider, every state of the path in it", function()
    local file = os.tmpname() .. ".html"
    assert.is_true(path:save(file, "A wall"))
    local page = assert(io.open(file)):read "a"
    os.remove(file)
    assert.matches('type="range"', page)
    assert.matches("prefers%-color%-scheme: dark", page)
    local data = json.decode(page:match '<script type="application/json" id="data">(.-)</script>')
    assert.equal(path.steps + 2, #data.frames) -- the start, the events, a bit of the ray
    near(1.25 * path.events[path.steps].p, data.frames[#data.frames].p, 1e-12, "where it ends")
    assert.equal(8, #data.contacts)
    assert.equal(3 * st.n_nodes, #data.frames[1].u)
    assert.is_nil(page:find("https?://")) -- alone
    assert.error_matches(function() path:save "wall.txt" end, "path:save: 'file' must end in .html or .svg, got 'wall.txt'")
    assert.is_nil((path:save "/nowhere/wall.html"))
  end)

  it("have the contacts as a table", function()
    local text = path:at(5):table()
    assert.equal(9, select(2, text:gsub("\n", "\n")))
    assert.matches("contact +normal +tangential +opening +slip +state", text)
  end)
end)
