import { LIMITS } from './limits.js';

/** A call that the model made; `arguments` is JSON text, as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Tokens that an answer took. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** A failure, and advice on it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

/** One turn. Turns are a tree: an edit and another try are siblings of what they replace. */
export interface Turn {
  readonly id: string;
  /** The turn before; null for the first. */
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The model that answered. */
  readonly model?: string;
  readonly usage?: TokenUsage;
  /** From the first token to the last; undefined where there was only one. */
  readonly tokensPerSecond?: number;
  /** Why the answer ended, as the server said it; `stopped`: by the reader. Absent: it has not ended. */
  readonly finish?: string;
  readonly failure?: Failure;
}

/** How answers are asked for. An absent number is the model's own default. */
export interface ChatSettings {
  /** '' before the list of models is known. */
  readonly model: string;
  readonly system: string;
  /** `auto`: as the model's template has it. */
  readonly thinking: 'auto' | 'on' | 'off';
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly seed?: number | undefined;
}

/** A conversation as it is kept in the browser. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly changedMs: number;
  readonly turns: readonly Turn[];
  /** The turn that is shown below each one, by its id; '' is the beginning. Absent: the last. */
  readonly shown: Readonly<Record<string, string>>;
  readonly settings: ChatSettings;
}

/** A conversation as the list shows it. */
export type Summary = Pick<Conversation, 'id' | 'title' | 'changedMs'>;

/** The default settings. */
export const DEFAULT_SETTINGS: ChatSettings = { model: '', system: '', thinking: 'auto' };

/** A conversation without a turn, which is not kept yet. */
export function emptyConversation(id: string, nowMs: number, settings: ChatSettings): Conversation {
  return { id, title: '', createdMs: nowMs, changedMs: nowMs, turns: [], shown: {}, settings };
}

/** The summary of a conversation for the list. */
export function toSummary({ id, title, changedMs }: Conversation): Summary {
  return { id, title, changedMs };
}

/** A title in one line and within the limit. */
export function toTitle(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  // One letter more than the limit, each of two units at most.
  const letters = Array.from(line.slice(0, 2 * LIMITS.titleChars + 2));
  if (letters.length <= LIMITS.titleChars) return line;
  return `${letters.slice(0, LIMITS.titleChars - 1).join('')}…`;
}

/** 96 random bits in hexadecimal. `crypto.randomUUID` is only there over HTTPS and on this machine. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
