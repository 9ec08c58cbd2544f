// Commands that ask a running server, over a real socket.
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../src/bin/native-engine/outputs/index.js';
import { readServerAddress } from '../../src/bin/native-engine/remote/server-address.js';
import { Compile } from '../../src/schema/index.js';
import { signArtifact } from '../../src/signing/index.js';
import { startServing, type Serving } from '../server/serving.js';
import { createSigner } from '../signing/signed-artifact.js';
import { runInProcess, type Printed } from './run-in-process.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());
const run = (...argv: string[]): Promise<Printed> => runInProcess(argv, { env: { TROUPE_HOST: serving.url } });

async function json(line: keyof typeof outputs, ...argv: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await run(...argv, '--json');
  expect(stderr).not.toMatch(/^(?:error|warning):/m);
  expect(status).toBe(0);
  const value: unknown = JSON.parse(stdout);
  expect(Compile(outputs[line]).Errors(value)).toEqual([]);
  return value;
}

describe('a running server', () => {
  it('loads a model, lists it, tells of itself, and unloads it', async () => {
    expect(await run('ps')).toEqual({ status: 0, stdout: 'No model is loaded.\n', stderr: '' });
    const loaded = await json('load', 'load', 'demo', '--keep-alive', '1h');
    expect(loaded).toMatchObject({ name: 'demo', quant: 'Q8_0', contextLength: 1024 });
    expect(await json('ps', 'ps')).toEqual([{ ...(loaded as object), expiresAt: expect.any(String) as string }]);
    expect((await run('ps')).stdout).toMatch(/^demo +\d+\.\d MiB +Q8_0 +1,024 +in 59 minutes$/m);
    expect(await json('status', 'status')).toMatchObject({ engine: 'troupe', ready: true, numModels: 1 });
    expect((await run('status')).stdout).toMatch(/^ {4}model:demo: running$/m);
    expect(await json('unload', 'unload', 'demo')).toEqual([{ name: 'demo', state: 'unloaded' }]);
    expect(await json('unload', 'unload', 'demo')).toEqual([{ name: 'demo', state: 'not loaded' }]);
  });

  it('keeps a model for ever, and lets go of all', async () => {
    expect((await run('load', 'demo:latest', '--keep-alive', '-1')).stdout).toContain('unloads when memory is needed');
    expect((await run('unload', '--all')).stdout).toBe('unloaded demo\n');
    expect(await json('unload', 'unload', '--all')).toEqual([]);
    await run('load', 'demo');
    expect(await json('stop', 'stop', 'demo')).toEqual([{ name: 'demo', state: 'unloaded' }]);
  });

  it('loads what a trusted key signed, and lets go of what none did, as the server says who signed it', async () => {
    const [signer, other] = [createSigner(), createSigner()];
    const trustDir = join(serving.cacheDir, 'trust');
    cpSync('dist/demo', join(serving.modelsDir, 'signed'), { recursive: true });
    cpSync('dist/demo', join(serving.modelsDir, 'plain'), { recursive: true });
    for (const { seed } of [signer, other]) await signArtifact(join(serving.modelsDir, 'signed'), { seed, trustDir });
    const required = (key: string): string[] => ['--require-signed', '--trusted-key', key];
    const signers = [signer.key, other.key].toSorted();
    expect(await json('load', 'load', 'signed', ...required(signer.key))).toMatchObject({ name: 'signed', signers });
    expect(await json('load', 'load', 'signed', ...required(other.key))).toMatchObject({ name: 'signed', signers });
    const stranger = createSigner().key;
    const refused = await run('load', 'signed', ...required(stranger));
    expect(refused).toEqual({
      status: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: the model signed that .* loaded is signed by .*\ncode: signature_untrusted\n$/,
      ) as string,
    });
    const unsigned = await run('load', 'plain', ...required(signer.key));
    expect(unsigned).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/\ncode: signature_missing\n$/) as string,
    });
    await expect
      .poll(async () => (await json('ps', 'ps')) as { name: string }[])
      .toEqual([expect.objectContaining({ name: 'signed' })]);
    expect((await run('load', 'plain', '--trusted-key', signer.key)).status).toBe(2);
    const models = ['--models-dir', serving.modelsDir, '--trust-dir', trustDir];
    const estimate = ['load', 'signed', '--estimate-only', ...models];
    expect((await run(...estimate, ...required(signer.key))).status).toBe(0);
    expect((await run(...estimate, ...required(stranger))).status).toBe(3);
    await run('unload', '--all');
  });

  it('without such a model has its own words shown, with the status of a mistake', async () => {
    for (const command of ['load', 'unload', 'stop']) {
      const { status, stderr } = await run(command, 'nobody');
      // After a long time its progress is printed before.
      expect([status, stderr.replace(/^.* loads .*\n/gm, '')]).toEqual([
        2,
        `error: ${serving.url} answered with 404: model 'nobody' not found; GET /api/tags lists the models\ncode: model_not_found\n`,
      ]);
    }
  });
});

describe('what is no such server', () => {
  const serve = async (answer: string, status = 200) => {
    const server = createServer((_, response) => response.writeHead(status).end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = (): void => void server.close();
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.dispose]: close };
  };

  it('ends with the status of a network where nothing listens', async () => {
    let address = '';
    {
      using gone = await serve('');
      address = gone.host;
    }
    const { status, stderr } = await runInProcess(['ps', '--host', address]);
    expect([status, stderr]).toEqual([
      4,
      expect.stringContaining(`no server answers at http://${address}: nothing listens`) as string,
    ]);
  });

  it.each([
    ['<html>', 200, 'answered with 200, and not as an engine does'],
    ['{}', 200, 'does not answer GET /api/ps as an engine does'],
    ['{"error":"no\\u001b[31m"}', 500, 'answered with 500: no [31m'],
    ['x'.repeat(17 << 20), 200, 'sent more than 16777216 bytes'],
  ])('is reported: %#', async (answer, code, says) => {
    using server = await serve(answer, code);
    const { status, stderr } = await runInProcess(['ps', '--host', server.host]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(says) as string]);
    expect(stderr).not.toContain('\x1b');
  });
});

describe('an address', () => {
  it.each([
    [undefined, {}, 'http://127.0.0.1:11434'],
    [undefined, { TROUPE_HOST: ':8000' }, 'http://127.0.0.1:8000'],
    [undefined, { TROUPE_HOST: '' }, 'http://127.0.0.1:11434'],
    ['engine.example', { TROUPE_HOST: ':8000' }, 'http://engine.example:11434'],
    ['engine.example:80', {}, 'http://engine.example'],
    ['https://engine.example', {}, 'https://engine.example'],
    ['0.0.0.0', {}, 'http://127.0.0.1:11434'],
    ['[::]:1', {}, 'http://[::1]:1'],
  ])('%s with %j is %s', (option, env, url) => {
    expect(readServerAddress(option, env).origin).toBe(url);
  });

  it.each(['', 'ftp://x', 'http://me:pw@x', 'http://x/path', 'x?y', 'a b', ':99999'])('%j is none', (text) => {
    expect(() => readServerAddress(text, {})).toThrow(/--host must be the address of a server/);
  });
});
