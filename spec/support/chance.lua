--- Choices from a seed of our own: from(a, b) a number between, pick{ ... } one of a list.
local delassus = require "delassus"

return function(seed)
  local random, c = delassus.random(seed), {}
  function c.from(a, b) return a + (b - a) * random:uniform() end
  function c.pick(list) return list[random:integer(1, #list)] end
  return c
end
