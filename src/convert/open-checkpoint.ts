import { stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { AppError, throwFileError } from '../base/index.js';
import type { BeforeRead } from '../weights/index.js';
import type { Checkpoint } from './checkpoint.js';
import { openGgufCheckpoint } from './gguf/open-gguf.js';
import { openDirectory } from './huggingface/open-directory.js';

/**
 * Opens a Hugging Face directory or a GGUF file, whose weights may still be downloading. Errors: those of both,
 * `checkpoint_invalid` for weights alone.
 */
export async function openCheckpoint(path: string, beforeRead?: BeforeRead): Promise<Checkpoint> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isDirectory()) {
    return openDirectory(path, beforeRead).catch(throwFileError('read', path));
  }
  if (extname(path).toLowerCase() === '.safetensors') {
    const message = `${path} is the weights of a model without its config.json: give the directory, ${dirname(path)}`;
    throw new AppError('checkpoint_invalid', message, { path });
  }
  return openGgufCheckpoint(path, beforeRead);
}
