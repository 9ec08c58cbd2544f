/** A segment's memory, seen as each kind of number. Indices are elements: byte offset / element size. */
export interface Views {
  readonly f32: Float32Array;
  readonly i32: Int32Array;
  readonly u16: Uint16Array;
  readonly i16: Int16Array;
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
}

/** Views over all of `memory`, which must have its final size. */
export function createViews(memory: ArrayBufferLike): Views {
  return {
    f32: new Float32Array(memory),
    i32: new Int32Array(memory),
    u16: new Uint16Array(memory),
    i16: new Int16Array(memory),
    i8: new Int8Array(memory),
    u8: new Uint8Array(memory),
  };
}

/** The f32 at byte offset `at`. */
export function readF32(views: Views, at: number): number {
  return views.f32[at / 4] as number;
}

/** The i32 at byte offset `at`. */
export function readI32(views: Views, at: number): number {
  return views.i32[at / 4] as number;
}
