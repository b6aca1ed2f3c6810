// kubb's client writes forms as JSON and resolves refused calls too, so it cannot take the walk of the others. It names no
// media type of its own.
import assert from "node:assert/strict";
import { setConfig } from "@kubb/plugin-client/clients/fetch";
import { addPet, getPetById } from "../generated/kubb.exact/index.ts";
import { BASE } from "../walk.ts";

setConfig({ baseURL: BASE, headers: { "Content-Type": "application/json" } });

const { id } = await addPet({ name: "Rex", photoUrls: ["rex.png"], status: "available" });
assert.equal((await getPetById(id)).name, "Rex");
