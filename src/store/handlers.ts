import type { Principal } from "../services.ts";
import { changeFailure, fail } from "../http/handler.ts";
import type { Call, Created } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
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

/** @param taken the status if another order has the id */
export const placeOrderOf = <Status extends number>(taken: Status) =>
  [
    async ({ body, db, principal }: Call<typeof contract.placeOrder>) => {
      const user = userOf(principal);
      const placed = await queries.insertOrder(db, body, user);
      const isOwn = !user || user.accountId === placed.owner;
      // The same content again is a retry; other content must never overwrite.
      if (!placed.inserted && !(isOwn && sameContent(placed.order, body))) {
        return fail(taken, [{ path: "id", message: "is taken by another order" }]);
      }
      return success(placed);
    },
    {
      creates: "orders",
      answer: ({ body }: { readonly body: contract.NewOrder }, created: Created) =>
        success(queries.newOrderAs(body, created)),
    },
  ] as const;

export const placeOrder = implement(contract.placeOrder, ...placeOrderOf(400));

export const getOrderById = implement(contract.getOrderById, async ({ params, db, principal }) => {
  const stored = await queries.findOrder(db, params.orderId);
  if (!stored) return fail(404);
  const user = userOf(principal);
  if (user && user.accountId !== stored.owner) return fail(403);
  return success(stored);
});

export const deleteOrder = implement(
  contract.deleteOrder,
  async ({ params, db, preconditions, principal }) => {
    const owner = userOf(principal)?.accountId ?? null;
    const deleted = await queries.deleteOrder(db, params.orderId, preconditions, owner);
    if (deleted === "forbidden") return fail(403);
    if (typeof deleted === "string") return changeFailure(deleted);
    return { body: apiResponse(String(deleted.id)) };
  },
);
