import assert from "node:assert/strict";
import axios from "axios";
import * as petstore from "../generated/orval.exact/petstore.ts";
import { walkOn } from "../walk.ts";

const baseUrl = process.env["PETSTORE"];

axios.defaults.baseURL = baseUrl;

const { data: pet } = await petstore.addPet({
  name: "Rex",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: "available",
});
await petstore.updatePet({ ...pet, status: "pending" });
const { data: found } = await petstore.getPetById(pet.id);
assert.deepEqual(found, { ...pet, status: "pending" });

await petstore.updatePetWithForm(pet.id, { name: "Max", status: "sold" });
await walkOn(petstore, { ...pet, name: "Max", status: "sold" });
