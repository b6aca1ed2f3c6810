const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^${OCTET}(?:\.${OCTET}){3}$`);

/** The characters of an IPv6 address. None of them can end the address in a URL. */
const IPV6_TEXT = /^[\da-f:.]+$/i;

/**
 * The address that a request comes from, as Cloudflare saw it. A client cannot choose it, except within its /64 of IPv6
 * (interface §6.7).
 * @returns an IPv4 address, the first 64 bits of an IPv6 address such as `2001:db8:0:1::/64`, or "" for anything else
 */
export function clientAddress(headers: Headers): string {
  const sent = headers.get("CF-Connecting-IP") ?? "";
  if (IPV4.test(sent)) return sent;
  // A zone has a meaning only on the host that wrote it (RFC 4007 §11).
  const groups = ipv6Groups(sent.replace(/%.*$/, ""));
  if (!groups) return "";
  return mappedIpv4(groups) ?? `${groups.slice(0, 4).join(":")}::/64`;
}

/** The eight groups of an IPv6 address in lower-case hexadecimal, without leading zeros. */
function ipv6Groups(text: string): string[] | undefined {
  const url = `http://[${text}]`;
  if (!IPV6_TEXT.test(text) || !URL.canParse(url)) return undefined;
  // A URL normalises the address: at most one run of zeros is left out, and no part is decimal.
  const [head = [], tail = []] = new URL(url).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail];
}

/** The IPv4 address that an IPv6 address stands for: `::ffff:0:0/96` (RFC 4291 §2.5.5.2). */
function mappedIpv4(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return undefined;
  const numbers = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join(".");
}
