# python3 python.py CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
import asyncio, json, sys

TIMEOUT = 3
BODY = '{"name":"Rex","photoUrls":[]}'
TYPE = {"Content-Type": "application/json"}


# Each client is call(method, url, headers, body, timeout) → (status, body), and json(url), if it has one.
def urllib_client():
    from urllib.request import Request, urlopen

    def call(method, url, headers, body, timeout):
        request = Request(url, data=body and body.encode(), headers=headers, method=method)
        with urlopen(request, **(dict(timeout=timeout) if timeout else {})) as response:
            return response.status, response.read()

    return call, lambda url: json.load(urlopen(url))


def requests_client():
    import requests

    session = requests.Session()

    def call(method, url, headers, body, timeout):
        response = session.request(method, url, headers=headers, data=body, timeout=timeout)
        return response.status_code, response.content

    return call, lambda url: session.get(url).json()


def httpx_client():
    import httpx

    client = httpx.Client()

    def call(method, url, headers, body, timeout):
        more = dict(timeout=timeout) if timeout else {}
        response = client.request(method, url, headers=headers, content=body, **more)
        return response.status_code, response.content

    return call, lambda url: client.get(url).json()


def aiohttp_client():
    import aiohttp

    loop = asyncio.new_event_loop()

    async def create():
        return aiohttp.ClientSession()

    session = loop.run_until_complete(create())

    async def call(method, url, headers, body, timeout):
        more = dict(timeout=aiohttp.ClientTimeout(total=timeout)) if timeout else {}
        async with session.request(method, url, headers=headers, data=body, **more) as response:
            return response.status, await response.read()

    async def get_json(url):
        async with session.get(url) as response:
            return await response.json()

    return lambda *args: loop.run_until_complete(call(*args)), lambda url: loop.run_until_complete(get_json(url))


def httplib2_client():
    import httplib2

    clients = {timeout: httplib2.Http(timeout=timeout) for timeout in (None, TIMEOUT)}

    def call(method, url, headers, body, timeout):
        response, content = clients[timeout].request(url, method, headers=headers, body=body)
        return response.status, content

    return call, None


def tornado_client():
    from tornado.httpclient import AsyncHTTPClient

    loop = asyncio.new_event_loop()

    async def call(method, url, headers, body, timeout):
        more = dict(request_timeout=timeout) if timeout else {}
        response = await AsyncHTTPClient().fetch(url, method=method, headers=headers, body=body, **more)
        return response.code, response.body

    return lambda *args: loop.run_until_complete(call(*args)), None


def pycurl_client():
    import io, pycurl

    curl = pycurl.Curl()

    def call(method, url, headers, body, timeout):
        received = io.BytesIO()
        curl.setopt(curl.URL, url)
        curl.setopt(curl.WRITEDATA, received)
        curl.setopt(curl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()])
        if method == "POST":
            curl.setopt(curl.POSTFIELDS, body)
        if timeout:
            curl.setopt(curl.TIMEOUT, timeout)
        curl.perform()
        return curl.getinfo(curl.RESPONSE_CODE), received.getvalue()

    return call, None


call, get_json = globals()[sys.argv[1] + "_client"]()
steps = {
    "get": ("GET", {}, None, None),
    "post": ("POST", TYPE, BODY, None),
    "key": ("POST", {**TYPE, "Idempotency-Key": "k1"}, BODY, None),
    "timeout": ("GET", {}, None, TIMEOUT),
}
for step, url in zip(sys.argv[2::2], sys.argv[3::2]):
    try:
        if step == "json":
            print("JSON " + json.dumps(get_json(url)) if get_json else "NA", flush=True)
        else:
            method, *rest = steps[step]
            status, content = call(method, url, *rest)
            print("OK", status, len(content), flush=True)
    except Exception as error:
        print("ERR", type(error).__name__, " ".join(str(error).split()), flush=True)
