-- Prints one line of bits a part of the library: the same from every compiler, level and process.
-- Each part is a module support.bits_<name> that returns a function answering a string of bits.
for _, name in ipairs { "arrays", "drum", "forest", "lcp", "math", "penalty", "stack", "structure", "world" } do
  print(name .. "=" .. require("support.bits_" .. name)())
end
