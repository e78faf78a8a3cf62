-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A byte string read as numbers, words, tables and objects: what a fuzzing target makes its calls of. Past its end
-- it reads as zeros, so that any string is a program.
local Source = {}
Source.__index = Source

--- Hostile and plain numbers.
Source.numbers = { 0, 1, -1, 2, 0.5, 0.1, 1e-3, 3, 10, 1e3, 1e6, 1e-9, 0 / 0, math.huge, -math.huge, 1e300, -1e300, 1e154,
  5e-324, 1e-300, -0.0, 2 ^ 31, 2 ^ 53, -2 ^ 63, math.maxinteger, math.mininteger, 1.5, 7, 100, 1e18, 1e-6, 0.9 }

Source.words = { "", "x", "auto", "lemke", "newton", "nsgs", "poisson", "sequential", "reduced", "rigid", "penalty",
  "revolute", "prismatic", "fixed", "spherical", "universal", "static", "kinematic", "dynamic", "impact", "step", "contact",
  "n", "a\0b", ("long "):rep(60), "%s%n", "\255\254", "lcp", "free", "cylindrical", "planar", "newmark" }

-- Names of options: every field that types/delassus.d.lua knows.
local function known_fields()
  local set, list = {}, {}
  for line in io.lines "types/delassus.d.lua" do
    local name = line:match "^%-%-%-@field ([%a_][%w_]*)"
    if name and not set[name] then set[name], list[#list + 1] = true, name end
  end
  table.sort(list)
  return list
end
Source.fields = known_fields()

function Source.new(bytes, pool) return setmetatable({ bytes = bytes, at = 1, pool = pool or {} }, Source) end

function Source:ended() return self.at > #self.bytes end

function Source:byte()
  local b = self.bytes:byte(self.at) or 0
  self.at = self.at + 1
  return b
end

--- 0 to below n.
function Source:below(n) return n <= 256 and self:byte() % n or (self:byte() << 8 | self:byte()) % n end

function Source:pick(list) return list[1 + self:below(#list)] end

function Source:number()
  local kind = self:below(8)
  if kind < 4 then return self:pick(self.numbers) end
  if kind < 7 then return (self:byte() - 128) / 16 end
  local eight = self.bytes:sub(self.at, self.at + 7)
  self.at = self.at + 8
  return #eight == 8 and ("<d"):unpack(eight) or 0
end

--- A tame number from `lo` to `hi`.
function Source:between(lo, hi) return lo + (hi - lo) * self:byte() / 255 end

function Source:list(n)
  local list = {}
  for i = 1, n do list[i] = self:number() end
  return list
end

--- A table of options from all known names, lists and values.
function Source:options(depth)
  local t = {}
  for _ = 1, self:below(6) do
    local key = self:below(4) == 0 and 1 + self:below(4) or self:pick(self.fields)
    t[key] = self:value(depth + 1)
  end
  return t
end

local makers = {
  function() return nil end,
  function() return true end,
  function() return false end,
  function(s) return s:number() end,
  function(s) return s:number() end,
  function(s) return s:below(8) end,
  function(s) return s:pick(s.words) end,
  function(s) return s:list(2) end,
  function(s) return s:list(3) end,
  function(s) return s:list(s:below(9)) end,
  function(s, depth) return depth < 3 and s:options(depth) or {} end,
  function(s, depth)
    local list = {}
    for i = 1, depth < 3 and s:below(5) or 0 do list[i] = s:value(depth + 1) end
    return list
  end,
  function(s) return s.pool[1 + s:below(math.max(#s.pool, 1))] end,
  function(s) return s.pool[1 + s:below(math.max(#s.pool, 1))] end,
  function(s, depth)
    local x = depth < 3 and s:value(depth + 1) or 0
    return function() return x end
  end,
}

function Source:value(depth)
  depth = depth or 0
  return makers[1 + self:below(#makers)](self, depth)
end

--- pcall(f, ...) under a clock that a hook looks at: within long computations the library lets hooks have their turn.
-- Where the time is up the message is "time is up". The hook raises once, and never outside of the protected call.
function Source.guarded(seconds, f, ...)
  local ends
  local function look()
    if ends and os.clock() > ends then
      ends = nil
      error("time is up", 0)
    end
  end
  local function disarmed(...)
    ends = nil
    return ...
  end
  debug.sethook(look, "c", 10000)
  local answer = table.pack(xpcall(function(...)
    ends = os.clock() + seconds
    return disarmed(f(...))
  end, disarmed, ...))
  debug.sethook()
  return table.unpack(answer, 1, answer.n)
end

return Source
