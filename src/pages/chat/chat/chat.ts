import { addTurn, changeTurn, dropTurn, showTurn, shownTurns } from '../conversation/branches.js';
import {
  emptyConversation,
  newId,
  toTitle,
  type ChatSettings,
  type Conversation,
  type Turn,
} from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';
import { loadPreferences, savePreferences } from '../storage/preferences.js';
import { startAnswer, type Run } from './answers.js';
import { createKeeper, type Keeper, type StorageOfPage } from './keeper.js';
import type { ChatState, Notice } from './state.js';
import { createStore, type PageClock, type Store, type TextStorage, type Theme } from '../../data/index.js';

/** Actions of the page. */
export interface Chat extends Store<ChatState> {
  readonly keeper: Keeper;
  /** Opens an empty conversation. */
  startNew(): void;
  openConversation(id: string): Promise<void>;
  /** Sends a message after the turn `after`, by default the last shown one. Does nothing during an answer. */
  sendMessage(text: string, after?: string | null): void;
  /** Requests another answer in place of this one. */
  retry(answer: Turn): void;
  show(turn: Turn): void;
  /** Removes conversations. The user can restore them while the notice is visible. */
  remove(ids: readonly string[]): Promise<void>;
  /** Stops the answer of the open conversation. */
  stop(): void;
  changeSettings(change: Partial<ChatSettings>): void;
  setTheme(theme: Theme): void;
  notify(notice: Notice | undefined): void;
  /** The model of the next answer: the chosen one, or the first if the server does not have it. */
  model(): string;
}

/** Options of a chat. */
export interface ChatOptions {
  readonly clock: PageClock;
  readonly storage: StorageOfPage;
  readonly preferences: TextStorage | undefined;
  /**
   * Requests the models: while none is known, and after an answer, which may have loaded a model or found no server.
   */
  readonly checkServer: () => Promise<void>;
  readonly send?: typeof fetch;
}

/** Interval for saving a growing answer. A reload then loses little of it. */
const KEEP_MS = 2_000;
/** Settings are stored after this time without typing, because each store writes the whole conversation. */
const SETTLED_MS = 500;

/** Creates the chat of a page. */
export function createChat({ clock, storage, preferences, checkServer, send }: ChatOptions): Chat {
  const kept = loadPreferences(preferences);
  const runs = new Map<string, Run>();
  /** Conversations with a running answer that are not open. */
  const hidden = new Map<string, Conversation>();
  const store = createStore<ChatState>({
    summaries: [],
    open: emptyConversation(newId(), clock.unixMs(), kept.settings),
    running: {},
    models: [],
    connection: 'unknown',
    theme: kept.theme,
    notice: undefined,
    storageFault: undefined,
  });
  const keeper = createKeeper(store, storage);
  const find = (id: string): Conversation | undefined =>
    store.get().open.id === id ? store.get().open : hidden.get(id);

  const change = (id: string, toNext: (conversation: Conversation) => Conversation): void => {
    const conversation = find(id);
    if (conversation === undefined) return;
    const next = toNext(conversation);
    if (store.get().open.id === id) store.set({ open: next });
    else hidden.set(id, next);
  };

  const keep = (id: string): void => {
    change(id, (conversation) => ({ ...conversation, changedMs: clock.unixMs() }));
    const conversation = find(id);
    if (conversation !== undefined && conversation.turns.length > 0) keeper.keep([conversation]);
  };

  const leave = (): void => {
    const { open, running } = store.get();
    if (running[open.id] !== undefined) hidden.set(open.id, open);
  };

  /** Requests the turn that follows `before`. */
  const answer = (before: readonly Turn[]): void => {
    const { open } = store.get();
    const { id } = open;
    const turn: Turn = { id: newId(), parent: before.at(-1)?.id ?? null, role: 'assistant', text: '' };
    store.set({ open: addTurn(open, turn), running: { ...store.get().running, [id]: turn.id } });
    keep(id);
    let keptMs = clock.nowMs();
    const onChange = (fields: Partial<Turn>): void => {
      change(id, (conversation) => changeTurn(conversation, turn.id, fields));
      if (clock.nowMs() - keptMs < KEEP_MS) return;
      keptMs = clock.nowMs();
      keep(id);
    };
    const settings = async (): Promise<ChatSettings> => {
      // A quick user sends a message before the list of models has arrived.
      if (store.get().models.length === 0) await checkServer();
      const model = modelOf(open.settings);
      onChange({ model });
      return { ...open.settings, model };
    };
    const run = startAnswer({ turns: before, settings, clock, onChange, send });
    runs.set(id, run);
    void run.over.then(() => {
      runs.delete(id);
      const { [id]: _, ...running } = store.get().running;
      store.set({ running });
      keep(id);
      if (store.get().open.id !== id) hidden.delete(id);
      void checkServer();
    });
  };

  const isFull = (text: string): boolean => {
    const { turns } = store.get().open;
    const chars = turns.reduce((sum, turn) => sum + turn.text.length + (turn.reasoning?.length ?? 0), text.length);
    if (text.length <= LIMITS.turnChars && turns.length + 2 <= LIMITS.turns && chars <= LIMITS.conversationChars)
      return false;
    const most = `${LIMITS.turns} turns and ${LIMITS.conversationChars} characters`;
    store.set({ notice: { text: `The conversation is full: its limit is ${most}. Start a new one.` } });
    return true;
  };

  const modelOf = ({ model: chosen }: ChatSettings): string => {
    const { models } = store.get();
    return models.length === 0 || models.some(({ id }) => id === chosen) ? chosen : (models[0]?.id ?? '');
  };

  let cancelKeep = (): void => {};
  const savePreferred = (): void => {
    const { theme, open } = store.get();
    savePreferences(preferences, { theme, settings: open.settings });
  };

  return {
    ...store,
    keeper,
    model: () => modelOf(store.get().open.settings),
    startNew() {
      leave();
      const { settings } = store.get().open;
      store.set({ open: emptyConversation(newId(), clock.unixMs(), settings) });
    },
    async openConversation(id) {
      if (store.get().open.id === id) return;
      const found = hidden.get(id) ?? (await keeper.get(id));
      if (found === undefined) return store.set({ notice: { text: 'That conversation cannot be read any more.' } });
      leave();
      hidden.delete(id);
      store.set({ open: found });
    },
    sendMessage(text, after) {
      const { open, running } = store.get();
      const shown = shownTurns(open);
      const at = after === undefined ? shown.length : shown.findIndex(({ id }) => id === after) + 1;
      if (text.trim() === '' || running[open.id] !== undefined || isFull(text)) return;
      const before = shown.slice(0, at);
      const turn: Turn = { id: newId(), parent: before.at(-1)?.id ?? null, role: 'user', text };
      const title = open.title === '' ? toTitle(text) : open.title;
      store.set({ open: addTurn({ ...open, title }, turn) });
      answer([...before, turn]);
    },
    retry(turn) {
      const { open, running } = store.get();
      if (running[open.id] !== undefined || isFull('')) return;
      const shown = shownTurns(open);
      const at = shown.findIndex(({ id }) => id === turn.id);
      if (at < 1) return;
      // A failed answer without text is not kept as a version.
      if (turn.failure !== undefined && turn.text === '') store.set({ open: dropTurn(open, turn) });
      answer(shown.slice(0, at));
    },
    show(turn) {
      const { open } = store.get();
      store.set({ open: showTurn(open, turn) });
      keep(open.id);
    },
    async remove(ids) {
      const { open, running } = store.get();
      for (const id of ids) {
        runs.get(id)?.stop();
        hidden.delete(id);
      }
      // Clears their running turns too, so that no stopped answer saves its conversation again.
      store.set({ running: Object.fromEntries(Object.entries(running).filter(([id]) => !ids.includes(id))) });
      if (ids.includes(open.id)) store.set({ open: emptyConversation(newId(), clock.unixMs(), open.settings) });
      const removed = await keeper.remove(ids);
      const text =
        removed.length === 1 ? 'The conversation was deleted.' : `${removed.length} conversations were deleted.`;
      store.set({ notice: { text, undo: () => keeper.keep(removed) } });
    },
    stop: () => runs.get(store.get().open.id)?.stop(),
    changeSettings(fields) {
      const { open } = store.get();
      store.set({ open: { ...open, settings: { ...open.settings, ...fields } } });
      savePreferred();
      cancelKeep();
      cancelKeep = clock.after(SETTLED_MS, () => keep(open.id));
    },
    setTheme(theme) {
      store.set({ theme });
      savePreferred();
    },
    notify: (notice) => store.set({ notice }),
  };
}
