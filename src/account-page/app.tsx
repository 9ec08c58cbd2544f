import type { VNode } from 'preact';
import {
  Icon,
  KeyPage,
  KitProvider,
  Shell,
  Tabs,
  ThemeButton,
  useLoad,
  useTab,
  type Kit,
  type Section,
} from '../page-kit/index.js';
import { AccountProvider, useAccount, type AccountPage } from './account-page.js';
import { CatalogView } from './views/catalog-view.js';
import { KeysView } from './views/keys-view.js';
import { OverviewView } from './views/overview-view.js';
import { RequestsView } from './views/requests-view.js';

/** The whole page. */
export function App({ kit, page }: { readonly kit: Kit; readonly page: AccountPage }): VNode {
  return (
    <KitProvider value={kit}>
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
  const { api, client, storage, themeKey, notices, path } = useAccount();
  const balance = useLoad(({ signal }) => api.balance(signal), []);
  const sections: readonly Section[] = [{ path, title: 'Account', icon: 'user', view: AccountSection }];
  return (
    <Shell
      name="Troupe"
      place={balance.value?.name ?? ''}
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

const TABS = [
  ['usage', 'Balance and usage'],
  ['requests', 'Requests'],
  ['keys', 'Keys'],
  ['catalog', 'Catalog'],
] as const;

const VIEWS = { usage: OverviewView, requests: RequestsView, keys: KeysView, catalog: CatalogView } as const;

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
