// Segments of paths, percent-encoded, that name nothing.

export const words = (text: string): string[] => text.split(" ");

/** No canonical decimal integers (interface §1.3). */
export const NO_INTEGERS = [
  ...words(
    "abc 007 00 +7 %2B7 -0 -07 --7 - 7.0 7. .7 7,0 7e0 1E3 0x7 0b1 0o7 7n 1_000 7;8 7'-- [7]",
  ),
  ...words("%207 7%20 7%09 7%0A 7%00 %00 7%2F8 %2D ７ %EF%BC%97 ٧ Ⅶ %ZZ 7%ZZ %FF 7%"),
  ...words("NaN Infinity null undefined true {petId}"),
  "x".repeat(5000),
];

/** Ids that do not exist. */
export const UNHAD_INTEGERS = [
  ...words("0 -1 -7 987654321 9007199254740991 9007199254740992"),
  ...words("9223372036854775807 9223372036854775808 -9223372036854775809"),
  "1".repeat(400),
  `-${"9".repeat(5000)}`,
];

/** Some break two rules; errors name the first. */
export const NO_USERNAMES = [
  ...words("%20 %09 %0A %C2%A0 %00 %C2%85 a%0A a%0Ab a%00b %7F %E3%80%80"),
  "x".repeat(129),
  "%F0%9F%90%B6".repeat(129),
  "x".repeat(5000),
];

/** Broken percent escapes, and escapes that are not UTF-8. */
export const BROKEN_ESCAPES = words("% %Z %ZZ %4 %FF %E2%82 %C0%80 %ED%A0%80 a%ZZ a%C3");
