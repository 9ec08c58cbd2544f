import type { VNode } from 'preact';
import type { BearerClient } from '../../data/index.js';
import type { OpenedKit } from '../page/create-kit.js';
import { Icon } from '../views/icon.js';
import { Shell, type Section } from './shell.js';
import { ThemeButton } from './theme-button.js';

/** A page of sections that requires a key, with buttons for the theme and for signing out. */
export function KeyShell(props: {
  readonly name: string;
  readonly server: string;
  readonly place: string;
  readonly sections: readonly Section[];
  readonly client: BearerClient;
  readonly opened: OpenedKit;
}): VNode {
  const { name, server, place, sections, client, opened } = props;
  const { notices, storage, themeKey } = opened;
  return (
    <Shell
      name={name}
      server={server}
      place={place}
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
