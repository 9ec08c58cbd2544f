import type { ServedModel } from '../api/models.js';
import type { Conversation, Summary } from '../conversation/conversation.js';
import type { Theme } from '../../data/index.js';

/** The state that the page shows. */
export interface ChatState {
  /** All stored conversations, the last changed first. */
  readonly summaries: readonly Summary[];
  /** The open conversation. */
  readonly open: Conversation;
  /** The growing turns of conversations with a running answer, by the conversation's id. */
  readonly running: Readonly<Record<string, string>>;
  readonly models: readonly ServedModel[];
  readonly connection: 'unknown' | 'online' | 'offline';
  readonly theme: Theme;
  /** Shown once in a corner; `undo` reverts the reported change. */
  readonly notice: Notice | undefined;
  /** The reason why conversations cannot be stored. */
  readonly storageFault: string | undefined;
}

/** A short message. */
export interface Notice {
  readonly text: string;
  readonly undo?: () => void;
}
