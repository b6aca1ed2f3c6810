<?php
// php php.php CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', '0');
const TIMEOUT = 3;
const BODY = '{"name":"Rex","photoUrls":[]}';
const TYPE = ['Content-Type' => 'application/json'];

function lines($headers) {
  return array_map(fn($name, $value) => "$name: $value", array_keys($headers), $headers);
}

/** Guzzle and Symfony's client share their options. */
function with_object($client, $read) {
  return function ($method, $url, $headers, $body, $timeout) use ($client, $read) {
    $options = ['headers' => $headers, 'body' => $body, 'timeout' => $timeout];
    $response = $client->request($method, $url, array_filter($options, fn($option) => $option !== null));
    return [$response->getStatusCode(), $read($response)];
  };
}

// Each client is [call(method, url, headers, body, timeout) → [status, body], json(url), if it has one].
$clients = [
  'file_get_contents' => fn() => [
    function ($method, $url, $headers, $body, $timeout) {
      $options = ['method' => $method, 'header' => lines($headers), 'content' => $body, 'timeout' => $timeout];
      $options = array_filter($options, fn($option) => $option !== null);
      $content = file_get_contents($url, false, stream_context_create(['http' => $options]));
      if ($content === false) throw new Exception(error_get_last()['message']);
      return [substr($http_response_header[0], 9, 3), $content];
    },
  ],
  'curl' => function () {
    $curl = curl_init();
    $call = function ($method, $url, $headers, $body, $timeout) use ($curl) {
      $options = [CURLOPT_URL => $url, CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => lines($headers)];
      if ($body) $options[CURLOPT_POSTFIELDS] = $body;
      if ($timeout) $options[CURLOPT_TIMEOUT] = $timeout;
      curl_setopt_array($curl, $options);
      $content = curl_exec($curl);
      if ($content === false) throw new Exception(curl_error($curl));
      return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $content];
    };
    return [$call];
  },
  'guzzle' => function () {
    require 'GuzzleHttp/autoload.php';
    return [with_object(new GuzzleHttp\Client(), fn($response) => (string) $response->getBody())];
  },
  'symfony' => function () {
    require 'Symfony/Component/HttpClient/autoload.php';
    $client = Symfony\Component\HttpClient\HttpClient::create();
    return [
      with_object($client, fn($response) => $response->getContent()),
      fn($url) => $client->request('GET', $url)->toArray(),
    ];
  },
];

[$call, $json] = $clients[$argv[1]]() + [null, null];
$steps = [
  'get' => ['GET', [], null, null],
  'post' => ['POST', TYPE, BODY, null],
  'key' => ['POST', TYPE + ['Idempotency-Key' => 'k1'], BODY, null],
  'timeout' => ['GET', [], null, TIMEOUT],
];
foreach (array_chunk(array_slice($argv, 2), 2) as [$step, $url]) {
  try {
    if ($step === 'json') {
      echo $json ? 'JSON ' . json_encode($json($url)) : 'NA', "\n";
    } else {
      [$method, $headers, $body, $timeout] = $steps[$step];
      [$status, $content] = $call($method, $url, $headers, $body, $timeout);
      echo "OK $status ", strlen($content), "\n";
    }
  } catch (Throwable $error) {
    echo 'ERR ', get_class($error), ' ', preg_replace('/\s+/', ' ', $error->getMessage()), "\n";
  }
}
