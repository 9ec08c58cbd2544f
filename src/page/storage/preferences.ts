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

/** What is used of the browser's local storage. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = 'troupe-chat';

/** What was kept; defaults where nothing was, or where the browser refuses. */
export function loadPreferences(storage: TextStorage | undefined): Preferences {
  const { theme, settings } = fieldsOf(parseJson(read(storage) ?? ''));
  return { theme: theme === 'light' || theme === 'dark' ? theme : 'system', settings: readSettings(settings) };
}

/** Keeps them. False: the browser refused, as it does when there is no room. */
export function savePreferences(storage: TextStorage | undefined, preferences: Preferences): boolean {
  try {
    storage?.setItem(KEY, JSON.stringify(preferences));
    return storage !== undefined;
  } catch {
    return false;
  }
}

function read(storage: TextStorage | undefined): string | undefined {
  try {
    return storage?.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
