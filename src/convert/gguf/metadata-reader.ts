import type { AppError } from '../../base/index.js';
import { TextList, type Metadata, type MetadataValue } from '../../weights/index.js';
import { invalidFile } from '../errors.js';

/** Reads metadata by key; an absent key is undefined, a value of another type is `checkpoint_invalid`. */
export interface MetadataReader {
  readonly file: string;
  /** A value of any type. */
  value(key: string): MetadataValue | undefined;
  number(key: string): number | undefined;
  /** A whole number in [0, limit). */
  index(key: string, limit: number): number | undefined;
  text(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  /** A list of texts that decodes single texts on demand. */
  textList(key: string): TextList | undefined;
  /** All texts of a list. */
  texts(key: string): readonly string[] | undefined;
  numbers(key: string): ArrayLike<number> | undefined;
  flags(key: string): readonly boolean[] | undefined;
}

const noTexts = new TextList({ bytes: new Uint8Array(0), bounds: new Uint32Array(0), file: '', what: '' });

/** Over `metadata` of the file called `file` in errors. */
export function readConversionMetadata(metadata: Metadata, file: string): MetadataReader {
  const refuse = (key: string, value: MetadataValue, expected: string): AppError =>
    invalidFile(file, `has ${key} = ${shown(value)}; it must be ${expected}`);
  const reader =
    <T>(isIt: (value: unknown) => value is T, expected: string) =>
    (key: string): T | undefined => {
      const value = metadata.get(key);
      if (value === undefined || isIt(value)) return value;
      throw refuse(key, value, expected);
    };
  const number = reader(isNumber, 'a number');
  const filledList = reader(isTextList, 'a list of strings');
  // The type of an empty list means nothing.
  const textList = (key: string): TextList | undefined => (isEmptyList(metadata.get(key)) ? noTexts : filledList(key));
  return {
    file,
    value: (key) => metadata.get(key),
    number,
    index(key, limit) {
      const value = number(key);
      if (value === undefined || (Number.isInteger(value) && value >= 0 && value < limit)) return value;
      throw refuse(key, value, `a whole number from 0 to ${limit - 1}`);
    },
    text: reader(isText, 'a string'),
    flag: reader(isFlag, 'true or false'),
    textList,
    texts: (key) => textList(key)?.toArray(),
    numbers: reader(isNumberList, 'a list of numbers'),
    flags: reader(isFlagList, 'a list of true or false'),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isFlagList(value: unknown): value is readonly boolean[] {
  return Array.isArray(value) && value.every(isFlag);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isEmptyList(value: MetadataValue | undefined): boolean {
  return typeof value === 'object' && value.length === 0;
}

function isTextList(value: unknown): value is TextList {
  return value instanceof TextList;
}

function isNumberList(value: unknown): value is ArrayLike<number> {
  if (value instanceof Uint32Array || value instanceof Int32Array) return true;
  if (!(value instanceof Float32Array)) return Array.isArray(value) && value.every(isNumber);
  for (let i = 0; i < value.length; i++) if (!Number.isFinite(value[i])) return false;
  return true;
}

function shown(value: MetadataValue): string {
  return typeof value === 'object' ? `a list of ${value.length}` : JSON.stringify(String(value).slice(0, 40));
}
