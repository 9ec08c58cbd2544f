// Views for missing content: loading, empty or failed.
import type { ComponentChildren, VNode } from 'preact';
import type { ApiFailure } from '../../data/index.js';
import type { Loaded } from '../page/use-load.js';
import { Icon, type IconName } from './icon.js';

/** Placeholder lines during loading. */
export function Loading({ lines = 4, label = 'Loading' }: { readonly lines?: number; readonly label?: string }): VNode {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** An empty view with the reason and possible actions. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      {props.icon !== undefined && <Icon name={props.icon} />}
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <div class="empty-text">{props.children}</div>}
    </div>
  );
}

/** A failure in place of the value. */
export function Failed({ failure, onRetry }: { readonly failure: ApiFailure; readonly onRetry: () => void }): VNode {
  return (
    <div class="empty failed" role="alert">
      <Icon name="warning" />
      <p class="empty-title">{failure.message}</p>
      <div class="empty-text">
        <code>{failure.code}</code>
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      </div>
    </div>
  );
}

/** A failure beside an older value. */
export function FailureNote({ failure }: { readonly failure: ApiFailure }): VNode {
  return (
    <p class="note bad" role="alert">
      <Icon name="warning" />
      <span>
        {failure.message} <code>{failure.code}</code>
      </span>
    </p>
  );
}

/** A note about the shown content. */
export function Note(props: {
  readonly tone?: 'info' | 'warn' | 'bad' | 'good';
  readonly children: ComponentChildren;
}): VNode {
  const { tone = 'info' } = props;
  return (
    <div class={`note ${tone}`} role={tone === 'info' ? undefined : 'status'}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'warning'} />
      <div>{props.children}</div>
    </div>
  );
}

/** A loaded value, or the view of its loading or failure. */
export function LoadedView<T>(props: {
  readonly loaded: Loaded<T>;
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}): VNode {
  const { loaded, lines = 4 } = props;
  if (loaded.value === undefined) {
    return loaded.failure === undefined ? (
      <Loading lines={lines} />
    ) : (
      <Failed failure={loaded.failure} onRetry={loaded.reload} />
    );
  }
  return (
    <>
      {loaded.failure !== undefined && <FailureNote failure={loaded.failure} />}
      {props.children(loaded.value)}
    </>
  );
}
