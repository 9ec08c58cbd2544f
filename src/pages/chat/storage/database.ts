import { toSummary, type Summary } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';
import { readConversation } from '../conversation/parse-conversations.js';
import { fieldsOf, itemsOf, numberOf, textOf } from '../../data/index.js';
import type { ConversationStore } from './conversation-store.js';

const NAME = 'troupe-chat';
const VERSION = 1;
/** The object stores: whole conversations, and their list entries. */
const WHOLE = 'conversations';
const SHORT = 'summaries';

/** Opens the browser's database. Errors: the browser's errors if it has no storage, as in some private windows. */
export async function openDatabase(factory: IDBFactory = indexedDB): Promise<ConversationStore> {
  const opening = factory.open(NAME, VERSION);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(WHOLE, { keyPath: 'id' });
    opening.result.createObjectStore(SHORT, { keyPath: 'id' });
  });
  const database = await settled(opening);
  // A later version of the page in another tab waits until this one closes the database.
  database.addEventListener('versionchange', () => database.close());

  const list = async (): Promise<readonly Summary[]> => {
    const found = await settled(
      database
        .transaction(SHORT)
        .objectStore(SHORT)
        .getAll(null, 2 * LIMITS.conversations),
    );
    return itemsOf(found)
      .flatMap(readSummary)
      .toSorted((a, b) => b.changedMs - a.changedMs);
  };

  const remove = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    const change = database.transaction([WHOLE, SHORT], 'readwrite');
    for (const id of ids) {
      change.objectStore(WHOLE).delete(id);
      change.objectStore(SHORT).delete(id);
    }
    await completed(change);
  };

  return {
    list,
    remove,
    async get(id) {
      const found = readConversation(await settled(database.transaction(WHOLE).objectStore(WHOLE).get(id)));
      return typeof found === 'string' ? undefined : found;
    },
    async put(conversations) {
      const change = database.transaction([WHOLE, SHORT], 'readwrite');
      for (const conversation of conversations) {
        change.objectStore(WHOLE).put(conversation);
        change.objectStore(SHORT).put(toSummary(conversation));
      }
      await completed(change);
      await remove((await list()).slice(LIMITS.conversations).map(({ id }) => id));
    },
  };
}

function readSummary(value: unknown): Summary[] {
  const { id, title, changedMs } = fieldsOf(value);
  const key = textOf(id);
  return key === undefined ? [] : [{ id: key, title: textOf(title) ?? '', changedMs: numberOf(changedMs) ?? 0 }];
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser did not say why')));
  });
}

function completed(change: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(change.error ?? new Error('the browser did not say why'));
    change.addEventListener('complete', () => resolve());
    change.addEventListener('error', fail);
    change.addEventListener('abort', fail);
  });
}
