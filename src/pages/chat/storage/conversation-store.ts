import { toSummary, type Conversation, type Summary } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';

/** The storage of conversations. Errors of all methods: the browser's errors, as for a full disk. */
export interface ConversationStore {
  /** All conversations, the last changed first. */
  list(): Promise<readonly Summary[]>;
  /** Undefined: no conversation has the id, or it is unreadable. */
  get(id: string): Promise<Conversation | undefined>;
  /** Stores conversations. Beyond the limit it removes the least recently changed ones. */
  put(conversations: readonly Conversation[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** Creates a store in memory, for a browser without storage. */
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
