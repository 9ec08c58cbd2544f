import { readFileSync } from 'node:fs';
import { locate } from '../../base/index.js';

/**
 * The functions of kernels-as/trie over one memory; parameters are addresses in it, and counts. Texts, offsets and rows are as
 * kernels-as/trie/rows.ts describes them. Errors: none.
 */
export interface TrieKernels {
  /** Takes flagged texts out, in their place; gives the bytes that are left, or -1 - id of the first that is longer than `most`. */
  dropTexts(texts: number, offsets: number, count: number, flags: number, most: number): number;
  /** Makes rows of the texts that have bytes; gives how many. */
  fillRows(texts: number, offsets: number, count: number, rows: number): number;
  /** Sorts rows by their texts from `depth` on, with room for as many rows at `spare` and for 8 KiB at `counts`. */
  sortRows(
    offsets: number,
    texts: number,
    rows: number,
    count: number,
    depth: number,
    spare: number,
    counts: number,
  ): void;
  /** Writes the ids of sorted rows, and what each has in common with the one before; gives the nodes of their trie. */
  comparePrefixes(offsets: number, texts: number, rows: number, count: number, ids: number, prefixes: number): number;
  /** Writes the tables of the trie. */
  putNodes(
    offsets: number,
    texts: number,
    ids: number,
    prefixes: number,
    count: number,
    ends: number,
    firsts: number,
    depths: number,
    bytes: number,
    path: number,
  ): void;
  /** `sum` with the words from `at` to `end`, by FNV-1a. */
  addWords(sum: number, at: number, end: number): number;
}

/** Kernels over a shared `memory`. They are compiled each time, in a millisecond: large vocabularies come one by one. */
export function createTrieKernels(memory: WebAssembly.Memory): TrieKernels {
  const module = new WebAssembly.Module(readFileSync(locate('dist/kernels/trie.wasm')));
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as TrieKernels;
}
