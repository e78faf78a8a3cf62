--- Builds spec/support/lcp_host.c against the core under test and runs its checks.
local M = {}

local binary

local function build()
  local core = assert(package.searchpath("delassus.core", package.cpath))
  binary = os.tmpname()
  local sanitize = core:match("asan") and "-fsanitize=address,undefined" or ""
  local command = ("cc -O2 %s -Isrc -Ispec/support -o %s spec/support/lcp_host.c %s -llua5.4 -lm"):format(
    sanitize, binary, core)
  assert(os.execute(command), command)
end

--- The lines a check prints, joined; the last one reads "done <count>, failed <count>".
function M.run(check)
  if not binary then build() end
  local pipe = assert(io.popen(("LD_LIBRARY_PATH=. %s %s 2>&1"):format(binary, check)))
  local text = pipe:read("a")
  pipe:close()
  return text
end

function M.remove()
  if binary then os.remove(binary) end
  binary = nil
end

return M
