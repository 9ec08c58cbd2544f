import { AppError } from '../../base/index.js';
import type { TextList } from '../../weights/index.js';
import { invalidFile } from '../errors.js';
import type { MetadataReader } from './metadata-reader.js';
import { preTokenizerKinds, type PreTokenizerKind } from './pre-tokenizers.js';
import { readTokenId } from './token-ids.js';

/** Token types. Source: ggml/docs/gguf.md, `tokenizer.ggml.token_type`. */
export const tokenTypes = { unknown: 2, control: 3, userDefined: 4 } as const;

/**
 * The equivalent of tokenizer.json for the byte-level tokenizer of a GGUF file; vocabulary and merges as joined texts.
 * Errors: `unsupported_tokenizer` for an unknown cut into words, `checkpoint_invalid`.
 */
export function createTokenizerSpec(metadata: MetadataReader, tokens: TextList): Readonly<Record<string, unknown>> {
  const kind = readKind(metadata);
  const types = metadata.numbers('tokenizer.ggml.token_type') ?? [];
  const merges = metadata.textList('tokenizer.ggml.merges');
  if (merges === undefined) throw invalidFile(metadata.file, 'has no tokenizer.ggml.merges');
  const added: object[] = [];
  for (let id = 0; id < tokens.length; id++) {
    const special = types[id] === tokenTypes.control || types[id] === tokenTypes.unknown;
    if (!special && types[id] !== tokenTypes.userDefined) continue;
    added.push({ id, content: tokens.at(id), special, normalized: false });
  }
  return {
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: kind.parts },
    post_processor: createFrame(metadata, tokens, kind),
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', ignore_merges: kind.ignoreMerges, vocab: tokens.toJoined(), merges: merges.toJoined() },
  };
}

function readKind(metadata: MetadataReader): PreTokenizerKind {
  const name = metadata.text('tokenizer.ggml.pre') ?? 'default';
  const kind = preTokenizerKinds.get(name);
  if (kind !== undefined) return kind;
  const known = [...preTokenizerKinds.keys()].join(', ');
  const why = `its tokenizer.ggml.pre is ${JSON.stringify(name.slice(0, 40))}; known: ${known}`;
  throw new AppError('unsupported_tokenizer', `the tokenizer of ${metadata.file} cannot be read: ${why}`, {
    file: metadata.file,
  });
}

/** The tokens around a text. */
function createFrame(metadata: MetadataReader, tokens: TextList, kind: PreTokenizerKind): object | null {
  const single: object[] = [{ Sequence: { id: 'A', type_id: 0 } }];
  const special: Record<string, object> = {};
  const add = (name: 'bos' | 'eos', place: (piece: object) => void): void => {
    const id = readTokenId(metadata, name);
    if (id === undefined || id >= tokens.length) return;
    special[name] = { id: name, ids: [id], tokens: [tokens.at(id)] };
    place({ SpecialToken: { id: name, type_id: 0 } });
  };
  if (metadata.flag('tokenizer.ggml.add_bos_token') ?? kind.addBos) add('bos', (piece) => single.unshift(piece));
  if (metadata.flag('tokenizer.ggml.add_eos_token') ?? false) add('eos', (piece) => single.push(piece));
  if (single.length === 1) return null;
  return { type: 'TemplateProcessing', single, pair: [], special_tokens: special };
}
