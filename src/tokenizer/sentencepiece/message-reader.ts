import { tokenizerInvalid } from '../errors.js';

/** A field of a message: its number, and its value as it lies in the file. */
export type Field =
  /** Whole numbers, in two's complement; values above 32 bits are distinct, since no field of ours has them. */
  | { readonly number: number; readonly kind: 'integer'; readonly value: number }
  | { readonly number: number; readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly number: number; readonly kind: 'float'; readonly value: number }
  | { readonly number: number; readonly kind: 'double' };

/** Bytes of a number at most. */
const MAX_VARINT_BYTES = 10;

/**
 * The fields of a protobuf message in their order, each checked against the end of the message. Nothing is copied.
 * Errors: `tokenizer_invalid` for truncated or invalid messages. Source: protobuf.dev, encoding.
 */
export function* readMessageFields(message: Uint8Array, where: string): Generator<Field, void> {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  let at = 0;
  const skip = (count: number): number => {
    if (count > message.length - at)
      throw tokenizerInvalid(where, `is cut short: ${count} bytes wanted, ${message.length - at} left`);
    const start = at;
    at += count;
    return start;
  };
  /** The lower 32 bits of a number; `over` holds whether it is negative or has more. */
  const readVarint = (): { readonly low: number; readonly over: boolean } => {
    let low = 0;
    let over = false;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = message[skip(1)] as number;
      if (i < 5) low |= (byte & 0x7f) << (7 * i);
      if (i === 4 ? (byte & 0x70) !== 0 : i > 4 && (byte & 0x7f) !== 0) over = true;
      if (byte < 0x80) return { low, over };
    }
    throw tokenizerInvalid(where, 'has a number of more than 10 bytes');
  };
  while (at < message.length) {
    const tag = readVarint();
    const number = tag.low >>> 3;
    if (tag.over || number === 0) throw tokenizerInvalid(where, 'has a field without a number');
    switch (tag.low & 7) {
      case 0:
        yield { number, kind: 'integer', value: readVarint().low };
        break;
      case 1:
        skip(8);
        yield { number, kind: 'double' };
        break;
      case 2: {
        const length = readVarint();
        if (length.over) throw tokenizerInvalid(where, `is cut short: field ${number} is longer than the file`);
        const start = skip(length.low >>> 0);
        yield { number, kind: 'bytes', value: message.subarray(start, at) };
        break;
      }
      case 5:
        yield { number, kind: 'float', value: view.getFloat32(skip(4), true) };
        break;
      default:
        throw tokenizerInvalid(where, `has a field of the unknown kind ${tag.low & 7}`);
    }
  }
}
