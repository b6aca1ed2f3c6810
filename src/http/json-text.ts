/** Content that is already text, and is sent unchanged: JSON, unless the headers say otherwise. */
export class JsonText<Content> {
  readonly text: string;
  /** Never set: carries the type of the content. */
  declare readonly content?: Content;

  constructor(text: string) {
    this.text = text;
  }
}
