-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Fuzzing target: recordings. A first byte from 128 on makes the check sums of all chunks anew, so that what is
-- behind them is reached. A file is nil and a message, or a recording that can be asked and saved in every form.
local record = require "delassus.record"
local pack = require "delassus.pack"
local files = require "delassus.record_file"

local path = os.tmpname()

-- Chunks whose sums are wrong get right ones; a length beyond the end becomes what is there.
local function sealed(text)
  local parts, at = { text:sub(1, 15) }, 16
  while at + 11 <= #text do
    local size = ("<I4"):unpack(text, at + 4)
    local payload = text:sub(at + 12, at + 11 + size)
    local tag = text:sub(at, at + 3)
    parts[#parts + 1] = tag .. ("<I4I4"):pack(#payload, pack.checksum(tag .. payload)) .. payload
    at = at + 12 + #payload
  end
  return table.concat(parts)
end

return function(bytes)
  if #bytes == 0 then return end
  local text = bytes:sub(2)
  if bytes:byte() >= 128 then text = sealed(text) end
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local rec, message = record.read(path)
  os.remove(path)
  if rec == nil then
    if type(message) ~= "string" then error("FUZZ: no message", 0) end
    return
  end
  rec:times()
  rec:poses(1)
  for _, channel in ipairs(rec.channels) do rec:channel(channel.name, 1) end
  for _, column in ipairs(rec.columns) do rec:values(column.name) end
  rec:charts()
  if #rec.frames > 0 then rec:scene() end
  files.csv(rec)
  files.json(rec)
  return tostring(rec)
end
