import type { ResponsesAsked } from '../../answers/index.js';
import type { ChatMembers } from './chat-body.js';

/** A body of another API as a request of chat completions, and what its answer must know of it. */
export interface TranslatedRequest {
  /** Without the model and without what differs from target to target. */
  readonly members: ChatMembers;
  /** What has no counterpart and was left out: names of fields, types of tools and items; each once. */
  readonly ignored: readonly string[];
  readonly isStream: boolean;
  /** Stop strings that were asked for. */
  readonly stops: readonly string[];
  /** Completion tokens that were asked for; undefined: no limit. */
  readonly maxTokens: number | undefined;
  /** Thinking is counted, and not given out. */
  readonly hidesThinking: boolean;
  /** What an answer of responses says again; absent for messages. */
  readonly responses?: ResponsesAsked;
}

/** Members of a body whose text `toChatRequest` wants too, where they are there. */
export const SOURCES = ['tools', 'messages'] as const;
