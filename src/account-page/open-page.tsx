import { render } from 'preact';
import { createBearerClient, createFormats, createStore, readKept, readTheme } from '../page-data/index.js';
import { browserClock, createRouter, pageStorage, showTheme, tabStorage, type Notices } from '../page-kit/index.js';
import { createAccountApi } from './api/account-api.js';
import { App } from './app.js';

const THEME_KEY = 'troupe-account-theme';
const KEY_KEY = 'troupe-account-key';

/** Draws the page into `place`, signed in where this tab has a key that is still taken. */
export function openPage(place: Element): void {
  const storage = pageStorage();
  // At once, so that nothing is painted in the other appearance.
  showTheme(readTheme(readKept(storage, THEME_KEY)));
  // The service may be below a path: its API is beside this page.
  const path = location.pathname;
  const root = path.replace(/account\/?$/, '');
  const client = createBearerClient({
    probe: { method: 'GET', path: `${root}v1/balance` },
    storageKey: KEY_KEY,
    storage: tabStorage(),
  });
  const notices = createStore<Notices>({ text: undefined });
  const kit = {
    clock: browserClock,
    formats: createFormats(),
    router: createRouter(),
    notify: (text: string) => notices.set({ text }),
  };
  const page = { api: createAccountApi(client, root), client, storage, themeKey: THEME_KEY, notices, path, root };
  render(<App kit={kit} page={page} />, place);
}
