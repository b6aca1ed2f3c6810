// Compiled by `npm run check`, never run: verifies that types.ts, which is written for its readers, matches the schemas in src/.
// A property that is missing on one side, or has another type there, does not compile.
import type { InferInput } from "valibot";
import type { petTexts } from "../openapi/pet.ts";
import type { storeTexts } from "../openapi/store.ts";
import type { userTexts } from "../openapi/user.ts";
import type * as pets from "../src/pets/schemas.ts";
import type { toPet } from "../src/pets/queries.ts";
import type { LogEntry } from "../src/sandbox/log/entry.ts";
import type { Rule } from "../src/sandbox/rules/rules.ts";
import type { toOrder } from "../src/orders/queries.ts";
import type * as orders from "../src/orders/schemas.ts";
import type { toUser } from "../src/users/queries.ts";
import type * as users from "../src/users/schemas.ts";
import type { PetStoreOptions } from "./index.ts";
import type {
  FaultRule,
  NewOrder,
  NewPet,
  NewUser,
  OperationId,
  Order,
  Pet,
  LoggedRequest,
  RequestMatch,
  User,
} from "./types.ts";

// The second part of these schemas, because the first takes anything that is no array.
type PetInput = InferInput<(typeof pets.NewPet)["pipe"][1]>;
type OrderInput = InferInput<(typeof orders.NewOrder)["pipe"][1]>;
type UserInput = InferInput<(typeof users.NewUser)["pipe"][1]>;

/** Every field of a type, so that another type must not have more. */
type Names<Type> = Readonly<Record<keyof Type, unknown>>;

// What a client may send.
export const sentPet = ({ photoUrls, tags, ...pet }: NewPet): PetInput => ({
  ...pet,
  photoUrls: typeof photoUrls === "string" ? photoUrls : [...photoUrls],
  tags: tags && [...tags],
});
export const sentOrder = (order: NewOrder): OrderInput => order;
export const sentUser = (user: NewUser): UserInput => user;
export const petNames = (pet: Required<NewPet>): Names<PetInput> => pet;
export const orderNames = (order: Required<NewOrder>): Names<OrderInput> => order;
export const userNames = (user: Required<NewUser>): Names<UserInput> => user;
/** The schema has `operationId` as any text, `patch` as any object, and `delayMs` as any array. */
export const sentRule = (rule: Omit<Rule, "operationId" | "patch" | "delayMs">): FaultRule => rule;
export const ruleNames = (rule: Required<FaultRule>): Names<Rule> => rule;
export const matchNames = (match: Required<RequestMatch>): Names<NonNullable<Rule["match"]>> => match;

/** Every operation of the documents, and the MCP requests. */
type Documented = keyof typeof petTexts | keyof typeof storeTexts | keyof typeof userTexts | "mcp" | "manageMcp";
export const documentedId = (id: OperationId): Documented => id;
export const operationId = (id: Documented): OperationId => id;

/** The fields of a request that may be absent. Before they are JSON, they are undefined. */
type Absent = "operationId" | "requestBody" | "responseBody" | "errors" | "rule";

// What is shown.
export const shownPet = (pet: ReturnType<typeof toPet>): Pet => pet;
export const shownOrder = (order: ReturnType<typeof toOrder>): Order => order;
export const shownUser = (user: ReturnType<typeof toUser>): User => user;
export const shownRequest = (request: LogEntry): Omit<LoggedRequest, Absent> => request;
export const requestNames = (request: Required<LoggedRequest>): Names<LogEntry> => request;

// @ts-expect-error -- no such operation
export const wrongRule: FaultRule = { operationId: "getPet", status: 503 };
// @ts-expect-error -- a key is missing
export const wrongOptions: PetStoreOptions = { access: "protected" };
