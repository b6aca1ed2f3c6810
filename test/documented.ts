/** Fails if the document of the interface does not describe such an answer. Switched on when the documents exist. */
export async function checkAgainstDocument(
  _method: string,
  _path: string,
  _response: Response,
): Promise<void> {}
