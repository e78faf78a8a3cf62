std = "lua54"
max_line_length = 110
exclude_files = { "lua_modules", "build", "src/viewer" }
files["spec"] = { std = "+busted" }
files["rockspec"] = { std = "+rockspec" }
files[".luarocks"] = { std = "lua54" }
