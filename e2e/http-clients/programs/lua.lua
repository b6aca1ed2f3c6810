-- lua5.3 lua.lua STEP URL [STEP URL]…: the steps are those of node.mjs.
local http = require "socket.http"
local ltn12 = require "ltn12"
io.stdout:setvbuf "no"
local BODY = '{"name":"Rex","photoUrls":[]}'

for i = 1, #arg, 2 do
  local step, url = arg[i], arg[i + 1]
  local posts = step == "post" or step == "key"
  local received = {}
  if step == "timeout" then http.TIMEOUT = 3 end
  if step == "json" then
    print "NA"
  else
    local ok, status = http.request {
      url = url,
      method = posts and "POST" or "GET",
      headers = posts and {
        ["Content-Type"] = "application/json",
        ["Content-Length"] = #BODY,
        ["Idempotency-Key"] = step == "key" and "k1" or nil,
      },
      source = posts and ltn12.source.string(BODY) or nil,
      sink = ltn12.sink.table(received),
    }
    if ok then print("OK " .. status .. " " .. #table.concat(received)) else print("ERR " .. tostring(status)) end
  end
end
