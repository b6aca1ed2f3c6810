// A user's code, compiled with few compiler options. Only type-checked.
import { NotStarted, Refused, startPetStore } from "pet-store-service";
import type { FaultRule, PetStore, StoreData } from "pet-store-service";

const data: StoreData = { pets: [{ name: "Rex", photoUrls: ["a.png"], tags: ["dog", { id: 1 }] }] };
const rule: FaultRule = { method: "GET", path: "/pet/{petId}", every: 2, delayMs: 10 };

export async function use(): Promise<string | undefined> {
  let store: PetStore;
  try {
    store = await startPetStore({ data });
  } catch (error) {
    return error instanceof NotStarted ? error.code : undefined;
  }
  try {
    await store.faults([rule]);
    // The data of a store is a valid argument of reset.
    await store.reset(await store.data());
    const [request] = await store.requests({ status: "4xx" });
    return request?.errors?.[0]?.path;
  } catch (error) {
    return error instanceof Refused ? error.message : undefined;
  } finally {
    await store.stop();
  }
}

// @ts-expect-error: there is no such data set
export const clasic: StoreData = "clasic";
// @ts-expect-error: rules have no such member
export const unknown: FaultRule = { methd: "GET", status: 503 };
