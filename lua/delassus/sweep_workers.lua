-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Runs of a sweep, one after the other or some side by side in copies of this process. A copy makes one run and answers
-- by a pipe: no run sees what another one has left, and one that crashes is told. A free place takes the next run.
-- @module delassus.sweep_workers
local core = require "delassus.core"

local M = {}

--- One after the other, in this process.
local function in_turn(todo, work, each)
  for _, k in ipairs(todo) do each(k, pcall(work, k)) end
end

local function side_by_side(todo, n, work, each)
  local children, runs, parts = {}, {}, {}
  local crew <close> = setmetatable(children, { __close = function(list) -- an error or a Ctrl-C: none is left behind
    for i = #list, 1, -1 do list[i]:close() end
  end })
  local next_one = 1
  while next_one <= #todo or #crew > 0 do
    while next_one <= #todo and #crew < n do
      local i = #crew + 1
      local child = core.child()
      runs[i], parts[i], children[i] = todo[next_one], {}, child
      collectgarbage() -- finalizers of what is garbage run here, and not again in the copy
      local ok, message = child:start(work, runs[i])
      if ok then
        next_one = next_one + 1
      else -- the system has no more of them
        if i == 1 then core.raise("sweep", "no process can be started: " .. message) end
        n, runs[i], parts[i], children[i] = i - 1, nil, nil, nil
      end
    end
    local i = core.wait_children(children, 0.1) -- at most so long until a Ctrl-C is heard
    local piece = i and children[i]:hear()
    if piece then
      table.insert(parts[i], piece)
    elseif i then
      local status = children[i]:finish()
      local k, answer = runs[i], table.concat(parts[i])
      for _, list in ipairs { children, runs, parts } do table.remove(list, i) end
      if status == 0 and answer ~= "" then
        each(k, answer:sub(1, 1) == "+", answer:sub(2))
      elseif status == -2 then
        each(k, false, "interrupted") -- SIGINT
      else
        each(k, false, status < 0 and ("its process was ended by signal %d"):format(-status)
          or ("its process ended with status %d"):format(status))
      end
    end
  end
end

--- Does work(k), which answers a string, for each k of a list; each(k, ok, string or message) as they end.
-- @tparam {integer,...} todo
-- @tparam integer n of processes side by side
-- @tparam function work
-- @tparam function each
function M.run(todo, n, work, each)
  if n > 1 and core.forks then side_by_side(todo, n, work, each) else in_turn(todo, work, each) end
end

return M
