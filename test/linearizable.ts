/** When an operation was asked for and when it was answered, on one clock. */
export interface Timed {
  readonly began: number;
  readonly ended: number;
}

/** What operations do to a thing, one at a time. */
export interface Sequential<Operation, State extends string | number> {
  readonly initial: State;
  /** The state after an operation that ended as it did; `undefined`: in this state it cannot end so. */
  readonly after: (state: State, operation: Operation) => State | undefined;
}

/**
 * Whether operations that overlapped ended as they could have ended one at a time, in an order that keeps
 * each one before all that began after it was answered.
 *
 * The search of Wing and Gong: of the operations that may come next each is tried. What is left to do
 * depends only on which are done and on the state, so that no such pair is searched twice (Lowe).
 */
export function isLinearizable<Operation extends Timed, State extends string | number>(
  history: readonly Operation[],
  { initial, after }: Sequential<Operation, State>,
): boolean {
  const all = (1n << BigInt(history.length)) - 1n;
  const seen = new Set<string>();
  const open = [{ done: 0n, state: initial }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { done, state } = next;
    if (done === all) return true;
    const left = history
      .map((operation, index) => ({ operation, bit: 1n << BigInt(index) }))
      .filter(({ bit }) => (done & bit) === 0n);
    const firstEnd = Math.min(...left.map(({ operation }) => operation.ended));
    for (const { operation, bit } of left) {
      const following = operation.began < firstEnd ? after(state, operation) : undefined;
      if (following === undefined) continue;
      const key = `${done | bit} ${following}`;
      if (!seen.has(key)) open.push({ done: done | bit, state: following });
      seen.add(key);
    }
  }
  return false;
}
