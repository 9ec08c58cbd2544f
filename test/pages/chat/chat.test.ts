import { describe, expect, it } from 'vitest';
import { createChat, type Chat } from '../../../src/pages/chat/chat/chat.js';
import type { PageClock } from '../../../src/pages/data/index.js';
import { shownTurns } from '../../../src/pages/chat/conversation/branches.js';
import { createMemoryStore, type ConversationStore } from '../../../src/pages/chat/storage/conversation-store.js';
import { loadPreferences } from '../../../src/pages/chat/storage/preferences.js';
import { eventually } from '../../support/eventually.js';

/** A clock whose frames come when the test says so. */
function createFrames(): PageClock & { draw(): number } {
  let waiting: (() => void)[] = [];
  let ms = 0;
  return {
    nowMs: () => (ms += 1),
    unixMs: () => (ms += 1),
    after: () => () => {},
    onFrame: (run) => void waiting.push(run),
    draw() {
      const frames = waiting;
      waiting = [];
      for (const run of frames) run();
      return frames.length;
    },
  };
}

/** A server whose answers come as the test says. */
function createServer(): { send: typeof fetch; say(text: string): void; end(): void; readonly bodies: unknown[] } {
  let current: ReadableStreamDefaultController<Uint8Array> | undefined;
  const bodies: unknown[] = [];
  const write = (data: string): void => current?.enqueue(new TextEncoder().encode(`data: ${data}\n\n`));
  return {
    bodies,
    send: async (_, init) => {
      bodies.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          current = controller;
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        },
      });
      return new Response(body);
    },
    say: (text) => write(JSON.stringify({ choices: [{ delta: { content: text } }] })),
    end() {
      write(JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }));
      write('[DONE]');
    },
  };
}

function open(storage: ConversationStore = createMemoryStore()): {
  chat: Chat;
  clock: ReturnType<typeof createFrames>;
  server: ReturnType<typeof createServer>;
  storage: ConversationStore;
} {
  const clock = createFrames();
  const server = createServer();
  const options = { clock, preferences: undefined, checkServer: async () => {}, send: server.send };
  const chat = createChat({ ...options, storage: async () => storage });
  chat.set({ models: [{ id: 'demo', contextLength: 9 }] });
  return { chat, clock, server, storage };
}

const texts = (chat: Chat): string[] => shownTurns(chat.get().open).map(({ text }) => text);
const isIdle = (chat: Chat): boolean => Object.keys(chat.get().running).length === 0;
const settle = (chat: Chat): Promise<void> => eventually(() => isIdle(chat)).toBe(true);

describe('a chat', () => {
  it('asks by no model before it knows one', async () => {
    const { send, bodies } = createServer();
    const checked: ((value: undefined) => void)[] = [];
    const chat = createChat({
      clock: createFrames(),
      preferences: undefined,
      storage: async () => createMemoryStore(),
      checkServer: () => new Promise((resolve) => void checked.push(resolve)),
      send,
    });
    chat.sendMessage('Quick');
    expect([checked.length, bodies, isIdle(chat)]).toEqual([1, [], false]);
    chat.set({ models: [{ id: 'found', contextLength: undefined }] });
    checked[0]?.(undefined);
    await eventually(() => bodies.length).toBe(1);
    expect(bodies[0]).toMatchObject({ model: 'found' });
    expect(shownTurns(chat.get().open)[1]?.model).toBe('found');
    chat.stop();
    await settle(chat);
  });

  it('draws an answer once each frame, however many pieces come', async () => {
    const { chat, clock, server } = open();
    chat.sendMessage('Hi');
    await eventually(() => server.bodies.length).toBe(1);
    let changes = 0;
    chat.subscribe(() => (changes += 1));
    for (let i = 0; i < 500; i++) server.say('x');
    await eventually(() => clock.draw()).toBe(1);
    expect(changes).toBeLessThan(5);
    server.end();
    await settle(chat);
    expect(texts(chat)).toEqual(['Hi', 'x'.repeat(500)]);
    expect(shownTurns(chat.get().open)[1]?.usage).toMatchObject({ completionTokens: 4 });
  });

  it('keeps what came when it is stopped, and goes on from an edit beside it', async () => {
    const { chat, clock, server } = open();
    chat.sendMessage('One');
    await eventually(() => server.bodies.length).toBe(1);
    server.say('half');
    await eventually(() => clock.draw()).toBe(1);
    chat.sendMessage('ignored while it answers');
    chat.stop();
    await settle(chat);
    expect(texts(chat)).toEqual(['One', 'half']);
    expect(shownTurns(chat.get().open)[1]?.finish).toBe('stopped');
    chat.sendMessage('Two', null);
    await eventually(() => server.bodies.length).toBe(2);
    server.end();
    await settle(chat);
    expect(texts(chat)).toEqual(['Two', '']);
    expect(chat.get().open.turns).toHaveLength(4);
    expect(server.bodies.at(-1)).toMatchObject({ model: 'demo', messages: [{ role: 'user', content: 'Two' }] });
  });

  it('answers on in a conversation that was left, and keeps it', async () => {
    const { chat, server, storage } = open();
    chat.sendMessage('First');
    await eventually(() => server.bodies.length).toBe(1);
    const { id } = chat.get().open;
    chat.startNew();
    server.say('done');
    server.end();
    await settle(chat);
    expect(texts(chat)).toEqual([]);
    await eventually(async () => (await storage.get(id))?.turns.map(({ text }) => text)).toEqual(['First', 'done']);
    await chat.openConversation(id);
    expect(texts(chat)).toEqual(['First', 'done']);
  });

  it('brings back what was deleted, and keeps nothing of it before that', async () => {
    const { chat, server, storage } = open();
    chat.sendMessage('Gone');
    await eventually(() => server.bodies.length).toBe(1);
    const { id } = chat.get().open;
    await chat.remove([id]);
    await settle(chat);
    expect([await storage.get(id), chat.get().summaries, texts(chat)]).toEqual([undefined, [], []]);
    chat.get().notice?.undo?.();
    await eventually(async () => (await storage.get(id))?.title).toBe('Gone');
  });

  it('renames, exports and imports, and says why a file is refused', async () => {
    const { chat, server, storage } = open();
    chat.sendMessage('Name me');
    await eventually(() => server.bodies.length).toBe(1);
    server.end();
    await settle(chat);
    const { id } = chat.get().open;
    await chat.keeper.rename(id, 'Named');
    const text = await chat.keeper.exportFile();
    const other = open();
    expect(await other.chat.keeper.importFile({ size: text.length, text: async () => text })).toContain(
      '1 conversation',
    );
    expect((await other.storage.get(id))?.title).toBe('Named');
    expect(await other.chat.keeper.importFile({ size: 1e12, text: async () => '' })).toContain('limit');
    expect(await other.chat.keeper.importFile({ size: 1, text: async () => '1' })).toContain('Export');
    expect((await storage.list()).map(({ title }) => title)).toEqual(['Named']);
  });

  it('says so where the browser keeps nothing, and works on', async () => {
    const refuse = async (): Promise<never> => Promise.reject(new Error('full'));
    const { chat, server } = open({ list: refuse, get: refuse, put: refuse, remove: refuse });
    chat.sendMessage('Hi');
    await eventually(() => server.bodies.length).toBe(1);
    server.say('yes');
    server.end();
    await settle(chat);
    await eventually(() => chat.get().storageFault).toContain('refuses');
    expect(texts(chat)).toEqual(['Hi', 'yes']);
  });
});

it('preferences are defaults where nothing usable was kept', () => {
  const storage = (text: string) => ({ getItem: () => text, setItem: () => {}, removeItem: () => {} });
  expect(loadPreferences(undefined).theme).toBe('system');
  expect(loadPreferences(storage('{"theme":"dark","settings":{"temperature":1,"thinking":"off"}}'))).toMatchObject({
    theme: 'dark',
    settings: { temperature: 1, thinking: 'off', model: '' },
  });
  expect(loadPreferences(storage('[[')).settings.thinking).toBe('auto');
});
