-- Complementarity solvers against their peers, on identical inputs in turn (PERFORMANCE section 1):
--   lua5.4 bench/lcp.lua [seconds a cell, default 0.2] [n ..., default 4 16 64 256]
-- Builds bench/lcp_bench.cpp against the core that `require` finds and against what is installed of Bullet
-- (libbullet-dev), ODE (libode-dev), Siconos (libsiconos-numerics-dev), Goldfarb-Idnani (r-cran-quadprog) and LAPACK
-- (liblapack-dev, libblas-dev); FAMILY=spd takes one family, PEERS=0 no peers. Prints CSV: family, n, solver,
-- microseconds (the best of many), failures, worst residual, mean pivots; then for each family and size how many times
-- the fastest correct peer's time ours is, and how `auto` compares with the best single method of ours.
local seconds = arg[1] or "0.2"
local sizes = table.concat({ table.unpack(arg, 2) }, " ")
if sizes == "" then sizes = "4 16 64 256" end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local QUADPROG = "/usr/lib/R/site-library/quadprog/libs/quadprog.so"

--- Flags of the peers that are there; the others are named.
local function peers()
  local flags, libraries = {}, {}
  local function take(name, file, flag, library)
    if exists(file) then
      flags[#flags + 1], libraries[#libraries + 1] = flag, library
    else
      io.stderr:write(name, " is not installed: left out\n")
    end
  end
  take("Bullet", "/usr/include/bullet/BulletDynamics/MLCPSolvers/btDantzigLCP.h",
    "-DWITH_BULLET -DBT_USE_DOUBLE_PRECISION -I/usr/include/bullet",
    "-lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64")
  take("ODE", "/usr/include/ode/ode.h", "-DWITH_ODE", "-lode")
  take("Siconos", "/usr/include/siconos/numerics/LCP_Solvers.h",
    "-DWITH_SICONOS -I/usr/include/siconos -I/usr/include/siconos/numerics", "-lsiconos_numerics")
  take("Goldfarb-Idnani", QUADPROG, ("-DWITH_QUADPROG='\"%s\"'"):format(QUADPROG), "-ldl")
  if os.execute("echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null -llapack -lblas 2>/dev/null") then
    flags[#flags + 1], libraries[#libraries + 1] = "-DWITH_LAPACK", "-llapack -lblas"
  else
    io.stderr:write("LAPACK is not installed: left out\n")
  end
  return table.concat(flags, " "), table.concat(libraries, " ")
end

local function build()
  local core = assert(package.searchpath("delassus.core", (package.cpath:gsub("%.so", ".a"))))
  local flags, libraries = peers()
  local binary = os.getenv("BINARY") or os.tmpname()
  local command = ("c++ -O2 -w %s -Isrc -Ispec/support -Ibench -o %s bench/lcp_bench.cpp %s -llua5.4 %s")
    :format(flags, binary, core, libraries)
  assert(os.execute(command), command)
  return binary
end

local ours = { auto = true, energy = true, block = true, lemke = true, ["least-index"] = true, pgs = true,
  newton = true, enumerate = true }

--- What a cell (family and size) shows: the fastest that never failed of each kind.
local function summarise(rows)
  local cells, order = {}, {}
  for _, row in ipairs(rows) do
    local key = row.family .. "," .. row.n
    if not cells[key] then
      cells[key] = {}
      order[#order + 1] = key
    end
    local cell, kind = cells[key], nil
    local plain, sparse = row.solver:match("^([%w-]+)( ?%(?s?p?a?r?s?e?%)?)$")
    if ours[plain] then
      kind = (plain == "auto" and "auto" or "single") .. sparse
    elseif row.solver:match("^LAPACK") then
      kind = "bound"
    elseif not row.solver:match("^energy ") then
      kind = "peer"
    end
    if kind and row.failed:match("^0/") and (not cell[kind] or row.time < cell[kind].time) then cell[kind] = row end
  end
  return cells, order
end

local function ratio(a, b) return a and b and ("%.2f"):format(a.time / b.time) or "-" end

local function name(row) return row and row.solver or "none" end

local function compare(rows)
  local cells, order = summarise(rows)
  print("\nfamily,n,fastest correct peer / auto,that peer,auto / one Cholesky,auto / best single method,that method,"
    .. "the same two for a sparse matrix")
  for _, key in ipairs(order) do
    local c = cells[key]
    print(table.concat({ key, ratio(c.peer, c.auto), name(c.peer), ratio(c.auto, c.bound), ratio(c.auto, c.single),
      name(c.single), ratio(c["auto (sparse)"], c["single (sparse)"]), name(c["single (sparse)"]) }, ","))
  end
end

local binary = build()
local rows = {}
print("family,n,solver,microseconds,failed,worst residual,pivots")
local pipe = assert(io.popen(("OPENBLAS_NUM_THREADS=1 %s %s %s 2>/dev/null"):format(binary, seconds, sizes)))
for line in pipe:lines() do
  local family, n, solver, time, failed = line:match("^(%w+),(%d+),([^,]+),([%w.]+),(%d+/%d+),")
  if family then
    print(line)
    rows[#rows + 1] = { family = family, n = n, solver = solver, time = tonumber(time) or math.huge, failed = failed }
  end
end
pipe:close()
if not os.getenv("BINARY") then os.remove(binary) end
compare(rows)
