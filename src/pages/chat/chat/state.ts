import type { ServedModel } from '../api/models.js';
import type { Conversation, Summary } from '../conversation/conversation.js';
import type { Theme } from '../../data/index.js';

/** The state that the page shows. */
export interface ChatState {
  /** All that are kept, the last changed first. */
  readonly summaries: readonly Summary[];
  /** The one that is open. */
  readonly open: Conversation;
  /** Of the conversations that are being answered, the turn that grows, by the conversation's id. */
  readonly running: Readonly<Record<string, string>>;
  readonly models: readonly ServedModel[];
  readonly connection: 'unknown' | 'online' | 'offline';
  readonly theme: Theme;
  /** Shown once, in a corner; `undo` takes back the change that it reports. */
  readonly notice: Notice | undefined;
  /** Conversations are not kept, and why. */
  readonly storageFault: string | undefined;
}

/** A short message. */
export interface Notice {
  readonly text: string;
  readonly undo?: () => void;
}
