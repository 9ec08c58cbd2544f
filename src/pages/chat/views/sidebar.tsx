import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.js';
import type { Summary } from '../conversation/conversation.js';
import { Icon, saveFile } from '../../kit/index.js';
import type { ViewProps } from './view-props.js';

/** The most drawn titles; a search finds the others. */
const MOST_DRAWN = 300;

/** The conversations of this browser. */
export function Sidebar(
  props: ViewProps & {
    /** Whether the list covers the page, on a narrow screen. */
    readonly isDrawer: boolean;
    readonly isOpen: boolean;
    readonly onClose: () => void;
    readonly onShortcuts: () => void;
  },
): VNode {
  const { chat, state, isDrawer, isOpen, onClose } = props;
  const [search, setSearch] = useState('');
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), [isOpen]);
  const wanted = search.trim().toLocaleLowerCase();
  const found = state.summaries.filter(({ title }) => title.toLocaleLowerCase().includes(wanted));
  const startNew = (): void => {
    chat.startNew();
    onClose();
  };
  const open = (id: string): void => {
    void chat.openConversation(id);
    onClose();
  };
  return (
    <nav id="conversations" class="sidebar" aria-label="Conversations" inert={isDrawer && !isOpen}>
      <div class="sidebar-head">
        <span class="brand">
          <span class="brand-mark" aria-hidden="true" />
          Troupe
        </span>
        {isDrawer && (
          <button ref={close} type="button" class="tool" aria-label="Close the list" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <button type="button" class="new" onClick={startNew}>
        <Icon name="plus" />
        New conversation
      </button>
      <label class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          placeholder="Search"
          aria-label="Search the conversations"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <ul class="titles">
        {found.length === 0 && <li class="hint none">{wanted === '' ? 'No conversations yet.' : 'Nothing found.'}</li>}
        {found.slice(0, MOST_DRAWN).map((summary) => (
          <Title
            key={summary.id}
            chat={chat}
            summary={summary}
            isOpen={summary.id === state.open.id}
            isRunning={state.running[summary.id] !== undefined}
            onOpen={open}
          />
        ))}
        {found.length > MOST_DRAWN && <li class="hint none">{found.length - MOST_DRAWN} more: search for them.</li>}
      </ul>
      <div class="sidebar-foot">
        <button type="button" class="quiet" onClick={props.onShortcuts}>
          <Icon name="keyboard" />
          Keyboard
        </button>
      </div>
    </nav>
  );
}

function Title(props: {
  readonly chat: Chat;
  readonly summary: Summary;
  readonly isOpen: boolean;
  readonly isRunning: boolean;
  readonly onOpen: (id: string) => void;
}): VNode {
  const { chat, summary, isOpen, isRunning, onOpen } = props;
  const { id, title } = summary;
  const [isRenamed, setRenamed] = useState(false);
  if (isRenamed) {
    const rename = (text: string): void => {
      setRenamed(false);
      if (text.trim() !== title) void chat.keeper.rename(id, text);
    };
    return <TitleField title={title} onDone={rename} />;
  }
  const remove = async (): Promise<void> => {
    await chat.remove([id]);
    document.querySelector<HTMLElement>('.new')?.focus();
  };
  const save = async (): Promise<void> => saveFile('conversation.json', await chat.keeper.exportFile([id]));
  return (
    <li class="title">
      <button type="button" class="title-open" aria-current={isOpen ? 'page' : undefined} onClick={() => onOpen(id)}>
        <bdi>{title === '' ? 'Without a title' : title}</bdi>
        {isRunning && <span class="running" role="img" aria-label="is being answered" />}
      </button>
      <span class="title-tools">
        <button
          type="button"
          class="tool"
          aria-label={`Rename ${title}`}
          title="Rename"
          onClick={() => setRenamed(true)}
        >
          <Icon name="edit" />
        </button>
        <button type="button" class="tool" aria-label={`Export ${title}`} title="Export" onClick={() => void save()}>
          <Icon name="save" />
        </button>
        <button type="button" class="tool" aria-label={`Delete ${title}`} title="Delete" onClick={() => void remove()}>
          <Icon name="trash" />
        </button>
      </span>
    </li>
  );
}

function TitleField({ title, onDone }: { readonly title: string; readonly onDone: (text: string) => void }): VNode {
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.stopPropagation();
    onDone(event.key === 'Enter' ? event.currentTarget.value : title);
  };
  return (
    <li class="title">
      <input
        ref={(field) => field?.focus()}
        class="title-field"
        dir="auto"
        aria-label="Title"
        defaultValue={title}
        onKeyDown={onKeyDown}
        onBlur={(event) => onDone(event.currentTarget.value)}
      />
    </li>
  );
}
