std = "lua54"
max_line_length = 130
exclude_files = { "lua_modules", "build", "src/viewer" }
files["spec"] = { std = "+busted" }
files["spec/support/memory"] = { globals = { "phase", "after" } }
files["spec/support/steps_without_memory.lua"] = { globals = { "phase" } }
files["spec/support/bounded_without_memory.lua"] = { globals = { "phase" } }
files["spec/support/solvers_without_memory.lua"] = { globals = { "phase" } }
files["types"] = { unused = false, max_line_length = false } -- declarations: bodies are empty
files["rockspec"] = { std = "+rockspec" }
files[".luarocks"] = { std = "lua54" }
