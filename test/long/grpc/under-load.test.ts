import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineKey } from '../../../src/engine/index.js';
import type { ChatRequestInput } from '../../../src/grpc/index.js';
import type { Client } from '../../../src/client/index.js';
import { createCa, forClient, forServer } from '../../grpc/certificates.js';
import { startProduction, type Production } from '../../grpc/production.js';

let production: Production;
let data: Client;
beforeAll(async () => {
  production = await startProduction();
  data = production.client(production.issued.data);
});
afterAll(() => production[Symbol.asyncDispose]());

const asked = (seed: number): ChatRequestInput => ({
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  max_tokens: 60,
  sampling: { temperature: 0.8, seed, ignore_eos: true },
});

async function textOf(client: Client, seed: number): Promise<string> {
  let text = '';
  for await (const { delta } of client.stream(asked(seed))) text += delta?.content ?? '';
  return text;
}

describe('under load', () => {
  it('certificates are rotated and trust is reloaded with no call lost', async () => {
    const { files, ca, issued } = production;
    const control = production.client(issued.control);
    const nextCas = await Promise.all(Array.from({ length: 4 }, (_, at) => createCa(`CA number ${at}`)));
    await control.health.check();
    const expected = await Promise.all(Array.from({ length: 8 }, (_, seed) => textOf(data, seed)));
    let isOver = false;
    let numCalls = 0;
    const load = Array.from({ length: 8 }, async (_, seed) => {
      while (!isOver) {
        // Connections of before and new ones.
        const fresh = numCalls % 5 === 0;
        const cas = [ca.cert, ...nextCas.map(({ cert }) => cert)].join('');
        const client = fresh ? production.client(issued.data, { tls: { ca: cas, ...toPem(issued.data) } }) : data;
        expect(await textOf(client, seed)).toBe(expected[seed]);
        if (fresh) await client.close();
        numCalls++;
      }
    });
    for (const next of nextCas) {
      const server = await forServer(next);
      files.write('server.key', server.key);
      files.write('server.pem', server.cert);
      files.write('ca.pem', ca.cert + nextCas.map(({ cert }) => cert).join(''));
      await production.server.followTrust();
      const { closed_connections: closed } = await control.control.reloadTrust();
      expect(closed).toBe(0);
      const before = numCalls;
      await expect.poll(() => numCalls, { timeout: 120_000 }).toBeGreaterThan(before + 8);
      const renewed = await forClient(next, 'data');
      const client = production.client(renewed, { tls: { ca: next.cert, ...toPem(renewed) } });
      expect(await textOf(client, 3)).toBe(expected[3]);
      await client.close();
    }
    isOver = true;
    await Promise.all(load);
    expect(numCalls).toBeGreaterThan(40);
  });

  it('streams go on with the same tokens when threads of the engine are killed', async () => {
    const seeds = Array.from({ length: 16 }, (_, at) => 100 + at);
    const expected = await Promise.all(seeds.map((seed) => textOf(data, seed)));
    const running = seeds.map((seed) => textOf(data, seed));
    const [model] = production.host.openModels();
    if (model === undefined) throw new Error('the model is open');
    for (let death = 0; death < 3; death++) {
      await expect
        .poll(async () => (await model.client.stats().catch(() => undefined))?.running ?? 0)
        .toBeGreaterThan(0);
      model.supervisor.kill(engineKey.id);
    }
    expect(await Promise.all(running)).toEqual(expected);
  });
});

function toPem({ cert, key }: { readonly cert: string; readonly key: string }): {
  readonly cert: string;
  readonly key: string;
} {
  return { cert, key };
}
