// Parts of the worst requests that we know: test/http/bounds.test.ts tests their answers, and bench/worst.ts measures
// what they cost.

/** The most bytes that are read of a body for one resource, and of one for a list. */
export const ONE = 48 * 1024;
export const MANY = 256 * 1024;

export const times = <Item>(count: number, item: Item): Item[] => Array<Item>(count).fill(item);

/** A JSON array of this item, again and again, of at most so many bytes. */
export const filled = (item: string, bytes: number): string =>
  `[${times(Math.floor((bytes - 2) / (item.length + 1)), item).join(",")}]`;

/** Objects, each with another name. */
export const objects = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ [index.toString(36)]: 0 }));

/** Something of the wrong type for every member. */
export const badUser = {
  id: "1",
  username: 1,
  firstName: 1,
  lastName: 1,
  email: 1,
  password: 1,
  phone: 1,
  userStatus: "1",
};
export const badTag = { id: "1", name: 1 };
export const badPet = {
  id: 1,
  name: 1,
  category: badTag,
  photoUrls: times(100, 0),
  tags: times(100, badTag),
  status: 1,
};
