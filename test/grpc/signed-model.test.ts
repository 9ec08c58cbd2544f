// The model of a production server whose signature stops to hold: what gRPC and HTTP say, and how it comes back.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { demoDirectory } from '../../src/models/index.js';
import { signArtifact } from '../../src/signing/index.js';
import { createSigner } from '../signing/signed-artifact.js';
import { createFiles } from './certificates.js';
import { startServerProcess, type ServerProcess } from './server-process.js';

const ask = { messages: [{ role: 'user' as const, content: 'hi' }], max_tokens: 2 };

/** Writes other signing keys into its engine.json. */
function trust({ config }: ServerProcess, keys: readonly string[]): void {
  const { security, ...rest } = JSON.parse(readFileSync(config, 'utf8')) as { security: object };
  writeFileSync(config, JSON.stringify({ ...rest, security: { ...security, trusted_signing_keys: keys } }));
}

it('a signing key that is revoked, and an artifact that is changed, are refused until both are right again', async () => {
  using files = createFiles();
  const [signer, stranger] = [createSigner(), createSigner()];
  const artifact = join(files.directory, 'model');
  cpSync(demoDirectory(), artifact, { recursive: true });
  await signArtifact(artifact, { seed: signer.seed, trustDir: join(files.directory, 'trust') });
  await using server = await startServerProcess({
    artifact,
    security: { allow_unsigned_dev: false, trusted_signing_keys: [signer.key] },
    env: { HOME: files.directory },
    words: ['--http', '--port', '0'],
  });
  const http = /listening on (http:\S+)/.exec(server.output())?.[1] ?? expect.fail('HTTP beside');
  const overHttp = async (): Promise<unknown> => {
    const answer = await fetch(`${http}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', ...ask }),
    });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return [answer.status, error?.code];
  };
  const { control } = server.control;
  expect((await server.data.chat(ask)).choices).toHaveLength(1);
  expect(await overHttp()).toEqual([200, undefined]);

  trust(server, [stranger.key]);
  await control.reloadTrust();
  const refused = { code: 'signature_untrusted', details: { grpc_status: 'FAILED_PRECONDITION' } };
  await expect(server.data.chat(ask)).rejects.toMatchObject(refused);
  await expect(server.data.chat(ask)).rejects.toThrow(/not trusted any more/);
  expect(await overHttp()).toEqual([403, 'signature_untrusted']);
  await expect(control.load()).rejects.toMatchObject({
    code: 'start_refused',
    details: { grpc_status: 'FAILED_PRECONDITION' },
  });

  trust(server, [signer.key]);
  await control.reloadTrust();
  const template = join(artifact, 'chat_template.jinja');
  const right = readFileSync(template);
  writeFileSync(template, '{{ messages }}');
  await expect(control.load()).rejects.toMatchObject({
    code: 'signature_invalid',
    details: { grpc_status: 'FAILED_PRECONDITION' },
  });
  writeFileSync(template, right);
  await control.load();
  expect((await server.data.chat(ask)).choices).toHaveLength(1);
  expect(await overHttp()).toEqual([200, undefined]);

  await control.unload();
  expect(await overHttp()).toEqual([503, 'model_unloaded']);
});
