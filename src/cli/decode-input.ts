import { isUtf8 } from 'node:buffer';
import { AppError } from '../base/index.js';

/** Byte order marks by their bytes, the longest first. Source: Unicode 15, chapter 23.8. */
const marks: readonly (readonly [string, readonly number[]])[] = [
  ['UTF-32LE', [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', [0, 0, 0xfe, 0xff]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
];

/** How much of a text is searched for zero bytes: enough to detect an encoding. */
const SAMPLE_BYTES = 64 * 1024;
/** One zero byte in so many pairs, all on one side, indicates UTF-16: spaces and line breaks are enough for that. */
const PAIRS_PER_ZERO = 16;

/**
 * Decodes standard input as text; drops a byte order mark of UTF-8. Throws `input_not_text` for another encoding, with
 * the way to convert it, and for bytes that are no text. Replacement characters in a prompt would silently change the
 * answer.
 */
export function decodeInput(bytes: Buffer): string {
  const marked = marks.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
  if (marked !== undefined) throw otherEncoding(`Standard input is ${marked}`, marked.slice(0, -2));
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    const guess = guessUtf16(bytes);
    if (guess !== undefined) throw otherEncoding(`Standard input looks like ${guess} without a byte order mark`, guess);
    const message = `Standard input has a zero byte at offset ${zero}: it is no text, but perhaps an archive, an image or a program. Give it as text.`;
    throw new AppError('input_not_text', message, { offset: zero });
  }
  if (!isUtf8(bytes)) {
    const offset = firstInvalid(bytes);
    const line = bytes.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1;
    const byte = `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}`;
    throw otherEncoding(`Standard input is not UTF-8: byte ${byte} at offset ${offset}, line ${line}`, 'WINDOWS-1252');
  }
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function otherEncoding(what: string, from: string): AppError {
  const such = from === 'WINDOWS-1252' ? ', if it is of Windows or Latin-1' : '';
  const message = `${what}, and a prompt must be UTF-8. Convert it: iconv -f ${from} -t UTF-8${such}. PowerShell sends UTF-8 after $OutputEncoding = [Text.Encoding]::UTF8.`;
  return new AppError('input_not_text', message, { encoding: from });
}

/** Text of western letters, digits or just spaces has a zero byte in each unit, always on the same side. */
function guessUtf16(bytes: Buffer): 'UTF-16LE' | 'UTF-16BE' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (bytes.length % 2 !== 0 || (even > 0 && odd > 0)) return undefined;
  if ((even + odd) * PAIRS_PER_ZERO < sample.length / 2) return undefined;
  return odd > 0 ? 'UTF-16LE' : 'UTF-16BE';
}

/** Offset of the first byte that is no part of a character; an incomplete character at the end counts. */
function firstInvalid(bytes: Buffer): number {
  // A valid prefix stays valid when it grows, so a binary search finds the position.
  let [valid, invalid] = [0, bytes.length + 1];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isPrefix(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  // A prefix may end in up to three bytes of an incomplete character with an invalid continuation.
  while (!isUtf8(bytes.subarray(0, valid))) valid--;
  return valid;
}

/** Whether more bytes could make these valid text. */
function isPrefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
