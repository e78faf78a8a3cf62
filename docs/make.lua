-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Builds the manual: the pages of docs, the reference, the gallery, as one HTML file with search.
--
--     lua5.4 docs/make.lua build/manual/manual.html       -- from the project's folder; `make manual` does it
--
-- Pictures are those that the examples wrote into the folder of the file, under examples/ (where they have been run).
package.path = "docs/?.lua;" .. package.path
local markdown = require "markdown"
local reference = require "reference"

local PAGES = { "index", "install", "units", "first_hour", "concepts", "solvers", "drums", "sweeps", "stacks", "structures",
  "systems", "hosts", "prompt", "view", "performance", "determinism", "trust", "release", "coming_from", "gallery" }

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

-- What an example says of itself: the lines of its head.
local function head_of(path)
  local lines = {}
  for line in io.lines(path) do
    local text = line:match("^%-%-%s?(.*)$")
    if not text then break end
    lines[#lines + 1] = text
  end
  return lines
end

--- The examples with their heads and the pictures that they left in `folder`.
local function gallery(folder)
  local out = {}
  local list = assert(io.popen("ls examples/*.lua"))
  for path in list:lines() do
    local name, lines = path:match("([^/]+)%.lua$"), head_of(path)
    local text = table.concat(lines, "\n")
    out[#out + 1] = ("<h2 id=\"gallery--%s\">%s</h2>\n<p>%s</p>"):format(markdown.anchor(name), name,
      (markdown.escape(text):gsub("`([^`\n]+)`", "<code>%1</code>"):gsub("\n", "<br>\n")))
    for picture in text:gmatch("[%w_]+%.svg") do
      local svg = read(folder .. "/" .. picture)
      if svg then out[#out + 1] = "<figure>" .. svg:gsub("^<%?xml.-%?>", "") .. "</figure>" end
    end
  end
  list:close()
  return table.concat(out, "\n")
end

local function contents(pages)
  local out = {}
  for _, page in ipairs(pages) do
    for _, heading in ipairs(page.headings) do
      if heading.level <= 2 then
        out[#out + 1] = ('<a class="l%d" href="#%s">%s</a>'):format(heading.level, heading.anchor,
          markdown.escape((heading.text:gsub("`", ""))))
      end
    end
  end
  return table.concat(out, "\n")
end

local function build(file)
  local pages = {}
  local texts = {}
  for _, name in ipairs(PAGES) do texts[#texts + 1] = { name, assert(read("docs/" .. name .. ".md"), name) } end
  texts[#texts + 1] = { "topics", reference.topics() }
  texts[#texts + 1] = { "reference", reference.markdown() }
  local folder = (file:match("^(.*)/") or ".") .. "/examples"
  for i, text in ipairs(texts) do
    local html, headings = markdown.html(text[2], text[1])
    if text[1] == "gallery" then
      local pictures = gallery(folder)
      html = html:gsub("<!%-%- gallery %-%->", function() return pictures end)
    end
    pages[i] = { html = html, headings = headings }
  end
  local bodies = {}
  for i, page in ipairs(pages) do bodies[i] = "<section>\n" .. page.html .. "\n</section>" end
  local filled = { contents = contents(pages), body = table.concat(bodies, "\n") }
  local html = assert(read "docs/manual.template.html"):gsub("{{(%w+)}}", filled)
  local out = assert(io.open(file, "wb"))
  out:write(html)
  out:close()
  return html
end

if arg and arg[0] and arg[0]:match("docs/make%.lua$") then
  build(arg[1] or "build/manual/manual.html")
end

return { build = build, pages = PAGES }
