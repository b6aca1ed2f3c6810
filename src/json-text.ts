/** Content that is JSON text already, and goes out as it is. */
export class JsonText<Content> {
  readonly text: string;
  /** Never set: carries the type of the content. */
  declare readonly content?: Content;

  constructor(text: string) {
    this.text = text;
  }
}
