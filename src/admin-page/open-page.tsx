import { render } from 'preact';
import { createApiClient, createFormats, createStore, readKept, readTheme } from '../page-data/index.js';
import { browserClock, createRouter, pageStorage, showTheme, type Notices } from '../page-kit/index.js';
import { createAdminApi, streams } from './api/admin-api.js';
import { App } from './app.js';
import { NO_DRAFT, type ConfigDraft } from './configuration/config-draft.js';

const THEME_KEY = 'troupe-admin-theme';
const CSRF_KEY = 'troupe-admin-csrf';

/** Draws the page into `place`, signed in where the session of the last visit goes on. */
export function openPage(place: Element): void {
  const storage = pageStorage();
  // At once, so that nothing is painted in the other appearance.
  showTheme(readTheme(readKept(storage, THEME_KEY)));
  const client = createApiClient({ sessionPath: streams.session, storageKey: CSRF_KEY, storage });
  const notices = createStore<Notices>({ text: undefined });
  const kit = {
    clock: browserClock,
    formats: createFormats(),
    router: createRouter(),
    notify: (text: string) => notices.set({ text }),
  };
  const admin = {
    api: createAdminApi(client),
    client,
    storage,
    themeKey: THEME_KEY,
    notices,
    draft: createStore<ConfigDraft>(NO_DRAFT),
  };
  render(<App kit={kit} admin={admin} />, place);
}
