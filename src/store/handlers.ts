import { fail } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import type { Principal } from "../services.ts";
import * as contract from "./contract.ts";
import * as queries from "./queries.ts";
import type { StoredOrder } from "./queries.ts";

/** The user whose orders the caller may see. `null` means everyone's: in open mode, or with the API key. */
function userOf(principal: Principal | undefined): queries.Placer | null {
  return principal?.kind === "user" ? principal : null;
}

/** The success that shows an order. */
const success = ({ order, version }: StoredOrder) => ({ body: order, version, id: order.id });

export const getInventory = implement(contract.getInventory, async ({ db }) => ({
  body: await queries.countPets(db),
}));

export const placeOrder = implement(
  contract.placeOrder,
  async ({ body, db, principal }) => {
    const user = userOf(principal);
    const placed = await queries.insertOrder(db, body, user);
    const isOwn = !user || user.accountId === placed.owner;
    // The same content again is a retry; other content must never overwrite.
    if (!placed.inserted && !(isOwn && sameContent(placed.order, body))) {
      return fail("taken", [{ path: "id", message: "is taken by another order" }]);
    }
    return success(placed);
  },
  {
    creates: "orders",
    answer: ({ body }, created) => success(queries.newOrderAs(body, created)),
  },
);

export const getOrderById = implement(contract.getOrderById, async ({ params, db, principal }) => {
  const stored = await queries.findOrder(db, params.orderId);
  if (!stored) return fail("missing");
  const user = userOf(principal);
  if (user && user.accountId !== stored.owner) return fail("forbidden");
  return success(stored);
});

export const deleteOrder = implement(
  contract.deleteOrder,
  async ({ params, db, preconditions, principal }) => {
    const owner = userOf(principal)?.accountId ?? null;
    const deleted = await queries.deleteOrder(db, params.orderId, preconditions, owner);
    if (typeof deleted === "string") return fail(deleted);
    return { body: apiResponse(String(deleted.id)) };
  },
);
