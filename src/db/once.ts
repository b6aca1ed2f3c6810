/** Returns a function that creates a value once for each key, and keeps it as long as the key. */
export function oncePer<Key extends WeakKey, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? create(key);
    values.set(key, value);
    return value;
  };
}
