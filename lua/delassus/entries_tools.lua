-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Drums of logs, files, figures, pages with their options: one text for help and for the manual.
-- See `delassus.entries` for the form.
-- @module delassus.entries_tools
return [[
drum{ ... } -> drum
A debarking drum: d:settle(), d:run{ revolutions = 3 }, d:report():save("drum.html").
  diameter = 4 | m | inner
  length = 8 | m |
  rpm = 6 | 1/min |
  fill = 0.5 | | share of the cross-section under the bed, or "50 %"
  lifters = default | | see "drum lifters"
  logs = default | | see "drum logs"
  material = default | Material | of the shell
  planar = false | | true: a slice across the axis, logs are disks
  seed = 1 | |
  dt = 1e-3 | s |
  gravity = 9.81 | m/s^2 |
  solver = "auto" | | in space of more than 200 logs "nsgs"
  tolerance = 1e-3 | relative | of a step
  max_iterations = 20000 | sweeps | in space 1000, of up to 200 logs 5000
  collision_speed = 0.05 | m/s | a slower approach is no collision
  collision_time = 0.02 | s | touches closer in time are one collision
  run_up = 0.5 | s | until the shell has its speed
  debarking = assumed | | { work =, collisions = }: constants measured
  feed = nil | | not there yet
  discharge = nil | | not there yet

drum lifters
  count = 8 | | 0: none
  height = 0.15 | m |
  width = 0.1 | m |

drum logs
  diameter = {0.1, 0.3} | m | range or number
  length = {1, 2} | m | range or number
  taper = 0 | m/m | diameter a length, in space
  density = 850 | kg/m^3 |
  material = default | Material |
  strength = nil | N | of a log: more is damage
  stiffness = nil | N/m | of a log, for the force of a collision
  count = nil | | in place of fill
  file = nil | | CSV of measured logs

drum:run{ revolutions = } -> drum
  revolutions = nil | | or
  time = nil | s |
  progress = false | | true: a bar
  record = nil | | file for the replay
  every = 1/30 | s | between recorded frames, more in a long run

delassus.sweep{ grid =, run = } -> list of rows
One run for every point of a grid (the module delassus.sweep): a row a run, parameters and results merged, in grid order: names
sorted, the last one varies fastest. Under mpirun, srun or in a Slurm array a process makes its share, and answers that.
  grid! | | a list of numbers, strings or booleans for each parameter: { rpm = {4, 5, 6} }
  run! | | function(p) of a table of parameters -> a table of results, or nothing
  workers = 1 | | processes side by side
  file = nil | | a line a run, as JSON; runs that it holds are not made again
  progress = false | | true: a bar

delassus.load(file, { root = }) -> World, index; or nil and a message
A URDF file, or an RBDL Lua model. index.bodies, index.joints by name.
  root = "fixed" | | or "free"

delassus.batch(world, n) -> Batch
n states of one model at once: batch:set_coordinates(k, q), batch:accelerations(), batch:step(n). Smooth motion: shapes do not
touch; a limit that would act raises. Reduced joints with springs, dampers and (accelerations) dry friction; no motors, gears,
springs between points, fields, forces of body:apply or contacts made by hand.

logs.parse(text, { ... }) -> list of logs
Of a CSV text; logs.read(file) of a file. The first line names columns and units: "diameter (cm),length (m)".
  density = 850 | kg/m^3 | of logs without one
  name = nil | | for messages

logs.read(file, { ... }) -> list of logs; or nil and a message
The same of a file.

delassus.plot{ x =, y =, ... } -> SVG
A figure; with file it is written there.
  x! | | list of numbers
  y! | | one list, pairs { {"name", list}, ... } in the order drawn, or named lists
  z = nil | | rows of numbers at (x[i], y[j]), of kind "heat"
  title = nil | |
  x_label = nil | |
  y_label = nil | |
  file = nil | | "name.svg"
  width = 640 | px |
  height = 320 | px |
  order = nil | | names in the order drawn
  style = "line" | | "steps", "points", "bars"
  kind = "line" | | "scatter", "heat"
  equal = false | | true: one length on both axes
  log = nil | | "x", "y", "xy"
  x_range = nil | | {low, high}
  y_range = nil | | {low, high}
  error = nil | | bars: a list, or lists by name

plot.figures{ {...}, {...}, ... } -> SVG
Several figures on one page, each with the options of delassus.plot.
  columns = 1 | |
  file = nil | | written there instead

delassus.report{ title =, ... } -> Report
A page of numbers, tables, charts and a replay: r:save("page.html").
  title! | |
  subtitle = nil | |
  text = nil | | list of paragraphs
  numbers = nil | | list of { label, value, unit }
  tables = nil | | list of { title =, columns =, rows =, note = }
  charts = nil | | list of { title =, x =, y =, ... }
  scene = nil | | a recorder, or a scene of bars

report table
  title = nil | |
  columns! | | list of names
  rows! | | list of lists
  note = nil | |

report chart
  title = nil | |
  x_label = nil | |
  y_label = nil | |
  x! | | list
  y! | | named lists
  order = sorted | | names in order
  shown = up to eight | | names drawn at first
  style = "line" | | "steps", "bars", "points"
  linked = true | | x is the scene's time

delassus.record{ bodies =, ... } -> Recorder
A recording of poses from plain lists; worlds make theirs with world:record.
  title = nil | |
  planar = false | |
  bodies = {} | | list of { name =, type =, shape = }
  connections = none | | joints, springs and ropes to draw: see the head of delassus.record
  channels = none | | values a body and frame: { name =, label =, unit =, range = }
  series = none | | values a frame: { name =, label =, unit =, chart = }
  contacts = false | | true: frames carry points and forces
  keep = all | s | kept in memory
  file = nil | | frames are written there as they come
  stream = nil | | anything with a write method
  speed = nil | | of the replay at first

rec:save(file) -> true; or nil and a message
Writes what was recorded, by the file's ending: .html (the replay), .rec, .csv (units in its header), .json, .glb (animated
glTF 2.0), .pvd (for ParaView, with its .vtp files in a folder beside it).

record.read(file) -> Recorder; or nil and a message
A recording from its file (.rec); a torn end is read up to the last whole frame.

recording frame
  time! | s |
  poses! | | position and rotation of every body in one list
  channels = none | | lists by name
  series = none | | numbers by name
  contacts = none | | points and forces in one list

delassus.show(thing, path) -> path, or nil and a message
Opens a world's or a recording's page in the browser.
]]
