// From the hub to a signed artifact, as a user has it: a pull that is killed twice, then the commands around the model.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fault } from '../support/hub/faults.js';
import type { Repository } from '../support/hub/repository.js';
import { eventually } from '../support/eventually.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { createTemporaryDirectory, ended, runCli, startCli } from './processes.js';
import { runHere } from './run-here.js';

/** The model that goes the way. */
export interface Subject {
  readonly repository: Repository;
  /** Path of its weights in the repository. */
  readonly weights: string;
  /** How slowly they come while the pull is killed. */
  readonly drip: Fault['drip'];
  /** What kills the pull, each time when so many bytes more came. */
  readonly kills: readonly NodeJS.Signals[];
  readonly killAfterBytes: number;
  /** Bytes that may be fetched in vain by all kills together. */
  readonly wasteBytes: number;
  /** What `list` and `show` say of it. */
  readonly listed: { readonly quant: string };
  readonly shown: readonly string[];
  /** What it is asked, and what its answer is like. */
  readonly question: string;
  readonly maxTokens: number;
  readonly answer: RegExp;
}

/** A step is several commands, and those that are killed or serve have processes. */
const STEP_MS = 300_000;
const timeoutMs = 600_000;

/** The tests of the way of one model. */
export function itGoesFromTheHubToASignature(subject: Subject): void {
  const { repository, weights, question, maxTokens, answer } = subject;
  const { id } = repository;
  let hub: TestHub;
  let home: ReturnType<typeof createTemporaryDirectory>;
  let env: Record<string, string>;
  beforeAll(async () => {
    hub = await startHub([repository]);
    home = createTemporaryDirectory();
    env = { HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: '', TROUPE_MODELS: join(home.path, 'models') };
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    home.remove();
  });
  const cli = (...args: string[]): ReturnType<typeof runHere> => runHere(args, home.path, '', { env });
  const sign = (...args: string[]): ReturnType<typeof runHere> =>
    runHere(args, home.path, '', { env, program: 'sign-artifact', cwd: home.path });
  const run = (...more: string[]): ReturnType<typeof runHere> =>
    cli('run', id, ...more, '--temperature', '0', '--max-tokens', String(maxTokens), question);
  const sent = (): number => hub.sentBytes.get(weights) ?? 0;
  const name = id.replace('/', '_');
  const place = (): string => join(env['TROUPE_MODELS'] ?? '', name);

  /** What `openai` gets of a server when it names the repository: the text, or the status and the code of the refusal. */
  async function askServer(...options: string[]): Promise<string | [number | undefined, unknown]> {
    const child = startCli(['serve', '--http', '--port', '0', ...options], home.path, { env });
    try {
      const [line] = (await once(createInterface(child.stdout ?? expect.fail('a pipe')), 'line')) as [string];
      const client = new OpenAI({ baseURL: `${line.replace('listening on ', '')}/v1`, apiKey: 'any' });
      const messages = [{ role: 'user' as const, content: question }];
      const asked = { model: id, messages, temperature: 0, max_tokens: maxTokens };
      const answered = await client.chat.completions.create(asked);
      return answered.choices[0]?.message.content ?? '';
    } catch (error) {
      // Without a status there was no answer.
      if (!(error instanceof OpenAI.APIError) || error.status === undefined) throw error;
      return [error.status as number | undefined, error.code];
    } finally {
      child.kill('SIGTERM');
      await ended(child);
    }
  }

  it(
    `${id}: a pull is killed ${subject.kills.join(' and ')}, and goes on`,
    async () => {
      const { drip, killAfterBytes, wasteBytes } = subject;
      hub.plan = ({ path }) => (path === weights && drip !== undefined ? { drip } : undefined);
      // On a busy machine the kill comes late and works late, and the hub has sent more by then.
      let lateBytes = 0;
      for (const signal of subject.kills) {
        const before = sent();
        const child = startCli(['pull', id], home.path, { env });
        await eventually(sent).toBeGreaterThan(before + killAfterBytes);
        child.kill(signal);
        await ended(child);
        lateBytes += sent() - before - killAfterBytes;
        expect((await cli('list', '-q')).stdout).toBe('demo\n');
      }
      hub.plan = () => undefined;
      const pulled = await runCli(['pull', id], home.path, '', { env, timeoutMs });
      expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is here`) as string });
      const sizeBytes = repository.files.get(weights)?.sizeBytes ?? 0;
      expect(sent() - sizeBytes).toBeLessThanOrEqual(wasteBytes + lateBytes);
      expect(readdirSync(env['TROUPE_MODELS'] ?? '')).toEqual([name]);
    },
    STEP_MS,
  );

  it(
    'it is listed, shown and run',
    async () => {
      const listed = JSON.parse((await cli('list', '--json')).stdout) as { name: string; repo: string | null }[];
      expect(listed).toContainEqual(expect.objectContaining({ name, repo: id, signed: false, ...subject.listed }));
      const { stdout } = await cli('show', id);
      for (const word of subject.shown) expect(stdout).toContain(word);
      expect(await run()).toMatchObject({ code: 0, stdout: expect.stringMatching(answer) as string });
    },
    STEP_MS,
  );

  it(
    'serve answers a client that names the repository',
    async () => {
      expect(await askServer()).toMatch(answer);
    },
    STEP_MS,
  );

  it(
    'signed it runs and is served where only signed models may, by the right key alone',
    async () => {
      const keyOf = (who: string): string => readFileSync(join(home.path, `${who}.pub`), 'utf8').trim();
      for (const who of ['maker', 'stranger']) expect((await sign('keygen', who)).code).toBe(0);
      const trusting = (who: string): string[] => ['--require-signed', '--trusted-key', keyOf(who)];
      expect(await run(...trusting('maker'))).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/has no signature.*\ncode: signature_missing\n$/s) as string,
      });
      expect((await sign('verify', place(), '--key', keyOf('maker'))).code).toBe(3);
      expect((await sign('sign', join(home.path, 'maker.key'), place())).code).toBe(0);
      expect((await sign('verify', place(), '--key', keyOf('maker'))).code).toBe(0);
      expect((await sign('verify', place(), '--key', keyOf('stranger'))).code).toBe(3);

      expect(await run(...trusting('maker'))).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(answer) as string,
      });
      expect(await run(...trusting('stranger'))).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/\ncode: signature_untrusted\n$/) as string,
      });
      expect(await askServer(...trusting('maker'))).toMatch(answer);
      expect(await askServer(...trusting('stranger'))).toEqual([403, 'signature_untrusted']);
      expect(JSON.parse((await cli('list', '--json')).stdout)).toContainEqual(
        expect.objectContaining({ name, signed: true }),
      );
    },
    STEP_MS,
  );

  it('removed it is gone', async () => {
    expect((await cli('rm', id)).code).toBe(0);
    expect(existsSync(place())).toBe(false);
    expect((await cli('list', '-q')).stdout).toBe('demo\n');
  });
}
