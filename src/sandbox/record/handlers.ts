import { ApiError } from "../../http/errors.ts";
import { fail } from "../../http/handler.ts";
import type { Endpoint } from "../../http/handler.ts";
import { implementFor } from "../../http/implement.ts";
import { JsonText } from "../../http/operation.ts";
import { missesOf } from "../faults/aims.ts";
import type { InSandbox } from "../sandbox.ts";
import * as contract from "./contract.ts";
import { FORMATS } from "./formats.ts";
import { isWanted } from "./log.ts";
import type { Recorder } from "./recorder.ts";

/** What these handlers use besides the services. */
export interface WithRecord extends InSandbox {
  readonly recorder: Recorder;
}

const implement = implementFor<WithRecord>();

const listRequests = implement(
  contract.getStoreRequests,
  async ({ params: { store }, query: { format = "json", ...filter }, sandbox, recorder, url }) => {
    if (!sandbox.exists) return fail("missing");
    const [miss] = missesOf([{ operationId: filter.operationId }]);
    if (miss) return fail("invalidParameter", [{ path: "operationId", message: miss.message }]);
    const { log } = recorder;
    const requests = log.requests
      .filter((request) => isWanted(request, filter))
      .slice(0, filter.limit);
    if (format === "json") return { body: requests };
    const { data, after } = log.settings.began;
    const { type, file, write } = FORMATS[format];
    const text = write(requests.toReversed(), {
      address: `${new URL(url).origin}/stores/${store}`,
      began: data,
      isWhole: requests.length === log.last - after,
    });
    const disposition = `attachment; filename="${file}"`;
    return {
      body: new JsonText(text),
      headers: { "Content-Type": type, "Content-Disposition": disposition },
    };
  },
);

/** A WebSocket gets each request as it is answered. A page of another origin gets none: any page may open a WebSocket. */
export const getStoreRequests: Endpoint<WithRecord> = {
  ...listRequests,
  async answer(exchange, services) {
    const { headers, url } = exchange.request;
    const isSocket = headers.get("Upgrade")?.toLowerCase() === "websocket";
    const origin = headers.get("Origin");
    if (isSocket && origin !== null && URL.parse(origin)?.host !== new URL(url).host) {
      throw new ApiError(contract.getStoreRequests.errors.foreign);
    }
    return isSocket && services.sandbox.exists
      ? services.recorder.watch()
      : listRequests.answer(exchange, services);
  },
};

export const putStoreRequests = implement(
  contract.putStoreRequests,
  async ({ body, recorder, settings, use }) => {
    if (body.secrets === true && settings.localStore === undefined) {
      return fail("invalid", [{ path: "secrets", message: "must be false in a hosted sandbox" }]);
    }
    await use();
    recorder.log.settings = { mode: body };
    return { body: undefined, status: 204 };
  },
);

export const deleteStoreRequests = implement(
  contract.deleteStoreRequests,
  async ({ sandbox, recorder }) => {
    if (!sandbox.exists) return fail("missing");
    recorder.log.clear();
    return { body: undefined, status: 204 };
  },
);
