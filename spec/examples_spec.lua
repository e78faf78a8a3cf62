-- Every example runs as a user runs it, in a folder of its own, and ends with the line its header promises.

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  local good = pipe:close()
  return list, good
end

local root = lines_of("pwd")[1]

--- A search path with its relative parts made to start at the checkout.
local function absolute(path)
  return (path:gsub("[^;]+", function(part)
    if part:sub(1, 1) == "/" then return part end
    return root .. "/" .. part:gsub("^%./", "")
  end))
end

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local function run(example, arguments)
  return lines_of(("cd %s && LUA_PATH='%s' LUA_CPATH='%s' lua5.4 %s/%s %s 2>&1"):format(folder, absolute(package.path),
    absolute(package.cpath), root, example, arguments or ""))
end

local function header(path)
  local lines, code = {}, 0
  for line in io.lines(path) do
    if code == 0 and line:match("^%-%-") then lines[#lines + 1] = line else code = code + 1 end
  end
  return lines, #lines + code
end

-- Long examples run in small here: arguments, and the line with which they end then.
local small = { ["examples/drum_of_logs.lua"] = { "drum.html 0.01",
  "516 logs, 0.01 revolutions, 50.0 % full: 1 collisions, 8.5 kW at the shell" } }
-- The line of the first one is a height, judged below.
local judged_apart = { ["examples/01_falling_ball.lua"] = true }

describe("the example", function()
  teardown(function() os.execute("rm -rf " .. folder) end)

  for _, example in ipairs(lines_of("ls examples/*.lua")) do
    it(example .. " runs and ends as its header says", function()
      local head, length = header(example)
      local arguments, promised = table.unpack(small[example] or { "", (head[#head] or ""):match("^%-%- Ends with: (.*)$") })
      assert.is_true(#head >= 4 and length < 60)
      local output, good = run(example, arguments)
      assert.is_true(good, table.concat(output, "\n"))
      assert.is_true(#output > 0)
      if not judged_apart[example] then assert.equal(promised, output[#output]) end
    end)
  end

  it("examples/stack_of_logs.lua leaves a page with the tables, and takes a file of the user's own", function()
    run("examples/stack_of_logs.lua")
    local page = assert(io.open(folder .. "/stack.html")):read("a")
    assert.matches("A pile of 60 logs", page)
    assert.matches("Force at the contacts", page)
    local own = assert(io.open(folder .. "/own.csv", "w"))
    own:write("length (cm);diameter (mm)\n240;185,5\n238;210\n")
    own:close()
    local output, good = run("examples/stack_of_logs.lua", "own.csv own.html")
    assert.is_true(good)
    assert.matches("^2 logs, 0.13 t: %d+ collisions", output[#output])
    output, good = run("examples/stack_of_logs.lua", "absent.csv")
    assert.is_nil(good)
    assert.matches("absent.csv: No such file", table.concat(output, "\n"))
  end)

  it("table names every example and no other", function()
    local named, there = {}, {}
    for line in io.lines("examples/README.md") do named[#named + 1] = line:match("^| `([%w_]+%.lua)` |") end
    for i, path in ipairs(lines_of("ls examples/*.lua")) do there[i] = path:match("[^/]+$") end
    table.sort(named)
    assert.same(there, named)
  end)

  it("examples/01_falling_ball.lua ends within a step's error of the height that its header derives", function()
    local g, e, h = 9.81, 0.8, 0.9 -- Newton's law each time; arcs of 2 e^k t0
    local t0 = math.sqrt(2 * h / g)
    local t = 2 - t0 * (1 + 2 * e + 2 * e ^ 2)
    local exact = 0.1 + e ^ 3 * g * t0 * t - g * t ^ 2 / 2
    local text = assert(io.open("examples/01_falling_ball.lua")):read("a")
    assert.equal(("%.4f"):format(exact), text:match("closed form: ([%d.]+) m"))
    local height -- the one line that is a number; where the page is, and whether it has a replay, follows it
    for _, line in ipairs((run("examples/01_falling_ball.lua"))) do height = tonumber(line) or height end
    assert.near(exact, height, 1e-3)
  end)

  it("examples/data/logs.csv is what its generator draws", function()
    local drawn = run("examples/data/make_logs.lua")
    local k = 0
    for line in io.lines("examples/data/logs.csv") do
      k = k + 1
      assert.equal(drawn[k], line)
    end
    assert.equal(#drawn, k)
  end)

  it("examples/01_falling_ball.lua is the README's first program, word for word", function()
    local readme = assert(io.open("README.md")):read("a")
    local program = {}
    for line in readme:match("## A first program\n\n(.-)\n%S"):gmatch("[^\n]*") do
      program[#program + 1] = line:gsub("^    ", "")
    end
    local example = assert(io.open("examples/01_falling_ball.lua")):read("a"):gsub("^%-%-[^\n]*\n", "")
    while example:match("^%-%-") do example = example:gsub("^%-%-[^\n]*\n", "") end
    assert.equal((example:gsub("%s+$", "")), (table.concat(program, "\n"):gsub("%s+$", "")))
  end)
end)
