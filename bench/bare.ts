// Hono and nothing else, for the size and the start-up time of the framework itself.
import { Hono } from "hono";

const app = new Hono();

app.get("/", (c) => c.text("ok"));

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default app;
