import { isAppError } from '../../base/index.js';
import { toPrompt } from '../../chat/index.js';
import { messageText, textParts, type Message } from '../request.js';
import { ANY_SHAPE, type TemplateShapes } from './conversation-shape.js';
import type { ProbeOptions } from './template-features.js';
import { toTemplateVariables } from './template-messages.js';

/** A turn with a word that no template has of its own. */
const turn = (role: Message['role'], word: string): Message => ({ role, content: textParts(`Zvq${word}`) });
const user = turn('user', 'user');
const next = turn('user', 'next');
const answer = turn('assistant', 'answer');
const system = turn('system', 'system');
const second = turn('system', 'second');
const later = turn('system', 'later');
// Templates of Mistral's demand ids of nine letters or digits.
const ID = 'zvqcall01';
const call: Message = {
  role: 'assistant',
  content: [],
  calls: [{ id: ID, name: 'zvqcalled', argumentsText: '{"zvqkey": "zvqvalue"}' }],
};
const result: Message = { role: 'tool', callId: ID, name: 'zvqcalled', content: textParts('Zvqresult') };
const nothing: Message = { role: 'assistant', content: [] };

/**
 * Finds the forms of conversations that a template accepts, by rendering some, once, at the first request. A form
 * counts as accepted where each conversation of it renders and shows every text. A template that refuses a single turn,
 * or loops, counts as accepting everything: its own error then comes at rendering.
 */
export function createShapeProbe(
  options: Omit<ProbeOptions, 'dialect' | 'template'>,
): (signal: AbortSignal | undefined) => Promise<TemplateShapes> {
  let known: Promise<TemplateShapes> | undefined;
  return async (signal) => {
    // Not with the first request's signal: others wait for the same answer.
    known ??= findShapes(options).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'template_timeout') return ANY_SHAPE;
      known = undefined;
      throw error;
    });
    const shapes = await known;
    signal?.throwIfAborted();
    return shapes;
  };
}

async function findShapes({
  templateTokens,
  renderPrompt,
}: Pick<ProbeOptions, 'templateTokens' | 'renderPrompt'>): Promise<TemplateShapes> {
  const shows = async (messages: readonly Message[]): Promise<boolean> => {
    try {
      const request = { messages, tools: [], thinking: { isHidden: false } };
      const variables = toTemplateVariables(request, true, templateTokens);
      const text = toPrompt(await renderPrompt(variables, undefined, true)).text.toLowerCase();
      const words = messages.flatMap((message) => [
        messageText(message),
        ...(message.calls ?? []).map(({ name }) => name),
      ]);
      return words.every((word) => text.includes(word.toLowerCase()));
    } catch (error) {
      if (isAppError(error) && error.code === 'template_error') return false;
      throw error;
    }
  };
  const showsAll = async (...conversations: readonly (readonly Message[])[]): Promise<boolean> => {
    for (const messages of conversations) if (!(await shows(messages))) return false;
    return true;
  };

  if (!(await shows([user]))) return ANY_SHAPE;
  const takesSystem = await showsAll([system, user], [system, user, answer, next]);
  const head = takesSystem ? [system] : [];
  const takesCalls = await shows([user, call, result]);
  return {
    system: takesSystem,
    systemAlone: await shows([system]),
    manySystems: await showsAll([system, second, user], [system, second, user, answer, next]),
    laterSystem: await showsAll(
      [user, answer, later, next],
      [...head, user, later],
      [...head, user, later, answer, next],
    ),
    userRuns: await showsAll([user, next], [...head, user, answer, next, turn('user', 'third')]),
    assistantRuns: await shows([user, answer, turn('assistant', 'more'), next]),
    callAfterText: !takesCalls || (await shows([user, answer, call, result])),
    assistantFirst: await shows([answer, user]),
    userAfterResult: takesCalls ? await findUserAfterResult(shows) : 'as it is',
  };
}

async function findUserAfterResult(
  shows: (messages: readonly Message[]) => Promise<boolean>,
): Promise<TemplateShapes['userAfterResult']> {
  if (await shows([user, call, result, next])) return 'as it is';
  return (await shows([user, call, result, nothing, next])) ? 'behind an answer' : 'in the result';
}
