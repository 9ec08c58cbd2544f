import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../data/index.js';
import {
  Failed,
  Icon,
  KitProvider,
  Link,
  Loading,
  Note,
  Shell,
  SignInAgain,
  SignInPage,
  ThemeButton,
  useLoad,
  useStore,
  type Kit,
  type SignInProps,
} from '../kit/index.js';
import { AdminProvider, useAdmin, type Admin } from './admin.js';
import { sections } from './sections.js';
import { NO_DRAFT } from './configuration/config-draft.js';

/** A valid operator name, as the API accepts it. */
const NAME = /^[^\p{Cc}:@/]{1,64}$/u;

/** The whole page. */
export function App({ kit, admin }: { readonly kit: Kit; readonly admin: Admin }): VNode {
  return (
    <KitProvider value={kit}>
      <AdminProvider value={admin}>
        <Page />
      </AdminProvider>
    </KitProvider>
  );
}

function Page(): VNode {
  const { client } = useAdmin();
  const { phase } = useStore(client.session);
  const [failure, setFailure] = useState<ApiFailure>();
  const resume = async (): Promise<void> => {
    setFailure(undefined);
    setFailure(await client.resume());
  };
  useEffect(() => void resume(), []);
  const signIn: SignInProps = {
    title: 'Gateway admin',
    credentials: [
      { name: 'token', label: 'Admin token', isSecret: true, autoComplete: 'current-password' },
      {
        name: 'name',
        label: 'Your name',
        isSecret: false,
        autoComplete: 'username',
        isOptional: true,
        hint: 'Optional. The audit log has it beside what you change; it is not verified.',
        check: (name) => (NAME.test(name) ? undefined : 'At most 64 characters, and none of : @ /'),
      },
    ],
    help: (
      <>
        <code>private-gateway admin-token</code> issues a token. It takes the place of the one before, and ends every
        session.
      </>
    ),
    onSignIn: (values) => client.signIn(values),
  };
  if (failure !== undefined) {
    return (
      <main class="sign-in-page">
        <Failed failure={failure} onRetry={() => void resume()} />
      </main>
    );
  }
  if (phase === 'unknown') {
    return (
      <main class="sign-in-page" aria-busy="true">
        <Loading lines={3} />
      </main>
    );
  }
  if (phase === 'out') return <SignInPage {...signIn} />;
  return (
    <>
      <SignedIn isInert={phase === 'interrupted'} />
      {phase === 'interrupted' && (
        <SignInAgain
          {...signIn}
          title="Sign in again"
          notice="Your session has ended. Nothing that you typed is lost."
        />
      )}
    </>
  );
}

function SignedIn({ isInert }: { readonly isInert: boolean }): VNode {
  const { api, client, storage, themeKey, notices, draft } = useAdmin();
  const signOut = (): void => {
    draft.set(NO_DRAFT);
    void client.signOut();
  };
  const session = useLoad((call) => api.session(call), []);
  return (
    <Shell
      name="Troupe gateway"
      server="gateway"
      place={session.value?.gateway_id ?? ''}
      sections={sections}
      notices={notices}
      isInert={isInert}
      banner={<FileBanner />}
      actions={
        <>
          <ThemeButton storage={storage} storageKey={themeKey} />
          <button type="button" class="tool" aria-label="Sign out" title="Sign out" onClick={signOut}>
            <Icon name="leave" />
          </button>
        </>
      }
    />
  );
}

/** Interval between checks of whether the file is in use, in milliseconds. */
const LOOK_MS = 15_000;

/** Warns on every section that the gateway does not use the current file. */
function FileBanner(): VNode | null {
  const { api } = useAdmin();
  const config = useLoad((call) => api.health(call), [], LOOK_MS);
  const { refused } = config.value?.config ?? {};
  if (refused === undefined || refused === null) return null;
  return (
    <div class="shell-banner">
      <Note tone="bad">
        The gateway works by the text before: gateway.yaml is refused. {refused}{' '}
        <Link to="/configuration">Mend it</Link>
      </Note>
    </div>
  );
}
