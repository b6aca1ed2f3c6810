/** Content that is already text, JSON unless the headers say otherwise, and is sent unchanged. */
export class JsonText<Content> {
  readonly text: string;
  /** Never set. It only carries the type of the content. */
  declare readonly content?: Content;

  constructor(text: string) {
    this.text = text;
  }
}
