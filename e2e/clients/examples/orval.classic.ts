import axios from "axios";
import * as petstore from "../generated/orval.classic/petstore.ts";
import { BASE, inOrder, walk } from "../walk.ts";

axios.defaults.baseURL = BASE;

await walk(inOrder(petstore));
