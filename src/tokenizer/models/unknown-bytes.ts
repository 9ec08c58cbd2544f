/** Emits ids; a text without one becomes the tokens of its bytes, or one unknown token for all neighbours. */
export class UnknownBytes {
  readonly #byteIds: Int32Array | undefined;
  readonly #unkId: number;
  readonly #out: number[];
  #wasUnknown = false;

  /** `byteIds`: byte → id; absent where there is no byte fallback. */
  constructor(byteIds: Int32Array | undefined, unkId: number, out: number[]) {
    this.#byteIds = byteIds;
    this.#unkId = unkId;
    this.#out = out;
  }

  /** A token. */
  known(id: number): void {
    this.#out.push(id);
    this.#wasUnknown = false;
  }

  /** Text without a token, whole characters: `bytes[start, end)`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const before = this.#out.length;
    for (let at = start; at < end && this.#byteIds !== undefined; at++) {
      const id = this.#byteIds[bytes[at] as number] as number;
      if (id < 0) {
        this.#out.length = before; // all of them or none
        break;
      }
      this.#out.push(id);
    }
    if (this.#out.length > before) {
      this.#wasUnknown = false;
      return;
    }
    if (!this.#wasUnknown) this.#out.push(this.#unkId);
    this.#wasUnknown = true;
  }
}
