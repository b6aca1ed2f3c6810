// Values that members take, of every form that is allowed.
import * as fc from "fast-check";

/** Any characters but U+0000. */
export const text = fc
  .oneof(
    { weight: 20, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("", " ", "null", "'; drop table pets; --", "\u{FEFF}", "\r\n"),
    },
  )
  .map((string) => string.replaceAll("\0", ""));

export const url = fc.oneof(
  fc
    .webUrl({ withQueryParameters: true, withFragments: true })
    .filter((each) => !each.includes(",")),
  fc.constantFrom("string", "a.png", "/photos/1.jpg", "../b.gif", "https://x.example/é.png", "#1"),
);

const pad = (value: number, length: number) => String(value).padStart(length, "0");

/** ISO 8601, with all fractions and zones that are allowed. */
export const dateTime = fc
  .record({
    time: fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fraction: fc.option(fc.stringMatching(/^\d{1,9}$/), { nil: undefined }),
    zone: fc.oneof(
      fc.constantFrom("", "Z"),
      fc
        .tuple(fc.constantFrom("+", "-"), fc.nat(14), fc.nat(59), fc.constantFrom("", ":"))
        .map(([sign, hour, minute, colon]) => `${sign}${pad(hour, 2)}${colon}${pad(minute, 2)}`),
    ),
  })
  .map(({ time, fraction, zone }) => {
    const seconds = time.toISOString().slice(0, 19);
    return `${seconds}${fraction === undefined ? "" : `.${fraction}`}${zone}`;
  });
