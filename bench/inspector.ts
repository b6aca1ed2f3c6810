// Asks workerd's inspector about a Worker (the DevTools protocol): where it spends its time, and its memory.
interface Target {
  readonly id: string;
  readonly title?: string;
  readonly webSocketDebuggerUrl: string;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly profile?: Profile } & Partial<HeapUsage>;
  readonly error?: { readonly message: string };
}

/** In bytes. */
interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/** A connection to the inspector of one Worker. */
export interface Inspection {
  readonly send: (method: string, params?: object) => Promise<Reply>;
  readonly close: () => void;
}

/** A node of the tree of calls. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

/** A V8 CPU profile, as a .cpuprofile file holds it. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Connects to the Worker. @param inspector where Miniflare's inspector listens */
export async function inspect(inspector: URL): Promise<Inspection> {
  const list = new URL("/json", inspector);
  list.protocol = "http:";
  const targets = (await (await fetch(list)).json()) as Target[];
  const target =
    targets.find(({ id, title }) => `${id} ${title}`.endsWith("core:user:bench")) ?? targets[0];
  if (!target) throw new Error("the inspector has no target");

  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("the inspector refused")));
  });
  let last = 0;
  // workerd confirms the commands of the profiler by sending them back, with no result.
  const send = async (method: string, params: object = {}): Promise<Reply> => {
    const id = ++last;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply;
  };
  return { send, close: () => socket.close() };
}

/** Profiles the Worker for as long as `work` takes. @param inspector where Miniflare's inspector listens */
export async function profileDuring(inspector: URL, work: () => Promise<void>): Promise<Profile> {
  const { send, close } = await inspect(inspector);
  try {
    await send("Profiler.enable");
    await send("Profiler.setSamplingInterval", { interval: 200 });
    await send("Profiler.start");
    await work();
    const profile = (await send("Profiler.stop")).result?.profile;
    if (!profile) throw new Error("there is no profile");
    return profile;
  } finally {
    close();
  }
}

/** Memory of the Worker's isolate: the bytes of all objects and buffers, garbage included. */
export async function usedHeap({ send }: Inspection): Promise<number> {
  const { result } = await send("Runtime.getHeapUsage");
  if (result?.usedSize === undefined) throw new Error("the inspector knows no heap");
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = result;
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}

/** Functions by the time spent in themselves, the hottest first. */
export function hottest({ nodes, samples, timeDeltas }: Profile): {
  readonly name: string;
  readonly microseconds: number;
  readonly share: number;
}[] {
  const times = new Map<number, number>();
  samples.forEach((id, index) => times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const byName = new Map<string, number>();
  let total = 0;
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    if (functionName === "(idle)" || functionName === "(root)") continue;
    const file = url.split("/").at(-1) ?? "";
    const name = `${functionName || "(anonymous)"}${file && ` ${file}:${lineNumber + 1}`}`;
    const time = times.get(id) ?? 0;
    total += time;
    byName.set(name, (byName.get(name) ?? 0) + time);
  }
  return [...byName]
    .map(([name, microseconds]) => ({ name, microseconds, share: microseconds / total }))
    .toSorted((one, other) => other.microseconds - one.microseconds);
}
