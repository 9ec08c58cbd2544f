import { createHash } from 'node:crypto';
import type { HubFile } from '../../hub/index.js';
import { readPartName, type QuantName } from '../../weights/index.js';

/** A file to download, and its name on the disk: a name of ours, never a path of the hub. */
export interface PlannedFile {
  readonly file: HubFile;
  readonly name: string;
  /** The folder that it lies in; undefined: none. */
  readonly folder?: string;
}

/** Another quant of the repository, for users for whom the chosen one is too large. */
export interface OtherQuant {
  readonly quant: string;
  readonly sizeBytes: number;
}

/** The files of a repository that a pull takes. */
export type FilePlan = {
  /** Downloaded whole before anything is converted; they are small. */
  readonly small: readonly PlannedFile[];
  /** Weights, in the order of their parts. */
  readonly weights: readonly PlannedFile[];
} & (
  | {
      readonly format: 'gguf';
      /** The quant in the file's name; undefined where there is none. */
      readonly quant: string | undefined;
      readonly others: readonly OtherQuant[];
      /** Why another quant is taken than the usual one. */
      readonly note: string | undefined;
    }
  | {
      readonly format: 'safetensors';
      /** The quant to convert to; undefined: conversion chooses. */
      readonly quant: QuantName | undefined;
      /** The index of weights in several files; it is read before they are chosen. */
      readonly index: PlannedFile | undefined;
    }
);

/** Bytes of one name in a path of a hub, as most file systems have it. */
const MAX_SEGMENT = 255;

/** Whether the name of a file of a hub may be one on any disk. */
export function isPlainName(name: string): boolean {
  const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name) && !name.endsWith('.') && !name.includes('..') && !isDevice;
}

/**
 * Whether a path of a hub may be asked for: it becomes a URL, and no name on a disk. Spaces, signs and letters of any language
 * are allowed. Steps to a parent, hidden names and invisible characters are not.
 */
export function isReadablePath(path: string): boolean {
  if (!path.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(path)) return false;
  return path.split('/').every((segment) => /^[^.]/u.test(segment) && Buffer.byteLength(segment) <= MAX_SEGMENT);
}

/**
 * The name on the disk of a GGUF file whose own name is not plain. `stem` is its name without the number of a part: files of one
 * model get one stem, and files of two models never do.
 */
export function toPlainName(stem: string, name: string): string {
  const plain = stem
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const digest = createHash('sha256').update(stem).digest('hex').slice(0, 8);
  const part = readPartName(name) === undefined ? '.gguf' : name.slice(stem.length);
  return `${plain.slice(0, 80) || 'model'}-${digest}${part}`;
}

/** Bytes of all files. */
export function sizeOfAll(files: readonly PlannedFile[]): number {
  return files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
}
