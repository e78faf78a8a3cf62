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
  size = { "text", true, {}, nan, inf, -1, 1.5, 1e300, 2 ^ 53 }, -- 0: of an empty problem
  boolean = { "text", 1, {}, nan },
  string = { true, {}, print },
  choice = { "nonsense", true, {}, 1, nan },
  share = { "text", true, {}, nan, inf, -0.1, 1.1 },
  law = { "text", true, nan, inf, -1, { 1 }, { static = 1 }, { static = 1, kinetic = nan } }, -- or a table, a function
  body = { "text", true, {}, 3, nan },
  callback = { "text", true, {}, 3 },
  filter = { 3, {}, true },
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

-- A method of a world with a body of its own in it, which a refused call leaves as it was.
local function in_world(planar, call)
  return function(options)
    local world <close> = delassus.world { planar = planar, record = false }
    local own = planar and world:disk { radius = 1 } or world:sphere { radius = 1 }
    if type(options) == "table" then
      local given = {}
      for key, value in pairs(options) do given[key] = value end
      if given.a == "ground" then given.a = world.ground end
      if given.b == "body" then given.b = own end
      options = given
    end
    local before = world:hash()
    local ok, message = pcall(call, world, options, own)
    if not ok then
      assert.equal(before, world:hash())
      error(message, 0)
    end
    world:step()
  end
end

local function method(name)
  return function(world, options) return world[name](world, options) end
end

local function of_body(name)
  return function(_, options, own) return own[name](own, options) end
end

local laws = { friction = "law", restitution = "share", stiffness = "stiffness", damping = "nonnegative",
  rolling_friction = "nonnegative", spinning_friction = "nonnegative", tangential_restitution = "share" }

local function with_laws(kinds)
  for option, kind in pairs(laws) do kinds[option] = kind end
  return kinds
end

local function spatial_body(options) return delassus.world {}:body(options) end

-- name, function, valid options, kind of each option
local cases = {
  { "lcp.solve", lcp.solve, { M = square, q = q }, {
    M = "matrix", q = "numbers", method = "choice", tolerance = "positive", max_pivots = "count",
    max_iterations = "count", start = "numbers", trace = "boolean", check = "boolean" } },
  { "lcp.solver", lcp.solver, { method = "energy" }, { method = "choice", n = "size", tolerance = "positive" } },
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
  { "world:floor", in_world(true, method "floor"), {}, with_laws { offset = "number", group = "filter" } },
  { "world:wall", in_world(false, method "wall"), { normal = { 1, 0, 0 }, offset = -9 }, with_laws {
    offset = "number", normal = "numbers" } },
  { "world:drum", in_world(true, method "drum"), { radius = 9 }, { radius = "positive", rpm = "number" } },
  { "world:spring", in_world(true, method "spring"), { a = "ground", b = "body", stiffness = 1 }, {
    a = "body", b = "callback", anchor_a = "numbers", anchor_b = "numbers", stiffness = "nonnegative",
    damping = "nonnegative", length = "nonnegative" } },
  { "world:contact", in_world(false, method "contact"), { a = "ground", b = "body", normal = { 0, 0, 1 } }, with_laws {
    a = "body", point_a = "numbers", point_b = "numbers", normal = "numbers" } },
  { "world:contact", in_world(true, method "contact"), { a = "ground", b = "body", rope = 1 }, { rope = "positive" } },
  { "world:contact", in_world(true, method "contact"), { a = "ground", b = "body",
    gap = function(x) return x[2] + 9 end, gradient = function() return { 0, 1, 0 } end }, {
    gap = "callback", gradient = "callback" } },
  { "world:pair", in_world(true, method "pair"), { a = "ground", b = "body" }, with_laws { a = "body" } },
  { "body:apply", in_world(true, of_body "apply"), { force = { 1, 2 } }, {
    force = "numbers", torque = "number", at = "numbers" } },
  { "body:impulse", in_world(false, of_body "impulse"), { impulse = { 1, 2, 3 } }, {
    impulse = "numbers", angular_impulse = "numbers", at = "numbers" } },
  { "world", delassus.world, {}, { log = "boolean", strict = "boolean", profile = "boolean", scheme = "choice",
    theta = "positive", friction_corners = "positive", factor = "choice", record = "nonnegative", seed = "number" } },
  { "disk", delassus.disk, { radius = 1 }, { radius = "positive" } },
  { "sphere", delassus.sphere, { radius = 1 }, { radius = "positive" } },
  { "capsule", delassus.capsule, { radius = 1, length = 1 }, { radius = "positive", length = "nonnegative" } },
  { "cylinder", delassus.cylinder, { radius = 1, length = 1 }, { radius = "positive", length = "positive" } },
  { "cone", delassus.cone, { radius1 = 1, radius2 = 2, length = 1 }, {
    radius1 = "nonnegative", radius2 = "nonnegative", length = "positive" } },
  { "ellipsoid", delassus.ellipsoid, { radii = { 1, 2, 3 } }, { radii = "numbers" } },
  { "box", delassus.box, { size = { 1, 1 } }, { size = "numbers" } },
  { "plane", delassus.plane, { normal = { 0, 1 } }, { normal = "numbers", offset = "number" } },
}

local function with(valid, name, value)
  local options = {}
  for key, given in pairs(valid) do options[key] = given end
  if name then options[name] = value end
  return options
end

describe("a world's and a body's property", function()
  local properties = {
    world = { dt = "positive", gravity = "numbers", strict = "boolean", log = "boolean", tolerance = "positive",
      max_iterations = "count", profile = "boolean" },
    body = { position = "numbers", rotation = "number", velocity = "numbers", angular_velocity = "number", name = "string" },
  }
  for _, object in ipairs { "world", "body" } do
    for name, kind in pairs(properties[object]) do
      it(("refuses what %s.%s cannot be, and stays"):format(object, name), function()
        local world <close> = delassus.world { planar = true }
        local disk = world:disk { radius = 1 }
        local target = object == "world" and world or disk
        local before = world:hash()
        for _, value in ipairs(refused[kind]) do
          local ok, message = pcall(function() target[name] = value end)
          assert.is_false(ok, tostring(value) .. " was accepted")
          assert.matches("'" .. name .. "'", (message:gsub(name .. "%[", "'" .. name .. "'")))
          assert.equal(before, world:hash())
        end
      end)
    end
  end

  it("may not become a number that no computation can hold", function()
    for _, mass in ipairs { 1e-308, 1e308 } do
      local world <close> = delassus.world { planar = true }
      local before = world:hash()
      local ok, message = pcall(world.disk, world, { radius = 1e-3, mass = mass })
      assert.is_false(ok and mass < 1)
      if not ok then assert.matches("world:disk: .*'mass'", message) end
      if not ok then assert.equal(before, world:hash()) end
    end
  end)
end)

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
          assert.is_truthy(message:find("'" .. option .. "'", 1, true) or message:find(option .. "[", 1, true)
            or message:find(option .. ":", 1, true),
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
