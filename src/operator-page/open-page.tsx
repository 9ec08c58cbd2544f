import { render } from 'preact';
import { createBearerClient, createFormats, createStore, readKept, readTheme } from '../page-data/index.js';
import { browserClock, createRouter, pageStorage, showTheme, tabStorage, type Notices } from '../page-kit/index.js';
import { createOperatorApi } from './api/operator-api.js';
import { App } from './app.js';

const THEME_KEY = 'troupe-operator-theme';
const TOKEN_KEY = 'troupe-operator-token';

/** Draws the page into `place`, signed in where this tab has a token that is still taken. */
export function openPage(place: Element): void {
  const storage = pageStorage();
  // At once, so that nothing is painted in the other appearance.
  showTheme(readTheme(readKept(storage, THEME_KEY)));
  const client = createBearerClient({
    probe: { method: 'POST', path: '/operator/gateways.list', body: {} },
    storageKey: TOKEN_KEY,
    storage: tabStorage(),
  });
  const notices = createStore<Notices>({ text: undefined });
  const kit = {
    clock: browserClock,
    formats: createFormats(),
    router: createRouter(),
    notify: (text: string) => notices.set({ text }),
  };
  const operator = { api: createOperatorApi(client), client, storage, themeKey: THEME_KEY, notices };
  render(<App kit={kit} operator={operator} />, place);
}
