import { isJsonObject, type JsonObject } from '../../base/index.js';
import type { Chat } from '../../artifact/index.js';
import { type CheckpointFiles } from './checkpoint-files.js';
import { chooseTemplate, type NamedTemplate } from '../choose-template.js';
import { invalidFile } from '../errors.js';

/**
 * Template and special tokens of a checkpoint. A template file comes before tokenizer_config.json, as in transformers;
 * the additional templates, which transformers reads as a list, come last.
 */
export function readChat(files: CheckpointFiles): Chat {
  const { templateText, templateJson, tokenizerConfig, moreTemplates } = files;
  return {
    template:
      templateText ??
      readTemplate(templateJson, 'chat_template.json') ??
      readTemplate(tokenizerConfig, 'tokenizer_config.json') ??
      chooseOne(moreTemplates, 'additional_chat_templates'),
    bosToken: readToken(files, 'bos_token'),
    eosToken: readToken(files, 'eos_token'),
  };
}

/** `chat_template` as text, or one of a list of { name, template }. */
function readTemplate(from: JsonObject | null, file: string): string | null {
  const value = from?.['chat_template'];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  const entries: unknown[] = Array.isArray(value) ? value : [{}];
  return chooseOne(
    entries.map((entry) => toNamed(entry, file)),
    file,
  );
}

function toNamed(entry: unknown, file: string): NamedTemplate {
  const { name, template } = isJsonObject(entry) ? entry : {};
  if (typeof name === 'string' && typeof template === 'string') return { name, text: template };
  throw invalidFile(file, 'has a chat_template that is neither text nor a list of templates with their names');
}

/** Null without a template. Errors: `checkpoint_invalid`. */
function chooseOne(templates: readonly NamedTemplate[], file: string): string | null {
  const chosen = chooseTemplate(templates);
  if (chosen !== undefined || templates.length === 0) return chosen ?? null;
  const names = templates
    .map(({ name }) => name)
    .join(', ')
    .slice(0, 200);
  throw invalidFile(file, `has ${templates.length} chat templates and none called "default": ${names}`);
}

/** A token as text or as transformers writes an AddedToken: an object with its `content`. */
function readToken(files: CheckpointFiles, name: 'bos_token' | 'eos_token'): string | null {
  for (const from of [files.tokenizerConfig, files.specialTokens]) {
    const value = from?.[name];
    if (typeof value === 'string') return value;
    if (isJsonObject(value) && typeof value['content'] === 'string') return value['content'];
  }
  return null;
}
