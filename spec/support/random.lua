--- Numbers in (-1, 1) from a seed of our own: the same on every machine.
return function(seed)
  local state = seed * 2654435761 % 4294967296 + 1
  return function()
    state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return (state >> 20) / 2 ^ 42 - 1
  end
end
