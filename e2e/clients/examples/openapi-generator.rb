require "uri"
require "petstore"

base = URI(ENV.fetch("PETSTORE"))
is_petstore3 = base.path.end_with?("/api/v3")
Petstore.configure do |config|
  config.scheme = base.scheme
  config.host = "#{base.host}:#{base.port}"
  config.base_path = base.path
end
pets = Petstore::PetApi.new
store = Petstore::StoreApi.new
users = Petstore::UserApi.new

def equal(one, other)
  raise "#{one.inspect} is not #{other.inspect}" unless one == other
end

# Petstore 3 does not require these inputs, so they are options there.
optional = ->(**inputs) { is_petstore3 ? [inputs] : inputs.values }

pet = Petstore::Pet.new(id: 1001, name: "doggie", photo_urls: ["rex.png"], status: "available")
pets.add_pet(pet)
equal(pets.get_pet_by_id(1001), pet)
pet.status = "pending"
pets.update_pet(pet)
pets.update_pet_with_form(1001, name: "Rex", status: "sold")
["rex.png", "../package.json"].each do |path|
  file = is_petstore3 ? { body: File.binread(path) } : { file: File.new(path) }
  uploaded = pets.upload_file(1001, additional_metadata: "at the lake", **file)
  equal(uploaded.message.include?("at the lake"), true)
end
found = is_petstore3 ? pets.find_pets_by_status(status: "sold") : pets.find_pets_by_status(%w[sold pending])
equal(found.map { |each| [each.id, each.name, each.status] }, [[1001, "Rex", "sold"]])
equal(store.get_inventory.transform_keys(&:to_s), { "available" => 0, "pending" => 0, "sold" => 1 })
pets.delete_pet(1001, api_key: "special-key")
begin
  pets.get_pet_by_id(1001)
  raise "the pet is still there"
rescue Petstore::ApiError => error
  equal(error.code, 404)
end

order = Petstore::Order.new(id: 7, pet_id: 1001, quantity: 1, status: "placed")
equal(store.place_order(*optional.(order: order)), order)
equal(store.get_order_by_id(7), order)
store.delete_order(7)

user = Petstore::User.new(id: 1001, username: "theUser", email: "john@email.com", password: "12345")
created = users.create_user(*optional.(user: user))
listed = users.create_users_with_list_input(*optional.(user: [Petstore::User.new(username: "other")]))
login = users.login_user(*optional.(username: "theUser", password: "12345"))
if is_petstore3
  equal(created, user)
  equal(listed.map(&:username), ["other"])
  equal(login.include?("Logged in user session: "), true)
end
user.phone = "12345"
users.update_user("theUser", *optional.(user: user))
equal(users.get_user_by_name("theUser"), user)
users.logout_user
users.delete_user("theUser")
users.delete_user("other")
