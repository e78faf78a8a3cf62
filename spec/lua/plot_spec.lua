-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local plot = require "delassus.plot"
local svg = require "delassus.svg"

-- Reads a picture's scale from its own axes: where the text of each tick stands. Returns a map from values to pixels.
local function scale_of(text, along)
  local points = {}
  for x, y, rest,
    label in text:gmatch('<text x="([%d.-]+)" y="([%d.-]+)" text%-anchor="(%l+[^>]-)>([%d.e-]+)</text>') do
    local horizontal = rest:find("^middle") ~= nil
    if horizontal == (along == "x") and tonumber(label) then
      points[#points + 1] = { tonumber(label), tonumber(along == "x" and x or y) }
    end
  end
  local a, b = points[1], points[#points]
  return function(v) return a[2] + (v - a[1]) / (b[1] - a[1]) * (b[2] - a[2]) end, points
end

local function curve_points(text, colour)
  local d = text:match('stroke="' .. colour .. '".- d="([^"]+)"')
  local points = {}
  for x, y in d:gmatch("[ML]([%d.-]+) ([%d.-]+)") do points[#points + 1] = { tonumber(x), tonumber(y) } end
  return points
end

local FIRST, SECOND = "#c8643c", "#3f7fb5"
local PIXEL = 0.011 -- coordinates are written with two decimals

describe("plot", function()
  it("is exact: every point of a curve stands where the axes' own numbers say", function()
    local x, y = {}, {}
    for i = 1, 21 do x[i], y[i] = 0.1 * (i - 1), 1 - 4.905 * (0.1 * (i - 1)) ^ 2 end
    local text = plot{ x = x, y = { height = y } }
    local at_x, at_y = scale_of(text, "x"), scale_of(text, "y")
    local points = curve_points(text, FIRST)
    assert.equal(21, #points)
    for i, p in ipairs(points) do
      assert.near(at_x(x[i]), p[1], PIXEL)
      assert.near(at_y(y[i]), p[2], PIXEL)
    end
  end)

  it("keeps the highest and lowest of many points", function()
    local x, y = {}, {}
    for i = 1, 100000 do x[i], y[i] = i, i == 54321 and 7 or i == 54399 and -3 or 0 end
    local text = plot{ x = x, y = { peak = y } }
    local at_y, top, bottom = scale_of(text, "y"), math.huge, -math.huge
    for _, p in ipairs(curve_points(text, FIRST)) do top, bottom = math.min(top, p[2]), math.max(bottom, p[2]) end
    assert.near(at_y(7), top, PIXEL)
    assert.near(at_y(-3), bottom, PIXEL)
    assert.is_true(#text < 40000)
  end)

  it("breaks a curve at NaN", function()
    local text = plot{ x = { 1, 2, 3, 4, 5 }, y = { a = { 1, 2, 0 / 0, 2, 1 } } }
    local _, runs = text:match('stroke="' .. FIRST .. '".- d="([^"]+)"'):gsub("M", "")
    assert.equal(2, runs)
    assert.is_nil(text:find("nan", 1, true))
  end)

  it("names series in the order of numbers within names, and the same each time", function()
    local y = {}
    for i = 1, 12 do y["gap " .. i] = { i, i } end
    local text = plot{ x = { 0, 1 }, y = y }
    local found = {}
    for name in text:gmatch(">(gap %d+)<") do found[#found + 1] = name end
    assert.equal(12, #found)
    for i, name in ipairs(found) do assert.equal("gap " .. i, name) end
    assert.equal(text, plot{ x = { 0, 1 }, y = y })
  end)

  it("draws each series with its own colour", function()
    local text = plot{ x = { 0, 1 }, y = { a = { 0, 1 }, b = { 1, 0 } } }
    local a, b = curve_points(text, FIRST), curve_points(text, SECOND)
    assert.near(a[1][2], b[2][2], PIXEL)
    assert.near(a[2][2], b[1][2], PIXEL)
  end)

  it("is exact: a column of a histogram is as high as its number", function()
    local text = plot{ x = { 1, 2, 3 }, y = { n = { 4, 0, 8 } }, style = "bars" }
    local at_y, heights = scale_of(text, "y"), {}
    for height in text:match('<g fill="' .. FIRST .. '".-</g>'):gmatch('height="([%d.]+)"') do
      heights[#heights + 1] = tonumber(height)
    end
    assert.near(at_y(0) - at_y(4), heights[1], PIXEL)
    assert.near(0, heights[2], PIXEL)
    assert.near(at_y(0) - at_y(8), heights[3], PIXEL)
  end)

  it("has ticks on round numbers around the data, for spans from 1e-9 to 1e9", function()
    for power = -9, 9 do
      for _, m in ipairs{ 1, 1.7, 2.3, 4.9, 7.1 } do
        local low, high = -0.3 * m * 10.0 ^ power, m * 10.0 ^ power
        local ticks, step = svg.ticks(low, high, 5)
        local lead = step / 10.0 ^ math.floor(math.log(step, 10) + 1e-9)
        assert.is_true(math.abs(lead - 1) < 1e-6 or math.abs(lead - 2) < 1e-6 or math.abs(lead - 5) < 1e-6
          or math.abs(lead - 10) < 1e-6)
        assert.is_true(ticks[1] <= low + 1e-6 * step and ticks[#ticks] >= high - 1e-6 * step)
        assert.is_true(#ticks >= 3 and #ticks <= 9, #ticks)
      end
    end
  end)

  it("draws constants, single points and empty lists without a wrong number", function()
    for _, case in ipairs{ { { 1 }, { 5 } }, { { 1, 2 }, { 3, 3 } }, { {}, {} }, { { 0, 1 }, { 0 / 0, 0 / 0 } },
      { { 1, 2 }, { 0, math.huge } }, { { 0, 1, 2 }, { -1e308, 0, 1e308 } }, { { -1e308, 0, 1e308 }, { 0, 1, 2 } } } do
      for _, style in ipairs{ "line", "steps", "points", "bars" } do
        local text = plot{ x = case[1], y = { a = case[2] }, style = style }
        assert.is_nil(text:find("nan", 1, true))
        assert.is_nil(text:find("inf", 1, true))
      end
    end
  end)

  it("escapes what XML does not take", function()
    local text = plot{ x = { 0, 1 }, y = { ["a<b & c"] = { 0, 1 } }, title = '"x" < y' }
    assert.truthy(text:find("a&lt;b &amp; c", 1, true))
    assert.truthy(text:find("&quot;x&quot; &lt; y", 1, true))
  end)

  it("writes a file, and answers nil and a message where it cannot", function()
    local path = os.tmpname()
    assert.is_true(plot{ x = { 0, 1 }, y = { a = { 0, 1 } }, file = path })
    local file <close> = assert(io.open(path))
    assert.equal(plot{ x = { 0, 1 }, y = { a = { 0, 1 } } }, file:read("a"))
    os.remove(path)
    local ok, message = plot{ x = { 0, 1 }, y = { a = { 0, 1 } }, file = "/no/such/folder/a.svg" }
    assert.is_nil(ok)
    assert.matches("/no/such/folder/a.svg", message, 1, true)
  end)

  it("takes one list, or pairs drawn in the order given", function()
    local one = plot{ x = { 0, 1 }, y = { 2, 3 } }
    assert.equal(2, #curve_points(one, FIRST))
    assert.is_nil(one:find('font-size="12"', 1, true)) -- no key for a single list
    local text = plot{ x = { 0, 1 }, y = { { "zeta", { 0, 1 } }, { "alpha", { 1, 0 } } } }
    assert.is_true(text:find(">zeta<", 1, true) < text:find(">alpha<", 1, true))
    assert.is_true(curve_points(text, FIRST)[1][2] > curve_points(text, SECOND)[1][2])
  end)

  it("is exact: on logarithmic axes a power law is a straight line of its exponent's slope", function()
    local x, y = {}, {}
    for i = 1, 30 do x[i], y[i] = 10.0 ^ (i / 10), 3 * 10.0 ^ (-2 * i / 10) end
    local text = plot{ x = x, y = y, log = "xy" }
    local points, ticks = curve_points(text, FIRST), {}
    for label in text:gmatch(">([%d.e-]+)</text>") do ticks[#ticks + 1] = tonumber(label) end
    local slope = (points[30][2] - points[1][2]) / (points[30][1] - points[1][1])
    for i = 2, 30 do
      assert.near(points[1][2] + slope * (points[i][1] - points[1][1]), points[i][2], 2 * PIXEL)
    end
    for _, v in ipairs(ticks) do assert.near(0, math.log(v, 10) % 1, 1e-9) end
    -- what is not positive is a hole
    local holed = plot{ x = { 1, 2, 3, 4 }, y = { 1, 0, 1, 2 }, log = "y" }
    local _, runs = holed:match('stroke="' .. FIRST .. '".- d="([^"]+)"'):gsub("M", "")
    assert.equal(2, runs)
  end)

  it("is exact: with equal axes a circle is round, and fits", function()
    local x, y = {}, {}
    for i = 0, 100 do x[i + 1], y[i + 1] = 3 + 2 * math.cos(i / 50 * math.pi), 2 * math.sin(i / 50 * math.pi) end
    local points = curve_points(plot{ x = x, y = y, equal = true, height = 400, width = 900 }, FIRST)
    local left, right, top, bottom = math.huge, -math.huge, math.huge, -math.huge
    for _, p in ipairs(points) do
      left, right, top, bottom = math.min(left, p[1]), math.max(right, p[1]), math.min(top, p[2]), math.max(bottom, p[2])
    end
    assert.near(right - left, bottom - top, 1) -- points of one column of pixels are thinned
    assert.is_true(top > 0 and bottom < 400 and left > 74 and right < 900)
  end)

  it("leaves room beside curves that turn and beside points, on logarithmic axes too; none beside a course in time", function()
    local x, y, t = {}, {}, {}
    for i = 0, 40 do
      x[i + 1], y[i + 1], t[i + 1] = 2 + math.cos(math.pi * i / 20), math.sin(math.pi * i / 20), i
    end
    local function ends(options)
      local points, low, high = curve_points(plot(options), FIRST), math.huge, 0
      for _, p in ipairs(points) do low, high = math.min(low, p[1]), math.max(high, p[1]) end
      return low - 74, 640 - 16 - high -- from the frame
    end
    for _, log in ipairs { false, "x" } do
      local left, right = ends{ x = x, y = y, log = log or nil }
      assert.near(550 / 42, left, PIXEL)
      assert.near(550 / 42, right, PIXEL)
    end
    local left, right = ends{ x = t, y = y }
    assert.same({ 0, 0 }, { left, right })
    left, right = ends{ x = x, y = y, x_range = { 1, 3 } }
    assert.near(0, left, PIXEL)
    assert.near(0, right, PIXEL)
  end)

  it("is exact: ranges are the frame, and what lies beyond is cut off", function()
    local text = plot{ x = { 0, 1, 2, 3 }, y = { 0, 10, 20, 30 }, x_range = { 1, 2 }, y_range = { 5, 25 } }
    local at_x, ticks = scale_of(text, "x")
    assert.is_true(ticks[1][1] >= 1 and ticks[#ticks][1] <= 2)
    assert.near(at_x(3), curve_points(text, FIRST)[4][1], 3 * PIXEL)
    local left, width = text:match('<clipPath id="frame"><rect x="([%d.]+)" y="[%d.]+" width="([%d.]+)"')
    assert.near(tonumber(left), at_x(1), PIXEL)
    assert.near(tonumber(left) + tonumber(width), at_x(2), PIXEL)
  end)

  it("is exact: error bars reach as far as their half lengths", function()
    local text = plot{ x = { 0, 1, 2 }, y = { { "a", { 1, 2, 3 } } }, error = { 0.5, 0.25, 1 }, kind = "scatter" }
    local at_y, k = scale_of(text, "y"), 0
    for _, low, high in text:match('stroke%-width="1" d="([^"]+)"'):gmatch("M([%d.]+) ([%d.]+)V([%d.]+)") do
      k = k + 1
      assert.near(at_y(({ 0.5, 1.75, 2 })[k]), tonumber(low), PIXEL)
      assert.near(at_y(({ 1.5, 2.25, 4 })[k]), tonumber(high), PIXEL)
    end
    assert.equal(3, k)
  end)

  it("draws a heat map: a cell a value, the least and greatest in the ends of the scale, holes left out", function()
    local text = plot{ x = { 0, 1, 2 }, y = { 10, 20 }, kind = "heat", z = { { 0, 1, 2 }, { 3, 0 / 0, 4 } } }
    local cells, scale = 0, 0
    for width in text:gmatch('<rect x="[%d.]+" y="[%d.]+" width="([%d.]+)"') do
      if width == "12" then scale = scale + 1 else cells = cells + 1 end
    end
    assert.equal(5, cells)
    assert.equal(24, scale)
    assert.truthy(text:find("#2e1f5e", 1, true))
    assert.truthy(text:find("#f4e150", 1, true))
  end)

  it("puts several charts into one picture, each with its own frame", function()
    local chart = { x = { 0, 1 }, y = { 0, 1 }, x_range = { 0.2, 0.5 }, width = 200, height = 150 }
    local text = plot.figures{ chart, chart, chart, columns = 2 }
    assert.truthy(text:find('viewBox="0 0 400 300"', 1, true))
    for i = 1, 3 do assert.truthy(text:find('id="frame' .. i .. '"', 1, true)) end
    assert.truthy(text:find('<svg x="200" y="0"', 1, true))
    assert.truthy(text:find('<svg x="0" y="150"', 1, true))
    assert.error_matches(function() plot.figures{} end, "expected a list of charts", 1, true)
  end)

  it("names a wrong option", function()
    local good = { x = { 0, 1 }, y = { a = { 0, 1 } } }
    local function wrong(change, message)
      local options = { x = good.x, y = good.y }
      for k, v in pairs(change) do options[k] = v end
      assert.error_matches(function() plot(options) end, message, 1, true)
    end
    wrong({ titel = "x" }, "delassus.plot: unknown option 'titel' (did you mean 'title'?)")
    wrong({ title = 5 }, "delassus.plot: 'title' must be a string, got 5")
    wrong({ x = "time" }, "'x' must be a list of numbers, got 'time'")
    wrong({ x = io.stdout }, "'x' must be a list of numbers, got a userdata")
    wrong({ x = { 0, "a" } }, "'x[2]' must be a number, got 'a'")
    wrong({ y = 3 }, "'y' must be a list, pairs { name, list } or named lists, got 3")
    wrong({ y = { 1, 2, 3 } }, "'y' must have as many numbers as 'x' (2), got 3")
    wrong({ y = { { "a", { 0, 1 } }, 7 } }, "'y[2]' must be a pair { name, list }, got 7")
    wrong({ y = { { "a", { 0, 1 } }, { "a", { 0, 1 } } } }, "'y' names 'a' twice")
    wrong({ kind = "pie" }, "'kind' must be one of 'line', 'scatter', 'heat', got 'pie'")
    wrong({ log = "z" }, "'log' must be one of 'x', 'y', 'xy', got 'z'")
    wrong({ equal = 1 }, "'equal' must be true or false, got 1")
    wrong({ equal = true, log = "x" }, "'equal' and 'log' exclude each other")
    wrong({ x_range = { 2, 1 } }, "'x_range' must be { low, high } with low < high")
    wrong({ y_range = { 0, 1 }, log = "y" }, "a range on a logarithmic axis must be > 0")
    wrong({ z = { { 1 } } }, "'z' needs kind 'heat'")
    wrong({ kind = "heat", y = { 0, 1 } }, "'z' is required by kind 'heat'")
    wrong({ kind = "heat", y = { 0, 1 }, z = { { 1, 2 }, { 1 } } }, "'z[2]' must have as many numbers as 'x' (2), got 1")
    wrong({ kind = "heat", y = { 1, 0 }, z = { { 1, 2 }, { 1, 2 } } }, "'y' must rise for kind 'heat'")
    wrong({ error = { 1 } }, "'error' must have as many numbers as 'x' (2), got 1")
    wrong({ y = {} }, "'y' must hold at least one series")
    wrong({ y = { a = { 1 } } }, "'y.a' must have as many numbers as 'x' (2), got 1")
    wrong({ style = "bar" }, "'style' must be one of 'line', 'steps', 'points', 'bars', got 'bar'")
    wrong({ width = 1e9 }, "'width' must be 120 to 20000")
    wrong({ height = 0 / 0 }, "'height' must be finite")
    wrong({ order = { "b" } }, "'order[1]' names no series of 'y': 'b'")
    assert.error_matches(function() plot() end, "delassus.plot: expected a table of options, got nil", 1, true)
    assert.error_matches(function() plot{} end, "'x' is required", 1, true)
  end)

  it("writes SVG and nothing else", function()
    local chart = { x = { 1, 2 }, y = { 1, 2 }, file = "x.png" }
    assert.error_matches(function() plot(chart) end, "'file' must end in .svg, got 'x.png'")
    assert.error_matches(function() plot.figures { { x = { 1, 2 }, y = { 1, 2 } }, file = "x.PDF" } end, "must end in .svg")
    assert.error_matches(function() plot.figures { { x = { 1, 2 }, y = { 1, 2 } }, file = 1 } end, "'file' must be a string")
  end)
end)

describe("the numbers of an axis", function()
  it("are those of its ticks, to a thousandth of the step, whatever the range", function()
    for power = -5, 4 do
      for _, m in ipairs { 1, 2, 2.5, 5, 7 } do
        local ticks, step = svg.ticks(0, m * 10.0 ^ power, 5)
        assert.is_true(#ticks > 1)
        for _, v in ipairs(ticks) do
          assert.is_true(math.abs(tonumber((svg.tick_text(v, step))) - v) <= 1e-3 * step, svg.tick_text(v, step))
        end
      end
    end
  end)
end)
