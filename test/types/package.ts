// The types that the package publishes equal those of the service's contracts. If one differs, this does not compile.
import type {
  FaultRule as PublishedRule,
  NewOrder as PublishedNewOrder,
  NewPet as PublishedNewPet,
  NewUser as PublishedNewUser,
  PetStatus as PublishedStatus,
  StoreContent,
  StoreData,
  StoreRequest,
} from "../../package/types.ts";
import type { NewPet, PetStatus } from "../../src/pet/pet.ts";
import type { NewOrder } from "../../src/store/order.ts";
import type { Content, Data } from "../../src/sandbox/contract.ts";
import type { FaultRule } from "../../src/sandbox/faults/contract.ts";
import type { LoggedRequest } from "../../src/sandbox/record/log.ts";
import type { NewUser } from "../../src/user/user.ts";

/** A type as one who must not change its values sees it, with every intersection resolved. */
type Shown<T> = T extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Shown<T[Member]> }
    : T;

/** `true` if both are the same type, optional members included, even if they are assignable to each other. */
type Same<One, Other> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares what is deferred by T
  (<T>() => T extends Shown<One> ? 1 : 2) extends <T>() => T extends Shown<Other> ? 1 : 2
    ? true
    : `package/types.ts differs from the contract${Differing<One, Other>}`;

/** The members that only one of them has. */
type Differing<One, Other> = [keyof One | keyof Other] extends [string]
  ? ` in ${Extract<Exclude<keyof One, keyof Other> | Exclude<keyof Other, keyof One>, string>}`
  : "";

/** Takes nothing but `true`. */
type Holds<Claim extends true> = Claim;

export type PublishedTypesAreThoseOfTheContracts = [
  Holds<Same<PublishedStatus, PetStatus>>,
  Holds<Same<PublishedNewPet, NewPet>>,
  Holds<Same<PublishedNewOrder, NewOrder>>,
  Holds<Same<PublishedNewUser, NewUser>>,
  Holds<Same<StoreContent, Content>>,
  Holds<Same<Exclude<StoreData, string>, Omit<Data, "data">>>,
  Holds<Same<Extract<StoreData, string>, NonNullable<Data["data"]>>>,
  Holds<Same<PublishedRule, FaultRule>>,
  Holds<Same<StoreRequest, LoggedRequest>>,
];
