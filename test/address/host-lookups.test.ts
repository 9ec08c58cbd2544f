// Names of many servers: by hosts file, by DNS, by the system, each once, and none waits for a slow one.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createHostLookups,
  type HostLookups,
  type HostLookupsOptions,
  type LookUpAll,
} from '../../src/address/index.js';
import { parseHosts } from '../../src/address/hosts-file.js';
import { SystemLookups } from '../../src/address/system-lookups.js';
import { systemClock } from '../../src/base/index.js';
import { HandClock } from '../http/hand-clock.js';
import { startNameServer, type Say } from './name-server.js';
import { expectWithin } from '../support/elapsed.js';

const directory = mkdtempSync(join(tmpdir(), 'hosts-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const noHosts = join(directory, 'none');

/** What a lookup says: its addresses, or the code of its error. */
const ask = ({ lookUpAll }: HostLookups, name: string): Promise<readonly string[] | string> =>
  new Promise((resolve) =>
    lookUpAll(name, (error, found) =>
      resolve(error === null ? found.map(({ address }) => address) : (error.code ?? 'none')),
    ),
  );
const refuse: LookUpAll = (name, tell) => tell(Object.assign(new Error(name), { code: 'ENOTFOUND' }), []);
const say: Say = (name) =>
  name.endsWith('.slow.test') ? 'silent' : name.endsWith('.test') ? { addresses: ['10.0.0.1'], ttl: 30 } : undefined;

/** Lookups that ask a server of the test, and how often each was asked. */
async function open(options: Partial<HostLookupsOptions> = {}, says: Say = say) {
  const server = await startNameServer(says);
  const system: string[] = [];
  const lookUp: LookUpAll = (name, tell) => {
    system.push(name);
    (options.lookUp ?? refuse)(name, tell);
  };
  const clock = options.clock ?? systemClock;
  const lookups = createHostLookups({ hostsPath: noHosts, servers: [server.address], ...options, clock, lookUp });
  return {
    server,
    system,
    lookups,
    async [Symbol.asyncDispose]() {
      lookups[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a hosts file', () => {
  it('has addresses by names in any letters, and comments', () => {
    const text =
      '127.0.0.1 localhost  Box # box\n::1\tlocalhost ip6\n# 1.1.1.1 no\n\nno.address name\n10.0.0.2 box box\r\n';
    expect(Object.fromEntries(parseHosts(text))).toEqual({
      localhost: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      box: [
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.2', family: 4 },
      ],
      ip6: [{ address: '::1', family: 6 }],
    });
  });

  it('decides before DNS, and a change of it does within seconds', async () => {
    const hostsPath = join(directory, 'hosts');
    writeFileSync(hostsPath, '10.9.9.9 a.test\n');
    const clock = new HandClock();
    await using opened = await open({ hostsPath, clock });
    expect(await ask(opened.lookups, 'A.test')).toEqual(['10.9.9.9']);
    expect(await ask(opened.lookups, 'b.test')).toEqual(['10.0.0.1']);
    appendFileSync(hostsPath, '10.8.8.8 b.test a.test\n');
    clock.advance(3_000);
    expect(await ask(opened.lookups, 'b.test')).toEqual(['10.8.8.8']);
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.9.9.9', '10.8.8.8']);
    expect(opened.server.asked).toEqual(['b.test']);
  });
});

describe('a name', () => {
  it('is asked for once at a time, and again when its time is over', async () => {
    const clock = new HandClock();
    await using opened = await open({ clock }, () => ({ addresses: ['10.0.0.1', '10.0.0.2'], ttl: 20 }));
    const all = await Promise.all(Array.from({ length: 100 }, () => ask(opened.lookups, 'a.test')));
    expect(new Set(all.map(String))).toEqual(new Set(['10.0.0.1,10.0.0.2']));
    clock.advance(19_000);
    await ask(opened.lookups, 'a.test');
    expect(opened.server.asked).toEqual(['a.test']);
    opened.server.say = () => ({ addresses: ['10.0.0.3'], ttl: 0 });
    clock.advance(1_000);
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.0.0.3']);
    // A server that wants to be asked each time is asked every five seconds.
    clock.advance(4_000);
    await ask(opened.lookups, 'a.test');
    expect(opened.server.asked).toEqual(['a.test', 'a.test']);
    expect(opened.system).toEqual([]);
  });

  it('that DNS does not have is looked up by the system, and an unknown one is remembered for two seconds', async () => {
    const clock = new HandClock();
    const lookUp: LookUpAll = (name, tell) =>
      name === 'short' ? tell(null, [{ address: '10.5.5.5', family: 4 }]) : refuse(name, tell);
    await using opened = await open({ clock, lookUp });
    expect(await ask(opened.lookups, 'short')).toEqual(['10.5.5.5']);
    expect(await ask(opened.lookups, 'none')).toBe('ENOTFOUND');
    expect(await ask(opened.lookups, 'none')).toBe('ENOTFOUND');
    expect(opened.system).toEqual(['short', 'none']);
    clock.advance(2_000);
    await ask(opened.lookups, 'none');
    expect(opened.system).toEqual(['short', 'none', 'none']);
  });

  it('of this machine is asked of no server', async () => {
    const lookUp: LookUpAll = (_, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]);
    await using opened = await open({ lookUp });
    expect([await ask(opened.lookups, 'localhost'), await ask(opened.lookups, 'x.localhost')]).toEqual([
      ['127.0.0.1'],
      ['127.0.0.1'],
    ]);
    expect(opened.server.asked).toEqual([]);
  });

  it('keeps its addresses while its server does not answer, for ten minutes', async () => {
    const clock = new HandClock();
    await using opened = await open({ clock });
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.0.0.1']);
    opened.server.say = () => 'silent';
    clock.advance(60_000);
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.0.0.1']);
    clock.advance(600_000);
    expect(await ask(opened.lookups, 'a.test')).toBe('ETIMEOUT');
    // That there is no such name any more is another thing.
    opened.server.say = say;
    clock.advance(5_000);
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.0.0.1']);
    opened.server.say = () => undefined;
    clock.advance(60_000);
    expect(await ask(opened.lookups, 'a.test')).toBe('ENOTFOUND');
  });
});

describe('names that are slow', () => {
  it('delay no other, and take no thread', async () => {
    await using opened = await open();
    let slowDone = 0;
    const slow = Array.from({ length: 66 }, async (_, i) => {
      const answer = await ask(opened.lookups, `g${i}.slow.test`);
      slowDone++;
      return answer;
    });
    const startMs = performance.now();
    const good = await Promise.all(Array.from({ length: 134 }, (_, i) => ask(opened.lookups, `g${i}.good.test`)));
    expectWithin(2_000, startMs);
    expect(slowDone).toBe(0);
    expect(new Set(good.map(String))).toEqual(new Set(['10.0.0.1']));
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['ETIMEOUT']));
    expect(opened.system).toEqual([]);
  });

  it('of the system are asked one at a time, and delay none that DNS knows', async () => {
    const waiting: (() => void)[] = [];
    const lookUp: LookUpAll = (_, tell) => void waiting.push(() => tell(null, [{ address: '10.7.7.7', family: 4 }]));
    await using opened = await open({ lookUp });
    const both = [ask(opened.lookups, 'one'), ask(opened.lookups, 'two')];
    await expect.poll(() => waiting.length).toBe(1);
    expect(await ask(opened.lookups, 'a.test')).toEqual(['10.0.0.1']);
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    expect(await Promise.race(both)).toEqual(['10.7.7.7']);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    expect(await Promise.all(both)).toEqual([['10.7.7.7'], ['10.7.7.7']]);
  });

  it('of the system wait for four seconds, and are refused where 256 wait', async () => {
    const clock = new HandClock();
    const lookups = new SystemLookups(clock, () => {});
    const told: unknown[] = [];
    for (let i = 0; i < 258; i++) void lookups.ask(`n${i}`).then((answer) => told.push(answer));
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([{ code: 'EAI_AGAIN' }]);
    clock.advance(4_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toHaveLength(258);
  });
});
