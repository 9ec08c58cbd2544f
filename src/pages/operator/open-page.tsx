import { render } from 'preact';
import { createBearerClient } from '../data/index.js';
import { createKit, tabStorage } from '../kit/index.js';
import { createOperatorApi } from './api/operator-api.js';
import { App } from './app.js';

/** Draws the page into `place`, signed in where this tab has a token that is still taken. */
export function openPage(place: Element): void {
  const opened = createKit('troupe-operator-theme');
  const client = createBearerClient({
    probe: { method: 'POST', path: '/operator/gateways.list', body: {} },
    storageKey: 'troupe-operator-token',
    storage: tabStorage(),
  });
  render(<App operator={{ api: createOperatorApi(client), client, opened }} />, place);
}
