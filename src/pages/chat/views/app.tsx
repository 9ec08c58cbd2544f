import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.js';
import type { Connection } from '../chat/connection.js';
import type { PageClock } from '../../data/index.js';
import { Composer } from './composer.js';
import { Header } from './header.js';
import { Banners, Spoken, Toast } from './notices.js';
import { Settings } from './settings.js';
import { Sidebar } from './sidebar.js';
import { Thread } from './thread.js';
import { KeyboardHelp, useMedia, useStore } from '../../kit/index.js';

/** On narrower screens the list of conversations covers the page. */
const NARROW = '(max-width: 52rem)';

/** The properties of the page. */
export interface AppProps {
  readonly chat: Chat;
  readonly connection: Connection;
  readonly clock: PageClock;
}

/** The whole page. */
export function App({ chat, connection, clock }: AppProps): VNode {
  const state = useStore(chat);
  const isDrawer = useMedia(NARROW);
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  const [dialog, setDialog] = useState<'settings' | 'shortcuts'>();
  const menu = useRef<HTMLButtonElement>(null);
  const closeSidebar = (): void => {
    setSidebarOpen(false);
    if (isSidebarOpen) clock.onFrame(() => menu.current?.focus());
  };
  // The close event of a window is late; another window may be open by then.
  const close = (name: typeof dialog) => (): void => setDialog((open) => (open === name ? undefined : open));

  useEffect(() => {
    document.title = state.open.title === '' ? 'Troupe' : `${state.open.title} – Troupe`;
  }, [state.open.title]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const act = actionOf(event);
      if (act === undefined || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      if (act === 'stop') return isSidebarOpen ? closeSidebar() : chat.stop();
      if (act === 'new') return chat.startNew();
      if (act !== 'search') return setDialog(act);
      setSidebarOpen(true);
      clock.onFrame(() => document.getElementById('search')?.focus());
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [chat, clock, isSidebarOpen]);

  return (
    <div class="page" data-drawer={isSidebarOpen ? 'open' : 'closed'}>
      <a class="skip" href="#message">
        To the message box
      </a>
      <Sidebar
        chat={chat}
        state={state}
        isDrawer={isDrawer}
        isOpen={isSidebarOpen}
        onClose={closeSidebar}
        onShortcuts={() => setDialog('shortcuts')}
      />
      {isDrawer && isSidebarOpen && <div class="backdrop" onClick={closeSidebar} />}
      <main class="main" inert={isDrawer && isSidebarOpen}>
        <Header
          chat={chat}
          state={state}
          isDrawer={isDrawer}
          isSidebarOpen={isSidebarOpen}
          menu={menu}
          onSidebar={() => setSidebarOpen(!isSidebarOpen)}
          onSettings={() => setDialog('settings')}
        />
        <Banners state={state} onCheck={() => void connection.check()} />
        <Thread chat={chat} state={state} clock={clock} />
        <Composer chat={chat} state={state} />
      </main>
      {dialog === 'settings' && <Settings chat={chat} state={state} onClose={close('settings')} />}
      {dialog === 'shortcuts' && <Shortcuts onClose={close('shortcuts')} />}
      <Toast chat={chat} state={state} clock={clock} />
      <Spoken state={state} />
    </div>
  );
}

/** The action of a key on the whole page; undefined: none. */
function actionOf(event: KeyboardEvent): 'stop' | 'new' | 'search' | 'settings' | 'shortcuts' | undefined {
  if (event.key === 'Escape' && !event.isComposing) return 'stop';
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  if (event.shiftKey) return event.key.toLowerCase() === 'o' ? 'new' : event.key === '/' ? 'shortcuts' : undefined;
  if (event.key.toLowerCase() === 'k') return 'search';
  if (event.key === ',') return 'settings';
  return event.key === '/' ? 'shortcuts' : undefined;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'Send the message'],
  ['Shift+Enter', 'Begin a line'],
  ['Esc', 'Stop the answer'],
  ['↑', 'Edit the last message, while the box is empty'],
  ['Ctrl+Shift+O', 'Start a new conversation'],
  ['Ctrl+K', 'Search the conversations'],
  ['Ctrl+,', 'Open the settings'],
  ['Ctrl+/', 'Show this list'],
];

/** The keyboard shortcuts. */
function Shortcuts({ onClose }: { readonly onClose: () => void }): VNode {
  return <KeyboardHelp keys={KEYS} onClose={onClose} />;
}
