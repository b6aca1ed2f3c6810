import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** Where else a server answers that listens at all addresses of this machine: what other machines may use. */
export function othersOf(url: string, host: string): string[] {
  const { hostname } = new URL(`http://${isIPv6(host) ? `[${host}]` : host}`);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return [];
  return (
    Object.values(networkInterfaces())
      .flatMap((addresses = []) => addresses)
      .filter(({ internal, family }) => !internal && (family === "IPv4" || hostname === "[::]"))
      // A link-local one would need the name that the other machine has for the link.
      .filter(({ address }) => !address.startsWith("fe80:"))
      .map(({ address, family }) => {
        const other = new URL(url);
        other.hostname = family === "IPv6" ? `[${address}]` : address;
        return other.href;
      })
  );
}
