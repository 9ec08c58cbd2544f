import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  AppError,
  findHome,
  parseStrictJson,
  readBoundedFile,
  replaceFile,
  throwFileError,
} from '../../../base/index.js';
import { Compile, Type, type Static } from '../../../schema/index.js';
import { toMessages, type Conversation, type Turn } from '../dialogue/conversation.js';
import { toRequestFields } from '../options/settings.js';
import type { ReplSession } from './session.js';

/** Bytes of a saved conversation: many times what the longest context holds. */
const MAX_BYTES = 16 << 20;
/** Values in it: a few for each message, and those of its settings. */
const LIMITS = { maxDepth: 8, maxItems: 65_536 };

/** What is read of a file: the body of a request to /v1/chat/completions. */
const Saved = Type.Object({
  model: Type.Optional(Type.String()),
  messages: Type.Array(
    Type.Object({ role: Type.Enum(['system', 'developer', 'user', 'assistant']), content: Type.String() }),
  ),
});
const validator = Compile(Saved);

/** A conversation of a file. */
export interface LoadedConversation {
  readonly conversation: Conversation;
  /** With which it was made, where the file says so. */
  readonly model: string | undefined;
  /** Everything that the file has besides. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Writes the conversation and the settings as the body of a request to /v1/chat/completions, whole or not at all. A file that
 * is something else is not replaced. Returns the path. Errors: `invalid_option`, those of files.
 */
export async function saveConversation({ model, conversation, settings }: ReplSession, asked: string): Promise<string> {
  const path = toPath(asked, '/save');
  if (await isThere(path)) {
    await readSaved(path, (why) => refused(path, `${why}, so that it is not replaced; choose another name`));
  }
  const body = { model: model.id, messages: toMessages(conversation), ...toRequestFields(settings) };
  const text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value), 2);
  // Only its owner may read what was said.
  await replaceFile(path, `${text}\n`, 0o600).catch(throwFileError('write', path));
  return path;
}

/** Reads what `saveConversation` wrote, or any such request of texts. Errors: `invalid_option`, those of files. */
export async function loadConversation(asked: string): Promise<LoadedConversation> {
  const path = toPath(asked, '/load');
  const refuse = (why: string): AppError =>
    refused(path, `${why}; /load takes a file of /save. To talk with another model, leave, and give run its name`);
  if (!(await isThere(path))) throw refuse('is not there');
  const { model, messages, ...fields } = await readSaved(path, refuse);
  const [first] = messages;
  const hasSystem = first !== undefined && first.role !== 'user' && first.role !== 'assistant';
  const turns: Turn[] = [];
  for (const { role, content } of hasSystem ? messages.slice(1) : messages) {
    const last = turns.at(-1);
    const isOpen = last !== undefined && last.assistant === undefined;
    if (role === 'user' && !isOpen) turns.push({ user: content });
    else if (role === 'assistant' && isOpen) turns.splice(-1, 1, { ...last, assistant: content });
    else throw refuse(`has a message of ${role} where the turns of user and assistant do not alternate`);
  }
  if (turns.at(-1)?.assistant === undefined && turns.length > 0) throw refuse('ends with a question without an answer');
  return { conversation: { system: hasSystem ? first.content : undefined, turns }, model, fields };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function readSaved(
  path: string,
  refuse: (why: string) => AppError,
): Promise<Static<typeof Saved> & Record<string, unknown>> {
  const bytes = await readBoundedFile(path, MAX_BYTES, refuse);
  const value = parseStrictJson(bytes, LIMITS, refuse);
  if (!validator.Check(value)) throw refuse('is no conversation of texts');
  return value;
}

/** A shell is not there to know what ~ is. Errors: `invalid_option`. */
function toPath(asked: string, command: string): string {
  if (asked === '') throw new AppError('invalid_option', `${command} needs the name of a file`, { param: command });
  const home = /^~[/\\]/.test(asked) ? findHome() : undefined;
  return home === undefined ? resolve(asked) : join(home, asked.slice(2));
}

function refused(path: string, why: string): AppError {
  return new AppError('invalid_option', `${path} ${why}`, { path });
}
