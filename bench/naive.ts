// The service as tutorials write it: Hono, Drizzle and valibot used the usual way, for get, create and list.
import { and, asc, eq, gt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Hono } from "hono";
import { validator } from "hono/validator";
import * as v from "valibot";

interface Tag {
  readonly id?: number | undefined;
  readonly name?: string | undefined;
}

const pets = sqliteTable("pets", {
  id: integer().primaryKey(),
  category: text({ mode: "json" }).$type<Tag>(),
  name: text().notNull(),
  photoUrls: text({ mode: "json" }).$type<string[]>().notNull(),
  tags: text({ mode: "json" }).$type<Tag[]>(),
  status: text({ enum: ["available", "pending", "sold"] }),
});

const Status = v.picklist(["available", "pending", "sold"]);
const Tag = v.object({ id: v.optional(v.number()), name: v.optional(v.string()) });
const NewPet = v.object({
  category: v.optional(Tag),
  name: v.pipe(v.string(), v.nonEmpty()),
  photoUrls: v.array(v.pipe(v.string(), v.url())),
  tags: v.optional(v.array(Tag)),
  status: v.optional(Status),
});
const PetPath = v.object({ petId: v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number)) });
const Page = v.object({
  status: Status,
  limit: v.optional(v.pipe(v.string(), v.transform(Number), v.integer()), "100"),
  after: v.optional(v.pipe(v.string(), v.transform(Number), v.integer()), "0"),
});

const app = new Hono<{ Bindings: Env }>().basePath("/v2");

app.get(
  "/pet/findByStatus",
  validator("query", (value, c) => {
    const parsed = v.safeParse(Page, value);
    return parsed.success ? parsed.output : c.json({ message: "Invalid status value" }, 400);
  }),
  async (c) => {
    const { status, limit, after } = c.req.valid("query");
    const found = await drizzle(c.env.DB)
      .select()
      .from(pets)
      .where(and(eq(pets.status, status), gt(pets.id, after)))
      .orderBy(asc(pets.id))
      .limit(limit);
    return c.json(found);
  },
);

app.get(
  "/pet/:petId",
  validator("param", (value, c) => {
    const parsed = v.safeParse(PetPath, value);
    return parsed.success ? parsed.output : c.json({ message: "Invalid ID supplied" }, 400);
  }),
  async (c) => {
    const { petId } = c.req.valid("param");
    const [pet] = await drizzle(c.env.DB).select().from(pets).where(eq(pets.id, petId));
    return pet ? c.json(pet) : c.json({ message: "Pet not found" }, 404);
  },
);

app.post(
  "/pet",
  validator("json", (value, c) => {
    const parsed = v.safeParse(NewPet, value);
    return parsed.success ? parsed.output : c.json({ message: "Invalid input" }, 405);
  }),
  async (c) => {
    const [pet] = await drizzle(c.env.DB).insert(pets).values(c.req.valid("json")).returning();
    return c.json(pet);
  },
);

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default app;
