import { BASE_PATH, PETSTORE3_PATH } from "./base-path.ts";
import type { Endpoint } from "./http/handler.ts";
import * as pet from "./pet/handlers.ts";
import * as petstore3 from "./petstore3/handlers.ts";
import * as store from "./store/handlers.ts";
import * as user from "./user/handlers.ts";

/** A method and a path below the base path, and the endpoint that answers. */
export interface Route<Here = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly endpoint: Endpoint<Here>;
}

export const route = <Here>(
  method: Route["method"],
  path: string,
  endpoint: Endpoint<Here>,
): Route<Here> => ({ method, path, endpoint });

/** Every operation of the specification, in the order of its documents. */
export const routes: readonly Route[] = [
  route("POST", "/pet", pet.addPet),
  route("PUT", "/pet", pet.updatePet),
  route("GET", "/pet/findByStatus", pet.findPetsByStatus),
  route("GET", "/pet/findByTags", pet.findPetsByTags),
  route("GET", "/pet/:petId", pet.getPetById),
  route("POST", "/pet/:petId", pet.updatePetWithForm),
  route("DELETE", "/pet/:petId", pet.deletePet),
  route("POST", "/pet/:petId/uploadImage", pet.uploadFile),
  route("GET", "/pet/:petId/images/:name", pet.getPetImage),

  route("GET", "/store/inventory", store.getInventory),
  route("POST", "/store/order", store.placeOrder),
  route("GET", "/store/order/:orderId", store.getOrderById),
  route("DELETE", "/store/order/:orderId", store.deleteOrder),

  route("POST", "/user", user.createUser),
  route("POST", "/user/createWithArray", user.createUsersWithArrayInput),
  route("POST", "/user/createWithList", user.createUsersWithListInput),
  route("GET", "/user/login", user.loginUser),
  route("GET", "/user/logout", user.logoutUser),
  route("GET", "/user/:username", user.getUserByName),
  route("PUT", "/user/:username", user.updateUser),
  route("DELETE", "/user/:username", user.deleteUser),
];

const endpointsOf3 = new Map(Object.entries(petstore3));

/** The operations of Petstore 3: some of the same, on the same paths. */
export const petstore3Routes: readonly Route[] = routes.flatMap(({ method, path, endpoint }) => {
  const own = endpointsOf3.get(endpoint.operation.id);
  return own ? route(method, path, own) : [];
});

/** The interfaces of the service. Both are of the same data. */
export const interfaces = [
  { basePath: BASE_PATH, routes },
  { basePath: PETSTORE3_PATH, routes: petstore3Routes },
];

/** The path of a route as the documents write it: `/pet/{petId}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** The routes in the order in which to match them: a fixed segment before a parameter in its place. */
export function fixedFirst<Here>(table: readonly Route<Here>[]): readonly Route<Here>[] {
  const rank = ({ path }: Route<Here>) =>
    Number(`0.${path.replaceAll(/\/(:?)[^/]*/g, (_, colon: string) => String(colon.length))}`);
  return table.toSorted((one, other) => rank(one) - rank(other));
}
