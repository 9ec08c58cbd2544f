import type { Answer } from '../answer.js';
import type { Conversation } from '../conversation.js';
import type { Model } from '../../index.js';
import type { Settings } from '../settings.js';
import type { Terminal } from '../terminal.js';
import type { History } from './history.js';

/** The state of one REPL, changed by its commands. */
export interface Session {
  readonly model: Model;
  readonly terminal: Terminal;
  readonly history: History;
  readonly settings: Settings;
  conversation: Conversation;
  lastAnswer: Answer | undefined;
  /** What `/retry` asks again, also when its answer was stopped. */
  lastQuestion: string | undefined;
}

/** What the loop does after a command. */
export type Next = 'ask' | 'answer' | 'exit';
