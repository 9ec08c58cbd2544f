import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type App } from './app.js';

const program = `
import { createEngine, AppError, isAppError, type Model, type ChatMessage } from 'troupe';
import { actorKey, Actor, createSupervisor, type Ref } from 'troupe/actor';
import { killAtMessage } from 'troupe/actor/faults';
import { loadTokenizer } from 'troupe/tokenizer';
import { renderTemplate } from 'troupe/chat';

export class Counter extends Actor {
  async next(by: number): Promise<number> {
    return by;
  }
}
export async function main(): Promise<string | null> {
  const engine = await createEngine({ threads: 1 });
  const model: Model = await engine.load('demo', { signal: AbortSignal.timeout(1000) });
  const messages: ChatMessage[] = [{ role: 'user', content: 'x' }];
  const answer = await model.chat({ messages });
  await engine.close();
  const supervisor = await createSupervisor({ id: 'a', strategy: 'oneForOne', intensity: 1, periodMs: 1, children: [] });
  const ref: Ref<Counter> = supervisor.ref(actorKey<Counter>('c'));
  const count: number = await ref.next(1);
  killAtMessage(supervisor, 'c', count);
  (await loadTokenizer('x')).encode(renderTemplate('', {}));
  return answer.choices[0]?.message.content ?? null;
}
export const code = (error: unknown): string => (isAppError(error) ? error.code : error instanceof AppError ? 'x' : '');
`;

/** How programs are compiled. The compiler that is here no longer has node10; `typesVersions` is for it. */
const kinds: readonly (readonly [string, object])[] = [
  ['nodenext', {}],
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  [
    'a bundler with a browser’s library and without Node’s types',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
  ],
  ['the oldest library', { lib: ['es2022'] }],
  [
    'every check there is',
    {
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
    },
  ],
];

describe('a strict program', () => {
  let app: App;

  beforeAll(() => {
    app = createApp();
  });
  afterAll(() => app[Symbol.dispose]());

  it.each(kinds)('compiles against every entry for %s, with the declarations checked', async (_, settings) => {
    expect([...(await app.check({ 'main.ts': program }, settings))]).toEqual([]);
  });

  it('does not compile when it is wrong, so that this suite would see it', async () => {
    expect([...(await app.check({ 'main.ts': `${program}const wrong: number = code;` })).keys()]).toEqual(['main.ts']);
  });
});
