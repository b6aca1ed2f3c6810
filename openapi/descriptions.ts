// What the components and their members mean.
import type { JsonSchema } from "@valibot/to-json-schema";

const NEW_ID =
  "If absent, `null` or 0, the service generates one. A taken id is refused, unless the content is the same.";
const ID = "Chosen by the client or generated.";

/** By component, or component and member. The forms of a component in requests share the members' texts. */
const TEXTS: Readonly<Record<string, string>> = {
  Pet: "A stored pet.",
  NewPet: "A pet to add.",
  PetInput: "A pet that replaces the stored pet with its id.",
  PetForm: "The members of a pet that a form can change. Absent fields keep their values.",
  "Pet.id": ID,
  "NewPet.id": NEW_ID,
  "PetInput.id": "Id of the pet to replace.",
  "Pet.category": "Kind of animal.",
  "Pet.name": "Name of the pet.",
  "Pet.photoUrls": "Pictures of the pet.",
  "Pet.tags": "Words to find the pet by.",
  "Pet.status": "Whether the pet can be bought. The inventory leaves out pets without a status.",
  PhotoUrls:
    "One URL, several separated by commas, or an array of URLs: at most 100. They are http or https URLs, or relative ones. Returned as sent.",
  PetStatus: "Whether a pet can be bought.",
  Category: "A kind of animal.",
  "Category.id": "Any id.",
  "Category.name": "Name of the category.",
  Tag: "A word to find pets by.",
  "Tag.id": "Any id.",
  "Tag.name": "The word.",
  TagOrName: "A tag, or only its name.",
  ImageForm: "A picture of a pet, or any other file.",
  "ImageForm.additionalMetadata": "Any text about the file. Returned in `message`.",
  "ImageForm.file": "A file of at most 5 MiB, not empty.",
  Inventory: "Number of pets by status. All statuses are present.",
  "Inventory.available": "Pets that can be bought.",
  "Inventory.pending": "Pets that someone is about to buy.",
  "Inventory.sold": "Pets that are sold.",
  Order: "A stored order.",
  NewOrder: "An order to place.",
  "Order.id": ID,
  "NewOrder.id": NEW_ID,
  "Order.petId": "Id of the pet. The pet need not exist.",
  "Order.quantity": "Number of pets.",
  "Order.shipDate":
    "Estimated ship date: an ISO 8601 date-time. Seconds, fractions and the zone may be left out. Returned as sent.",
  "Order.status": "State of the order.",
  "Order.complete": "Whether the order is complete. Independent of `status`.",
  OrderStatus: "State of an order.",
  User: "A stored user.",
  NewUser: "A user to create, or the members of a user to change.",
  NewUsers: "Users to create: all or none.",
  "User.id": ID,
  "NewUser.id": `${NEW_ID} Ignored in an update.`,
  "User.username":
    "Login name, unique and case-sensitive: not only white space, no control characters. Without one, the user cannot be looked up.",
  "User.firstName": "First name.",
  "User.lastName": "Last name.",
  "User.email": "Email address, not validated.",
  "User.password": "Password. An empty one is the same as none.",
  "User.phone": "Phone number, not validated.",
  "User.userStatus": "0 means active. No other value is defined.",
  ApiResponse: "Success of an operation that returns no resource.",
  "ApiResponse.code": "The HTTP status.",
  "ApiResponse.type": "Always `unknown`, as in Swagger Petstore.",
  "ApiResponse.message": "An id, a username, the uploaded file, or `ok`.",
  ErrorBody: "The body of every error.",
  "ErrorBody.code": "The HTTP status.",
  "ErrorBody.type": "Always `error`.",
  "ErrorBody.message": "Meaning of the status for this operation.",
  "ErrorBody.errors": "The invalid fields, if any.",
  FieldError: "What is wrong with a field.",
  "FieldError.path": "The field, such as `tags.0.id`.",
  "FieldError.message": "What it must be.",
};

/** @throws Error if there is none */
function textOf(component: string, member = ""): string {
  const text =
    TEXTS[component + member] ?? TEXTS[component.replace(/^New|Input$|Form$/, "") + member];
  if (text === undefined)
    throw new Error(`descriptions.ts does not describe ${component}${member}`);
  return text;
}

/** Adds the descriptions of a component and its members. */
export function describeSchema(name: string, schema: JsonSchema): JsonSchema {
  const members = Object.entries(schema.properties ?? {}).map(([member, inner]) => [
    member,
    { description: textOf(name, `.${member}`), ...(inner as JsonSchema) },
  ]);
  return {
    description: textOf(name),
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(members) }),
  };
}
