-- Every memory request made to fail in turn, in a small host whose allocator counts: a clean error, and not a
-- byte lost. The scripts under test are spec/support/memory/*.lua.

local function first_line(command)
  local pipe = assert(io.popen(command))
  local line = pipe:read("l")
  pipe:close()
  return line
end

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local host = os.tmpname()
local built = os.execute(("cc -O1 -I/usr/include/lua5.4 -o %s spec/support/failing_host.c -llua5.4"):format(host))

describe("memory", function()
  teardown(function() os.remove(host) end)

  it("has its host", function()
    assert.is_true(built)
  end)

  for _, script in ipairs(lines_of("ls spec/support/memory/*.lua")) do
    it("is conserved: every request fails in turn without loss, " .. script:match("[^/]+$"), function()
      local line = first_line(("LUA_PATH='%s' LUA_CPATH='%s' %s %s 2>&1"):format(
        package.path, package.cpath, host, script))
      assert.matches("^%d+ requests, %d+ of them ended in a clean error$", line)
    end)
  end

  local function is_not_asked_for(script)
    local line = first_line(("LUA_PATH='%s' LUA_CPATH='%s' %s spec/support/%s_without_memory.lua 2>&1"):format(
      package.path, package.cpath, host, script))
    assert.equal("0 requests, 0 of them ended in a clean error", line)
  end

  it("is not asked for within steps, once the first ones have found how much they need: 300 steps of 4 worlds", function()
    is_not_asked_for "steps"
  end)

  it("is not asked for where work is bounded, but in the first five of 2,000 steps of 6 worlds, 7,000 of one", function()
    is_not_asked_for "bounded"
  end)

  it("is not asked for by a solver's second solve: every method of lcp.solver and of lcp.cone_solver, " ..
    "8 problems", function()
    is_not_asked_for "solvers"
  end)

  it("is not asked for by the core for accelerations asked a second time: contacts, limits, motors and friction of 4 worlds",
    function()
    is_not_asked_for "accelerations"
  end)

  it("is not asked for by steps 501 to 1000 of event-driven worlds (joints of every formulation), stacks and batches", function()
    is_not_asked_for "schemes"
  end)

  it("is not asked for by the core in steps 501 to 1000 of systems given by their equations, both schemes", function()
    is_not_asked_for "systems"
  end)
end)
