-- Figures 1 and 2 of Shimanovskiy's paper with our numbers: time against the number of bodies for the block L'DL and the
-- sweep, one evaluation of a chain of balls (1) and one Stormer step of order six of a chain of hinges (2):
--   lua5.4 bench/tree_figures.lua [folder, default bench/results]
-- writes tree-figure-1.svg, tree-figure-2.svg and tree-figures.csv (figure, series, bodies, microseconds). "Published" is
-- bench/peers/tree_published.c: both eliminations with their 6 x 6 products in full, one compiler, one flag for both.
package.path = "bench/?.lua;" .. package.path
local models = require "tree_models"
local plot = require "delassus.plot"

local folder = arg and arg[1] or "bench/results"
local counts = { 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 }
local program = assert(models.peers()[1], "bench/peers/tree_published.c cannot be built here")
assert(program:find("published"), "bench/peers/tree_published.c cannot be built here")

-- Lines "name,n,method,ns a body,.." of the program: the microseconds of both methods.
local function published(forest, model, what)
  local path = models.write(forest, model)
  local pipe = assert(io.popen(("%s %s %s"):format(program, path, what)))
  local found = {}
  for line in pipe:lines() do
    local method, ns = line:match("^[^,]*,[^,]*,([^,]*),([^,]*)")
    found[method:find("L'DL") and "L'DL, published" or "sweep, published"] = tonumber(ns) * #model.links / 1e3
  end
  pipe:close()
  os.remove(path)
  return found
end

local function ours(forest, method)
  return models.time(function(n) forest:evaluate(method, n) end) / 1e3
end

local csv = assert(io.open(folder .. "/tree-figures.csv", "w"))
csv:write("figure,series,bodies,microseconds\n")

local function draw(figure, title, order, measure)
  local y = {}
  for _, name in ipairs(order) do y[name] = {} end
  for k, n in ipairs(counts) do
    local values = measure(n)
    for _, name in ipairs(order) do
      y[name][k] = values[name]
      csv:write(("%d,%s,%d,%.3f\n"):format(figure, (name:gsub(",", "")), n, values[name]))
    end
  end
  assert(plot { x = counts, y = y, order = order, title = title, x_label = "bodies", y_label = "time (us)",
    file = ("%s/tree-figure-%d.svg"):format(folder, figure) })
  print(("%d: "):format(figure) .. title)
  for _, name in ipairs(order) do print(("   %-18s %7.1f us at 100 bodies"):format(name, y[name][#counts])) end
end

draw(1, "One evaluation of a chain of ball joints",
  { "sweep, published", "L'DL, published", "sweep, ours", "L'DL, ours", "structured" }, function(n)
    local forest, model = models.sample("ball", n)
    local values = published(forest, model, "")
    values["sweep, ours"], values["L'DL, ours"] = ours(forest, "sweep"), ours(forest, "ldl")
    values.structured = ours(forest, "fast")
    return values
  end)
draw(2, "One Stormer step of a chain of hinges", { "sweep, published", "L'DL, published", "structured" }, function(n)
  local forest, model = models.sample("rev", n)
  local values = published(forest, model, "stormer")
  values.structured = models.time_stormer(forest, model) / 1e3
  return values
end)
csv:close()
