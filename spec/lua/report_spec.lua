-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local cjson = require "cjson"
local page = require "delassus.page"
local report = require "delassus.report"
local synthetic = require "support.synthetic_recording"

local function pile(more)
  local o = { title = "Two logs", subtitle = "a < b", text = { "One & two." },
    numbers = { { "Peak force", 1234.5, "N" }, { "Regime", "resting" } },
    tables = { { title = "Logs", columns = { "log", "force" }, rows = { { "low", 2 }, { "high", 0 / 0 } },
      note = "made up" } },
    charts = { { title = "Force", x = { 0, 0.5, 1 }, y = { floor = { 0, 20, 0 / 0 }, ["gap 2"] = { 0, 10, 5 } } } },
    scene = { kind = "bars", time = { 0, 0.5, 1 }, floor = 0, bars = { { radius = 0.1, stiffness = 1e6 },
      { radius = 0.2, length = 2 } },
      heights = { { 0.2, 0.6 }, { 0.1, 0.4 }, { 0.1, 0.4 } }, forces = { { 0, 0 }, { 20, 10 }, { 30, 15 } } } }
  for k, v in pairs(more or {}) do o[k] = v end
  return report(o)
end

-- What a browser reads: 4-byte floats from base64, by a reader of its own.
local function floats(base64)
  local digits, bits, bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", {}, {}
  for c in base64:gsub("=", ""):gmatch(".") do
    local v = digits:find(c, 1, true) - 1
    for k = 5, 0, -1 do bits[#bits + 1] = v >> k & 1 end
  end
  for i = 1, #bits - 7, 8 do
    local v = 0
    for k = 0, 7 do v = 2 * v + bits[i + k] end
    bytes[#bytes + 1] = string.char(v)
  end
  local text, out = table.concat(bytes), {}
  for i = 1, #text, 4 do out[#out + 1] = (("<f"):unpack(text, i)) end
  return out
end

describe("report", function()
  it("is exact: the page's data holds what was given", function()
    local data = cjson.decode(pile():json())
    assert.equal("delassus.report", data.format)
    assert.equal(1, data.version)
    assert.same({ { "Peak force", 1234.5, "N" }, { "Regime", "resting" } }, data.numbers)
    assert.same({ { "low", 2 }, { "high", cjson.null } }, data.tables[1].rows)
    assert.same({ 0, 0.5, 1 }, data.charts[1].x)
    assert.same({ { name = "floor", y = { 0, 20, cjson.null } }, { name = "gap 2", y = { 0, 10, 5 } } },
      data.charts[1].series)
    assert.is_true(data.charts[1].linked)
    assert.same({ 0.2, 0.6, 0.1, 0.4, 0.1, 0.4 }, data.scene.heights)
    assert.same({ 0, 0, 20, 10, 30, 15 }, data.scene.forces)
    assert.same({ { radius = 0.1, stiffness = 1e6 }, { radius = 0.2, length = 2 } }, data.scene.bars)
  end)

  it("is exact: long lists are packed as 4-byte floats", function()
    local given = synthetic.drum(40, 60)
    local data = cjson.decode(report(given):json())
    local poses = floats(data.scene.poses.f32)
    assert.equal(60 * 42 * 3, #poses)
    for k = 1, 60, 7 do
      for i = 1, 126 do
        local want = given.scene.poses[k][i]
        assert.near(want, poses[126 * (k - 1) + i], 1e-7 * math.max(1,
          math.abs(want))) -- half a 4-byte float's last digit
      end
    end
  end)

  it("puts the data into the built page's slot, and its title", function()
    local slot = '<script type="application/json" id="delassus-data">'
    local template = '<title>delassus</title>' .. slot .. 'null</script><script>1</script>'
    local text = page.fill(template, '{"a":"%1 \\u003c/script>"}', "Logs & 100 %1")
    assert.equal('<title>Logs &amp; 100 %1</title><script type="application/json" id="delassus-data">'
      .. '{"a":"%1 \\u003c/script>"}</script><script>1</script>', text)
  end)

  it("never ends the page's script early, whatever the texts are", function()
    local data = pile{ title = "</script><!-- <b>" }:json()
    assert.is_nil(data:find("</", 1, true))
    assert.is_nil(data:find("<!", 1, true))
    assert.equal("</script><!-- <b>", cjson.decode(data).title)
  end)

  it("is a whole page without the viewer: tables, charts, and how to get the replay", function()
    local text = page.plain(pile())
    assert.matches("^<!DOCTYPE html>.*</html>\n$", text)
    for _, part in ipairs{ "<h1>Two logs</h1>", "a &lt; b", "One &amp; two.", "<td>Peak force</td>", "1234",
      "<h2>Logs</h2>", "made up",
      "<svg", ">gap 2<", "make viewer" } do
      assert.truthy(text:find(part, 1, true), part)
    end
    assert.is_nil(text:find("nan", 1, true))
    assert.is_nil(text:find("http", 1, true) and text:gsub("http://www.w3.org/2000/svg", ""):find("http", 1, true))
  end)

  it("keeps the lines of a text that has some, as those of a table are", function()
    local text = page.plain(pile{ text = { "one line", "step 0   z1\nw1        4" } })
    assert.truthy(text:find("<div>one line</div>", 1, true))
    assert.truthy(text:find("<pre>step 0   z1\nw1        4</pre>", 1, true))
  end)

  it("takes lists where it wants lists: what has a name in them would not be on the page", function()
    for key, value in pairs{ numbers = { residual = 1 }, tables = { title = "Logs", columns = {}, rows = {} },
      charts = { x = { 0 }, y = { a = { 1 } } }, text = { "a", more = "b" } } do
      local message = ("delassus.report: '%s' must be a list, got one with ["):format(key)
      assert.error_matches(function() pile{ [key] = value } end, message, 1, true)
    end
  end)

  it("changes a chart's path when one number changes", function()
    local function path(y) return page.plain(pile{ charts = { { x = { 0, 1, 2 },
      y = { a = y } } } }):match('<path fill="none".- d="([^"]+)"') end
    assert.equal(path{ 0, 5, 10 }, path{ 0, 5, 10 })
    assert.not_equal(path{ 0, 5, 10 }, path{ 0, 5.5, 10 })
  end)

  it("saves the page and the data, and answers nil and a message where it cannot", function()
    local path = os.tmpname()
    os.remove(path)
    for _, ending in ipairs{ ".html", ".json" } do
      assert.is_true(pile():save(path .. ending))
      local file <close> = assert(io.open(path .. ending))
      assert.equal(ending == ".html" and pile():html() or pile():json() .. "\n", file:read("a"))
      os.remove(path .. ending)
    end
    local ok, message = pile():save("/no/such/folder/a.html")
    assert.is_nil(ok)
    assert.matches("/no/such/folder/a.html", message, 1, true)
    assert.error_matches(function() pile():save("a.pdf") end,
      "report:save: a report is saved as .html or .json, got 'a.pdf'", 1, true)
  end)

  it("writes the same page each time", function()
    assert.equal(report(synthetic.capsules(20, 5)):html(), report(synthetic.capsules(20, 5)):html())
  end)

  it("names a wrong option, down to the frame", function()
    local function wrong(change, message) assert.error_matches(function() pile(change) end, message, 1, true) end
    wrong({ tilte = 1 }, "delassus.report: unknown option 'tilte' (did you mean 'title'?)")
    wrong({ title = 5 }, "delassus.report: 'title' must be a string, got 5")
    wrong({ numbers = { { "alone" } } }, "'numbers[1]' must be {label, value, unit}")
    wrong({ tables = { { columns = { "a" } } } }, "tables[1]: 'columns' and 'rows' are required")
    wrong({ charts = { { x = { 1 }, y = { a = { 1, 2 } } } } },
      "charts[1]: 'y.a' must have as many numbers as 'x' (1), got 2")
    wrong({ charts = { { x = { 1 }, y = { a = { 1 } }, shown = { "b" } } } },
      "charts[1]: 'shown[1]' names no series: 'b'")
    wrong({ charts = { { x = { 1 }, y = { a = { 1 } }, order = { "b" } } } },
      "charts[1]: 'order[1]' names no series: 'b'")
    local function scene(change, message)
      local given = { kind = "bars", time = { 0, 1 }, bars = { { radius = 0.1 } }, heights = { { 1 }, { 1 } } }
      for k, v in pairs(change) do given[k] = v end
      wrong({ scene = given }, message)
    end
    scene({ kind = "bar" }, "delassus.report: scene: 'kind' must be one of 'bars', 'world', got 'bar'")
    scene({ time = { 0, 0 } }, "scene: 'time' must rise: time[2] = 0 after 0")
    scene({ time = {} }, "scene: 'time' must hold at least one frame")
    scene({ heights = { { 1 } } }, "scene: 'heights' must hold one list a frame (2), got 1")
    scene({ heights = { { 1 }, { 1, 2 } } }, "scene: 'heights[2]' must be a list of 1 numbers, got 2")
    scene({ forces = { { 1, 2, 3 }, { 1, 2, 3 } } }, "scene: 'forces[1]' must be a list of 1 numbers, got 3")
    scene({ heights = { { 1 }, { "x" } } }, "scene: 'heights[2][1]' must be a number, got 'x'")
    scene({ bars = { { radius = -1 } } }, "scene: bars[1]: 'radius' must be >= 0, got -1")
    scene({ floors = 1 }, "scene: unknown option 'floors' (did you mean 'floor'?)")
    assert.error_matches(function() report{} end, "delassus.report: 'title' is required", 1, true)
  end)
end)
