-- Overlap in a drum, from positions alone: one judge for every engine. Exact disks, the drum's circle and its lifters
-- (bars of `height` by `width` on the circle); relative to the diameter of the smaller disk. A contact is a pair closer
-- than 1 mm; the mean is over contacts, those without overlap counting as zero.
local M = {}

local NEAR = 1e-3

local function note(q, gap, diameter)
  if gap > NEAR then return end
  q.contacts = q.contacts + 1
  if gap >= 0 then return end
  q.worst, q.sum = math.max(q.worst, -gap / diameter), q.sum - gap / diameter
end

-- The gap between a disk at (x, y) and a bar about the x axis from `tip` outwards: negative by the way out.
local function bar_gap(x, y, r, tip, half)
  local along, across = tip - x, math.abs(y) - half
  if along <= 0 and across <= 0 then return math.max(along, across) - r end
  local a, b = math.max(along, 0), math.max(across, 0)
  return math.sqrt(a * a + b * b) - r
end

local function against_drum(q, frame, i, r, lifters, radius)
  local x, y = frame[2 * i], frame[2 * i + 1]
  local out = math.sqrt(x * x + y * y)
  if out + r + lifters.height + NEAR < radius then return end
  note(q, radius - out - r, 2 * r)
  for k = 0, lifters.count - 1 do
    local c, s = math.cos(frame[1] + 2 * math.pi * k / lifters.count), math.sin(frame[1] + 2 * math.pi * k / lifters.count)
    local along, across = c * x + s * y, c * y - s * x
    if along > 0 and math.abs(across) < r + lifters.width then
      note(q, bar_gap(along, across, r, radius - lifters.height, lifters.width / 2), 2 * r)
    end
  end
end

--- Adds a frame {angle, x1, y1, x2, y2, ...} to the judgement.
function M.look(q, frame, state, lifters)
  local cells, size, disks = {}, 0.305, state.disks
  for i = 1, #disks do
    local x, y, r = frame[2 * i], frame[2 * i + 1], disks[i][1]
    against_drum(q, frame, i, r, lifters, state.radius)
    local at = (x // size) * 4096 + y // size
    for cell = at - 4096, at + 4096, 4096 do
      for place = cell - 1, cell + 1 do
        local list = cells[place]
        for k = 1, list and #list or 0 do
          local j = list[k]
          local dx, dy, s = x - frame[2 * j], y - frame[2 * j + 1], disks[j][1]
          local reach = r + s + NEAR
          local d2 = dx * dx + dy * dy
          if d2 < reach * reach then note(q, math.sqrt(d2) - r - s, 2 * math.min(r, s)) end
        end
      end
    end
    local own = cells[at]
    if own then own[#own + 1] = i else cells[at] = { i } end
  end
end

--- An empty judgement: `worst`, `sum` and `contacts`.
function M.new() return { worst = 0, sum = 0, contacts = 0 } end

--- The judgement of a trace: frames of doubles, written by a peer.
function M.trace(path, state, lifters)
  local q, n = M.new(), 1 + 2 * #state.disks
  local file = assert(io.open(path, "rb"))
  local form = "<" .. ("d"):rep(64)
  for text in function() return file:read(8 * n) end do
    local frame, at = {}, 1
    while #frame < n do
      local left = math.min(64, n - #frame)
      local got = { string.unpack(left == 64 and form or "<" .. ("d"):rep(left), text, at) }
      for k = 1, left do frame[#frame + 1] = got[k] end
      at = got[left + 1]
    end
    M.look(q, frame, state, lifters)
  end
  file:close()
  return q
end

return M
