-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The corpus of the fuzzing targets (`make fuzz`) replayed, and what follows from it by chance: nothing may crash, and
-- no target may find fault.
local delassus = require "delassus"
local seeds = require "support.seeds"

local targets = { "api", "models", "recordings", "snapshots", "lcp" }
local words = { "null", "{}", "[", "-1", "1e308", "\"", "\0", "\255\255\255\255", "<", "/>", "nan", "{", ")", "name" }

local function corpus(target)
  local list, pipe = {}, assert(io.popen("ls spec/fuzz/corpus/" .. target))
  for name in pipe:lines() do
    local file = assert(io.open(("spec/fuzz/corpus/%s/%s"):format(target, name), "rb"))
    list[#list + 1] = { name = name, text = file:read("a") }
    file:close()
  end
  pipe:close()
  return list
end

--- A text with up to four changes: bytes, words put in or over what is there, an end cut off.
local function changed(random, text)
  for _ = 1, random:integer(1, 4) do
    local at, kind = random:integer(1, math.max(#text, 1)), random:integer(1, 4)
    if kind == 1 then text = text:sub(1, at - 1) .. string.char(random:integer(0, 255)) .. text:sub(at + 1)
    elseif kind == 2 then text = text:sub(1, at) .. words[random:integer(1, #words)] .. text:sub(at + 1)
    elseif kind == 3 then text = text:sub(1, at) .. words[random:integer(1, #words)] .. text:sub(at + random:integer(1, 9))
    elseif random:integer(1, 4) == 1 then text = text:sub(1, at) end
  end
  return text
end

describe("the fuzzing target", function()
  for _, target in ipairs(targets) do
    it(target .. " finds no fault in its corpus and in 200 changes of it", function()
      local run, list = require("fuzz." .. target), corpus(target)
      assert.is_true(#list > 0)
      for _, input in ipairs(list) do
        local ok, message = pcall(run, input.text)
        assert.is_true(ok, ("%s/%s: %s"):format(target, input.name, message))
      end
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local input = list[random:integer(1, #list)]
        local ok, message = pcall(run, changed(random, input.text))
        assert.is_true(ok, ("seed %d of %s/%s: %s"):format(seed, target, input.name, message))
      end
    end)
  end
end)
