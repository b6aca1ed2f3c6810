import json
import os
from urllib.request import Request, urlopen

import pytest

HOST = os.environ.get("PET_STORE_HOST", "https://pets.example")


def send(method, url, content=None):
    data = None if content is None else json.dumps(content).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(url, data, headers, method=method)) as answer:
        body = answer.read()
        return json.loads(body) if body else None


@pytest.fixture(scope="session")
def made():
    """The address of a sandbox for this run: https://pets.example/stores/<UUID>."""
    address = f"{HOST}/stores/{send('POST', f'{HOST}/stores')['store']}"
    yield address
    send("DELETE", address)


@pytest.fixture
def store(made):
    send("PUT", f"{made}/data", {"data": "classic"})
    return made


def test_finds_a_pet_of_the_classic_petstore(store):
    assert send("GET", f"{store}/v2/pet/1")["name"] == "Cat 1"


def test_adds_a_pet(store):
    assert send("POST", f"{store}/v2/pet", {"name": "Rex", "photoUrls": []})["id"] == 11
