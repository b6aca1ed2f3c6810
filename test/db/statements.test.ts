import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { compilers } from "../../src/db/statement.ts";
import { routes } from "../../src/routes.ts";

// Statements are compiled when they are first used, so a bad one would show only then.

/** Every statement of the service: the routes import all that there are. */
const all = () => (routes.length > 0 ? compilers : []);

async function explain(sql: string, parameters: number): Promise<number> {
  const nulls = Array.from({ length: parameters }, () => null);
  return (
    await env.DB.prepare(`EXPLAIN ${sql}`)
      .bind(...nulls)
      .all()
  ).results.length;
}

test("every statement compiles, to SQL that the database takes", async () => {
  expect(all().length).toBeGreaterThan(30);
  for (const compile of all()) {
    const { sql, params } = compile();
    expect(await explain(sql, params.length)).toBeGreaterThan(0);
  }
});

test("a statement is compiled once, and gives the same SQL every time", () => {
  for (const compile of all()) expect(compile()).toBe(compile());
});
