-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Which of the runs of a sweep are this process's: all, or its share under mpirun, srun or in a Slurm array.
-- @module delassus.sweep_share
local core = require "delassus.core"

--- Rank and size of a task, in the order asked: a task of an array may be a step of srun, too.
local RANKS = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "PMI_RANK", "PMI_SIZE" },
  { "SLURM_PROCID", "SLURM_NTASKS" } }

local function whole(name, text, least)
  local n = text and text:match("^%-?%d+$") and math.tointeger(tonumber(text))
  if n and n >= least then return n end
  core.raise("sweep", ("%s must be a whole number >= %d, got %s"):format(name, least, text and "'" .. text .. "'" or "none"))
end

local function of_array(get)
  local function read(name, default, least)
    name = "SLURM_ARRAY_TASK_" .. name
    return whole(name, get(name) or default, least)
  end
  if not get "SLURM_ARRAY_TASK_ID" or not get "SLURM_ARRAY_TASK_COUNT" then return nil end
  local size = read("COUNT", nil, 1)
  if not get "SLURM_ARRAY_TASK_MIN" then return read("ID", nil, 0) % size, size end
  local step, first = read("STEP", "1", 1), read("MIN", nil, 0)
  local far, last = read("ID", nil, 0) - first, read("MAX", tostring(first + (size - 1) * step), 0)
  if (last - first) // step ~= size - 1 or far < 0 or far % step ~= 0 or far // step >= size then
    core.raise("sweep", ("the %d tasks of the Slurm array must be evenly spaced, as in --array=1-%d"):format(size, size))
  end
  return far // step, size
end

--- Whose share of the runs is this process's.
-- @tparam function get os.getenv
-- @treturn integer rank from 0
-- @treturn integer size: run k is this process's where (k - 1) % size == rank
return function(get)
  local rank, size = of_array(get)
  if rank then return rank, size end
  for _, names in ipairs(RANKS) do
    local mine, all = get(names[1]), get(names[2])
    -- The script of a batch has a rank, too, without being a step of srun: it stands for all of its tasks.
    local alone = names[1] == "SLURM_PROCID" and get "SLURM_JOB_ID" and not (get "SLURM_STEP_ID" or get "SLURM_STEPID")
    if mine and all and not alone then
      size = whole(names[2], all, 1)
      rank = whole(names[1], mine, 0)
      if rank >= size then core.raise("sweep", ("%s is %d of %s %d"):format(names[1], rank, names[2], size)) end
      return rank, size
    end
  end
  return 0, 1
end
