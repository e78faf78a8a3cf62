--- Siconos' text files of complementarity and frictional contact problems.
--
-- A file is a header of whole numbers, matrices, vectors; anything after the last number is a remark. A matrix begins
-- with its storage and size:
--
--     0  rows cols  rows cols  numbers by columns                            dense
--     1  rows cols  blocks, block rows, block columns, where they end, the sparse matrix of blocks, the blocks
--        one by one, each by columns                                         sparse by blocks
--     2  rows cols  1 or 2, two lines of title, entries "i j : x" or columns of entries "i : x"   sparse
--
-- LCP: n, M, q. Contacts: dimension, contacts, W, q, mu. Contacts of a system with masses (the "global" form
-- M v = H r + f, u = H' v + b): dimension, contacts, M, H, f, b, mu; they are condensed to W = H' M^-1 H.
-- @module delassus.lcp_read
local core = require "delassus.core"
local condense = require "delassus.lcp_condense"

local Reader = {}
Reader.__index = Reader

--- Ends the reading; `read` answers the text.
function Reader:fail(fmt, ...)
  error({ text = ("%s: "):format(self.name) .. fmt:format(...) }, 0)
end

function Reader:line()
  return select(2, self.text:sub(1, self.pos):gsub("\n", "")) + 1
end

--- The next word, or nil at the end.
function Reader:word()
  local from, to = self.text:find("%S+", self.pos)
  if not from then return nil end
  self.pos = to + 1
  return self.text:sub(from, to)
end

function Reader:number(what)
  local word = self:word()
  local x = word and tonumber(word)
  if not x then self:fail("line %d: expected %s, got %s", self:line(), what, word or "the end of the file") end
  if x ~= x or x - x ~= 0 then self:fail("line %d: %s is not a finite number", self:line(), what) end
  return x
end

--- A whole number from `least` to `most`.
function Reader:whole(what, least, most)
  local x = math.tointeger(self:number(what))
  if not x or x < least or x > (most or 1e8) then
    self:fail("line %d: %s must be a whole number >= %d%s", self:line(), what, least, most and " and <= " .. most or "")
  end
  return x
end

function Reader:numbers(what, n)
  local list = {}
  for i = 1, n do list[i] = self:number(what) end
  return list
end

--- Numbers left before the end or the first other word, counted up to `most`.
function Reader:numbers_left(most)
  local at, n = self.pos, 0
  while n < most do
    local word = self:word()
    if not (word and tonumber(word)) then break end
    n = n + 1
  end
  self.pos = at
  return n
end

-- A matrix is { rows =, cols =, dense = bool, {i, j, value}, ... }: entries in any order, repeated ones add up.

function Reader:dense_entries(A, rows, cols)
  for j = 1, cols do
    for i = 1, rows do
      local x = self:number("an entry of the matrix")
      if x ~= 0 then A[#A + 1] = { i, j, x } end
    end
  end
end

function Reader:dense(A)
  local rows, cols = self:whole("the number of rows", 0), self:whole("the number of columns", 0)
  if rows ~= A.rows or cols ~= A.cols then self:fail("the sizes of the dense matrix do not agree") end
  self:dense_entries(A, rows, cols)
end

--- Where block k of the list of ends begins (from 0) and how long it is.
local function extent(ends, k)
  local from = k > 1 and ends[k - 1] or 0
  return from, ends[k] - from
end

function Reader:ends(what, n, last)
  local ends = self:numbers(what, n)
  for k = 1, n do
    if math.tointeger(ends[k]) == nil or extent(ends, k) > last or select(2, extent(ends, k)) < 0 then
      self:fail("the ends of the %s must ascend", what)
    end
  end
  if n > 0 and ends[n] ~= last then self:fail("the %s do not add up to the size of the matrix", what) end
  return ends
end

function Reader:blocks(A)
  local n_blocks = self:whole("the number of blocks", 0)
  local n_rows, n_cols = self:whole("the number of block rows", 0), self:whole("the number of block columns", 0)
  local row_ends = self:ends("block rows", n_rows, A.rows)
  local col_ends = self:ends("block columns", n_cols, A.cols)
  local n_start, n_index = self:whole("the length of a list", 0), self:whole("the length of a list", 0)
  local start, index = self:numbers("the start of a block row", n_start), self:numbers("a block column", n_index)
  if n_index < n_blocks then self:fail("%d blocks, but places for %d", n_blocks, n_index) end
  local row = 1
  for k = 1, n_blocks do
    self:whole("the number of a block", 0)
    while row + 1 < n_start and k > start[row + 1] do row = row + 1 end
    local col = index[k] + 1
    if row > n_rows or not col_ends[col] then self:fail("block %d lies outside of the matrix", k) end
    local i0, m = extent(row_ends, row)
    local j0, n = extent(col_ends, col)
    for j = 1, n do
      for i = 1, m do
        local x = self:number("an entry of a block")
        if x ~= 0 then A[#A + 1] = { math.tointeger(i0) + i, math.tointeger(j0) + j, x } end
      end
    end
  end
end

function Reader:skip_line()
  self.pos = (self.text:find("\n", self.pos, true) or #self.text) + 1
end

--- CSparse's printed form: a title, a line of sizes, then lines "i j : x", or "col j : ..." and "i : x".
function Reader:printed(A)
  local kind = self:whole("the kind of sparse matrix", 0, 3)
  if kind ~= 1 and kind ~= 2 then self:fail("sparse matrices of kind %d are not read", kind) end
  self:skip_line()
  local _, title = self.text:find("^%s*CSparse[^\n]*\n", self.pos)
  if not title then self:fail("line %d: expected a matrix printed by CSparse", self:line()) end
  self.pos = title + 1
  local _, to, rows, cols, count =
    self.text:find("^[^\n%d]*(%d+)%-by%-(%d+), nzmax: %d+ nnz: (%d+)[^\n]*\n", self.pos)
  if not to or tonumber(rows) ~= A.rows or tonumber(cols) ~= A.cols then
    self:fail("line %d: the sizes of the sparse matrix do not agree", self:line())
  end
  self.pos = to + 1
  local pattern = kind == 1 and "^%s*(%d+) (%d+) : (%S+)" or "^%s*(%d+) : (%S+)"
  local n, col = 0, 0
  while n < tonumber(count) do
    local _, after, j = self.text:find("^%s*col (%d+) :[^\n]*\n", self.pos)
    if after then
      self.pos, col = after + 1, j + 1
    else
      local _, last, i, other, value = self.text:find(pattern, self.pos)
      if kind == 2 then value, other = other, col - 1 end
      local x = last and tonumber(value)
      if not x or x - x ~= 0 then self:fail("line %d: expected an entry of the sparse matrix", self:line()) end
      i, j = math.tointeger(tonumber(i)) + 1, math.tointeger(tonumber(other)) + 1
      if i > A.rows or j < 1 or j > A.cols then
        self:fail("line %d: the entry lies outside of the matrix", self:line())
      end
      self.pos, n = last + 1, n + 1
      A[n] = { i, j, x }
    end
  end
  local columns = self.text:match("^%s*col %d+ :[^\n]*\n()", self.pos) -- empty ones at the end
  while columns do
    self.pos = columns
    columns = self.text:match("^%s*col %d+ :[^\n]*\n()", self.pos)
  end
end

local storages = { [0] = Reader.dense, Reader.blocks, Reader.printed }

function Reader:matrix()
  local storage = self:whole("the storage of a matrix", 0, 2)
  local A = { rows = self:whole("the number of rows", 0), cols = self:whole("the number of columns", 0) }
  A.dense = storage == 0
  storages[storage](self, A)
  return A
end

--- As lcp.solve and lcp.cone take it: rows, or a sparse matrix.
local function finished(A)
  if not A.dense and A.rows > 0 and A.cols > 0 then
    local list = { rows = A.rows, cols = A.cols }
    table.move(A, 1, #A, 1, list)
    return core.sparse(list)
  end
  local rows = {}
  for i = 1, A.rows do
    rows[i] = {}
    for j = 1, A.cols do rows[i][j] = 0.0 end
  end
  for _, e in ipairs(A) do rows[e[1]][e[2]] = rows[e[1]][e[2]] + e[3] end
  return rows
end

function Reader:contacts(dimension, n)
  local A = self:matrix()
  local size, left = dimension * n, self:numbers_left(dimension * n + n + 2)
  local q
  if A.rows ~= A.cols then self:fail("the matrix must be square, it is %d x %d", A.rows, A.cols) end
  if A.rows == size and left >= size + n and left <= size + n + 1 then
    q = self:numbers("an entry of q", size)
  else
    local H = self:matrix()
    if H.rows ~= A.rows or H.cols ~= size then self:fail("the sizes of M and H do not fit %d contacts", n) end
    local f, b = self:numbers("an entry of f", A.rows), self:numbers("an entry of b", size)
    local why
    A, q, why = condense(A, H, f, b)
    if not A then self:fail("%s", why) end
  end
  local friction = self:numbers("a coefficient of friction", n)
  return { W = finished(A), q = q, friction = friction, planar = dimension == 2 or nil }
end

--- A relay's bounds after q: w = M z + q, lo <= z <= hi, and w against the bound that z has reached.
function Reader:relay(M, q, n)
  local lo, hi, kinds = self:numbers("a lower bound", n), self:numbers("an upper bound", n), {}
  for i = 1, n do
    if lo[i] > hi[i] then self:fail("numbers after q: no bounds, %g > %g in row %d", lo[i], hi[i], i) end
    kinds[i] = { "box", lo[i], hi[i] }
  end
  return { W = finished(M), q = q, kinds = kinds }
end

local REFUSED = "neither a complementarity nor a contact problem of dimension 2 or 3 (mixed problems, rolling friction "
  .. "and generic mechanical problems have layouts that are not read)"

function Reader:problem()
  local first = self:whole("the size or dimension", 0)
  local after_first = self.pos
  local second = self:whole("the storage or number of contacts", 0)
  local after_second = self.pos
  local third, fourth = self:whole("the storage or size", 0), self:whole("the size", 0)
  -- "2 1 2 2 2 k CSparse ..." is one contact in the plane, with a sparse matrix of 2 x 2
  local printed = second == 1 and self.text:find("^%s*%d+%s+%d+%s*%a", self.pos)
  if third == first and fourth == first and second <= 2 and not printed then
    self.pos = after_first
    local M, q = self:matrix(), self:numbers("an entry of q", first)
    local left = self:numbers_left(2 * first + 1)
    if left == 2 * first and left > 0 then return self:relay(M, q, first) end
    if left > 0 then self:fail("numbers after q: not a plain complementarity problem") end
    return { M = finished(M), q = q }
  end
  self.pos = after_second
  if first ~= 2 and first ~= 3 then self:fail(REFUSED) end
  return self:contacts(first, second)
end

local M = {}

--- Reads one file.
-- @tparam string file its path
-- @treturn table `{ M =, q = }` for `lcp.solve` or `{ W =, q =, friction =, planar = }` for `lcp.cone` (of a relay
-- `{ W =, q =, kinds = }`); or nil and a message
function M.read(file)
  if type(file) ~= "string" then
    core.raise("lcp.read", ("expected the path of a file, got %s"):format(type(file)))
  end
  local stream, message = io.open(file, "rb")
  if not stream then return nil, message end
  local text, why = stream:read("a")
  stream:close()
  if not text then return nil, ("%s: %s"):format(file, why) end
  if text:sub(1, 8) == "\137HDF\r\n\26\n" then
    return nil, file .. ": an HDF5 file, not a text file: only Siconos' text formats are read"
  end
  if text:find("\0", 1, true) then return nil, file .. ": not a text file" end
  local reader = setmetatable({ name = file, text = text:gsub("\r\n", "\n"), pos = 1 }, Reader)
  local ok, problem = pcall(Reader.problem, reader)
  if ok then return problem end
  if type(problem) == "table" and problem.text then return nil, problem.text end
  error(problem, 0)
end

return M
