import json
import subprocess

import pytest
from client import send


@pytest.fixture(scope="session")
def server():
    """The server's `url`, and the address of its `store`."""
    command = ["npx", "pet-store-service", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield json.loads(process.stdout.readline())
        process.terminate()


@pytest.fixture
def store(server):
    """The server, with an empty store and no fault rules."""
    send("PUT", f"{server['store']}/faults", [])
    send("PUT", f"{server['store']}/data", {"data": "empty"})
    return server
