import { AppError } from '../../../base/index.js';
import { controlTextsOf } from '../../../chat/index.js';
import { openSource } from '../../../convert/index.js';
import { findModel } from '../../../models/index.js';
import { defaultModelsDir } from '../../../store/index.js';
import { openTokenizer } from '../../../tokenizer/index.js';
import type { Directories } from '../options/directories.js';
import type { TokenizeOutput } from '../outputs/models.js';

/** What is tokenized, and with whose tokenizer. */
export interface TokenizeRequest {
  readonly model: string;
  readonly directories: Directories;
  readonly text: string;
  /** Ids instead of a text. */
  readonly ids: readonly number[] | undefined;
  readonly addSpecialTokens: boolean;
}

/** The tokens of a text, or of ids. Errors: those of the search, of opening the model, `tokenizer_missing`, those of the tokenizer. */
export async function tokenize({
  model,
  directories,
  text,
  ids: given,
  addSpecialTokens,
}: TokenizeRequest): Promise<TokenizeOutput> {
  const { path } = await findModel(model, directories.modelsDir ?? defaultModelsDir());
  await using source = await openSource(path);
  const { manifest } = source;
  if (!manifest.files.some((file) => file.path === 'tokenizer.bin')) {
    throw new AppError('tokenizer_missing', `the model ${model} has no tokenizer, so it can only take token ids`);
  }
  const compiled = await source.readFile('tokenizer.bin');
  const tokenizer = openTokenizer(compiled, (opened) => controlTextsOf(manifest, opened).tags);
  const ids = given ?? tokenizer.encode(text, { addSpecialTokens });
  const decoder = new TextDecoder();
  return {
    count: ids.length,
    tokens: ids.map((id) => ({ id, text: decoder.decode(tokenizer.tokenBytes(id)) })),
    text: tokenizer.decode(ids),
  };
}

/** Ids as they are typed or printed: separated by blanks, commas or brackets. Errors: `invalid_arguments`. */
export function parseIds(text: string): number[] {
  const words = text.split(/[\s,[\]]+/).filter((word) => word !== '');
  const bad = words.find((word) => !/^\d{1,10}$/.test(word));
  if (bad === undefined && words.length > 0) return words.map(Number);
  const what = bad === undefined ? 'there is none' : `${JSON.stringify(bad.slice(0, 40))} is none`;
  throw new AppError('invalid_arguments', `--decode takes token ids such as "12 7 40", and ${what}`, {
    command: 'tokenize',
  });
}

/** A token a line: its id, and its text in quotes, so that blanks are seen. */
export function renderTokens({ tokens }: TokenizeOutput): string {
  const width = Math.max(0, ...tokens.map(({ id }) => String(id).length));
  return tokens.map(({ id, text }) => `${String(id).padStart(width)}  ${JSON.stringify(text)}\n`).join('');
}
