import { fieldsOf, keepText, parseJson, readKept, readTheme, type TextStorage, type Theme } from '../../data/index.js';
import type { ChatSettings } from '../conversation/conversation.js';
import { readSettings } from '../conversation/parse-conversations.js';

/** Settings of the whole page. */
export interface Preferences {
  readonly theme: Theme;
  /** The settings of a new conversation. */
  readonly settings: ChatSettings;
}

const KEY = 'troupe-chat';

/** Reads the stored preferences; defaults if there are none, or if the browser refuses. */
export function loadPreferences(storage: TextStorage | undefined): Preferences {
  const { theme, settings } = fieldsOf(parseJson(readKept(storage, KEY) ?? ''));
  return { theme: readTheme(theme), settings: readSettings(settings) };
}

/** Stores the preferences. False: the browser refused, as without free space. */
export function savePreferences(storage: TextStorage | undefined, preferences: Preferences): boolean {
  return keepText(storage, KEY, JSON.stringify(preferences));
}
