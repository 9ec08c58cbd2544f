// Text as UTF-16 units in a typed array, for all inner loops.

const REPLACEMENT = 0xfffd;

/** Copies `text` into `units`; a lone surrogate becomes U+FFFD, as it would on its way through UTF-8. */
export function copyUnits(text: string, units: Uint16Array): void {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    units[i] = unit;
    if ((unit & 0xf800) !== 0xd800) continue;
    if (unit < 0xdc00 && i + 1 < text.length && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      units[++i] = text.charCodeAt(i);
    } else units[i] = REPLACEMENT;
  }
}

/** `units[start, end)` as a string; in pieces, since a call takes a limited number of arguments. */
export function unitsToText(units: Uint16Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += 4096) {
    text += Reflect.apply(String.fromCharCode, undefined, units.subarray(at, Math.min(end, at + 4096)));
  }
  return text;
}

/** Writes well-formed `units[start, end)` as UTF-8 into `bytes`, which has room for 3 bytes a unit; returns the count. */
export function writeUtf8(units: Uint16Array, start: number, end: number, bytes: Uint8Array): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    let code = units[i] as number;
    if (code < 0x80) {
      bytes[count++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[count++] = 0xc0 | (code >> 6);
    } else {
      if ((code & 0xfc00) === 0xd800 && i + 1 < end) {
        code = ((code - 0xd800) << 10) + (units[++i] as number) - 0xdc00 + 0x10000;
        bytes[count++] = 0xf0 | (code >> 18);
        bytes[count++] = 0x80 | ((code >> 12) & 63);
      } else bytes[count++] = 0xe0 | (code >> 12);
      bytes[count++] = 0x80 | ((code >> 6) & 63);
    }
    bytes[count++] = 0x80 | (code & 63);
  }
  return count;
}

/** The code point that begins at `at`, or the one that ends there for `codePointBefore`. */
export function codePointAt(units: Uint16Array, at: number): number {
  const unit = units[at] as number;
  if ((unit & 0xfc00) !== 0xd800) return unit;
  return ((unit - 0xd800) << 10) + (units[at + 1] ?? 0xdc00) - 0xdc00 + 0x10000;
}

/** The code point that ends just before `at`. */
export function codePointBefore(units: Uint16Array, at: number): number {
  const unit = units[at - 1] as number;
  return (unit & 0xfc00) === 0xdc00 ? codePointAt(units, at - 2) : unit;
}

/** The bytes of a character of well-formed UTF-8, by its first one. */
export function characterLength(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
