import type { Conversation } from '../conversation/conversation.js';
import { toSummary, toTitle } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';
import { parseConversations, writeConversations } from '../conversation/parse-conversations.js';
import { createMemoryStore, type ConversationStore } from '../storage/conversation-store.js';
import type { ChatState } from './state.js';
import type { Store } from '../../data/index.js';

/** The used part of a file that the user chose. */
export interface ImportedFile {
  /** In bytes. */
  readonly size: number;
  text(): Promise<string>;
}

/** The message between tabs of one browser: the list has changed. */
interface TabMessage {
  readonly changed: true;
}

/** Opens the storage of conversations. */
export type StorageOfPage = () => Promise<ConversationStore>;

/** Stores conversations in the browser and updates their list. No method rejects: the page reports failures. */
export interface Keeper {
  keep(conversations: readonly Conversation[]): void;
  get(id: string): Promise<Conversation | undefined>;
  /** Reads the list again after a change by another tab. */
  refresh(): Promise<void>;
  rename(id: string, title: string): Promise<void>;
  /** Removes conversations and returns them, so that the user can restore them. */
  remove(ids: readonly string[]): Promise<readonly Conversation[]>;
  /** Writes all conversations, or those with the ids, as a file. */
  exportFile(ids?: readonly string[]): Promise<string>;
  /** Imports a file and returns a message: the number of conversations, or the reason of the failure. */
  importFile(file: ImportedFile): Promise<string>;
}

const NOT_KEPT = 'This browser does not keep conversations here, so they are lost when the page is closed.';

/** Creates a keeper. */
export function createKeeper(store: Store<ChatState>, open: StorageOfPage): Keeper {
  const opened = open().catch(() => {
    store.set({ storageFault: NOT_KEPT });
    return createMemoryStore();
  });
  /** Each change waits for the previous one, so the last change wins. */
  let last: Promise<unknown> = opened;

  const run = <T>(work: (database: ConversationStore) => Promise<T>, otherwise: T): Promise<T> => {
    const next = last
      .then(async () => work(await opened))
      .catch(() => {
        store.set({ storageFault: 'The browser refuses to keep more. Export conversations and delete some.' });
        return otherwise;
      });
    last = next;
    return next;
  };

  const refresh = async (): Promise<void> => {
    const summaries = await run((database) => database.list(), store.get().summaries);
    store.set({ summaries });
  };

  const write = async (conversations: readonly Conversation[]): Promise<void> => {
    const ids = new Set(conversations.map(({ id }) => id));
    const others = store.get().summaries.filter(({ id }) => !ids.has(id));
    const summaries = [...conversations.map(toSummary), ...others].toSorted((a, b) => b.changedMs - a.changedMs);
    store.set({ summaries: summaries.slice(0, LIMITS.conversations) });
    await run(async (database) => {
      await database.put(conversations);
      tellOtherTabs();
    }, undefined);
  };

  const get = (id: string): Promise<Conversation | undefined> => run((database) => database.get(id), undefined);

  const getAll = async (ids: readonly string[]): Promise<readonly Conversation[]> => {
    const found = await Promise.all(ids.map(get));
    return found.filter((each) => each !== undefined);
  };

  // The channel to the other tabs of this browser.
  const port = 'BroadcastChannel' in globalThis ? new BroadcastChannel('troupe-chat') : undefined;
  const tellOtherTabs = (): void => port?.postMessage({ changed: true } satisfies TabMessage);
  port?.addEventListener('message', () => void refresh());
  void refresh();

  return {
    keep: (conversations) => void write(conversations),
    get,
    refresh,
    async rename(id, title) {
      const name = toTitle(title);
      const { open: shown } = store.get();
      if (name === '') return;
      const found = shown.id === id ? shown : await get(id);
      if (found === undefined) return;
      const renamed = { ...found, title: name };
      if (store.get().open.id === id) store.set({ open: { ...store.get().open, title: name } });
      await write([renamed]);
    },
    async remove(ids) {
      const removed = await getAll(ids);
      store.set({ summaries: store.get().summaries.filter(({ id }) => !ids.includes(id)) });
      await run((database) => database.remove(ids), undefined);
      tellOtherTabs();
      return removed;
    },
    async exportFile(ids = store.get().summaries.map(({ id }) => id)) {
      return writeConversations(await getAll(ids));
    },
    async importFile(file) {
      if (file.size > LIMITS.importBytes) {
        return `The file has ${file.size} bytes; the limit is ${LIMITS.importBytes}. Export fewer conversations at once.`;
      }
      const read = parseConversations(await file.text());
      if (typeof read === 'string') return read;
      await write(read);
      const { open: shown, running } = store.get();
      const same = read.find(({ id }) => id === shown.id);
      if (same !== undefined && running[same.id] === undefined) store.set({ open: same });
      return read.length === 1 ? '1 conversation was imported.' : `${read.length} conversations were imported.`;
    },
  };
}
