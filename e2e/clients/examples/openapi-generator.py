import os

import petstore
from petstore.rest import ApiException

host = os.environ["PETSTORE"]

# region excerpt
client = petstore.ApiClient(petstore.Configuration(host=host))
pets = petstore.PetApi(client)
store = petstore.StoreApi(client)
users = petstore.UserApi(client)

pets.add_pet(petstore.Pet(id=1001, name="doggie", photo_urls=["rex.png"], status="available"))
pet = pets.get_pet_by_id(1001)
pet.status = "pending"
pets.update_pet(pet)
assert pets.get_pet_by_id(1001) == pet
pets.update_pet_with_form(1001, name="Rex", status="sold")
# endregion

is_petstore3 = host.endswith("/api/v3")


def send(method, **inputs):
    """Petstore 3 does not require these inputs, so they are keyword arguments there."""
    return method(**inputs) if is_petstore3 else method(*inputs.values())


for path in ["rex.png", "../package.json"]:
    with open(path, "rb") as file:
        sent = {"body": file.read()} if is_petstore3 else {"file": path}
    uploaded = pets.upload_file(1001, additional_metadata="at the lake", **sent)
    assert "at the lake" in uploaded.message
statuses = "sold" if is_petstore3 else ["sold", "pending"]
(sold,) = pets.find_pets_by_status(status=statuses)
assert (sold.id, sold.name, sold.status) == (1001, "Rex", "sold")
assert store.get_inventory() == {"available": 0, "pending": 0, "sold": 1}
pets.delete_pet(1001, api_key="special-key")
try:
    pets.get_pet_by_id(1001)
    raise AssertionError("the pet is still there")
except ApiException as error:
    assert error.status == 404

order = petstore.Order(id=7, pet_id=1001, quantity=1, status="placed")
assert send(store.place_order, order=order) == order
assert store.get_order_by_id(7) == order
store.delete_order(7)

user = petstore.User(id=1001, username="theUser", email="john@email.com", password="12345")
created = send(users.create_user, user=user)
listed = send(users.create_users_with_list_input, user=[petstore.User(username="other")])
login = send(users.login_user, username="theUser", password="12345")
if is_petstore3:
    assert created == user
    assert [each.username for each in listed] == ["other"]
    assert login.startswith("Logged in user session: ")
user.phone = "12345"
send(lambda *body, **named: users.update_user("theUser", *body, **named), user=user)
assert users.get_user_by_name("theUser") == user
users.logout_user()
users.delete_user("theUser")
users.delete_user("other")
