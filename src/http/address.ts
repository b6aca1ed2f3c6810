const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^${OCTET}(?:\.${OCTET}){3}$`);

/** The characters of an IPv6 address. None of them ends the host in a URL. */
const IPV6_TEXT = /^[\da-f:.]+$/i;

/**
 * The client's address, as Cloudflare saw it. An IPv6 address is cut to its /64, within which a client can choose any
 * address (interface §6.7).
 * @returns an IPv4 address, an IPv6 network such as `2001:db8:0:1::/64`, or "" for anything else
 */
export function clientAddress(headers: Headers): string {
  const sent = headers.get("CF-Connecting-IP") ?? "";
  if (IPV4.test(sent)) return sent;
  // A zone such as `%eth0` has no meaning on another host (RFC 4007 §11).
  const groups = ipv6Groups(sent.replace(/%.*$/, ""));
  if (!groups) return "";
  return mappedIpv4(groups) ?? `${groups.slice(0, 4).join(":")}::/64`;
}

/** The eight groups of an IPv6 address in lower-case hexadecimal, without leading zeros. */
function ipv6Groups(text: string): string[] | undefined {
  const url = `http://[${text}]`;
  if (!IPV6_TEXT.test(text) || !URL.canParse(url)) return undefined;
  // A URL normalises the address: `::` occurs at most once, and no part is decimal.
  const [head = [], tail = []] = new URL(url).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail];
}

/** The IPv4 address in an IPv4-mapped IPv6 address: `::ffff:0:0/96` (RFC 4291 §2.5.5.2). */
function mappedIpv4(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return undefined;
  const numbers = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join(".");
}
