std = "lua54"
max_line_length = 130
exclude_files = { "lua_modules", "build", "src/viewer" }
files["spec"] = { std = "+busted" }
files["spec/support/memory"] = { globals = { "phase", "after" } }
files["spec/support/*_without_memory.lua"] = { globals = { "phase", "after" }, read_globals = { "of_core" } }
files["types"] = { unused = false, max_line_length = false } -- declarations: bodies are empty
files["rockspec"] = { std = "+rockspec" }
files[".luarocks"] = { std = "lua54" }
