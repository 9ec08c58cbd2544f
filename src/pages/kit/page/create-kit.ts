import {
  createFormats,
  createServerWatch,
  createStore,
  readKept,
  readTheme,
  type Store,
  type TextStorage,
} from '../../data/index.js';
import type { Notices } from '../views/toast.js';
import { browserClock } from './browser-clock.js';
import type { Kit } from './kit.js';
import { pageStorage } from './page-storage.js';
import { createRouter } from './router.js';
import { showTheme } from '../shell/theme-button.js';

/** The parts with which every page of sections starts. */
export interface OpenedKit {
  readonly kit: Kit;
  readonly notices: Store<Notices>;
  readonly storage: TextStorage | undefined;
  readonly themeKey: string;
}

/** Creates the kit of this page and applies the stored theme at once, before anything is painted in another. */
export function createKit(themeKey: string): OpenedKit {
  const storage = pageStorage();
  showTheme(readTheme(readKept(storage, themeKey)));
  const notices = createStore<Notices>({ text: undefined });
  const kit = {
    clock: browserClock,
    formats: createFormats(),
    router: createRouter(),
    notify: (text: string) => notices.set({ text }),
    serverWatch: createServerWatch({ address: iconAddress(), clock: browserClock, isHidden: () => document.hidden }),
  };
  return { kit, notices, storage, themeKey };
}

/** The address of the page's smallest file, or of the page itself if there is no icon. */
function iconAddress(): string {
  return document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? location.href;
}
