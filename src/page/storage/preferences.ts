import type { ChatSettings } from '../conversation/conversation.js';
import { readSettings } from '../conversation/parse-conversations.js';
import { fieldsOf, parseJson } from '../json.js';

/** Light, dark, or as the system is. */
export type Theme = 'system' | 'light' | 'dark';

/** What holds for the whole page. */
export interface Preferences {
  readonly theme: Theme;
  /** What a new conversation begins with. */
  readonly settings: ChatSettings;
}

const KEY = 'troupe-chat';

/** What was kept; defaults where nothing was, or where the browser refuses. */
export function loadPreferences(storage: Pick<Storage, 'getItem'> | undefined): Preferences {
  const { theme, settings } = fieldsOf(parseJson(read(storage) ?? ''));
  return { theme: theme === 'light' || theme === 'dark' ? theme : 'system', settings: readSettings(settings) };
}

/** Keeps them. False: the browser refused, as it does when there is no room. */
export function savePreferences(storage: Pick<Storage, 'setItem'> | undefined, preferences: Preferences): boolean {
  try {
    storage?.setItem(KEY, JSON.stringify(preferences));
    return storage !== undefined;
  } catch {
    return false;
  }
}

/** The storage of the page; undefined where the browser gives it none. */
export function pageStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function read(storage: Pick<Storage, 'getItem'> | undefined): string | undefined {
  try {
    return storage?.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
