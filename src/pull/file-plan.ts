import type { HubFile } from '../hub/index.js';
import type { QuantName } from '../weights/index.js';

/** A file to download, and what it is called on the disk: a name that we know, never a path of the hub. */
export interface PlannedFile {
  readonly file: HubFile;
  readonly name: string;
  /** The folder that it lies in; undefined: none. */
  readonly folder?: string;
}

/** What else a repository has, for those for whom the chosen one is too large. */
export interface OtherQuant {
  readonly quant: string;
  readonly sizeBytes: number;
}

/** What of a repository is taken. */
export type FilePlan = {
  /** Downloaded whole before anything is converted; they are small. */
  readonly small: readonly PlannedFile[];
  /** Weights, in the order of their parts. */
  readonly weights: readonly PlannedFile[];
} & (
  | {
      readonly format: 'gguf';
      /** As the file's name says it; undefined where it says none. */
      readonly quant: string | undefined;
      readonly others: readonly OtherQuant[];
      /** Why another quant is taken than the usual one. */
      readonly note: string | undefined;
    }
  | {
      readonly format: 'safetensors';
      /** What it is converted to; undefined: what conversion chooses. */
      readonly quant: QuantName | undefined;
      /** The list of its files, where there are several: it is read before they are chosen. */
      readonly index: PlannedFile | undefined;
    }
);

/** Whether the name of a file of a hub may be one on any disk. */
export function isPlainName(name: string): boolean {
  const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name) && !name.endsWith('.') && !name.includes('..') && !isDevice;
}

/** Bytes of all files. */
export function sizeOfAll(files: readonly PlannedFile[]): number {
  return files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
}
