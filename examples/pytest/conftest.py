import json
import subprocess

import pytest
from client import send


@pytest.fixture(scope="session")
def sandbox():
    """The address of a sandbox on a server that this run starts."""
    command = ["npx", "--no-install", "pet-store-service", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        sandboxes = json.loads(process.stdout.readline())["sandboxes"]
        _, made = send("POST", sandboxes)
        yield f"{sandboxes}/{made['name']}"
        process.terminate()


@pytest.fixture
def store(sandbox):
    """The sandbox, empty and without rules for faults."""
    send("DELETE", f"{sandbox}/faults")
    send("PUT", f"{sandbox}/data", {"data": "empty"})
    return sandbox
