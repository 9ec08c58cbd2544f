import type { ShownAnswer } from '../dialogue/answer.js';
import type { Conversation } from '../dialogue/conversation.js';
import type { Model } from '../../../index.js';
import type { AnswerSettings } from '../options/settings.js';
import type { Terminal } from '../../../cli/index.js';
import type { History } from './history.js';

/** The state of one REPL, changed by its commands. */
export interface ReplSession {
  readonly model: Model;
  readonly terminal: Terminal;
  readonly history: History;
  readonly settings: AnswerSettings;
  conversation: Conversation;
  /** Of the last question; undefined when it has none, because there was no question or its answer was stopped or failed. */
  lastAnswer: ShownAnswer | undefined;
  /** What `/retry` asks again, and whether it is the last turn of the conversation: one whose answer was stopped is not. */
  lastQuestion: { readonly text: string; readonly isAnswered: boolean } | undefined;
}

/** What the loop does after a command. */
export type Next = 'ask' | 'answer' | 'exit';
