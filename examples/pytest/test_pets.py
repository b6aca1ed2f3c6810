from client import send


def test_finds_a_pet_that_it_added(store):
    _, pet = send("POST", f"{store}/v2/pet", {"name": "Rex", "photoUrls": []})
    status, found = send("GET", f"{store}/v2/pet/{pet['id']}")
    assert (status, found["name"]) == (200, "Rex")


def test_begins_with_an_empty_store(store):
    _, counts = send("GET", f"{store}/v2/store/inventory")
    assert counts == {"available": 0, "pending": 0, "sold": 0}


def test_fails_on_demand(store):
    rules = [{"operationId": "getInventory", "times": 1, "status": 503}]
    send("PUT", f"{store}/faults", rules)
    statuses = [send("GET", f"{store}/v2/store/inventory")[0] for _ in range(2)]
    assert statuses == [503, 200]
    _, requests = send("GET", f"{store}/requests")
    assert [request["status"] for request in requests] == [200, 503]
