# ruby ruby.rb CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
$stdout.sync = true
TIMEOUT = 3
BODY = '{"name":"Rex","photoUrls":[]}'
TYPE = { 'Content-Type' => 'application/json' }.freeze

# Each client is [call(method, url, headers, body, timeout) → [status, body], json(url), if it has one].
CLIENTS = {
  'net/http' => lambda do
    require 'net/http'
    uri = URI(ARGV[2])
    http = Net::HTTP.start(uri.host, uri.port)
    [lambda do |method, url, headers, body, timeout|
      http.read_timeout = timeout if timeout
      request = (method == 'GET' ? Net::HTTP::Get : Net::HTTP::Post).new(URI(url), headers)
      request.body = body if body
      response = http.request(request)
      [response.code, response.body]
    end]
  end,
  'faraday' => lambda do
    require 'faraday'
    client = Faraday.new
    [lambda do |method, url, headers, body, timeout|
      client.options.timeout = timeout if timeout
      response = method == 'GET' ? client.get(url, nil, headers) : client.post(url, body, headers)
      [response.status, response.body]
    end]
  end,
  'httparty' => lambda do
    require 'httparty'
    call = lambda do |method, url, headers, body, timeout|
      options = { headers: headers, body: body, timeout: timeout }.compact
      response = method == 'GET' ? HTTParty.get(url, options) : HTTParty.post(url, options)
      [response.code, response.body]
    end
    [call, ->(url) { HTTParty.get(url).parsed_response }]
  end,
  'rest-client' => lambda do
    require 'rest-client'
    [lambda do |method, url, headers, body, timeout|
      options = { method: method, url: url, headers: headers, payload: body, timeout: timeout }.compact
      response = RestClient::Request.execute(options)
      [response.code, response.body]
    end]
  end,
  'excon' => lambda do
    require 'excon'
    origin = ARGV[2][%r{\Ahttp://[^/]+}]
    client = Excon.new(origin)
    [lambda do |method, url, headers, body, timeout|
      options = { method: method, path: url.delete_prefix(origin), headers: headers, body: body, read_timeout: timeout }
      response = client.request(options.compact)
      [response.status, response.body]
    end]
  end,
  'httpclient' => lambda do
    require 'httpclient'
    client = HTTPClient.new
    [lambda do |method, url, headers, body, timeout|
      client.receive_timeout = timeout if timeout
      response = method == 'GET' ? client.get(url, nil, headers) : client.post(url, body, headers)
      [response.status, response.body]
    end]
  end,
  'http' => lambda do
    require 'http'
    call = lambda do |method, url, headers, body, timeout|
      client = timeout ? HTTP.timeout(timeout) : HTTP
      response = method == 'GET' ? client.get(url, headers: headers) : client.post(url, headers: headers, body: body)
      [response.code, response.to_s]
    end
    [call, ->(url) { HTTP.get(url).parse }]
  end,
  'typhoeus' => lambda do
    require 'typhoeus'
    [lambda do |method, url, headers, body, timeout|
      options = { method: method.downcase.to_sym, headers: headers, body: body, timeout: timeout }.compact
      response = Typhoeus::Request.new(url, options).run
      raise response.return_code.to_s unless response.return_code == :ok

      [response.code, response.body]
    end]
  end,
}.freeze

STEPS = {
  'get' => ['GET', {}, nil, nil],
  'post' => ['POST', TYPE, BODY, nil],
  'key' => ['POST', TYPE.merge('Idempotency-Key' => 'k1'), BODY, nil],
  'timeout' => ['GET', {}, nil, TIMEOUT],
}.freeze

call, json = CLIENTS[ARGV[0]].call
ARGV.drop(1).each_slice(2) do |step, url|
  if step == 'json'
    puts json ? "JSON #{json.call(url).inspect}" : 'NA'
  else
    method, *rest = STEPS[step]
    status, body = call.call(method, url, *rest)
    puts "OK #{status} #{body.to_s.bytesize}"
  end
rescue StandardError, SystemStackError => e
  puts "ERR #{e.class} #{e.message}".gsub(/\s+/, ' ')
end
