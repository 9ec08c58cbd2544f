// A settlement as a line of a file: JSON behind its CRC-32, which detects a torn or damaged line.

import { crc32 } from 'node:zlib';
import type { Settlement } from '../books/settlement.js';

const SEPARATOR = ' ';
const CRC_LENGTH = 8;

/** With its line end. */
export function writeLine(settlement: Settlement): string {
  const text = JSON.stringify(settlement, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return `${checkOf(text)}${SEPARATOR}${text}\n`;
}

/** Undefined for a damaged line. */
export function readOutboxLine(line: string): Settlement | undefined {
  const text = line.slice(CRC_LENGTH + SEPARATOR.length);
  if (text === '' || line.slice(0, CRC_LENGTH) !== checkOf(text)) return undefined;
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Micro') && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  ) as Settlement;
}

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(CRC_LENGTH, '0');
}
