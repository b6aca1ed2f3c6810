import { BASE_PATH, PETSTORE3_PATH } from "./http/base-path.ts";
import type { Endpoint } from "./http/handler.ts";
import * as pet from "./pet/handlers.ts";
import * as v3 from "./petstore3/handlers.ts";
import * as store from "./store/handlers.ts";
import * as user from "./user/handlers.ts";

/** A method and a path below the base path, and the endpoint that answers. */
export interface Route<Here = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Without `answer` if the app's home answers it. */
  readonly endpoint: Pick<Endpoint<Here>, "operation"> & Partial<Endpoint<Here>>;
  /** The endpoint that answers at `/api/v3`, if Petstore 3 has the operation. */
  readonly inPetstore3?: Endpoint | undefined;
}

export const route = <Here>(
  method: Route["method"],
  path: string,
  endpoint: Route<Here>["endpoint"],
  inPetstore3?: Endpoint,
): Route<Here> => ({ method, path, endpoint, inPetstore3 });

/**
 * Every operation of the service, in the order of its documents. A path is matched before the paths below it in the table, so
 * one with fixed text stands before one with a parameter in its place.
 */
export const routes: readonly Route[] = [
  route("POST", "/pet", pet.addPet, v3.addPet),
  route("PUT", "/pet", pet.updatePet, v3.updatePet),
  route("GET", "/pet/findByStatus", pet.findPetsByStatus, v3.findPetsByStatus),
  route("GET", "/pet/findByTags", pet.findPetsByTags, v3.findPetsByTags),
  route("GET", "/pet/:petId", pet.getPetById, v3.getPetById),
  route("POST", "/pet/:petId", pet.updatePetWithForm, v3.updatePetWithForm),
  route("DELETE", "/pet/:petId", pet.deletePet, v3.deletePet),
  route("POST", "/pet/:petId/uploadImage", pet.uploadFile, v3.uploadFile),
  route("GET", "/pet/:petId/images/:name", pet.getPetImage),

  route("GET", "/store/inventory", store.getInventory, store.getInventory),
  route("POST", "/store/order", store.placeOrder, v3.placeOrder),
  route("GET", "/store/order/:orderId", store.getOrderById, v3.getOrderById),
  route("DELETE", "/store/order/:orderId", store.deleteOrder, v3.deleteOrder),

  route("POST", "/user", user.createUser, v3.createUser),
  route("POST", "/user/createWithArray", user.createUsersWithArrayInput),
  route("POST", "/user/createWithList", user.createUsersWithListInput, v3.createUsersWithListInput),
  route("GET", "/user/login", user.loginUser, v3.loginUser),
  route("GET", "/user/logout", user.logoutUser, v3.logoutUser),
  route("GET", "/user/:username", user.getUserByName, user.getUserByName),
  route("PUT", "/user/:username", user.updateUser, v3.updateUser),
  route("DELETE", "/user/:username", user.deleteUser, v3.deleteUser),
];

/** The operations of Petstore 3. */
export const petstore3Routes: readonly Route[] = routes.flatMap(({ method, path, inPetstore3 }) =>
  inPetstore3 ? route(method, path, inPetstore3) : [],
);

/** The interfaces of the service, over the same data. */
export const interfaces = [
  { basePath: BASE_PATH, routes },
  { basePath: PETSTORE3_PATH, routes: petstore3Routes },
];

/** The path of a route as the documents write it: `/pet/{petId}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");
