import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  updateGatewayFile,
  watchGatewayConfig,
  type ReloadOutcome,
  type WatcherOptions,
} from '../../src/gateway/index.js';
import { HandClock } from '../http/hand-clock.js';

const withPort = (port: number): string => `gateway_id: gw_a1\nlisten: 127.0.0.1:${port}\n`;
/** No polling within a test, so that what is seen was reported by the system. */
const NEVER_MS = 2 ** 30;
let directory = '';
let path = '';
let outcomes: ReloadOutcome[] = [];

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-watch-')));
  path = join(directory, 'gateway.yaml');
  writeFileSync(path, withPort(1));
  outcomes = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const start = (options: Partial<WatcherOptions> = {}) =>
  watchGatewayConfig(path, {
    onOutcome: (outcome) => outcomes.push(outcome),
    debounceMs: 20,
    pollMs: NEVER_MS,
    ...options,
  });
const told = (): unknown[] =>
  outcomes.map((each) => {
    if (each.state === 'changed') return each.inUse.config.listen.port;
    return each.state === 'refused' ? each.error.code : each.state;
  });
const becomes = (expected: readonly unknown[]): Promise<void> =>
  expect.poll(told, { timeout: 120_000 }).toEqual(expected);

describe('a watched gateway.yaml', () => {
  it('that is invalid at the start is not watched', async () => {
    writeFileSync(path, 'listen: 1\n');
    await expect(start()).rejects.toMatchObject({ code: 'gateway_config_invalid' });
  });

  it('is taken up when it is written in place', async () => {
    await using watcher = await start();
    writeFileSync(path, withPort(2));
    await becomes([2]);
    expect(watcher.inUse.config.listen.port).toBe(2);
    expect(outcomes[0]).toMatchObject({ needRestart: ['listen'] });
  });

  it('is taken up when another file is put in its place, as often as that happens', async () => {
    await using _ = await start();
    for (const port of [2, 3, 4]) {
      writeFileSync(`${path}.new`, withPort(port));
      renameSync(`${path}.new`, path);
      await expect.poll(() => told().at(-1), { timeout: 120_000 }).toBe(port);
    }
    expect(told()).toEqual([2, 3, 4]);
  });

  it('is taken up when an editor moves the old one away before it writes the new one', async () => {
    await using _ = await start({ debounceMs: 100 });
    renameSync(path, `${path}~`);
    writeFileSync(path, withPort(2));
    unlinkSync(`${path}~`);
    await becomes([2]);
  });

  it('is taken up when we write it', async () => {
    await using watcher = await start();
    const { etag } = await updateGatewayFile(path, () => withPort(2));
    await becomes([2]);
    expect(watcher.inUse.etag).toBe(etag);
  });

  it('with a mistake is refused once with its line, and the old one stays in use until it is mended', async () => {
    await using watcher = await start();
    writeFileSync(path, 'gateway_id: gw_a1\nlisten: 127.0.0.1\n');
    await becomes(['gateway_config_invalid']);
    expect(outcomes[0]).toMatchObject({ error: { message: expect.stringContaining(`${path}:2:9: listen`) } });
    expect(watcher.inUse.config.listen.port).toBe(1);
    writeFileSync(path, withPort(2));
    await becomes(['gateway_config_invalid', 2]);
  });

  it('that is removed is reported, and the old one stays in use', async () => {
    await using watcher = await start();
    unlinkSync(path);
    await becomes(['gateway_config_missing']);
    expect(watcher.inUse.config.listen.port).toBe(1);
  });

  it('is looked at once for many writes', async () => {
    await using _ = await start({ debounceMs: 100 });
    for (let port = 2; port <= 50; port++) writeFileSync(path, withPort(port));
    await becomes([50]);
  });

  it('that is written back as it was is no change', async () => {
    await using watcher = await start();
    writeFileSync(path, withPort(1));
    expect(await watcher.reload()).toEqual({ state: 'unchanged' });
    expect(outcomes).toEqual([]);
  });

  it('is read at once by reload, which tells of a mistake each time', async () => {
    await using watcher = await start({ debounceMs: NEVER_MS });
    writeFileSync(path, withPort(2));
    expect(await watcher.reload()).toMatchObject({ state: 'changed', needRestart: ['listen'] });
    writeFileSync(path, 'x');
    expect(await watcher.reload()).toMatchObject({ state: 'refused', error: { code: 'gateway_config_invalid' } });
    expect(await watcher.reload()).toMatchObject({ state: 'refused' });
    expect(told()).toEqual([2, 'gateway_config_invalid', 'gateway_config_invalid']);
  });

  it('is read by one reload at a time, of which the last has the last text', async () => {
    await using watcher = await start({ debounceMs: NEVER_MS });
    const reloads = [2, 3, 4].map((port) => {
      writeFileSync(path, withPort(port));
      return watcher.reload();
    });
    await Promise.all(reloads);
    expect(watcher.inUse.config.listen.port).toBe(4);
    expect(told().at(-1)).toBe(4);
  });

  it('behind a link into a directory that is exchanged, as in Kubernetes, is seen by polling', async () => {
    const clock = new HandClock();
    for (const [name, port] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, 'gateway.yaml'), withPort(port));
    }
    symlinkSync('one', join(directory, 'data'));
    unlinkSync(path);
    symlinkSync('data/gateway.yaml', path);
    await using _ = await start({ clock, debounceMs: 20, pollMs: 5000 });
    symlinkSync('two', join(directory, 'data.new'));
    renameSync(join(directory, 'data.new'), join(directory, 'data'));
    await expect
      .poll(
        () => {
          clock.advance(5000);
          return told();
        },
        { timeout: 120_000 },
      )
      .toEqual([2]);
  });

  it('is followed no more once the watcher is disposed of', async () => {
    const watcher = await start();
    await watcher[Symbol.asyncDispose]();
    writeFileSync(path, withPort(2));
    expect(await watcher.reload()).toEqual({ state: 'unchanged' });
    expect(outcomes).toEqual([]);
  });

  it('is looked at while it is written without end', async () => {
    await using _ = await start({ debounceMs: 20 });
    let port = 2;
    await expect
      .poll(
        () => {
          writeFileSync(path, withPort(port++));
          return outcomes.length;
        },
        { timeout: 120_000, interval: 5 },
      )
      .toBeGreaterThan(0);
  });
});
