import assert from "node:assert/strict";
import axios from "axios";
import * as petstore from "../generated/orval.classic/petstore.ts";
import { walkOn } from "../walk.ts";

const baseUrl = process.env["PETSTORE"];

axios.defaults.baseURL = baseUrl;

const body: petstore.Pet = {
  id: 1001,
  name: "doggie",
  photoUrls: ["rex.png"],
  status: "available",
};
await petstore.addPet(body);
const { data: pet } = await petstore.getPetById(1001);
assert.deepEqual(pet, body);
await petstore.updatePet(pet);
await petstore.updatePetWithForm(1001, { name: "Rex", status: "sold" });

await walkOn(petstore, { ...pet, name: "Rex", status: "sold" });
