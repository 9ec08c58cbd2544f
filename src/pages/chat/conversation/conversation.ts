import { LIMITS } from './limits.js';

/** A call by the model; `arguments` is the JSON text that the model wrote. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Tokens that an answer used. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** A failure with advice. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

/** One turn. Turns form a tree: an edit or another try is a sibling of the turn that it replaces. */
export interface Turn {
  readonly id: string;
  /** The previous turn; null for the first. */
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The model that answered. */
  readonly model?: string;
  readonly usage?: TokenUsage;
  /** From the first token to the last; undefined for a single token. */
  readonly tokensPerSecond?: number;
  /** The server's finish reason; `stopped`: the user stopped it. Absent: the answer has not ended. */
  readonly finish?: string;
  readonly failure?: Failure;
}

/** Settings of requests. An absent number means the model's own default. */
export interface ChatSettings {
  /** '' before the list of models is known. */
  readonly model: string;
  readonly system: string;
  /** `auto`: the default of the model's template. */
  readonly thinking: 'auto' | 'on' | 'off';
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly seed?: number | undefined;
}

/** A conversation in the form that the browser stores. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly changedMs: number;
  readonly turns: readonly Turn[];
  /** The shown successor of each turn, by the turn's id; '' is the beginning. Absent: the last successor. */
  readonly shown: Readonly<Record<string, string>>;
  readonly settings: ChatSettings;
}

/** The entry of a conversation in the list. */
export type Summary = Pick<Conversation, 'id' | 'title' | 'changedMs'>;

/** The default settings. */
export const DEFAULT_SETTINGS: ChatSettings = { model: '', system: '', thinking: 'auto' };

/** Creates a conversation without turns. It is not stored yet. */
export function emptyConversation(id: string, nowMs: number, settings: ChatSettings): Conversation {
  return { id, title: '', createdMs: nowMs, changedMs: nowMs, turns: [], shown: {}, settings };
}

/** The summary of a conversation for the list. */
export function toSummary({ id, title, changedMs }: Conversation): Summary {
  return { id, title, changedMs };
}

/** Shortens a text to a title: one line within the limit. */
export function toTitle(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  // Takes at least one character more than the limit; a character has at most two UTF-16 units.
  const letters = Array.from(line.slice(0, 2 * LIMITS.titleChars + 2));
  if (letters.length <= LIMITS.titleChars) return line;
  return `${letters.slice(0, LIMITS.titleChars - 1).join('')}…`;
}

/** 96 random bits in hexadecimal. `crypto.randomUUID` is only there over HTTPS and on this machine. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
