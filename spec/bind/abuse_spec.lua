-- Every option of every constructor given what it must refuse: an error that names the function and the option.
local delassus = require "delassus"
local lcp = require "delassus.lcp"
local stack = require "delassus.stack"

local nan, inf = 0 / 0, math.huge

-- What each kind of option must refuse. A function or a userdata of another kind is refused by all.
local wrong = { "text", true, {}, print, delassus.vec { 1, 2 } }
local refused = {
  positive = { "text", true, {}, nan, inf, -inf, -1, 0 },
  nonnegative = { "text", true, {}, nan, inf, -inf, -1 },
  number = { "text", true, {}, nan, inf, -inf },
  count = { "text", true, {}, nan, inf, -1, 0, 1.5, 1e300, 2 ^ 53 },
  boolean = { "text", 1, {}, nan },
  string = { true, {}, print },
  choice = { "nonsense", true, {}, 1, nan },
  share = { "text", true, {}, nan, inf, -0.1, 1.1 },
  numbers = { "text", true, 3, { "x" }, { nan }, { inf }, { {} }, { 1, 2, 3, 4, 5, 6, 7 } },
  matrix = { "text", true, 3, { 1, 2 }, { { "x" } }, { { nan } }, { { inf } }, { { 1, 2, 3 } }, { { 1, 2 }, { 3 } } },
  table = { "text", true, 3 },
  stiffness = { "text", true, {}, nan, -inf, -1, 0 }, -- infinity is a rigid contact
  rows = { "text", true, { "x" }, { nan }, { inf }, { 1, 2, 3, 4, 5, 6, 7 }, nan }, -- one number stands for all rows
}

local square, q = { { 2, 1 }, { 1, 2 } }, { -1, 1 }
local body = { mass = 10, stiffness = 1e6, position = 1 }

local function planar_body(options)
  local world = delassus.world { planar = true }
  local before = world:hash()
  local ok, message = pcall(function() return world:body(options) end)
  if not ok then
    assert.equal(before, world:hash())
    error(message, 0)
  end
end

local function spatial_body(options) return delassus.world {}:body(options) end

-- name, function, valid options, kind of each option
local cases = {
  { "lcp.solve", lcp.solve, { M = square, q = q }, {
    M = "matrix", q = "numbers", method = "choice", tolerance = "positive", max_pivots = "count",
    max_iterations = "count", start = "numbers", trace = "boolean", check = "boolean" } },
  { "lcp.solver", lcp.solver, { method = "energy" }, { method = "choice", n = "count", tolerance = "positive" } },
  { "lcp.parametric", lcp.parametric, { M = square, q = { 1, 1 }, d = { -1, -1 } }, {
    M = "matrix", q = "numbers", d = "numbers", tolerance = "positive", margin = "numbers" } },
  { "lcp.cone", lcp.cone, { W = square, q = q, friction = 0.5, planar = true }, {
    W = "matrix", q = "numbers", method = "choice", planar = "boolean", tolerance = "positive", unique = "boolean",
    max_iterations = "count", start = "numbers", compliance = "rows", shift = "rows" } },
  { "stack", stack, { bodies = { body } }, {
    bodies = "table", floor = "number", ceiling = "number", gravity = "number", dt = "positive", damping = "choice" } },
  { "world", delassus.world, { planar = true }, {
    gravity = "numbers", dt = "positive", planar = "boolean", solver = "choice", impact = "choice",
    tolerance = "positive", max_iterations = "count" } },
  { "body", planar_body, { shape = delassus.disk { radius = 1 } }, {
    type = "choice", density = "positive", mass = "positive", position = "numbers", velocity = "numbers",
    angular_velocity = "number", rotation = "number", name = "string", sensor = "boolean" } },
  { "body", spatial_body, { shape = delassus.sphere { radius = 1 } }, {
    density = "positive", mass = "positive", position = "numbers", velocity = "numbers", rotation = "numbers",
    angular_velocity = "numbers", inertia = "numbers", com = "numbers" } },
  { "material", delassus.material, {}, {
    restitution = "share", stiffness = "stiffness", damping = "nonnegative",
    rolling_friction = "nonnegative", spinning_friction = "nonnegative" } },
  { "disk", delassus.disk, { radius = 1 }, { radius = "positive" } },
  { "sphere", delassus.sphere, { radius = 1 }, { radius = "positive" } },
  { "capsule", delassus.capsule, { radius = 1, length = 1 }, { radius = "positive", length = "nonnegative" } },
  { "cylinder", delassus.cylinder, { radius = 1, length = 1 }, { radius = "positive", length = "positive" } },
  { "cone", delassus.cone, { radius1 = 1, radius2 = 2, length = 1 }, {
    radius1 = "nonnegative", radius2 = "nonnegative", length = "positive" } },
  { "box", delassus.box, { size = { 1, 1 } }, { size = "numbers" } },
  { "plane", delassus.plane, { normal = { 0, 1 } }, { normal = "numbers", offset = "number" } },
}

local function with(valid, name, value)
  local options = {}
  for key, given in pairs(valid) do options[key] = given end
  if name then options[name] = value end
  return options
end

describe("bad input", function()
  for _, case in ipairs(cases) do
    local name, call, valid, options = table.unpack(case)

    it("is not what a valid call of " .. name .. " is", function()
      assert.has_no_error(function() call(with(valid)) end)
    end)

    local names = {}
    for option in pairs(options) do names[#names + 1] = option end
    table.sort(names)
    for _, option in ipairs(names) do
      it(("is refused by %s, naming '%s'"):format(name, option), function()
        for _, value in ipairs(refused[options[option]]) do
          local ok, message = pcall(call, with(valid, option, value))
          local given = ("%s = %s"):format(option, type(value) == "table" and "{...}" or tostring(value))
          assert.is_false(ok, given .. " was accepted")
          assert.is_string(message)
          assert.is_truthy(message:find("'" .. option .. "'", 1, true) or message:find(option .. "[", 1, true),
            given .. " gave: " .. message)
        end
      end)
    end

    it(("is refused by %s: an unknown option and what is no table"):format(name), function()
      local ok, message = pcall(call, with(valid, "qqqqqq", 1))
      assert.is_false(ok)
      assert.matches("unknown option 'qqqqqq'", message)
      for _, value in ipairs(wrong) do
        if type(value) ~= "table" then assert.is_false((pcall(call, value))) end
      end
    end)
  end
end)
