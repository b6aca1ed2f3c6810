import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** @returns a port that is free: for 0, any. @throws Error with a code, if it is in use, or the host not of this machine */
export async function claim(port: number, host: string): Promise<number> {
  const listener = createServer().listen(port, host);
  await once(listener, "listening");
  const { port: free } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return free;
}
