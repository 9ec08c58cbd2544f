import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GATEWAY_ID_HEADER } from '../../../src/gateway/index.js';
import { overTransports } from '../../http/over-transports.js';
import { CASE, caseOf, LISTENER_FIELDS, writeAll } from '../../relay/corpus-checks.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { makeKey, runtimeAt, startGateway } from './start-gateway.js';
import { fieldOf, openEvents, startRuntime, whole } from './runtime.js';
import { chatBody, SOON } from '../../support/start-product.js';

const key = makeKey();

/** Answers of our own engine as they came over a socket, one string of latin1 a read. */
const recorded = (
  JSON.parse(readFileSync('test/vectors/relay/engine.json', 'utf8')) as {
    readonly method: string;
    readonly path: string;
    readonly writes: readonly string[];
  }[]
).filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/'));

overTransports('a gateway', (transport) => {
  it('brings recorded answers of an engine as they came', async () => {
    await using runtime = await startRuntime((asked, socket) =>
      writeAll(recorded[caseOf(asked)]?.writes ?? [], socket),
    );
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const ours = [...LISTENER_FIELDS, GATEWAY_ID_HEADER, 'date'];
    const kept = ({ fields }: Received): Received['fields'] =>
      fields.filter(([name]) => !ours.includes(name.toLowerCase())).map(([name, value]) => [name.toLowerCase(), value]);
    for (const [i, { method, path }] of recorded.entries()) {
      const headers = { ...key.headers, [CASE]: String(i) };
      const direct = await ask(Number(new URL(runtime.url).port), method, path, chatBody(), undefined, headers);
      const through = await ask(gateway.port, method, path, chatBody(), undefined, headers);
      expect([through.status, kept(through), through.body.toString()]).toEqual([
        direct.status,
        kept(direct),
        direct.body.toString(),
      ]);
    }
    expect(recorded.length).toBeGreaterThan(6);
  });

  it('brings zstd as it is', async () => {
    const body = toZstd(Buffer.from('{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}'));
    await using runtime = await startRuntime(
      (_, socket) => void socket.write(whole(body, 200, ['Content-Encoding: zstd'])),
    );
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const headers = { ...key.headers, 'accept-encoding': 'zstd' };
    const got = await ask(gateway.port, 'POST', '/v1/chat/completions', chatBody(), undefined, headers);
    expect(got.body.equals(body)).toBe(true);
    expect(
      fieldOf({ method: '', target: '', body: '', fields: runtime.asked[0]?.fields ?? [] }, 'accept-encoding'),
    ).toBe('zstd');
  });

  it.each([
    ['had not asked', {}, false],
    ['had asked', { stream_options: { include_usage: true } }, true],
    ['had said no', { stream_options: { include_usage: false } }, false],
  ])('takes the chunk of usage out exactly when its client %s not', async (_, options, isLeft) => {
    await using runtime = await startRuntime((___, socket) => {
      const events = openEvents(socket);
      events.token();
      events.usage(5, 1);
      events.end();
    });
    const parts = { runtimes: [runtimeAt(runtime.url, { kind: 'vllm' })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const body = chatBody({ stream: true, ...options });
    const got = await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, key.headers);
    expect(JSON.parse(runtime.asked[0]?.body ?? '')).toMatchObject({ stream_options: { include_usage: true } });
    expect(got.body.toString().includes('"usage"')).toBe(isLeft);
    expect(got.body.toString()).toMatch(/" a".*data: \[DONE\]\n\n$/s);
    await expect
      .poll(() => gateway.meter.usage({ by: 'key' }), SOON)
      .toMatchObject([{ promptTokens: 5, completionTokens: 1 }]);
  });
});

/** `data` in a frame of one block that is stored. Source: RFC 8878, 3.1.1. */
function toZstd(data: Buffer): Buffer {
  const block = (data.length << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, data.length, block & 255, (block >> 8) & 255, (block >> 16) & 255];
  return Buffer.concat([Buffer.from(head), data]);
}
