# crystal STEP URL [STEP URL]…: the steps are those of node.mjs.
require "http/client"

BODY   = %({"name":"Rex","photoUrls":[]})
CLIENT = HTTP::Client.new(URI.parse(ARGV[1]))
STDOUT.sync = true
ARGV.each_slice(2) do |(step, url)|
  headers = HTTP::Headers.new
  headers["Content-Type"] = "application/json" if step == "post" || step == "key"
  headers["Idempotency-Key"] = "k1" if step == "key"
  CLIENT.read_timeout = 3.seconds if step == "timeout"
  begin
    next puts "NA" if step == "json"
    path = url.sub(/^http:\/\/[^\/]+/, "")
    response = headers.empty? ? CLIENT.get(path) : CLIENT.post(path, headers, BODY)
    puts "OK #{response.status_code} #{response.body.bytesize}"
  rescue error
    puts "ERR #{error.class} #{error.message}".gsub(/\s+/, " ")
  end
end
