import { basename, dirname, join } from 'node:path';
import { AppError, isAppError } from '../../base/index.js';
import { ggufInvalid } from './invalid.js';
import type { Metadata } from './metadata.js';
import { openFile, type OpenFile } from './open-file.js';
import { readPartName } from './part-names.js';
import type { BeforeRead } from '../readable-file.js';

/**
 * Opens all parts, in order, of the model at `path`, which may be one part of it. Source of the keys: llama.cpp,
 * tools/gguf-split: `split.no` from 0, `split.count`, `split.tensors.count` of all parts together. Errors: those of
 * `openFile`; `checkpoint_not_found` for a missing part, `checkpoint_invalid` where parts do not belong together.
 */
export async function openParts(path: string, beforeRead?: BeforeRead): Promise<OpenFile[]> {
  const files = [await openFile(path, beforeRead)];
  try {
    const [given] = files as [OpenFile];
    const count = numberAt(given.header.metadata, 'split.count') ?? 1;
    if (count <= 1) return files;
    const part = readPartName(given.name);
    if (part?.count !== count) throw wrongName(given, count);
    const parts = part.all.map((name, index) => (index + 1 === part.number ? given : join(dirname(path), name)));
    for (const each of parts) if (typeof each === 'string') files.push(await openOther(each, given.name, beforeRead));
    const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    inOrder.forEach((file, index) => checkPart(file, index, count));
    checkTensors(inOrder);
    return inOrder;
  } catch (error) {
    for (const { file } of files) await file.close();
    throw error;
  }
}

async function openOther(path: string, given: string, beforeRead: BeforeRead | undefined): Promise<OpenFile> {
  return openFile(path, beforeRead).catch((error: unknown) => {
    if (!isAppError(error) || error.code !== 'checkpoint_not_found') throw error;
    const message = `${given} is one part of several, and ${basename(path)} is missing: put all parts into one directory`;
    throw new AppError('checkpoint_not_found', message, { path });
  });
}

function wrongName({ name, header }: OpenFile, count: number): AppError {
  const number = (numberAt(header.metadata, 'split.no') ?? 0) + 1;
  const ending = [number, count].map((value) => String(value).padStart(5, '0')).join('-of-');
  const message = `${name} is part ${number} of ${count}; its name must end in -${ending}.gguf, so that the others can be found beside it`;
  return new AppError('checkpoint_invalid', message, { file: name });
}

function checkPart({ name, header }: OpenFile, index: number, count: number): void {
  const [number, total] = ['split.no', 'split.count'].map((key) => numberAt(header.metadata, key));
  if (number === index && total === count) return;
  throw ggufInvalid(
    name,
    `its name says that it is part ${index + 1} of ${count}, its header part ${(number ?? 0) + 1} of ${total ?? 1}`,
  );
}

function checkTensors(files: readonly OpenFile[]): void {
  const names = new Set<string>();
  for (const { name, header } of files) {
    for (const tensor of header.tensors) {
      if (names.has(tensor.name))
        throw ggufInvalid(name, `another part has its tensor ${JSON.stringify(tensor.name)} too`);
      names.add(tensor.name);
    }
  }
  const [{ name, header }] = files as [OpenFile];
  const expected = numberAt(header.metadata, 'split.tensors.count');
  if (expected === undefined || expected === names.size) return;
  throw ggufInvalid(name, `all parts have ${names.size} tensors together, and it says that they have ${expected}`);
}

function numberAt(metadata: Metadata, key: string): number | undefined {
  const value = metadata.get(key);
  return typeof value === 'number' ? value : undefined;
}
