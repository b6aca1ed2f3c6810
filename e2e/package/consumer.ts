// What a client's code may be with few settings of its own. It is only type-checked.
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
    // What a store holds is what it can be reset to.
    await store.reset(await store.data());
    const [request] = await store.requests({ status: "4xx" });
    return request?.errors?.[0]?.path;
  } catch (error) {
    return error instanceof Refused ? error.message : undefined;
  } finally {
    await store.stop();
  }
}

// @ts-expect-error: a set of data that does not exist
export const clasic: StoreData = "clasic";
// @ts-expect-error: a member that rules do not have
export const unknown: FaultRule = { methd: "GET", status: 503 };
