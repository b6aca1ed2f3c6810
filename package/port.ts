import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/**
 * Checks that a server can listen on a port.
 * @param port 0 means any free port
 * @returns the port
 * @throws Error with a code if the port is in use, or if the host is not an address of this machine
 */
export async function claim(port: number, host: string): Promise<number> {
  const listener = createServer().listen(port, host);
  await once(listener, "listening");
  const { port: free } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return free;
}
