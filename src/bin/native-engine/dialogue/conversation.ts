import type { ChatMessage, Model } from '../../../index.js';

/** One question and, once it came, its answer. */
export interface Turn {
  readonly user: string;
  readonly assistant?: string;
}

/** What is said so far: an optional system prompt and the turns in order. */
export interface Conversation {
  readonly system: string | undefined;
  readonly turns: readonly Turn[];
}

/** The conversation as messages of a request. */
export function toMessages(conversation: Conversation): ChatMessage[] {
  const messages: ChatMessage[] = [];
  if (conversation.system !== undefined) messages.push({ role: 'system', content: conversation.system });
  for (const turn of conversation.turns) {
    messages.push({ role: 'user', content: turn.user });
    if (turn.assistant !== undefined) messages.push({ role: 'assistant', content: turn.assistant });
  }
  return messages;
}

/** The conversation without its oldest turn; undefined when only the open question is left. */
export function withoutOldest(conversation: Conversation): Conversation | undefined {
  return conversation.turns.length > 1 ? { ...conversation, turns: conversation.turns.slice(1) } : undefined;
}

/**
 * Room kept for an answer, in tokens: an eighth of the context, at most 512, and no more than the answer may have.
 * Without it a long conversation would leave room for a few words, and the answer would end in the middle of a sentence.
 */
function answerReserve(contextLength: number, maxTokens = -1): number {
  // -1 is no limit, as on the wire.
  return Math.min(512, Math.floor(contextLength / 8), maxTokens === -1 ? Number.POSITIVE_INFINITY : maxTokens);
}

/** Why turns were dropped. */
export interface Shortage {
  /** Tokens of the prompt with all its turns. */
  readonly promptTokens: number;
  /** Tokens kept for the answer. */
  readonly reserve: number;
}

/** Drops oldest turns until the prompt leaves room for an answer; `dropped` counts them, `shortage` says why. */
export async function fitToContext(
  model: Pick<Model, 'contextLength' | 'countTokens'>,
  conversation: Conversation,
  enableThinking: boolean | undefined,
  maxTokens?: number,
): Promise<{ conversation: Conversation; dropped: number; shortage: Shortage | undefined }> {
  const reserve = answerReserve(model.contextLength, maxTokens);
  let [fitting, shortage] = [conversation, undefined as Shortage | undefined];
  for (let dropped = 0; ; dropped++) {
    const shorter = withoutOldest(fitting);
    const promptTokens = await model.countTokens({ messages: toMessages(fitting), enable_thinking: enableThinking });
    const fits = promptTokens + reserve <= model.contextLength;
    if (fits || shorter === undefined) return { conversation: fitting, dropped, shortage };
    shortage ??= { promptTokens, reserve };
    fitting = shorter;
  }
}
