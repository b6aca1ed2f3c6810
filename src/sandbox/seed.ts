// The classic data of Swagger Petstore, as clients would send it.

const [dogs, cats, rabbits, lions] = ["Dogs", "Cats", "Rabbits", "Lions"].map((name, index) => ({
  id: index + 1,
  name,
}));

const tags = (...numbers: readonly number[]) => numbers.map((id) => ({ id, name: `tag${id}` }));

const pets = [
  { category: cats, name: "Cat 1", tags: tags(1, 2), status: "available" },
  { category: cats, name: "Cat 2", tags: tags(2, 3), status: "available" },
  { category: cats, name: "Cat 3", tags: tags(3, 4), status: "pending" },
  { category: dogs, name: "Dog 1", tags: tags(1, 2), status: "available" },
  { category: dogs, name: "Dog 2", tags: tags(2, 3), status: "sold" },
  { category: dogs, name: "Dog 3", tags: tags(3, 4), status: "pending" },
  { category: lions, name: "Lion 1", tags: tags(1, 2), status: "available" },
  { category: lions, name: "Lion 2", tags: tags(2, 3), status: "available" },
  { category: lions, name: "Lion 3", tags: tags(3, 4), status: "available" },
  { category: rabbits, name: "Rabbit 1", tags: tags(3, 4), status: "available" },
].map((pet, index) => ({ id: index + 1, photoUrls: ["url1", "url2"], ...pet }));

/** The other IDs from 1 to 10 are free, so that a new order can be looked up. */
const orders = pets.slice(7).map(({ id }) => ({
  id,
  petId: id,
  quantity: (id % 3) + 1,
  shipDate: `2026-01-${String(id).padStart(2, "0")}T09:30:00.000Z`,
  status: ["placed", "approved", "delivered"][id % 3],
  complete: id % 3 === 2,
}));

/** Their IDs are far from those that clients are likely to choose. */
const users = pets.map(({ id }) => ({
  id: 1000 + id,
  username: `user${id}`,
  firstName: `first name ${id}`,
  lastName: `last name ${id}`,
  email: `email${id}@test.com`,
  password: "XXXXXXXXXXX",
  phone: "123-456-7890",
  userStatus: id % 3,
}));

export const CLASSIC = { pets, orders, users };
