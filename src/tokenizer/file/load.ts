import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, codeOf } from '../../base/index.js';
import { checkText } from './check-arguments.js';
import { compileTokenizer } from './compile.js';
import { tokenizerInvalid } from '../errors.js';
import { parseJsonObject } from './json.js';
import { MAX_TOKENIZER_BYTES } from '../limits.js';
import { openTokenizer } from './open.js';
import { compileTokenizerModel } from '../sentencepiece/compile-model.js';
import type { Tokenizer } from '../tokenizer-api.js';

/**
 * The tokenizer of a directory: tokenizer.bin of an artifact, else tokenizer.json of a checkpoint, else its
 * tokenizer.model with the settings of tokenizer_config.json. Errors: `tokenizer_not_found`, `tokenizer_invalid`,
 * `unsupported_tokenizer`.
 */
export async function loadTokenizer(directory: string): Promise<Tokenizer> {
  checkText('directory', directory);
  const compiled = await readIfThere(join(directory, 'tokenizer.bin'));
  if (compiled !== undefined) return openTokenizer(compiled);
  const json = await readIfThere(join(directory, 'tokenizer.json'));
  if (json !== undefined) return openTokenizer(compileTokenizer(new TextDecoder().decode(json)));
  const model = await readIfThere(join(directory, 'tokenizer.model'));
  if (model !== undefined) {
    const config = await readIfThere(join(directory, 'tokenizer_config.json'));
    const settings = config && parseJsonObject(new TextDecoder().decode(config), 'tokenizer_config.json');
    return openTokenizer(compileTokenizerModel(model, settings ?? null));
  }
  throw new AppError(
    'tokenizer_not_found',
    `${directory} has neither tokenizer.bin nor tokenizer.json nor tokenizer.model; name a checkpoint directory or an artifact`,
    { directory },
  );
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_TOKENIZER_BYTES)
      throw tokenizerInvalid(path, `has ${size} bytes, the limit is ${MAX_TOKENIZER_BYTES}`);
    return await readFile(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
