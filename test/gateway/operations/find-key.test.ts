// A command names a key by its id or by its name: on a gateway that runs, and on the databases of one that does not.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/base/index.js';
import {
  createGatewayOperator,
  parseGatewayConfig,
  readGatewayText,
  type GatewayOperator,
} from '../../../src/gateway/index.js';
import { makeKey, startGateway, type StartedGateway } from '../serving/start-gateway.js';
import { makeHome } from '../../support/start-product.js';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

const web = makeKey('vk_web', { name: 'web' });
let home: string;
let started: StartedGateway | undefined;
let path: string;

beforeAll(async () => {
  home = makeHome();
  started = await startGateway({ models: [], virtual_keys: [web.entry] }, {}, home);
  ({ path } = started);
});
afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

async function open(): Promise<GatewayOperator> {
  const { config } = parseGatewayConfig((await readGatewayText(path)).text, path);
  return createGatewayOperator(path, config, { kind: 'cli', id: 'ann' }, () => {});
}

describe.each([true, false])('a key that a command names (the gateway runs: %s)', (isRunning) => {
  let operator: GatewayOperator;
  let suffix: string;
  beforeAll(async () => {
    if (!isRunning) {
      await started?.[Symbol.asyncDispose]();
      started = undefined;
    }
    operator = await open();
    suffix = isRunning ? 'a' : 'b';
  });
  afterAll(() => operator[Symbol.asyncDispose]());

  const make = async (name: string): Promise<string> =>
    ((await operator.run('keys.create', { name })) as { key: Key }).key.id;
  const run = async (operation: Parameters<GatewayOperator['run']>[0], params: object): Promise<Key> =>
    ((await operator.run(operation, params)) as { key: Key }).key;
  const failure = async (id: string): Promise<readonly [unknown, string]> => {
    try {
      await run('keys.set-state', { id, state: 'disabled' });
      return [undefined, ''];
    } catch (error) {
      return [codeOf(error), String(Reflect.get(Object(error), 'message'))];
    }
  };

  it('is found by its name, where no other key has it', async () => {
    expect(operator.isRunning).toBe(isRunning);
    const name = `nightly batch ${suffix}`;
    const id = await make(name);
    expect(await run('keys.set', { id: name, limits: { budget: [{ tokens: 100, window: 'day' }] } })).toMatchObject({
      id,
    });
    expect(await run('keys.rotate', { id: name, grace_ms: 0 })).toMatchObject({ id });
    expect(await run('keys.reset-budget', { id: name })).toMatchObject({ id });
    expect(await run('keys.set-state', { id: name, state: 'revoked' })).toMatchObject({ id, state: 'revoked' });
    // One of the file too.
    const renamed = `site ${suffix}`;
    const before = isRunning ? 'web' : 'site a';
    expect(await run('keys.set', { id: before, name: renamed })).toMatchObject({ id: 'vk_web', name: renamed });
  });

  it('is refused by a name that two keys have, with their ids, until one of them is revoked', async () => {
    const name = `twin ${suffix}`;
    const ids = [await make(name), await make(name)];
    const [code, message] = await failure(name);
    expect([code, message]).toEqual([
      'key_ambiguous',
      `2 keys have the name "${name}"; say which by its id: ${ids.join(', ')}`,
    ]);
    expect(await run('keys.set-state', { id: ids[0] ?? '', state: 'revoked' })).toMatchObject({ id: ids[0] });
    expect(await run('keys.set-state', { id: name, state: 'disabled' })).toMatchObject({ id: ids[1] });
  });

  it('is meant by its id where another key has that id as its name', async () => {
    const id = await make(`first ${suffix}`);
    await make(id);
    expect(await run('keys.set-state', { id, state: 'disabled' })).toMatchObject({ id, name: `first ${suffix}` });
  });

  it('is refused where there is none, with the forms that are taken', async () => {
    for (const wrong of ['vk_none', 'Twin', 'x'.repeat(99)]) {
      const [code, message] = await failure(wrong);
      expect([code, message]).toEqual([
        'key_unknown',
        `no key has the id or the name "${wrong.slice(0, 64)}"; 'keys list' shows the ids and names of all keys`,
      ]);
    }
  });
});
