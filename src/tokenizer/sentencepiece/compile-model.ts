import { invalidValue, type JsonObject } from '../../base/index.js';
import { parseAddedTokens, type AddedToken } from '../tokens/added-tokens.js';
import { unsupportedTokenizer } from '../errors.js';
import { readFlag, toObject } from '../file/json.js';
import { compileSentencePiece } from './compile-pieces.js';
import { readModelFile, type ModelFile } from './model-file.js';
import { pieceTypes, toPieceTable } from './pieces.js';

const CONFIG = 'tokenizer_config.json';

/** Classes of transformers that give the pieces other ids than the file does. */
const RENUMBERED =
  /^(?:XLMRoberta|Camembert|Barthez|MBart|MBart50|Nllb|M2M100|XGLM|PLBart|Pegasus|BigBirdPegasus)Tokenizer/;

/** Classes that put the end token after a text, and nothing before it, where the file does not set this. */
const ENDING = /^(?:T5|MT5)Tokenizer/;

/**
 * tokenizer.model (sentencepiece: BPE and Unigram) as tokenizer.bin. `config`: tokenizer_config.json beside it, with
 * added tokens, the tokens around a text, and the space before it; without it a text begins with the BOS token. Errors:
 * `tokenizer_invalid`, `unsupported_tokenizer`, `invalid_value`.
 */
export function compileTokenizerModel(model: Uint8Array, config: JsonObject | null = null): Uint8Array {
  if (!ArrayBuffer.isView(model)) throw invalidValue('model', model, 'the bytes of a tokenizer.model');
  const file = readModelFile(model);
  const settings = config ?? {};
  const name = settings['tokenizer_class'];
  if (typeof name === 'string' && RENUMBERED.test(name))
    throw unsupportedTokenizer(`${CONFIG}: tokenizer_class`, `${name.slice(0, 40)} without tokenizer.json`);
  const ends = typeof name === 'string' && ENDING.test(name);
  const frame = (key: string, token: string, id: number, absent: boolean): number[] => {
    const found = tokenIdOf(settings[token], file) ?? id;
    const wanted = readFlag(settings[key], `${CONFIG}: ${key}`, absent);
    return wanted && found >= 0 && found < file.pieces.length ? [found] : [];
  };
  return compileSentencePiece({
    ...file,
    pieces: toPieceTable(file.pieces),
    addDummyPrefix: readFlag(settings['add_prefix_space'], `${CONFIG}: add_prefix_space`, file.addDummyPrefix),
    before: frame('add_bos_token', 'bos_token', file.bosId, !ends),
    after: frame('add_eos_token', 'eos_token', file.eosId, ends),
    added: readAdded(settings['added_tokens_decoder'], file),
  });
}

/** The id of a token as transformers writes it: its text, or an object with its `content`. */
function tokenIdOf(value: unknown, { pieces }: ModelFile): number | undefined {
  const content = typeof value === 'object' && value !== null ? (value as JsonObject)['content'] : value;
  const id = pieces.findIndex((piece) => piece.content === content);
  return id < 0 ? undefined : id;
}

/** `added_tokens_decoder`: id → token. Tokens that are the unknown token, or differ from the file's piece, are left out. */
function readAdded(value: unknown, { pieces }: ModelFile): AddedToken[] {
  if (value === undefined || value === null) return [];
  const where = `${CONFIG}: added_tokens_decoder`;
  const specs = Object.entries(toObject(value, where)).map(([id, token]) => ({
    ...toObject(token, where),
    id: Number(id),
    normalized: pieces[Number(id)]?.type === pieceTypes.userDefined,
  }));
  return parseAddedTokens(specs, where).filter(({ id, content }) => {
    const piece = pieces[id];
    return piece === undefined || (piece.content === content && piece.type !== pieceTypes.unknown);
  });
}
