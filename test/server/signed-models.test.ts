import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EngineOptions } from '../../src/index.js';
import { signArtifact } from '../../src/signing/index.js';
import { createSigner } from '../signing/signed-artifact.js';
import { startServing } from './serving.js';

const trustDir = mkdtempSync(join(tmpdir(), 'serving-trust-'));
afterAll(() => rmSync(trustDir, { recursive: true, force: true }));
const signer = createSigner();

/** A server with an unsigned model, a signed one, one that was changed, and a GGUF file. */
async function startWithModels(options: EngineOptions) {
  const serving = await startServing({ trustDir, ...options });
  const at = (...names: string[]): string => join(serving.modelsDir, ...names);
  cpSync('dist/demo', at('unsigned'), { recursive: true });
  cpSync('dist/demo', at('signed'), { recursive: true });
  await signArtifact(at('signed'), { seed: signer.seed, trustDir });
  cpSync(at('signed'), at('changed'), { recursive: true });
  writeFileSync(at('changed', 'chat_template.jinja'), '{{ messages }}');
  cpSync('test/vectors/gguf/llama-q4_0.gguf', at('tiny.gguf'));
  const ask = async (model: string): Promise<unknown> => {
    const body = { model, max_tokens: 2, messages: [{ role: 'user', content: 'hi' }] };
    const response = await serving.post('/v1/chat/completions', body);
    const { error } = (await response.json()) as { error?: { code?: string } };
    return [response.status, error?.code];
  };
  return { serving, ask };
}

it('a server answers with unsigned models, says so in its log once a load, and never with one that was changed', async () => {
  const { serving, ask } = await startWithModels({});
  await using _ = serving;
  for (const model of ['demo', 'unsigned', 'unsigned', 'signed', 'tiny.gguf'])
    expect(await ask(model)).toEqual([200, undefined]);
  expect(await ask('changed')).toEqual([403, 'signature_invalid']);
  const said = serving.log.filter(({ notice }) => notice === 'signature').map(({ model, text }) => ({ model, text }));
  const unsigned = 'the model is not signed: nothing says who made it';
  expect(said).toEqual([
    { model: 'unsigned', text: unsigned },
    { model: 'signed', text: `the model is signed by ${signer.key}, and by no trusted key` },
    { model: 'tiny.gguf', text: unsigned },
  ]);
});

it('a refusal is a 403 with a reason in every dialect, whole and streamed, and no client asks again', async () => {
  const { serving } = await startWithModels({ requireSigned: true, trustedKeys: [signer.key] });
  await using _ = serving;
  const messages = [{ role: 'user', content: 'hi' }];
  const paths = {
    '/v1/chat/completions': { messages },
    '/v1/completions': { prompt: 'hi' },
    '/v1/responses': { input: 'hi' },
    '/v1/messages': { messages, max_tokens: 2 },
    '/v1/embeddings': { input: 'hi' },
    '/api/chat': { messages },
    '/api/generate': { prompt: 'hi' },
    '/api/embed': { input: 'hi' },
  };
  for (const [path, body] of Object.entries(paths)) {
    for (const stream of path.includes('embed') ? [undefined] : [false, true]) {
      for (const [model, reason] of [
        ['unsigned', /has no signature, and only models that a trusted key signed may be loaded/],
        ['changed', /is refused: .*chat_template\.jinja/],
      ] as const) {
        const answer = await serving.post(path, { model, ...body, ...(stream !== undefined && { stream }) });
        const { error, type } = (await answer.json()) as { error: string | { message: string }; type?: string };
        const where = `${path} stream=${stream} ${model}`;
        expect([where, answer.status, answer.headers.get('x-should-retry')]).toEqual([where, 403, 'false']);
        expect(typeof error === 'string' ? error : error.message, where).toMatch(reason);
        // Ollama's errors are a text alone.
        const isText = path.startsWith('/api');
        expect(isText ? typeof error : error, where).toEqual(
          isText ? 'string' : (expect.objectContaining({ type: 'permission_error' }) as unknown),
        );
        expect(type, where).toBe(path === '/v1/messages' ? 'error' : undefined);
      }
    }
  }
});

it('a server that requires signatures answers with nothing else', async () => {
  const { serving, ask } = await startWithModels({ requireSigned: true, trustedKeys: [signer.key] });
  await using _ = serving;
  expect(await ask('signed')).toEqual([200, undefined]);
  for (const model of ['demo', 'unsigned', 'tiny.gguf']) expect(await ask(model)).toEqual([403, 'signature_missing']);
  expect(await ask('changed')).toEqual([403, 'signature_invalid']);
  expect(serving.log.filter(({ event }) => event === 'import')).toEqual([]);
});
