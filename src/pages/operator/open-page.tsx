import { render, type VNode } from 'preact';
import { createBearerClient } from '../data/index.js';
import { createKit, KeyPage, KeyShell, KitProvider, tabStorage } from '../kit/index.js';
import { createOperatorApi } from './api/operator-api.js';
import { OperatorProvider, type OperatorState } from './operator-state.js';
import { sections } from './sections.js';

/** Draws the page into `place`, signed in if this tab has a valid token. */
export function openPage(place: Element): void {
  const opened = createKit('troupe-operator-theme');
  const client = createBearerClient({
    probe: { method: 'POST', path: '/operator/gateways.list', body: {} },
    storageKey: 'troupe-operator-token',
    storage: tabStorage(),
  });
  render(<App operator={{ api: createOperatorApi(client), client, opened }} />, place);
}

/** The whole page. */
function App({ operator }: { readonly operator: OperatorState }): VNode {
  const { client, opened } = operator;
  return (
    <KitProvider value={opened.kit}>
      <OperatorProvider value={operator}>
        <KeyPage
          client={client}
          title="Hosted API"
          label="Operator token"
          help={
            <>
              The token is in the file <code>operator-token</code> of the data directory. Each start of the server has
              another one.
            </>
          }
        >
          <KeyShell
            name="Troupe hosted API"
            server="hosted API"
            place={location.host}
            sections={sections}
            client={client}
            opened={opened}
          />
        </KeyPage>
      </OperatorProvider>
    </KitProvider>
  );
}
