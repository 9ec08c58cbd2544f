import type { VNode } from 'preact';
import { Icon, KeyPage, KitProvider, Shell, ThemeButton, type Kit } from '../page-kit/index.js';
import { OperatorProvider, useOperator, type Operator } from './operator.js';
import { sections } from './sections.js';

/** The whole page. */
export function App({ kit, operator }: { readonly kit: Kit; readonly operator: Operator }): VNode {
  return (
    <KitProvider value={kit}>
      <OperatorProvider value={operator}>
        <KeyPage
          client={operator.client}
          title="Hosted API"
          label="Operator token"
          help={
            <>
              The token is in the file <code>operator-token</code> of the data directory. Each start of the server has
              another one.
            </>
          }
        >
          <SignedIn />
        </KeyPage>
      </OperatorProvider>
    </KitProvider>
  );
}

function SignedIn(): VNode {
  const { client, storage, themeKey, notices } = useOperator();
  return (
    <Shell
      name="Troupe hosted API"
      place={location.host}
      sections={sections}
      notices={notices}
      isInert={false}
      actions={
        <>
          <ThemeButton storage={storage} storageKey={themeKey} />
          <button type="button" class="tool" aria-label="Sign out" title="Sign out" onClick={() => client.signOut()}>
            <Icon name="leave" />
          </button>
        </>
      }
    />
  );
}
