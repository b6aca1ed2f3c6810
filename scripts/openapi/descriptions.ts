// What the documents say of each schema, member and parameter. It stands here and not in the contracts, so that no
// byte of it is in the Worker. What is missing here, or is of no use any more, fails `npm run openapi`.

type Json = Record<string, unknown>;

const PHOTO_URLS =
  "One URL, or several separated by commas; or an array of URLs, as Swagger Petstore has it. Absolute, http or https, or relative. Comes back as it was sent.";

const NEW_ID = "Left out, `null` or 0: the service generates one. One that is taken is refused.";

const PET = {
  category: "What kind of animal it is.",
  name: "What the pet is called.",
  photoUrls: "Where pictures of the pet are.",
  tags: "What the pet can be found by. A plain string is a tag of that name.",
  status: "Whether it can be bought. Without one, the pet is in no count of the inventory.",
};
const ORDER = {
  petId: "Id of the pet that is ordered. Whether there is one is not checked.",
  quantity: "How many.",
  shipDate:
    "When it is to be shipped: an ISO 8601 date-time, with or without a zone. Comes back as it was sent.",
  status: "How far it has come.",
  complete: "Whether the order is complete. Independent of `status`.",
};
const USER = {
  username:
    "What the user logs in with, unique and case-sensitive. A user without one cannot be looked up. No control characters, not only white space.",
  firstName: "First name.",
  lastName: "Last name.",
  email: "Email address. Its form is not checked.",
  password: "What the user logs in with.",
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
    schema: "A pet, as it is stored.",
    members: { id: "Names the pet. Generated where the client chose none.", ...PET },
  },
  NewPet: { schema: "A pet to be added.", members: { id: NEW_ID, ...PET } },
  PetInput: {
    schema: "A pet that replaces the one of its id, whole.",
    members: { id: "Id of the pet to replace.", ...PET },
  },
  PhotoUrls: { schema: PHOTO_URLS },
  Category: { schema: "A kind of animal.", members: NAMED },
  CategoryInput: { schema: "A kind of animal. `null` is the same as left out.", members: NAMED },
  Tag: { schema: "A word that pets are found by.", members: NAMED },
  TagInput: {
    schema: "A word that pets are found by. `null` is the same as left out.",
    members: NAMED,
  },
  TagOrName: { schema: "A tag, or only the name of one." },
  TagOrNameInput: { schema: "A tag, or only the name of one." },
  PetStatus: { schema: "Whether a pet can be bought." },
  PetForm: {
    schema: "What a form can change of a pet. A field that is left out keeps its value.",
    members: { name: PET.name, status: PET.status },
  },
  ImageForm: {
    schema: "An image of a pet.",
    members: {
      additionalMetadata: "Anything to say of it. Comes back in the answer's `message`.",
      file: "A PNG, JPEG, GIF or WebP image, by its content, of at most 5 MiB.",
    },
  },
  Inventory: {
    schema: "Number of pets by status: always every status.",
    members: {
      available: "Pets that can be bought.",
      pending: "Pets that somebody is about to buy.",
      sold: "Pets that are sold.",
    },
  },
  Order: {
    schema: "An order, as it is stored.",
    members: { id: "Names the order. Generated where the client chose none.", ...ORDER },
  },
  NewOrder: { schema: "An order to be placed.", members: { id: NEW_ID, ...ORDER } },
  OrderStatus: { schema: "How far an order has come." },
  User: {
    schema: "A user, as it is stored.",
    members: { id: "Names the user. Generated where the client chose none.", ...USER },
  },
  NewUser: {
    schema: "A user to be created, or members of one to be changed.",
    members: {
      id: "Left out, `null` or 0: the service generates one. One that is taken is refused. Ignored where a user is changed.",
      ...USER,
    },
  },
  NewUsers: { schema: "Users to be created, all or none." },
  ApiResponse: {
    schema: "Says that an operation succeeded which has nothing else to show.",
    members: {
      code: "The HTTP status.",
      type: "Always `unknown`, as in Swagger Petstore.",
      message: "The id or username that the operation was about, or `ok`.",
    },
  },
  ApiError: {
    schema: "What is wrong: the body of every answer that is not a success.",
    members: {
      code: "The HTTP status.",
      type: "Always `error`.",
      message: "What the status means for this operation.",
      errors: "The fields at fault. Only where fields were at fault.",
    },
  },
  FieldError: {
    schema: "What is wrong with one field.",
    members: { path: "The field, such as `tags.0.id`.", message: "What it must be." },
  },
};

/** By name, or by operation and name where operations differ. */
const PARAMETERS: Readonly<Record<string, string>> = {
  petId: "Id of the pet. An integer that no pet has, negative ones too, is 404.",
  name: "Name of the image: what the pet's `photoUrls` end with.",
  orderId: "Id of the order. An integer that no order has, negative ones too, is 404.",
  "getOrderById.orderId": "Id of the order, from 1 to 10: no others can be looked up.",
  username: "The user's username, case-sensitive.",
  "loginUser.username":
    "The user's username. One that cannot be is answered like one that is unknown.",
  password: "The user's password, in clear text.",
  status: "One status or more, separated by commas. The parameter may be repeated, too.",
  tags: "One tag's name or more, separated by commas. The parameter may be repeated, too.",
  limit: "Most pets in the answer. Without it the answer has all of them.",
  after: "Only pets with ids beyond this one: the last one of the page before.",
  api_key: "API key for authorization. Ignored here, where no operation demands a credential.",
};

const unused = new Set([
  ...Object.keys(COMPONENTS),
  ...Object.keys(PARAMETERS),
  ...Object.entries(COMPONENTS).flatMap(([name, { members = {} }]) =>
    Object.keys(members).map((member) => `${name}.${member}`),
  ),
]);

function textOf(what: string, text: string | undefined): string {
  if (text === undefined) throw new Error(`${what} has no description in scripts/openapi`);
  unused.delete(what);
  return text;
}

/** A component and its members, each with its description. @throws Error where one has none */
export function describeComponent(name: string, schema: Json): Json {
  const { schema: own, members = {} } = COMPONENTS[name] ?? {};
  const description = textOf(name, own);
  const { properties } = schema as { properties?: Record<string, Json> };
  return {
    description,
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, inner]) => [
          member,
          { description: textOf(`${name}.${member}`, members[member]), ...inner },
        ]),
      ),
    }),
  };
}

/** The description of an operation's parameter. @throws Error where it has none */
export function describeParameter(operationId: string, name: string): string {
  const own = `${operationId}.${name}`;
  return own in PARAMETERS ? textOf(own, PARAMETERS[own]) : textOf(name, PARAMETERS[name]);
}

/** What is described but was never asked for. */
export function unusedDescriptions(): readonly string[] {
  return [...unused];
}
