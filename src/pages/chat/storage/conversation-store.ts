import { toSummary, type Conversation, type Summary } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';

/** Where conversations are kept. Errors of all: what the browser says, as on a full disk. */
export interface ConversationStore {
  /** All of them, the last changed first. */
  list(): Promise<readonly Summary[]>;
  /** Undefined: there is none of that id, or it cannot be read. */
  get(id: string): Promise<Conversation | undefined>;
  /** Keeps them; beyond the limit the least recently changed are removed. */
  put(conversations: readonly Conversation[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** The same in memory: for a browser that keeps nothing. */
export function createMemoryStore(): ConversationStore {
  const kept = new Map<string, Conversation>();
  const list = (): readonly Summary[] =>
    Array.from(kept.values(), toSummary).toSorted((a, b) => b.changedMs - a.changedMs);
  return {
    list: async () => list(),
    get: async (id) => kept.get(id),
    async put(conversations) {
      for (const conversation of conversations) kept.set(conversation.id, conversation);
      for (const { id } of list().slice(LIMITS.conversations)) kept.delete(id);
    },
    async remove(ids) {
      for (const id of ids) kept.delete(id);
    },
  };
}
