import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def send(method, url, content=None):
    """Sends JSON, and returns the response's status and content."""
    data = None if content is None else json.dumps(content).encode()
    request = Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urlopen(request) as response:
            body = response.read()
            return response.status, json.loads(body) if body else None
    except HTTPError as error:
        return error.code, json.loads(error.read())
