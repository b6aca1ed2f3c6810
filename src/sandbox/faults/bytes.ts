/** The beginning of a body. */
export interface ReadAhead {
  readonly bytes: Uint8Array;
  /** What follows. Unset if that was all. */
  readonly rest: ReadableStream<Uint8Array> | undefined;
}

/** Reads a body until it ends or has more than so many bytes. */
export async function readUpTo(body: ReadableStream, most: number): Promise<ReadAhead> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let isWhole = false;
  for (let length = 0; length <= most && !isWhole;) {
    const { value } = await reader.read();
    if (value) chunks.push(value);
    isWhole = value === undefined;
    length += value?.byteLength ?? 0;
  }
  reader.releaseLock();
  return { bytes: await new Blob(chunks).bytes(), rest: isWhole ? undefined : body };
}
