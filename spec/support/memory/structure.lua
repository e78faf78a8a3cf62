local structure = require "delassus.structure"

local function build()
  local st = structure {}
  local grid = st:grid { corner = { 0, 0 }, size = { 2, 1 }, cells = { 2, 1 }, E = 10, nu = 0.3 }
  local n = st:node { 0, 2 }
  st:frame { grid[2][1], n, E = 1, A = 1, I = 1 }
  st:bar { n, grid[2][2], E = 1, A = 1 }
  for i = 1, 3 do st:contact { on = grid[1][i], normal = { 0, 1 }, friction = 0.3 } end
  st:contact { on = grid[1][1], normal = { 1, 0 }, gap = 0.1 } -- a link that repeats another
  for i = 1, 3 do st:load(grid[2][i], { 0, -1 }) end
  st:load(n, { 0.5, 0, 0.1 }, "growing")
  return st, n
end

function phase()
  local st, n = build()
  local path = st:follow { to = 2 }
  local state = path:at(1)
  local text = tostring(path) .. tostring(state) .. #path.events .. #state.contacts .. path.explanation
  text = text .. state:reaction(n) .. state:internal(st.elements[3]) .. #path:all(0.5)
  st:commit(state)
  local again = st:solve { p = 0.5 }
  text = text .. again.explanation .. tostring(again.solutions) .. tostring(st:problem())
  st:close()
  return text
end
