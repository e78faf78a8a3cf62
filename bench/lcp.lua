-- Complementarity solvers against their peers, on identical inputs in turn (PERFORMANCE section 1):
--   lua5.4 bench/lcp.lua [seconds a cell, default 0.2] [n ..., default 4 16 64 256]
-- Builds bench/lcp_bench.cpp against the core that `require` finds and against what is installed of Bullet
-- (libbullet-dev), Siconos (libsiconos-numerics-dev) and LAPACK (liblapack-dev, libblas-dev); FAMILY=spd takes one
-- family. Prints CSV: family, n, solver, microseconds (the best of many), failures, worst residual, mean pivots, and
-- then for each family and size how many times the fastest correct peer's time ours is.
local seconds = arg[1] or "0.2"
local sizes = table.concat({ table.unpack(arg, 2) }, " ")
if sizes == "" then sizes = "4 16 64 256" end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

--- Flags of the peers that are there; the others are named.
local function peers()
  local flags, libraries = {}, {}
  local function take(name, header, flag, library)
    if exists(header) then
      flags[#flags + 1], libraries[#libraries + 1] = flag, library
    else
      io.stderr:write(name, " is not installed: left out\n")
    end
  end
  take("Bullet", "/usr/include/bullet/BulletDynamics/MLCPSolvers/btDantzigLCP.h",
    "-DWITH_BULLET -DBT_USE_DOUBLE_PRECISION -I/usr/include/bullet",
    "-lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64")
  take("Siconos", "/usr/include/siconos/numerics/LCP_Solvers.h",
    "-DWITH_SICONOS -I/usr/include/siconos -I/usr/include/siconos/numerics", "-lsiconos_numerics")
  if os.execute("echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null -llapack -lblas 2>/dev/null") then
    flags[#flags + 1], libraries[#libraries + 1] = "-DWITH_LAPACK", "-llapack -lblas"
  else
    io.stderr:write("LAPACK is not installed: left out\n")
  end
  return table.concat(flags, " "), table.concat(libraries, " ")
end

local function build()
  local core = assert(package.searchpath("delassus.core", package.cpath))
  local flags, libraries = peers()
  local binary = os.tmpname()
  local command = ("c++ -O2 -w %s -Isrc -Ispec/support -o %s bench/lcp_bench.cpp %s -Wl,-rpath,. -llua5.4 %s")
    :format(flags, binary, core, libraries)
  assert(os.execute(command), command)
  return binary
end

--- Ours is what `auto` would call; peers that fail a problem of the family do not count.
local function compare(rows)
  local cells, order = {}, {}
  for _, row in ipairs(rows) do
    local key = row.family .. "," .. row.n
    if not cells[key] then
      cells[key] = { ours = math.huge, peer = math.huge, name = "none" }
      order[#order + 1] = key
    end
    local cell, time = cells[key], tonumber(row.time)
    local is_peer = row.solver:match("^Bullet") or row.solver:match("^Siconos")
    if row.failed:match("^0/") then
      if row.solver == "energy" or row.solver == "block" then cell.ours = math.min(cell.ours, time) end
      if row.solver:match("^LAPACK") then cell.bound = time end
      if is_peer and time < cell.peer then cell.peer, cell.name = time, row.solver end
    end
  end
  print("\nfamily,n,times faster than the fastest correct peer,that peer,times one Cholesky")
  for _, key in ipairs(order) do
    local cell = cells[key]
    print(("%s,%.1f,%s,%.2f"):format(key, cell.peer / cell.ours, cell.name, cell.ours / (cell.bound or 0 / 0)))
  end
end

local binary = build()
local rows = {}
local pipe = assert(io.popen(("%s %s %s 2>/dev/null"):format(binary, seconds, sizes)))
for line in pipe:lines() do
  print(line)
  local family, n, solver, time, failed = line:match("^(%w+),(%d+),([^,]+),([%d.]+),(%d+/%d+),")
  if family then rows[#rows + 1] = { family = family, n = n, solver = solver, time = time, failed = failed } end
end
pipe:close()
os.remove(binary)
compare(rows)
