import type { VNode } from 'preact';
import { KeyPage, KeyShell, KitProvider } from '../kit/index.js';
import { OperatorProvider, type OperatorState } from './operator-state.js';
import { sections } from './sections.js';

/** The whole page. */
export function App({ operator }: { readonly operator: OperatorState }): VNode {
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
