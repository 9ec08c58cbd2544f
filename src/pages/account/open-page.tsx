import { render } from 'preact';
import { createBearerClient } from '../data/index.js';
import { createKit, tabStorage } from '../kit/index.js';
import { createAccountApi } from './api/account-api.js';
import { App } from './app.js';

/** Draws the page into `place`, signed in if this tab has a valid key. */
export function openPage(place: Element): void {
  const opened = createKit('troupe-account-theme');
  // The service may be below a path, so the page derives the API's address from its own.
  const path = location.pathname;
  const root = path.replace(/account\/?$/, '');
  const client = createBearerClient({
    probe: { method: 'GET', path: `${root}v1/balance` },
    storageKey: 'troupe-account-key',
    storage: tabStorage(),
  });
  render(<App page={{ api: createAccountApi(client, root), client, opened, path, root }} />, place);
}
