// Reads the memory of a Worker from workerd's inspector, over the DevTools protocol.
interface Target {
  readonly id: string;
  readonly title?: string;
  readonly webSocketDebuggerUrl: string;
}

interface Reply {
  readonly id?: number;
  /** In bytes. */
  readonly result?: {
    readonly usedSize?: number;
    readonly embedderHeapUsedSize?: number;
    readonly backingStorageSize?: number;
  };
  readonly error?: { readonly message: string };
}

/** A connection to the inspector of one Worker. */
export interface Inspection {
  /** The bytes of all objects and buffers of the Worker's isolate, garbage included. */
  readonly usedHeap: () => Promise<number>;
  readonly close: () => void;
}

/** Connects to the Worker. @param inspector the URL of Miniflare's inspector */
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
  const usedHeap = async () => {
    const id = ++last;
    const { error, result } = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    });
    if (error) throw new Error(error.message);
    if (result?.usedSize === undefined) throw new Error("the inspector returned no heap size");
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = result;
    return usedSize + embedderHeapUsedSize + backingStorageSize;
  };
  return { usedHeap, close: () => socket.close() };
}
