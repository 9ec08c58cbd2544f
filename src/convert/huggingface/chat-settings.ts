import type { Chat } from '../../artifact/index.js';
import { isObject, type CheckpointFiles, type JsonObject } from './checkpoint-files.js';
import { invalidFile } from '../errors.js';

/** Template and special tokens of a checkpoint. A file of its own goes before tokenizer_config.json, as in transformers. */
export function readChat(files: CheckpointFiles): Chat {
  const { templateText, templateJson, tokenizerConfig } = files;
  return {
    template: templateText ?? readTemplate(templateJson, 'chat_template.json') ?? readTemplate(tokenizerConfig),
    bosToken: readToken(files, 'bos_token'),
    eosToken: readToken(files, 'eos_token'),
  };
}

/** `chat_template` as text, or the one called default in a list of { name, template }, or the only one there. */
function readTemplate(from: JsonObject | null, file = 'tokenizer_config.json'): string | null {
  const value = from?.['chat_template'];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const chosen = entries.find((entry) => isObject(entry) && entry['name'] === 'default') ?? entries[0];
  const template =
    isObject(chosen) && (chosen['name'] === 'default' || entries.length === 1) ? chosen['template'] : null;
  if (typeof template === 'string') return template;
  throw invalidFile(file, 'has a chat_template that is neither text nor a list with one called "default"');
}

/** A token as text or as transformers writes an AddedToken: an object with its `content`. */
function readToken(files: CheckpointFiles, name: 'bos_token' | 'eos_token'): string | null {
  for (const from of [files.tokenizerConfig, files.specialTokens]) {
    const value = from?.[name];
    if (typeof value === 'string') return value;
    if (isObject(value) && typeof value['content'] === 'string') return value['content'];
  }
  return null;
}
