import { isUtf8 } from 'node:buffer';
import { AppError } from '../base/index.js';

/** Byte order marks by what they begin, the longest first. Source: Unicode 15, chapter 23.8. */
const marks: readonly (readonly [string, readonly number[]])[] = [
  ['UTF-32LE', [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', [0, 0, 0xfe, 0xff]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
];

/** How far a text is looked at for its zero bytes: enough to tell an encoding. */
const SAMPLE_BYTES = 64 * 1024;
/** One zero byte in so many pairs, all on one side, makes UTF-16 of a text: spaces and line breaks are enough for that. */
const PAIRS_PER_ZERO = 16;

/**
 * Bytes of standard input as text; a byte order mark of UTF-8 is dropped. Throws `input_not_text` for another encoding,
 * with how to convert it, and for what is no text: replacement characters in a prompt would change the answer in silence.
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

/** Text of western letters, digits or just spaces has a zero in each of their units, always on the same side. */
function guessUtf16(bytes: Buffer): 'UTF-16LE' | 'UTF-16BE' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (bytes.length % 2 !== 0 || (even > 0 && odd > 0)) return undefined;
  if ((even + odd) * PAIRS_PER_ZERO < sample.length / 2) return undefined;
  return odd > 0 ? 'UTF-16LE' : 'UTF-16BE';
}

/** Offset of the first byte of what is no character; one that is cut off at the end counts as that. */
function firstInvalid(bytes: Buffer): number {
  // What is valid of a prefix stays valid when it grows, so the place is found by halving.
  let [valid, invalid] = [0, bytes.length + 1];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isPrefix(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  // A prefix may end in up to three bytes of a character that does not go on as it must.
  while (!isUtf8(bytes.subarray(0, valid))) valid--;
  return valid;
}

/** Whether more bytes could make a text of these. */
function isPrefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
