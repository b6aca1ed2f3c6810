import { Api } from "../generated/swagger-typescript-api.exact/petstore.ts";
import { BASE, inOrder, walk } from "../walk.ts";

const { pet, store, user } = new Api({ baseUrl: BASE });

await walk(inOrder({ ...pet, ...store, ...user }));
