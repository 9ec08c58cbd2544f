// pull and search: what they print, in both forms, and how they end.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { outputs } from '../../src/bin/native-engine/outputs/index.js';
import { Compile } from '../../src/schema/index.js';
import { commitOf, contentOf } from '../support/hub/repository.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { demoRepository, ggufRepository, llama, qwen2 } from '../models/pull/support.js';
import { runInProcess, type Printed } from './run-in-process.js';

let hub: TestHub;
let root: string;
const tiny = ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama, 'tiny.Q8_0.gguf': qwen2 });
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'hub-commands-'));
  hub = await startHub([
    tiny,
    { ...demoRepository('org/gated'), gated: true },
    { id: 'org/pickled', files: new Map([['pytorch_model.bin', contentOf('x')]]) },
  ]);
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

const run = (argv: readonly string[], more: Record<string, string> = {}): Promise<Printed> => {
  const env = {
    TROUPE_MODELS: join(root, 'models'),
    HF_ENDPOINT: hub.url,
    HF_HUB_DISABLE_IMPLICIT_TOKEN: '1',
    ...more,
  };
  return runInProcess(argv, { env });
};
const hash = commitOf(tiny).slice(0, 12);

describe('pull', () => {
  it('says what it takes, where the model is and what comes next', async () => {
    const { status, stdout, stderr } = await run(['pull', 'org/tiny-GGUF', '--memory-budget', '8']);
    expect(status).toBe(0);
    expect(stdout.replaceAll(root, '~')).toBe(
      `org/tiny-GGUF is here: ~/models/org_tiny-GGUF, at ${hash}\nrun it: native-engine run org/tiny-GGUF\n`,
    );
    // A line of progress comes where the machine is slow.
    expect(stderr.replace(/\([\d.]+ \w+ free\)/, '(… free)').replaceAll(/^(?:down|conv)\w+ing .*\n/gm, '')).toBe(
      `org/tiny-GGUF has no Q4_K_M; Q4_0 is the nearest to it\n` +
        `org/tiny-GGUF Q4_0 at ${hash}: 96.7 KiB to download, 196.2 KiB of disk (… free), about 300.1 MiB of memory of 8.0 GiB here\n`,
    );
    expect((await run(['pull', 'org/tiny-GGUF'])).stdout).toContain('org/tiny-GGUF is up to date');
  });

  it('says nothing with --quiet, and with --json its last line', async () => {
    expect(await run(['pull', 'org/tiny-GGUF', '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' });
    const { stdout, stderr } = await run(['pull', 'org/tiny-GGUF', '--quiet', '--json']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ event: 'done', outcome: 'current' });
  });

  it('that Ctrl-C ends says how it goes on, and goes on', async () => {
    const pressed = new AbortController();
    hub.plan = () => {
      pressed.abort(new AppError('interrupted', 'Interrupted by Ctrl-C.'));
      return { cutAfter: 1_000 };
    };
    const env = { TROUPE_MODELS: join(root, 'models'), HF_ENDPOINT: hub.url, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' };
    const ended = await runInProcess(['pull', 'org/tiny-GGUF'], { env, signal: pressed.signal });
    expect(ended.status).toBe(130);
    expect(ended.stderr).toMatch(
      /^stopped; what came is kept, and the same command goes on from there: native-engine pull org\/tiny-GGUF$/m,
    );
    hub.plan = () => undefined;
    expect((await run(['pull', 'org/tiny-GGUF'])).status).toBe(0);
  });

  it('of a short name is of its repository, which is said; other commands find it by either', async () => {
    await using known = await startHub([
      ggufRepository('bartowski/SmolLM2-135M-Instruct-GGUF', { 'SmolLM2-135M-Instruct-Q4_K_M.gguf': llama }),
    ]);
    const env = { HF_ENDPOINT: known.url };
    const pulled = await run(['pull', 'smollm2:135m', '--memory-budget', '8'], env);
    expect(pulled.status).toBe(0);
    expect(pulled.stderr).toContain('smollm2:135m is bartowski/SmolLM2-135M-Instruct-GGUF: Q4_K_M at ');
    expect(pulled.stdout).toContain('run it: native-engine run smollm2:135m\n');
    const shown = await run(['show', 'smollm2:135m', '--json'], env);
    expect(shown.status).toBe(0);
    expect(shown.stdout).toContain('bartowski/SmolLM2-135M-Instruct-GGUF');
    // The weights of the small file say nothing sensible; that it is found without the hub is the point.
    const ran = await run(['run', 'smollm2:135m', 'x', '--max-tokens', '1'], { HF_HUB_OFFLINE: '1' });
    expect(ran.stderr).not.toContain('error');
    expect((await run(['rm', 'SmolLM2:135m'], env)).status).toBe(0);
    expect(readdirSync(join(root, 'models'))).toEqual([]);
  });

  it.each([
    ['smolm2:135m', 'did you mean smollm2:135m or smollm3?'],
    ['llama3.2:9b', 'llama3.2 is known as llama3.2:3b, llama3.2:1b'],
    ['llama32', 'did you mean'],
  ])('of %s, which is no name that is known, says: %s', async (name, words) => {
    const { status, stderr } = await run(['pull', name]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect((await run(['run', name, 'x'])).stderr).toContain(words);
  });

  it('warns where the model does not fit', async () => {
    const { stderr } = await run(['pull', 'org/tiny-GGUF', '--memory-budget', '0.25']);
    expect(stderr).toContain('\nwarning: it does not fit the memory here\n');
  });

  it('prints lines of JSON that are what their schema says', async () => {
    hub.plan = ({ number }) => (number === 0 ? { cutAfter: 40_000 } : undefined);
    const { status, stdout, stderr } = await run(['pull', 'org/tiny-GGUF:q8_0', '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    const validator = Compile(outputs.pull);
    for (const line of lines) expect([...validator.Errors(line)]).toEqual([]);
    const kinds = [...new Set(lines.map(({ event }) => event))];
    expect(kinds).toEqual(['plan', 'download', 'retry', 'convert', 'done']);
    expect(lines.at(-1)).toMatchObject({ outcome: 'new', name: 'org_tiny-GGUF@Q8_0', fetchedBytes: qwen2.sizeBytes });
  });

  it.each([
    ['org/none', {}, 4, 'hub_repository_missing'],
    ['org/gated', {}, 4, 'hub_gated'],
    ['org/tiny-GGUF@v9', {}, 4, 'hub_revision_missing'],
    ['org/tiny-GGUF', { HF_TOKEN: 'hf_wrong' }, 4, 'hub_token_refused'],
    ['org/tiny-GGUF', { HF_HUB_OFFLINE: '1' }, 4, 'hub_offline'],
    ['org/tiny-GGUF', { HF_ENDPOINT: 'ftp://hub' }, 3, 'hub_settings_invalid'],
    ['org/tiny-GGUF:q3_k_m', {}, 2, 'pull_quant_missing'],
    ['org/pickled', {}, 2, 'pull_no_weights'],
    ['../../etc/passwd', {}, 2, 'invalid_arguments'],
    ['no-organisation', {}, 2, 'invalid_arguments'],
  ])('of %s with %o ends with %i and %s', async (model, env, status, code) => {
    const printed = await run(['pull', model], env);
    expect(printed.status).toBe(status);
    expect(printed.stderr).toMatch(new RegExp(`^error: .+\\ncode: ${code}\\n$`, 'm'));
    expect(printed.stderr).not.toContain('hf_wrong');
  });

  it('of a hub that throttles for long ends with 4, and says how long', async () => {
    hub.api = (_, response) => {
      response.writeHead(429, { ratelimit: '"api";r=0;t=900' }).end();
      return true;
    };
    const { status, stderr } = await run(['pull', 'org/tiny-GGUF']);
    expect(status).toBe(4);
    expect(stderr).toContain('try again in 900 s');
  });
});

describe('search', () => {
  it('shows what a pull would take, and what fits', async () => {
    const { status, stdout } = await run(['search', 'org', '--memory-budget', '8']);
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        'NAME           QUANT            SIZE  FITS              DOWNLOADS',
        'org/tiny-GGUF  Q4_0         96.7 KiB  yes                      12',
        'org/gated      safetensors   5.1 MiB  yes                      12  gated',
        'org/pickled                           cannot be pulled         12',
        '',
      ].join('\n'),
    );
    expect((await run(['search', 'nothing'])).stdout).toBe('the hub has no model with a name like "nothing"\n');
  });

  it('prints JSON that is what its schema says', async () => {
    const { stdout } = await run(['search', 'org', '--json']);
    const value: unknown = JSON.parse(stdout);
    expect([...Compile(outputs.search).Errors(value)]).toEqual([]);
    expect(value).toContainEqual(expect.objectContaining({ repo: 'org/pickled', downloadBytes: null }));
  });
});

describe('run of a repository that is not here', () => {
  it('pulls it first, and says what it is doing', async () => {
    await hub[Symbol.asyncDispose]();
    hub = await startHub([demoRepository('org/demo-chat')]);
    const { status, stdout, stderr } = await run(['run', 'org/demo-chat', '--temperature', '0', 'What is 12 + 30?']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '42\n' });
    expect(stderr).toContain('5.1 MiB to download');
    expect(readdirSync(join(root, 'models'))).toEqual(['org_demo-chat']);
  });

  it('names both places where it is not', async () => {
    const { status, stderr } = await run(['run', 'org/none', 'Hello']);
    expect(status).toBe(4);
    expect(stderr).toMatch(
      /there is no model org\/none: no file and no directory is at this path; and .* has no model repository org\/none/,
    );
  });
});
