// Reproducible random numbers.

/** Returns the next number from 0 to below 1. A seed determines the sequence (mulberry32). */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An integer from 0 to below `end`. */
export const below = (random: Random, end: number): number => Math.floor(random() * end);

/** A random item of a list that has any. */
export const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[below(random, items.length)] ?? items[0];

/** Removes a random item from a list. */
export function takeAny<Item>(random: Random, items: Item[]): Item | undefined {
  return items.splice(below(random, items.length), 1)[0];
}
