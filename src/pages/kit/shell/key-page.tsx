import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure, BearerClient } from '../../data/index.js';
import { Failed, Loading } from '../views/states.js';
import { useStore } from '../page/use-store.js';
import { SignInPage } from './sign-in.js';

/** A page that requires a key: it shows the sign-in first, and the page after the server accepts the key. */
export function KeyPage(props: {
  readonly client: BearerClient;
  readonly title: string;
  /** The name of the key. */
  readonly label: string;
  readonly help: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { client, title, label, help } = props;
  const { phase } = useStore(client.session);
  const [failure, setFailure] = useState<ApiFailure>();
  const resume = async (): Promise<void> => {
    setFailure(undefined);
    setFailure(await client.resume());
  };
  useEffect(() => void resume(), []);
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
  if (phase === 'in') return <>{props.children}</>;
  return (
    <SignInPage
      title={title}
      credentials={[{ name: 'key', label, isSecret: true, autoComplete: 'off' }]}
      help={help}
      onSignIn={({ key = '' }) => client.signIn(key)}
    />
  );
}
