// The types of a client, `hc<AppType>`. `npm run check` compiles them; nothing is sent.
import { hc, type InferRequestType, type InferResponseType } from "hono/client";
import { describe, expectTypeOf, test } from "vitest";
import type { AppType } from "../../src/index.ts";

const {
  v2,
  api: { v3 },
} = hc<AppType>("http://petstore.test");

interface Pet {
  id: number;
  name: string;
  photoUrls: string | string[];
}

interface Done {
  readonly code: 200;
  readonly type: "unknown";
  readonly message: string;
}

type Text = string | string[];

describe("/v2", () => {
  test("findPetsByStatus accepts strings, requires only the status, and returns a list", () => {
    const { $get } = v2.pet.findByStatus;
    expectTypeOf<InferRequestType<typeof $get>["query"]>().toEqualTypeOf<{
      status: Text;
      limit?: Text;
      after?: Text;
    }>();
    expectTypeOf<InferResponseType<typeof $get>>().toExtend<Pet[]>();
  });

  test("addPet requires a name and photoUrls, and returns the pet", () => {
    const { $post } = v2.pet;
    expectTypeOf<{ name: string; photoUrls: string }>().toExtend<InferRequestType<typeof $post>["json"]>();
    expectTypeOf<{ name: string }>().not.toExtend<InferRequestType<typeof $post>["json"]>();
    expectTypeOf<InferResponseType<typeof $post>>().toExtend<Pet>();
  });

  test("deleteOrder accepts the ID as a string", () => {
    const { $delete } = v2.store.order[":orderId"];
    expectTypeOf<InferRequestType<typeof $delete>["param"]>().toEqualTypeOf<{ orderId: string }>();
    expectTypeOf<InferResponseType<typeof $delete>>().toEqualTypeOf<Done>();
  });

  test("loginUser requires both parameters", () => {
    const { $get } = v2.user.login;
    expectTypeOf<InferRequestType<typeof $get>["query"]>().toEqualTypeOf<{ username: Text; password: Text }>();
    expectTypeOf<InferResponseType<typeof $get>>().toEqualTypeOf<Done>();
  });

  test("updateUser accepts any field, and the name in the path", () => {
    const { $put } = v2.user[":username"];
    expectTypeOf<{ param: { username: string }; json: { phone: string } }>().toExtend<InferRequestType<typeof $put>>();
    expectTypeOf<{ json: { phone: number } }>().not.toExtend<Pick<InferRequestType<typeof $put>, "json">>();
  });
});

describe("/api/v3", () => {
  test("findPetsByStatus requires nothing", () => {
    const { $get } = v3.pet.findByStatus;
    expectTypeOf<InferRequestType<typeof $get>["query"]>().toEqualTypeOf<{
      status?: Text;
      limit?: Text;
      after?: Text;
    }>();
    expectTypeOf<InferResponseType<typeof $get>>().toExtend<{ photoUrls: string[] }[]>();
  });

  test("addPet rejects photoUrls as a string", () => {
    const { $post } = v3.pet;
    expectTypeOf<{ name: string; photoUrls: string }>().not.toExtend<InferRequestType<typeof $post>["json"]>();
    expectTypeOf<InferResponseType<typeof $post>>().toExtend<{ id: number; photoUrls: string[] }>();
  });

  test("updatePetWithForm accepts the name and the status in the query", () => {
    const { $post } = v3.pet[":petId"];
    expectTypeOf<InferRequestType<typeof $post>["query"]>().toEqualTypeOf<{ name?: Text; status?: Text }>();
    expectTypeOf<InferRequestType<typeof $post>["param"]>().toEqualTypeOf<{ petId: string }>();
  });

  test("placeOrder requires nothing, and returns the order", () => {
    const { $post } = v3.store.order;
    expectTypeOf<{}>().toExtend<InferRequestType<typeof $post>["json"]>();
    expectTypeOf<InferResponseType<typeof $post>["id"]>().toEqualTypeOf<number>();
  });

  test("loginUser returns a string", () => {
    const { $get } = v3.user.login;
    expectTypeOf<InferResponseType<typeof $get>>().toExtend<string>();
  });
});
