import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { Database } from "../../src/db/client.ts";
import { D1Engine } from "../../src/db/d1.ts";
import { deleteDueImages } from "../../src/pet/images.ts";
import { createWorker } from "../../src/worker.ts";
import { clientOf } from "../client.ts";
import type { Answer, Send } from "../client.ts";
import { UNAVAILABLE, outcome } from "../fixtures.ts";
import { operationOf } from "../operations.ts";
import { Calls, allThrough } from "../bindings.ts";
import type { Fault, Store, Time } from "../bindings.ts";
import { secretsOf, sendCase } from "./cases.ts";
import type { Case, Mode, World } from "./cases.ts";
import { DEADLINE_MS } from "./catalogue.ts";
import {
  essenceOf,
  expectInvariants,
  readState,
  restore,
  unfinished,
  versionsOf,
  withoutNames,
} from "./state.ts";
import type { Essence, State } from "./state.ts";

/** A request, and where it is sent. */
export interface Setup {
  readonly each: Case;
  readonly mode: Mode;
  readonly world: World;
  /** What the stores hold. */
  readonly before: State;
}

export type FaultOf = (call: number, store: Store) => Fault | undefined;

const realTimeout = globalThis.setTimeout;
const tick = async () => new Promise<void>((resolve) => void realTimeout(resolve, 0));

/** How long a service that gave up a store may take to answer, in real time: a test must end. */
const PATIENCE_MS = 60_000;

/** How often the service makes a call that may be repeated (docs/reliability.md, Retries). */
const MOST_TRIES = 5;

/** The body of an answer broke off. */
class Broken extends Error {
  readonly partial: string;

  constructor(partial: string) {
    super("the body broke off");
    this.partial = partial;
  }
}

let logged: string[] = [];
/** Work that fails after the answer has a line without a status. */
const ofRequest = () => logged.filter((line) => line.includes('"status":'));

/** Before each test: timers are the test's, and the log of the service is kept. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(console, "error").mockImplementation((line: unknown) => void logged.push(String(line)));
}

/** After each test. */
export function resumeTime(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

/** The calls of one request, with faults, and what happens where one is never answered. */
function callsWith(faultOf: FaultOf) {
  const { promise: hung, reject } = Promise.withResolvers<never>();
  hung.catch(() => undefined);
  const time: Time = {
    silence() {
      // By then the service has set its timer, if it sets one.
      realTimeout(() => vi.advanceTimersByTime(DEADLINE_MS), 0);
      realTimeout(() => reject(new Error("the service waits for ever")), PATIENCE_MS);
    },
    async pass(ms) {
      await tick();
      vi.advanceTimersByTime(ms);
    },
  };
  return { calls: new Calls(faultOf, time), hung };
}

/** The calls of the request under way. */
let current = new Calls();

/** Passes calls on, so that one service serves every request: a new service for each would cost more than the request. */
class CurrentCalls extends Calls {
  override next(store: Store): Fault | undefined {
    return current.next(store);
  }
  override async pass<T>(run: () => Promise<T>, store?: Store): Promise<T> {
    return current.pass(run, store);
  }
}

const { bindings, now } = allThrough(new CurrentCalls());

/** What the request under way left to do after its answer. */
let afterwards: Promise<unknown>[] = [];
const worker = createWorker(now, (work) => void afterwards.push(work));

function clientIn(mode: Mode): Send {
  const environment: Env = { ...env, ...bindings, ACCESS: mode };
  return clientOf(async (request) => {
    const response = await worker.fetch(request, environment);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    try {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    } catch {
      throw new Broken(await new Blob(chunks).text());
    }
    return new Response(response.body && new Blob(chunks), response);
  }, mode);
}

const clients = { open: clientIn("open"), protected: clientIn("protected") };

const A_DAY_MS = 24 * 60 * 60 * 1000;

/** What the stores hold when the next hourly run, which meets no faults, has finished what was cut short. */
async function finished(cut: State): Promise<State> {
  if (unfinished(cut).length === 0) return cut;
  expectInvariants(cut);
  await deleteDueImages(new Database(new D1Engine(env.DB)), env.IMAGES, Date.now() + A_DAY_MS);
  const after = await readState();
  expect(unfinished(after)).toEqual([]);
  return after;
}

/** The result of a request. */
interface Outcome {
  readonly answer: Answer | Broken;
  readonly calls: Calls;
  readonly after: State;
  readonly essence: Essence;
}

/** Sends a request, each call of which may meet a fault. */
async function outcomeOf(
  { each, mode, world, before }: Setup,
  faultOf: FaultOf = () => undefined,
): Promise<Outcome> {
  const { calls, hung } = callsWith(faultOf);
  current = calls;
  afterwards = [];
  const sending = sendCase(clients[mode], each, mode, world);
  const answer = await Promise.race([sending, hung]).catch((error: unknown) => {
    if (error instanceof Broken) return error;
    throw error;
  });
  await Promise.race([Promise.all(afterwards), hung]);
  const after = await finished(await readState(before, calls.trace));
  return { answer, calls, after, essence: await essenceOf(after, before) };
}

/** What a request does when nothing fails, and what it does when it is sent once more. */
export interface Model {
  /** What the stores held before. */
  readonly nothing: Essence;
  readonly once: Outcome;
  readonly again: Outcome;
  /** What faulty runs left and for which the retry was checked. The retry depends on nothing else. */
  readonly retried: Set<string>;
}

/** Leaves the stores as it found them. */
export async function modelOf(setup: Setup): Promise<Model> {
  const { before } = setup;
  const once = await outcomeOf(setup);
  const again = await outcomeOf({ ...setup, before: once.after });
  await restore(before, again.after);
  return { nothing: await essenceOf(before, before), once, again, retried: new Set() };
}

/** Of each store that the request changes, whether it did: all of its changes, or none. */
function partsDone({ nothing, once }: Model, essence: Essence): boolean[] {
  const parts = (["rows", "sessions", "images"] as const).filter(
    (part) => once.essence[part] !== nothing[part],
  );
  for (const part of ["rows", "sessions", "images"] as const) {
    expect([nothing[part], once.essence[part]], `${part}: all or nothing`).toContain(essence[part]);
  }
  return parts.map((part) => essence[part] === once.essence[part]);
}

/**
 * Sends a request that meets faults and checks what came of it: the answer, the stores, and what the same
 * request does afterwards, when nothing fails.
 * @returns what the stores hold then, and the calls that the faulty request made
 */
export async function checkFaulty(
  setup: Setup,
  model: Model,
  faultOf: FaultOf,
): Promise<{ readonly after: State; readonly calls: Calls }> {
  logged = [];
  const { each, world, before } = setup;
  const { answer, calls, after, essence } = await outcomeOf(setup, faultOf);
  const { nothing, once, again } = model;

  if (after.tables !== before.tables) expectInvariants(after);
  const done = partsDone(model, essence);
  expect(new Set(done).size, "one store without the other").toBeLessThanOrEqual(1);
  expectFewWrites(each, before, after, calls);
  expectLimiters(calls, answer);
  if (answer instanceof Broken) expectBrokenOff(each, answer, once.answer);
  else if (answer.status === 503) expectUnavailable(answer);
  else if (isRefusedBy(calls, answer, setup)) expect(essence).toEqual(nothing);
  else {
    expect(shown(answer), "a success is that of a request without faults").toEqual(
      shown(once.answer),
    );
    // A logout succeeds, though the session may last (interface §6.3).
    const isLeft = each.operation.endsWith("logoutUser") && done.includes(false);
    if (isLeft)
      expect(ofRequest(), "one line").toEqual([expect.stringContaining('"a binding failed"')]);
    else expect(done, "a success is complete").not.toContain(false);
    expectStoredVersion(answer, after);
  }
  for (const secret of secretsOf(world)) expect(logged.join()).not.toContain(secret);

  const left = JSON.stringify(essence);
  if (model.retried.has(left)) return { after, calls };
  model.retried.add(left);
  // A client that saw no answer sends the request once more.
  const expected = done[0] ? again : once;
  const retry = await outcomeOf({ ...setup, before: after });
  expect(shown(retry.answer), "the answer to the client's retry").toEqual(shown(expected.answer));
  expect(retry.essence.rows, "what the client's retry stores").toBe(expected.essence.rows);
  expect(retry.essence.sessions, "the sessions after it").toBe(expected.essence.sessions);
  expectInvariants(retry.after);
  await restore(after, retry.after);
  return { after, calls };
}

/** Every row is written once, unless the service repeated the request after an answer that got lost. */
function expectFewWrites(each: Case, before: State, after: State, { met }: Calls): void {
  const most = each.repeatable && met.some(({ when }) => when === "after") ? MOST_TRIES : 1;
  const versions = versionsOf(before);
  for (const [row, version] of versionsOf(after)) {
    const moved = version - (versions.get(row) ?? version);
    expect(moved, `the version of ${row}`).toBeGreaterThanOrEqual(0);
    expect(moved, `the version of ${row}`).toBeLessThanOrEqual(most);
  }
}

/** One shape of error, which says when to try again and nothing internal. */
function expectUnavailable(answer: Answer): void {
  expect(outcome(answer)).toEqual(UNAVAILABLE);
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  const ofSuccess = ["set-cookie", "etag", "x-expires-after"];
  expect(ofSuccess.filter((header) => answer.headers.has(header))).toEqual([]);
  expect(JSON.stringify([...answer.headers])).not.toMatch(/D1_|SQLITE|\bKV\b|reference =/);
}

const isBroken = (fault: Fault | undefined) =>
  fault !== undefined && ["before", "after", "never"].includes(fault.when);

/** If a request cannot be counted it goes through and is logged; a login is refused (interface §6.7). */
function expectLimiters({ last }: Calls, answer: Answer | Broken): void {
  const { status } = answer instanceof Broken ? { status: 200 } : answer;
  if (isBroken(last.get("LOGINS"))) expect(status, "logins are not counted").toBe(503);
  const broken = [...last].filter(([, fault]) => isBroken(fault)).map(([store]) => store);
  if (broken.every((store) => store === "REQUESTS")) expect(status).not.toBe(503);
  if (broken.includes("REQUESTS")) {
    expect(ofRequest(), "one line").toEqual([expect.stringContaining('"uncounted":{"error"')]);
  }
}

/** A body that breaks off never looks complete. */
function expectBrokenOff(each: Case, { partial }: Broken, whole: Answer | Broken): void {
  expect(each.streams, "only streams break").toBe(true);
  expect(whole instanceof Broken || partial.length < whole.text.length).toBe(true);
  expect(() => JSON.parse(partial) as unknown).toThrow(SyntaxError);
}

/** If a limit is reached, 429 is right. If the clock says that the session has expired, 401 is right. */
function isRefusedBy({ met }: Calls, { status, headers }: Answer, { mode }: Setup): boolean {
  if (met.some(({ when }) => when === "refused")) {
    return status === 429 && headers.has("retry-after");
  }
  return mode === "protected" && status === 401 && met.some(({ when }) => when === "off");
}

/** What a client sees of an answer, with what is random left out. */
function shown(answer: Answer | Broken): object {
  if (answer instanceof Broken) throw answer;
  const { status, text, headers } = answer;
  return {
    status,
    text: withoutNames(text).replace(/(session: ?)[\w-]{43}/, "$1*"),
    headers: ["etag", "set-cookie", "link", "content-type"].filter((name) => headers.has(name)),
  };
}

/** The `ETag` of a pet, an order or a user is the version that is stored. */
function expectStoredVersion({ headers }: Answer, after: State): void {
  const [, version] = /^"(\d{1,16})"$/.exec(headers.get("etag") ?? "") ?? [];
  if (version !== undefined) expect([...versionsOf(after).values()]).toContain(Number(version));
}

/** Whether an operation reads a session where access is protected. */
export const isProtected = (each: Case): boolean =>
  operationOf(each.operation).operation.access !== "anyone";
