import { createApp } from "./app.ts";

/** The Worker. */
export default createApp();
