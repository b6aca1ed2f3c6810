// The descriptions of each schema, member, operation and parameter in the documents.
import { factsOf } from "./facts.ts";
import { mapValues } from "./json.ts";
import type { Json } from "./json.ts";

const NEW_ID =
  "If you leave it out, or send `null` or 0, the service generates one. A taken id is refused.";

const PET = {
  category: "What kind of animal it is.",
  name: "What the pet is called.",
  photoUrls: "Where pictures of the pet are.",
  tags: "Words to find the pet by.",
  status: "Whether you can buy the pet. The inventory does not count a pet without a status.",
};
const ORDER = {
  petId: "Id of the pet. The pet need not exist.",
  quantity: "Number of pets.",
  shipDate:
    "When the order ships: an ISO 8601 date-time, with or without a zone. Comes back as you sent it.",
  status: "State of the order.",
  complete: "Whether the order is complete. Independent of `status`.",
};
const USER = {
  username:
    "Login name, unique and case-sensitive. A user without one cannot be looked up. No control characters, not only white space.",
  firstName: "First name.",
  lastName: "Last name.",
  email: "Email address. Its form is not checked.",
  password: "Password of the account. An empty one is the same as none.",
  phone: "Phone number. Its form is not checked.",
  userStatus: "0 means active. No other value is defined.",
};
const NAMED = { id: "An id of the client's choice.", name: "Its name." };

interface Description {
  readonly schema: string;
  readonly members?: Readonly<Record<string, string>>;
}

const COMPONENTS: Readonly<Record<string, Description>> = {
  Pet: {
    schema: "A stored pet.",
    members: { id: "Id of the pet. The service generates one if you choose none.", ...PET },
  },
  NewPet: { schema: "A pet to add.", members: { id: NEW_ID, ...PET } },
  PetInput: {
    schema: "A pet that replaces the whole pet with its id.",
    members: { id: "Id of the pet to replace.", ...PET },
  },
  PhotoUrls: {
    schema:
      "One URL, several separated by commas, or an array of URLs, as in Swagger Petstore: at most 100. Each is an http or https URL, or a relative one. Comes back as you sent it.",
  },
  Category: { schema: "A kind of animal.", members: NAMED },
  CategoryInput: {
    schema: "A kind of animal. `null` is the same as leaving it out.",
    members: NAMED,
  },
  Tag: { schema: "A word to find pets by.", members: NAMED },
  TagInput: {
    schema: "A word to find pets by. `null` is the same as leaving it out.",
    members: NAMED,
  },
  TagOrName: { schema: "A tag, or only the name of one." },
  TagOrNameInput: { schema: "A tag, or only the name of one." },
  PetStatus: { schema: "Whether you can buy a pet." },
  PetForm: {
    schema:
      "The members of a pet that a form can change. A field that you leave out keeps its value.",
    members: { name: PET.name, status: PET.status },
  },
  ImageForm: {
    schema: "An image of a pet, or any other file.",
    members: {
      additionalMetadata: "Any text about the file. It comes back in `message`.",
      file: "A file of at most 5 MiB. It is not empty.",
    },
  },
  Inventory: {
    schema: "Number of pets for each status. It always has every status.",
    members: {
      available: "Pets that you can buy.",
      pending: "Pets that someone is about to buy.",
      sold: "Pets that are sold.",
    },
  },
  Order: {
    schema: "A stored order.",
    members: { id: "Id of the order. The service generates one if you choose none.", ...ORDER },
  },
  NewOrder: { schema: "An order to place.", members: { id: NEW_ID, ...ORDER } },
  OrderStatus: { schema: "State of an order." },
  User: {
    schema: "A stored user.",
    members: { id: "Id of the user. The service generates one if you choose none.", ...USER },
  },
  NewUser: {
    schema: "A user to create, or the members of a user to change.",
    members: {
      id: `${NEW_ID} Ignored when you change a user.`,
      ...USER,
    },
  },
  NewUsers: { schema: "Users to create, all or none." },
  ApiResponse: {
    schema: "The success of an operation that has no resource to return.",
    members: {
      code: "The HTTP status.",
      type: "Always `unknown`, as in Swagger Petstore.",
      message: "The id or username that the operation was about, what was uploaded, or `ok`.",
    },
  },
  ErrorBody: {
    schema: "What is wrong: the body of every answer that is not a success.",
    members: {
      code: "The HTTP status.",
      type: "Always `error`.",
      message: "What the status means for this operation.",
      errors: "The fields that are wrong, if there are any.",
    },
  },
  FieldError: {
    schema: "What is wrong with one field.",
    members: { path: "The field, such as `tags.0.id`.", message: "What it must be." },
  },
};

const ALL_OR_NONE = "An operation of Swagger Petstore. Creates all of the users, or none.";

interface OperationText {
  readonly summary: string;
  /** Default: the summary. */
  readonly description?: string;
}

/** By operation. The prefix `petstore3.` marks those that differ in Petstore 3. */
const OPERATIONS: Readonly<Record<string, OperationText>> = {
  addPet: { summary: "Add a pet to the store" },
  updatePet: {
    summary: "Replace an existing pet",
    description:
      "Replaces the whole pet. A member that you leave out is removed. It never creates a pet.",
  },
  updatePetWithForm: {
    summary: "Update a pet's name and status with form data",
    description: "An operation of Swagger Petstore. Fields that you leave out keep their values.",
  },
  uploadFile: {
    summary: "Upload an image of a pet",
    description:
      "An operation of Swagger Petstore. Stores a file of at most 5 MiB, and appends its URL to the pet's `photoUrls`. PNG, JPEG, GIF and WebP images, recognised by their content, can be shown. Any other file can only be downloaded.",
  },
  getPetImage: {
    summary: "Get an image of a pet",
    description:
      "Returns an uploaded image, or any other uploaded file as a download. Honours `If-Match`, `If-None-Match`, `If-Range` and `Range`.",
  },
  findPetsByStatus: {
    summary: "Find pets by status",
    description: "Separate several statuses by commas, or repeat the parameter.",
  },
  findPetsByTags: {
    summary: "Find pets by tags",
    description:
      "Finds the pets that have any of the tags, by exact name. Separate several tags by commas, or repeat the parameter.",
  },
  getPetById: { summary: "Find a pet by its id" },
  deletePet: { summary: "Delete a pet" },
  getInventory: { summary: "Count the pets by status" },
  placeOrder: {
    summary: "Place an order for a pet",
    description:
      "Without an id, the order gets the lowest free id from 1 to 10, or else the next one from 11.",
  },
  getOrderById: {
    summary: "Find an order by its id",
    description: "You can look up only the ids 1 to 10.",
  },
  deleteOrder: { summary: "Delete an order" },
  createUser: { summary: "Create a user" },
  createUsersWithArrayInput: { summary: "Create users from an array", description: ALL_OR_NONE },
  createUsersWithListInput: { summary: "Create users from a list", description: ALL_OR_NONE },
  loginUser: { summary: "Log a user in" },
  logoutUser: {
    summary: "Log the current user out",
    description:
      "Ends the sessions of the cookie and of `Authorization: Bearer <token>`, and clears the cookie. A request without a session is `ok` too.",
  },
  getUserByName: { summary: "Find a user by username" },
  updateUser: {
    summary: "Update members of a user",
    description: "Members that you leave out keep their values. Another username renames the user.",
  },
  deleteUser: { summary: "Delete a user" },
  "petstore3.updatePetWithForm": {
    summary: "Update a pet's name and status",
    description:
      "Parameters that you leave out keep their values. Send at least one. A repeat with an `Idempotency-Key` returns the pet as it is now.",
  },
  "petstore3.getOrderById": {
    summary: "Find an order by its id",
    description: "Any order, unlike in the interface of the specification.",
  },
};

/** By the name of a parameter; with the operation before it, if operations differ. */
export const parameterDescription = factsOf("description", "descriptions.ts", {
  petId: "Id of the pet. An integer that is no pet's id is 404, even a negative one.",
  name: "Name of the image: the end of its URL in the pet's `photoUrls`.",
  orderId: "Id of the order. An integer that is no order's id is 404, even a negative one.",
  "getOrderById.orderId": "Id of the order, from 1 to 10. You cannot look up others.",
  username: "The user's username, case-sensitive.",
  "loginUser.username":
    "The user's username. An invalid one gets the same answer as an unknown one.",
  password: "The user's password, in clear text.",
  status: "One status or more, separated by commas. You may also repeat the parameter.",
  tags: "The name of one tag or more, separated by commas. You may also repeat the parameter.",
  "updatePetWithForm.name": "What to call the pet.",
  "updatePetWithForm.status": "`available`, `pending` or `sold`.",
  additionalMetadata: "Any text about the file. It comes back in `message`.",
  limit: "The largest number of pets in the answer. Without it, the answer has all of them.",
  after: "Only pets with greater ids. For the next page, send the last id of this page.",
  api_key: "API key for authorization. Ignored here, because no operation needs a credential.",
});

const component = factsOf(
  "description",
  "descriptions.ts",
  Object.fromEntries(
    Object.entries(COMPONENTS).flatMap(([name, { schema, members = {} }]) => [
      [name, schema],
      ...Object.entries(members).map(([member, text]) => [`${name}.${member}`, text]),
    ]),
  ),
);
const operation = factsOf("summary", "descriptions.ts", OPERATIONS);

/** Adds their descriptions to a component and its members. @throws Error if one has none */
export function describeComponent(name: string, schema: Json): Json {
  const { properties } = schema as { properties?: Record<string, Json> };
  return {
    description: component(name),
    ...schema,
    ...(properties && {
      properties: mapValues(properties, (inner, member) => ({
        description: component(`${name}.${member}`),
        ...inner,
      })),
    }),
  };
}

/** The summary and description under the first name that has them. @throws Error if none has */
export function describeOperation(...names: readonly string[]): Required<OperationText> {
  const { summary, description = `${summary}.` } = operation(...names);
  return { summary, description };
}
