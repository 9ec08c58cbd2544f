/**
 * DER as in X.509 certificates: elements of definite length that fit into their parents. Source: ITU-T X.690. OpenSSL
 * has already parsed and verified the certificates. A certificate that this reader cannot read is refused all the same.
 */

/** One element. */
export interface DerElement {
  /** The identifier octet: class, constructed bit and number. */
  readonly tag: number;
  readonly content: Buffer;
}

/** Tags that certificates use. */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The most elements of one level; real certificates have some dozens. */
const MAX_ELEMENTS = 4_096;

/** Reads elements that fill `bytes` exactly. Throws a plain error if the bytes are not DER. */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    if (elements.length >= MAX_ELEMENTS) throw new Error(`more than ${MAX_ELEMENTS} elements`);
    const tag = byteAt(bytes, at);
    // Tag numbers above 30 take more octets; certificates have no such tags.
    if ((tag & 0x1f) === 0x1f) throw new Error('a tag of several octets');
    const { length, start } = readLength(bytes, at + 1);
    const end = start + length;
    if (end > bytes.length) throw new Error('an element longer than its parent');
    elements.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** The elements inside `element`, which must have the tag. */
export function readInside(element: DerElement | undefined, tag: number): DerElement[] {
  if (element?.tag !== tag) throw new Error(`an element of tag ${tag} is missing`);
  return readDer(element.content);
}

/** An object identifier in dotted notation. */
export function readOid({ content }: DerElement): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new Error('an object identifier with a number beyond 2^46');
    if ((byte & 0x80) !== 0) continue;
    if (numbers.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      numbers.push(first, value - 40 * first);
    } else numbers.push(value);
    value = 0;
  }
  return numbers.join('.');
}

function readLength(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  // 0 means an indefinite length, which DER does not allow; four octets reach 4 GiB.
  if (count === 0 || count > 4) throw new Error('a length that DER does not have');
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + byteAt(bytes, at + i);
  if (length < 0x80 || (count > 1 && length < 256 ** (count - 1))) throw new Error('a length that is not the shortest');
  return { length, start: at + 1 + count };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Error('cut off');
  return byte;
}
