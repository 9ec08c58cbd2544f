import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createGatewayFile,
  editGatewayConfig,
  newGatewayConfig,
  parseGatewayConfig,
  readGatewayText,
  updateGatewayFile,
} from '../../src/gateway/index.js';
import { systemClock, tryLock, type Clock } from '../../src/base/index.js';

const BEGIN = 'gateway_id: gw_a1 # ours\n';
let directory = '';
let path = '';

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-config-')));
  path = join(directory, 'gateway.yaml');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const setListen = (port: number) => (text: string) =>
  editGatewayConfig(text, [{ action: 'set', field: 'listen', value: `127.0.0.1:${port}` }], path);

describe('a new gateway.yaml', () => {
  it('has mode 0600, comments and what it was made of, and leaves nothing else behind', async () => {
    const runtime = { id: 'ollama', kind: 'ollama', base_url: 'http://127.0.0.1:11434' };
    const model = { id: 'llama3', targets: [{ runtime: 'ollama', model: 'llama3:8b' }] };
    const text = newGatewayConfig({ gatewayId: 'gw_a1', runtimes: [runtime], models: [model] }, path);
    await createGatewayFile(path, text);
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['gateway.yaml']);
    const { config } = parseGatewayConfig((await readGatewayText(path)).text, path);
    expect(config.runtimes[0]?.baseUrl).toBe('http://127.0.0.1:11434');
    expect(config.models[0]?.targets[0]?.model).toBe('llama3:8b');
    expect(text.match(/^# /gm)?.length).toBe(5);
  });

  it('may have no runtime and no model', () => {
    const { config } = parseGatewayConfig(newGatewayConfig({ gatewayId: 'gw_a1' }, path), path);
    expect(config.models).toEqual([]);
  });

  it('never takes the place of a file, which stays as it is, nor of a link that leads nowhere', async () => {
    writeFileSync(path, 'mine');
    await expect(createGatewayFile(path, BEGIN)).rejects.toMatchObject({ code: 'gateway_config_exists' });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const link = join(directory, 'link.yaml');
    symlinkSync(join(directory, 'nowhere'), link);
    await expect(createGatewayFile(link, BEGIN)).rejects.toMatchObject({ code: 'gateway_config_exists' });
    expect(readdirSync(directory).toSorted()).toEqual(['gateway.yaml', 'link.yaml']);
  });

  it('of several writers at once is that of one', async () => {
    const made = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => createGatewayFile(path, `${i}`)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('reading a gateway.yaml', () => {
  it('that is not there says how to make one', async () => {
    await expect(readGatewayText(path)).rejects.toThrow(
      /there is no file .*; write one with private-gateway init --config/,
    );
  });

  it('that is a directory, no UTF-8 or too large is refused', async () => {
    await expect(readGatewayText(directory)).rejects.toMatchObject({ code: 'path_invalid' });
    writeFileSync(path, Buffer.from([0x61, 0xff]));
    await expect(readGatewayText(path)).rejects.toThrow(/gateway.yaml:1:1: the file is not UTF-8/);
    writeFileSync(path, '#'.repeat(2 ** 20 + 1));
    await expect(readGatewayText(path)).rejects.toThrow(/has more than 1048576 bytes/);
  });
});

describe('writing a gateway.yaml back', () => {
  it('keeps its comments and a backup, both with mode 0600', async () => {
    writeFileSync(path, BEGIN);
    chmodSync(path, 0o644);
    const clock: Clock = { ...systemClock, unixSeconds: () => 1_764_111_600 };
    const first = await updateGatewayFile(path, setListen(1), { keepsBackup: true, clock });
    const second = await updateGatewayFile(path, setListen(2), { keepsBackup: true, clock });
    expect(first.backup).toBe(`${path}.bak-20251125T230000Z`);
    expect(second.backup).toBe(`${path}.bak-20251125T230000Z-2`);
    expect(readFileSync(first.backup ?? '', 'utf8')).toBe(BEGIN);
    expect(readFileSync(path, 'utf8')).toBe('gateway_id: gw_a1 # ours\nlisten: 127.0.0.1:2\n');
    expect([path, first.backup ?? '', second.backup ?? ''].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    expect((await readGatewayText(path)).etag).toBe(second.etag);
  });

  it('that is as it was writes nothing', async () => {
    writeFileSync(path, BEGIN);
    expect(await updateGatewayFile(path, (text) => text, { keepsBackup: true })).toMatchObject({ backup: undefined });
    expect(readdirSync(directory)).toEqual(['gateway.yaml']);
  });

  it('after somebody else wrote it is refused', async () => {
    writeFileSync(path, BEGIN);
    const { etag } = await readGatewayText(path);
    writeFileSync(path, `${BEGIN}# by hand\n`);
    await expect(updateGatewayFile(path, setListen(1), { etag })).rejects.toMatchObject({
      code: 'gateway_config_changed',
    });
    const editing = updateGatewayFile(path, (text) => {
      writeFileSync(path, `${text}# meanwhile\n`);
      return setListen(1)(text);
    });
    await expect(editing).rejects.toMatchObject({ code: 'gateway_config_changed' });
    expect(readFileSync(path, 'utf8')).toBe(`${BEGIN}# by hand\n# meanwhile\n`);
  });

  it('whose edit fails changes nothing', async () => {
    writeFileSync(path, BEGIN);
    await expect(updateGatewayFile(path, setListen(99_999))).rejects.toMatchObject({ code: 'gateway_config_invalid' });
    expect(readdirSync(directory)).toEqual(['gateway.yaml']);
    expect(readFileSync(path, 'utf8')).toBe(BEGIN);
  });

  it('by twenty at once loses no edit', async () => {
    writeFileSync(path, BEGIN);
    const url = 'http://127.0.0.1:8000';
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        updateGatewayFile(path, (text) =>
          editGatewayConfig(
            text,
            [{ action: 'add', list: 'runtimes', entry: { id: `r${i}`, kind: 'vllm', base_url: url } }],
            path,
          ),
        ),
      ),
    );
    const ids = parseGatewayConfig(readFileSync(path, 'utf8'), path).config.runtimes.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `r${i}`).toSorted());
    expect(readdirSync(directory)).toEqual(['gateway.yaml']);
  });

  it('waits five seconds for each writer before it, not for all of them', async () => {
    writeFileSync(path, BEGIN);
    const lockPath = join(directory, '.gateway.yaml.lock');
    /** Each wait is a second; in the first `writers` of them another writer puts a text into place. */
    const waiting = async (writers: number): Promise<{ seconds: number; updating: Promise<unknown> }> => {
      const other = await tryLock(lockPath);
      let seconds = 0;
      const clock: Clock = {
        ...systemClock,
        nowMs: () => seconds * 1_000,
        after(_, run) {
          seconds++;
          if (seconds <= writers) writeFileSync(path, `${BEGIN}# ${String(seconds)}${'\n'.repeat(seconds)}`);
          else if (writers > 0) rmSync(lockPath, { force: true });
          setImmediate(run);
          return () => {};
        },
      };
      const updating = updateGatewayFile(path, setListen(1), { clock });
      await updating.catch(() => {});
      await other?.[Symbol.asyncDispose]();
      return { seconds, updating };
    };
    const stuck = await waiting(0);
    await expect(stuck.updating).rejects.toMatchObject({ code: 'gateway_config_changed' });
    expect(stuck.seconds).toBe(5);
    const busy = await waiting(20);
    await busy.updating;
    expect(readFileSync(path, 'utf8')).toMatch(/:1\n# 20\n/);
  });

  it('goes to the file behind a link, and leaves the link', async () => {
    const link = join(directory, 'link.yaml');
    writeFileSync(path, BEGIN);
    symlinkSync(path, link);
    await updateGatewayFile(link, setListen(3));
    expect(readFileSync(path, 'utf8')).toMatch(/:3\n$/);
    expect(realpathSync(link)).toBe(path);
  });

  it('that is killed at any time leaves the whole file of before or of after', () => {
    writeFileSync(path, BEGIN);
    const program = `
      const { updateGatewayFile } = await import(${JSON.stringify(new URL('../../src/gateway/index.js', import.meta.url).href)});
      for (let i = 0; ; i++) {
        if (i === 3) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 20);
        await updateGatewayFile(${JSON.stringify(path)}, () => 'gateway_id: gw_a1\\n' + '# x\\n'.repeat(1000 + i));
      }`;
    for (let round = 0; round < 10; round++) {
      expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })).toThrow(
        /SIGKILL|Command failed/,
      );
      const text = readFileSync(path, 'utf8');
      expect(parseGatewayConfig(text, path).config.gatewayId).toBe('gw_a1');
      expect(text.endsWith('# x\n')).toBe(true);
    }
  });
});
