import type { VNode } from 'preact';
import { KeyPage, KeyShell, KitProvider, Tabs, useLoad, useTab, type Section } from '../kit/index.js';
import { AccountProvider, useAccount, type AccountPage } from './account-page.js';
import { CatalogView } from './views/catalog-view.js';
import { KeysView } from './views/keys-view.js';
import { OverviewView } from './views/overview-view.js';
import { RequestsView } from './views/requests-view.js';
import { StatementView } from './views/statement-view.js';

/** The whole page. */
export function App({ page }: { readonly page: AccountPage }): VNode {
  return (
    <KitProvider value={page.opened.kit}>
      <AccountProvider value={page}>
        <KeyPage
          client={page.client}
          title="Your account"
          label="API key"
          help="The key stays in this tab, and is forgotten with it. It is sent to this service alone."
        >
          <SignedIn />
        </KeyPage>
      </AccountProvider>
    </KitProvider>
  );
}

function SignedIn(): VNode {
  const { api, client, opened, path } = useAccount();
  const balance = useLoad(({ signal }) => api.balance(signal), []);
  const sections: readonly Section[] = [{ path, title: 'Account', icon: 'user', view: AccountSection }];
  return (
    <KeyShell
      name="Troupe"
      server="service"
      place={balance.value?.name ?? ''}
      sections={sections}
      client={client}
      opened={opened}
    />
  );
}

const TABS = [
  ['usage', 'Balance and usage'],
  ['statement', 'Statement'],
  ['requests', 'Requests'],
  ['keys', 'Keys'],
  ['catalog', 'Catalog'],
] as const;

const VIEWS = {
  usage: OverviewView,
  statement: StatementView,
  requests: RequestsView,
  keys: KeysView,
  catalog: CatalogView,
} as const;

function AccountSection(): VNode {
  const chosen = useTab(TABS) ?? 'usage';
  const View = VIEWS[chosen];
  return (
    <div class="fill">
      <Tabs label="Account" tabs={TABS} chosen={chosen} />
      <View />
    </div>
  );
}
