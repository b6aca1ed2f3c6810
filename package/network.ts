import { createServer, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** The URLs for other machines, if the server listens on all addresses. */
export function othersOf(url: string, host: string): string[] {
  const { hostname } = new URL(`http://${isIPv6(host) ? `[${host}]` : host}`);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return [];
  return (
    Object.values(networkInterfaces())
      .flatMap((addresses = []) => addresses)
      .filter(({ internal, family }) => !internal && (family === "IPv4" || hostname === "[::]"))
      // A link-local address would need the other machine's name for the link.
      .filter(({ address }) => !address.startsWith("fe80:"))
      .map(({ address, family }) => {
        const other = new URL(url);
        other.hostname = family === "IPv6" ? `[${address}]` : address;
        return other.href;
      })
  );
}

/** Checks host and port. @throws Error with a code if the port is in use, or the host not of this machine */
export async function claim(port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const listener = createServer();
    listener.once("error", reject).listen(port, host, () => listener.close(() => resolve()));
  });
}
