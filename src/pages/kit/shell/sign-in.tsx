import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { TextField } from '../forms/fields.js';
import { useNow } from '../page/use-now.js';

/** One field of a sign-in. */
export interface Credential {
  readonly name: string;
  readonly label: string;
  readonly isSecret: boolean;
  /** The autofill purpose for password managers. Source: the HTML Standard, autofill. */
  readonly autoComplete: string;
  /** An empty optional field is not sent. */
  readonly isOptional?: boolean;
  readonly hint?: ComponentChildren;
  /** The error of the typed value; undefined: none. */
  readonly check?: (value: string) => string | undefined;
}

/** The properties of a sign-in. */
export interface SignInProps {
  readonly title: string;
  readonly credentials: readonly Credential[];
  /** Help on obtaining the credentials. */
  readonly help: ComponentChildren;
  /** Undefined: success. */
  readonly onSignIn: (values: Readonly<Record<string, string>>) => Promise<ApiFailure | undefined>;
  /** The reason for asking again. */
  readonly notice?: string;
}

/** The sign-in form. It clears the typed values after each try. */
export function SignInForm({ title, credentials, help, onSignIn, notice }: SignInProps): VNode {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<ApiFailure>();
  const [openAt, setOpenAt] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const now = useNow(1_000);
  const leftS = Math.max(0, Math.ceil((openAt - now) / 1_000));
  useEffect(() => first.current?.focus(), []);
  const typed = (name: string): string => (values[name] ?? '').trim();
  const wrongOf = ({ name, check }: Credential): string | undefined =>
    typed(name) === '' ? undefined : check?.(typed(name));
  const isMissing = ({ name, isOptional }: Credential): boolean => isOptional !== true && typed(name) === '';
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || leftS > 0 || credentials.some((each) => isMissing(each) || wrongOf(each) !== undefined)) return;
    setBusy(true);
    const sent = credentials.filter(({ name }) => typed(name) !== '');
    const failed = await onSignIn(Object.fromEntries(sent.map(({ name }) => [name, typed(name)])));
    setBusy(false);
    setFailure(failed);
    if (failed?.retryAfterS !== undefined) setOpenAt(now + failed.retryAfterS * 1_000);
    const secrets = credentials.filter(({ isSecret }) => isSecret).map(({ name }) => [name, '']);
    setValues((before) => ({ ...before, ...(Object.fromEntries(secrets) as Record<string, string>) }));
    if (failed !== undefined) first.current?.focus();
  };
  return (
    <form class="sign-in" onSubmit={(event) => void submit(event)}>
      <h1>{title}</h1>
      {notice !== undefined && <p class="muted">{notice}</p>}
      {credentials.map((credential, i) => {
        const { name, label, isSecret, autoComplete, hint } = credential;
        return (
          <TextField
            key={name}
            label={label}
            hint={hint}
            type={isSecret ? 'password' : 'text'}
            value={values[name] ?? ''}
            autoComplete={autoComplete}
            maxLength={256}
            error={wrongOf(credential) ?? (i === 0 ? failure?.message : undefined)}
            onInput={(value) => setValues((before) => ({ ...before, [name]: value }))}
            {...(i === 0 && { field: first })}
          />
        );
      })}
      <button type="submit" class="button primary" aria-disabled={isBusy || leftS > 0} aria-busy={isBusy}>
        {leftS > 0 ? `Try again in ${leftS} s` : 'Sign in'}
      </button>
      <div class="hint">{help}</div>
    </form>
  );
}

/** The whole page before the sign-in. */
export function SignInPage(props: SignInProps): VNode {
  return (
    <main class="sign-in-page">
      <SignInForm {...props} />
    </main>
  );
}

/** The sign-in over a page whose session ended. It hides the page but keeps its state. */
export function SignInAgain(props: SignInProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
    element.current?.querySelector('input')?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      class="sign-in-again"
      aria-label={props.title}
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => event.key === 'Escape' && event.preventDefault()}
    >
      <SignInForm {...props} />
    </dialog>
  );
}
