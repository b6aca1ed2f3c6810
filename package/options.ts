import { resolve } from "node:path";
import * as v from "valibot";
import { PublicUrl } from "../src/http/public-url.ts";
import { ApiKey } from "../src/http/schemas.ts";

const PORT = "takes a number from 0 to 65535";

const properties = {
  /** 0 means any free port. */
  port: v.optional(v.pipe(v.number(PORT), v.integer(PORT), v.minValue(0, PORT), v.maxValue(65_535, PORT)), 0),
  /** The address that clients use, if a proxy stands in front. */
  publicUrl: v.optional(PublicUrl, ""),
  access: v.optional(v.picklist(["open", "protected"], "takes open or protected"), "open"),
  apiKey: v.optional(ApiKey),
  /** What a new store contains: "classic", "empty", or resources as `GET …/data` returns them. The Worker validates it. */
  data: v.optional(v.unknown(), "classic"),
};

const optionsSchema = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected }) => (expected === "never" ? "is not an option" : "takes an object"));

/** The options of `startPetStore`. `v.strictObject` would accept an array. */
export const StoreOptions = v.pipe(
  v.custom<object>((options) => !Array.isArray(options), "takes an object"),
  optionsSchema(properties),
  v.check(
    ({ access, apiKey }) => (access === "protected") === (apiKey !== undefined),
    'apiKey and access: "protected" must be used together',
  ),
);

/** The options of the command, which starts a server. */
export const ServerOptions = v.pipe(
  optionsSchema({
    ...properties,
    host: v.optional(v.pipe(v.string(), v.nonEmpty("takes an address")), "127.0.0.1"),
    /** Who can create sandboxes. Default: anyone, or the clients that have the key if access is protected. */
    sandboxes: v.optional(v.picklist(["anyone", "key", "nobody"], "takes anyone, key or nobody")),
    /** The folder that keeps everything. Default: the data is temporary. */
    keep: v.optional(
      v.pipe(
        v.string(),
        v.nonEmpty("takes a folder"),
        v.transform((folder) => resolve(folder)),
      ),
    ),
    /** Whether to print a line for each request. */
    log: v.optional(v.boolean(), false),
  }),
  v.forward(
    v.check(({ access, apiKey }) => access === "protected" || apiKey === undefined, "is for protected access"),
    ["apiKey"],
  ),
);

export type ServerOptions = v.InferOutput<typeof ServerOptions>;
