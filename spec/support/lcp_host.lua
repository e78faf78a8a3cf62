--- Builds spec/support/<name>.c ("lcp_host" or another) against the core under test and runs its checks.
local M = {}

local binaries = {}

local function build(name)
  local core = assert(package.searchpath("delassus.core", (package.cpath:gsub("%.so", ".a"))))
  binaries[name] = os.tmpname()
  local sanitize = core:match("asan") and "-fsanitize=address,undefined" or core:match("coverage") and "--coverage" or ""
  local command = ("env -u LD_PRELOAD cc -O2 -Wno-psabi %s -Isrc -Ispec/support -o %s spec/support/%s.c %s %s "
    .. "-llua5.4 -lm"):format(sanitize, binaries[name], name, name == "lcp_host" and "spec/support/lanes_wide.c" or "", core)
  assert(os.execute(command), command)
end

--- The lines a check prints, joined; the last one reads "done <count>, failed <count>".
function M.run(check, name)
  name = name or "lcp_host"
  if not binaries[name] then build(name) end
  local pipe = assert(io.popen(("env -u LD_PRELOAD %s %s 2>&1"):format(binaries[name], check)))
  local text = pipe:read("a")
  pipe:close()
  return text
end

function M.remove()
  for _, file in pairs(binaries) do os.remove(file) end
  binaries = {}
end

return M
