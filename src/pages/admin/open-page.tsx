import { render } from 'preact';
import { createApiClient, createStore } from '../data/index.js';
import { createKit } from '../kit/index.js';
import { createAdminApi, streams } from './api/admin-api.js';
import { App } from './app.js';
import { NO_DRAFT, type ConfigDraft } from './configuration/config-draft.js';

const CSRF_KEY = 'troupe-admin-csrf';

/** Draws the page into `place`, signed in if the session of the last visit is still valid. */
export function openPage(place: Element): void {
  const { kit, notices, storage, themeKey } = createKit('troupe-admin-theme');
  const client = createApiClient({ sessionPath: streams.session, storageKey: CSRF_KEY, storage });
  const admin = {
    api: createAdminApi(client),
    client,
    storage,
    themeKey,
    notices,
    draft: createStore<ConfigDraft>(NO_DRAFT),
  };
  render(<App kit={kit} admin={admin} />, place);
}
