import { AppError, parseStrictJson, isJsonObject, type JsonObject } from '../../base/index.js';
import { listCheckpointFolder, readCheckpointFile } from '../../weights/index.js';
import type { NamedTemplate } from '../choose-template.js';
import { invalidFile } from '../errors.js';

/** A JSON file: its bytes and its value. */
export interface JsonFile {
  readonly bytes: Uint8Array;
  readonly json: JsonObject;
}

/** The files of a Hugging Face directory beside its tensors. */
export interface CheckpointFiles {
  readonly config: JsonFile;
  readonly generation: JsonFile | null;
  readonly tokenizerJson: string | null;
  /** tokenizer.model of sentencepiece. */
  readonly tokenizerModel: Uint8Array | null;
  readonly tokenizerConfig: JsonObject | null;
  readonly specialTokens: JsonObject | null;
  /** chat_template.jinja as text. */
  readonly templateText: string | null;
  /** chat_template.json, with the template under the same name as in tokenizer_config.json. */
  readonly templateJson: JsonObject | null;
  /** additional_chat_templates/<name>.jinja. */
  readonly moreTemplates: readonly NamedTemplate[];
}

/** Limit of config.json and similar files: published ones have some KB, tokenizer_config.json up to some MB. */
const MAX_CONFIG_BYTES = 32 * 1024 * 1024;
/** Limit of tokenizer.json: the largest published ones have 34 MB. */
const MAX_TOKENIZER_BYTES = 256 * 1024 * 1024;
/** Folder of transformers' further templates, and the limit of their number: published models have two or three. */
const TEMPLATES_FOLDER = 'additional_chat_templates';
const MAX_TEMPLATES = 64;
/** Limit of these files' nesting; a manifest, which contains config.json, allows a little more. */
const MAX_DEPTH = 24;

/**
 * Reads all of them. Errors: `checkpoint_not_found` (directory or config.json), `checkpoint_invalid`, those of reading
 * files.
 */
export async function readCheckpointFiles(directory: string): Promise<CheckpointFiles> {
  const json = (name: string): Promise<JsonFile | null> => readJson(directory, name);
  const tokenizer = await readCheckpointFile(directory, 'tokenizer.json', MAX_TOKENIZER_BYTES);
  const template = await readCheckpointFile(directory, 'chat_template.jinja', MAX_CONFIG_BYTES);
  return {
    config: required(await json('config.json'), directory, 'config.json'),
    generation: await json('generation_config.json'),
    tokenizerJson: tokenizer?.toString('utf8') ?? null,
    // Where both exist they have the same content.
    tokenizerModel:
      tokenizer === null ? await readCheckpointFile(directory, 'tokenizer.model', MAX_TOKENIZER_BYTES) : null,
    tokenizerConfig: (await json('tokenizer_config.json'))?.json ?? null,
    specialTokens: (await json('special_tokens_map.json'))?.json ?? null,
    templateText: template?.toString('utf8') ?? null,
    templateJson: (await json('chat_template.json'))?.json ?? null,
    moreTemplates: await readMoreTemplates(directory),
  };
}

async function readMoreTemplates(directory: string): Promise<NamedTemplate[]> {
  const names = (await listCheckpointFolder(directory, TEMPLATES_FOLDER)).filter((name) => name.endsWith('.jinja'));
  if (names.length > MAX_TEMPLATES) {
    throw invalidFile(TEMPLATES_FOLDER, `has ${names.length} templates; the limit is ${MAX_TEMPLATES}`);
  }
  const templates: NamedTemplate[] = [];
  for (const name of names) {
    const bytes = await readCheckpointFile(directory, name, MAX_CONFIG_BYTES, TEMPLATES_FOLDER);
    if (bytes !== null) templates.push({ name: name.slice(0, -'.jinja'.length), text: bytes.toString('utf8') });
  }
  return templates;
}

async function readJson(directory: string, name: string): Promise<JsonFile | null> {
  const bytes = await readCheckpointFile(directory, name, MAX_CONFIG_BYTES);
  if (bytes === null) return null;
  const value = parseStrictJson(bytes, { maxDepth: MAX_DEPTH }, (why) => invalidFile(name, why));
  if (!isJsonObject(value)) throw invalidFile(name, 'is not a JSON object');
  return { bytes, json: value };
}

/** A required part. Errors: `checkpoint_not_found`. */
export function required<T>(value: T | null, directory: string, file: string): T {
  if (value !== null) return value;
  throw new AppError('checkpoint_not_found', `${directory} has no ${file}`, { directory, file });
}
