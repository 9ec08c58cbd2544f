import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKit } from '../page/kit.js';
import { useMedia, useStore } from '../page/use-store.js';
import { FaultBoundary } from '../views/fault-boundary.js';
import { Icon, type IconName } from '../views/icon.js';
import { Link } from '../views/link.js';
import { Toast, type Notices } from '../views/toast.js';
import type { Store } from '../../data/index.js';
import { KeyboardHelp } from './shortcuts.js';
import { Note } from '../views/states.js';

/** A section of a page. */
export interface Section {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly view: () => VNode;
}

/** The properties of a page of sections. */
export interface ShellProps {
  readonly name: string;
  /** The name of its server within a sentence. */
  readonly server: string;
  /** The identification of the server, below the name. */
  readonly place: string;
  readonly sections: readonly Section[];
  /** In the upper corner: theme, signing out. */
  readonly actions: ComponentChildren;
  /** A fault of the server as a whole. */
  readonly banner?: ComponentChildren;
  readonly notices: Store<Notices>;
  /** Whether the page is inert, as before the sign-in. */
  readonly isInert: boolean;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'Search in the section'],
  ['↑', 'The row before'],
  ['↓', 'The row after'],
  ['Home', 'The first row'],
  ['End', 'The last row that is there'],
  ['Enter', 'Open the row'],
  ['Ctrl+S', 'Save the text of the editor'],
  ['Esc', 'Close what is open'],
  ['Ctrl+/', 'Show this list'],
];
/** On narrower screens the list of sections covers the page. */
const NARROW = '(max-width: 60rem)';

/** A page of sections: the list at the side, and the open section beside it. */
export function Shell(props: ShellProps): VNode {
  const { name, server, place, sections, actions, banner, notices, isInert } = props;
  const { router, clock } = useKit();
  const { path } = useStore(router);
  const isDrawer = useMedia(NARROW);
  const [isOpen, setOpen] = useState(false);
  const [isHelp, setHelp] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const section = sections.find((each) => each.path === path);
  const title = section?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} – ${name}`;
    setOpen(false);
  }, [title, name]);
  const isFirst = useRef(true);
  useEffect(() => {
    // After a navigation, the focus moves to the new heading, so screen readers read it.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [path]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'Escape' && isOpen) {
        setOpen(false);
        menu.current?.focus();
      }
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (event.key === '/') setHelp(true);
      else if (event.key.toLowerCase() === 'k') document.getElementById('main-search')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
  return (
    <div class="shell" inert={isInert}>
      <a class="skip" href="#content">
        To the content
      </a>
      <nav id="sections" class="shell-nav" aria-label="Sections" data-open={isOpen} inert={isDrawer && !isOpen}>
        <div class="shell-brand">
          <span class="shell-mark" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span>
            <strong>{name}</strong>
            <small title={place}>{place}</small>
          </span>
        </div>
        <ul>
          {sections.map((each) => (
            <li key={each.path}>
              <Link to={each.path} class="shell-link" isCurrent={each.path === path}>
                <Icon name={each.icon} />
                <span>{each.title}</span>
              </Link>
            </li>
          ))}
        </ul>
        <button type="button" class="shell-link" onClick={() => setHelp(true)}>
          <Icon name="keyboard" />
          <span>Keyboard</span>
        </button>
      </nav>
      {isDrawer && isOpen && <div class="backdrop" onClick={() => setOpen(false)} />}
      <div class="shell-main" inert={isDrawer && isOpen}>
        <header class="shell-head">
          {isDrawer && (
            <button
              ref={menu}
              type="button"
              class="tool"
              aria-label="Sections"
              aria-expanded={isOpen}
              aria-controls="sections"
              onClick={() => {
                setOpen(true);
                clock.onFrame(() => document.querySelector<HTMLElement>('#sections [aria-current]')?.focus());
              }}
            >
              <Icon name="menu" />
            </button>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <div class="shell-actions">{actions}</div>
        </header>
        <GoneNotice server={server} />
        {banner}
        <main id="content" class="content" tabIndex={-1}>
          <FaultBoundary key={path}>{section === undefined ? <Missing /> : <section.view />}</FaultBoundary>
        </main>
      </div>
      {isHelp && <KeyboardHelp keys={KEYS} onClose={() => setHelp(false)} />}
      <Toast notices={notices} clock={clock} />
    </div>
  );
}

function Missing(): VNode {
  return (
    <div class="empty">
      <p class="empty-title">There is no such section.</p>
      <Link to="/">To the first one</Link>
    </div>
  );
}

/** Shows on every section, within 5 s, that the server does not answer. Disappears once it answers again. */
function GoneNotice({ server }: { readonly server: string }): VNode | null {
  const { serverWatch, formats, notify } = useKit();
  const { isGone, heardMs } = useStore(serverWatch.state);
  const wasGone = useRef(false);
  useEffect(serverWatch.watch, [serverWatch]);
  useEffect(() => {
    if (wasGone.current && !isGone) notify(`The ${server} answers again.`);
    wasGone.current = isGone;
  }, [isGone]);
  if (!isGone) return null;
  return (
    <div class="shell-banner" role="alert">
      <Note tone="bad">
        <strong>The {server} does not answer.</strong>{' '}
        {heardMs === undefined
          ? 'It may be stopped, or the way to it may be closed.'
          : `What you see is older than ${formats.moment(heardMs)}.`}{' '}
        This page goes on by itself when it is back.
      </Note>
    </div>
  );
}
