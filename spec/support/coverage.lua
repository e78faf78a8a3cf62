-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What of src/core a run of build/coverage went through, from gcov's data: lines and branches by folder, files below
-- the targets. A line or a branch counts once, however often its file is compiled.
--     lua spec/support/coverage.lua     `make coverage`; exits 1 below the targets
local json = require "cjson"

local LINES, BRANCHES = 95, 85 -- percent of src/core

local files = {} -- [file] = { lines = { [n] = reached }, branches = { [n .. "." .. k] = taken } }

local function add(file, line)
  local of = files[file] or { lines = {}, branches = {} }
  files[file] = of
  of.lines[line.line_number] = of.lines[line.line_number] or line.count > 0
  for k, branch in ipairs(line.branches) do
    if not branch.throw then
      local key = line.line_number .. "." .. k
      of.branches[key] = of.branches[key] or branch.count > 0
    end
  end
end

local pipe = assert(io.popen "find build/coverage -name '*.gcda' -path '*src/core*'")
for data in pipe:lines() do
  local report = assert(io.popen(("gcov -b -j -t %s 2>/dev/null"):format(data)))
  for text in report:lines() do
    local ok, told = pcall(json.decode, text)
    for _, file in ipairs(ok and told.files or {}) do
      if file.file:find "^src/core/" then
        for _, line in ipairs(file.lines) do add(file.file, line) end
      end
    end
  end
  report:close()
end
pipe:close()

local function count(set)
  local n, reached = 0, 0
  for _, yes in pairs(set) do n, reached = n + 1, reached + (yes and 1 or 0) end
  return n, reached
end

local function share(n, reached) return n == 0 and 100 or 100 * reached / n end

local folders, order, total = {}, {}, { 0, 0, 0, 0 }
for file, of in pairs(files) do
  local folder = file:match "^src/core/([^/]+)"
  if not folders[folder] then folders[folder], order[#order + 1] = { 0, 0, 0, 0, files = {} }, folder end
  local n, reached = count(of.lines)
  local m, taken = count(of.branches)
  for k, x in ipairs{ n, reached, m, taken } do
    folders[folder][k], total[k] = folders[folder][k] + x, total[k] + x
  end
  table.insert(folders[folder].files, { file, share(n, reached), share(m, taken), n - reached, m - taken })
end
table.sort(order)
print "| folder | lines | % | branches | % |\n|---|---|---|---|---|"
for _, folder in ipairs(order) do
  local t = folders[folder]
  print(("| %s | %d | %.1f | %d | %.1f |"):format(folder, t[1], share(t[1], t[2]), t[3], share(t[3], t[4])))
end
local lines, branches = share(total[1], total[2]), share(total[3], total[4])
print(("| all | %d | %.1f | %d | %.1f |"):format(total[1], lines, total[3], branches))
print "\nFiles below the targets, those with the most lines missed first:"
local below = {}
for _, folder in ipairs(order) do
  for _, f in ipairs(folders[folder].files) do
    if f[2] < LINES or f[3] < BRANCHES then below[#below + 1] = f end
  end
end
table.sort(below, function(p, q) return p[4] > q[4] or (p[4] == q[4] and p[1] < q[1]) end)
for _, f in ipairs(below) do
  print(("%-50s lines %5.1f %% (%d missed), branches %5.1f %% (%d)"):format(f[1], f[2], f[4], f[3], f[5]))
end
print(("\ncoverage: lines %.1f %% (wanted %d), branches %.1f %% (wanted %d)"):format(lines, LINES, branches, BRANCHES))
os.exit(lines >= LINES and branches >= BRANCHES, true)
