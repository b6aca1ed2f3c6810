# nim STEP URL [STEP URL]…: the steps are those of node.mjs.
import std/[httpclient, os, strutils]

const body = """{"name":"Rex","photoUrls":[]}"""
let jsonType = @{"Content-Type": "application/json"}
var client = newHttpClient()
for i in countup(1, paramCount(), 2):
  let (step, url) = (paramStr(i), paramStr(i + 1))
  if step == "json":
    echo "NA"
    continue
  if step == "timeout": client = newHttpClient(timeout = 3000)
  let headers = if step == "key": jsonType & @{"Idempotency-Key": "k1"} else: jsonType
  try:
    let response =
      if step in ["post", "key"]: client.request(url, HttpPost, body, newHttpHeaders(headers))
      else: client.request(url)
    echo "OK ", ord(response.code), " ", response.body.len
  except CatchableError as error:
    echo "ERR ", error.name, " ", error.msg.replace("\n", " ")
  flushFile(stdout)
