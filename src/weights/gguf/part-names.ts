// The names of a model's parts. Source: llama.cpp, tools/gguf-split, `llama_split_path`: NAME-00001-of-00003.gguf.

import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** More parts than any published model has. */
const MAX_PARTS = 1000;
const PART = /^(.+)-(\d{5})-of-(\d{5})(\.gguf)$/i;

/** The parsed name of a part. */
export interface PartName {
  /** The model's name, without the number and `.gguf`. */
  readonly stem: string;
  /** From 1 to `count`. */
  readonly number: number;
  readonly count: number;
  /** The names of all parts, in order. */
  readonly all: readonly string[];
}

/** Reads the name of a file; undefined where it is not that of one part of several. */
export function readPartName(name: string): PartName | undefined {
  const [, stem = '', ordinal = '', total = '', extension = ''] = PART.exec(name) ?? [];
  const [number, count] = [Number(ordinal), Number(total)];
  if (count < 2 || count > MAX_PARTS || number < 1 || number > count) return undefined;
  const nameOf = (part: number): string => `${stem}-${String(part).padStart(5, '0')}-of-${total}${extension}`;
  return { stem, number, count, all: Array.from({ length: count }, (_, index) => nameOf(index + 1)) };
}

/**
 * All parts of the model that the file at `path` belongs to, in order; `path` alone where it is whole, or others are
 * missing.
 */
export async function listParts(path: string): Promise<readonly string[]> {
  const part = readPartName(basename(path));
  if (part === undefined) return [path];
  const paths = part.all.map((name) => join(dirname(path), name));
  const areThere = await Promise.all(
    paths.map(async (each) =>
      stat(each).then(
        () => true,
        () => false,
      ),
    ),
  );
  return areThere.every(Boolean) ? paths : [path];
}
