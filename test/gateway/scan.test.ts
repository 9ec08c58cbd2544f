// What a scan may take: time, connections, bytes; and how it ends.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createScan, wellKnownPorts, type Finding } from '../../src/gateway/index.js';
import { imitations } from './imitations/index.js';
import { pageAt } from './imitations/pages.js';
import { collect, endAll, findingOf, scanOf } from './imitations/scanning.js';
import { serveHttp, serveImitation, serveTcp, type Served } from './imitations/serve.js';
import { expectWithin } from '../support/elapsed.js';

/** An Ollama that also says what our engine says, but answers one path never. */
function serveWithout(path: string): Promise<Served> {
  const imitation = imitations['native-engine'];
  return serveHttp((request, response) => {
    if (request.url === path) return;
    answer(response, pageAt(imitation, request.url ?? ''));
  });
}

function answer(response: ServerResponse, { status = 200, body }: ReturnType<typeof pageAt>): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

describe('an endpoint that runs out of time', () => {
  it.each(['/api/version', '/v1/models', '/readyz'])(
    'is skipped when %s is what it owes, and named nothing weaker',
    async (path) => {
      await using served = path === '/readyz' ? await serveSlow() : await serveWithout(path);
      expect(await findingOf(served, { limits: { endpointMs: 1_000 } })).toEqual({
        url: served.url,
        kind: null,
        proof: null,
        state: 'skipped',
        reason: `GET ${path} was not answered in time`,
      });
    },
  );

  it('is what it is when only later kinds would have needed the answer', async () => {
    await using served = await serveWithout('/props');
    expect(await findingOf(served)).toMatchObject({ kind: 'native-engine', state: 'found' });
  });

  it('costs its budget once, however many paths it owes', async () => {
    await using served = await serveTcp(() => {});
    const start = performance.now();
    await findingOf(served, { limits: { endpointMs: 300 } });
    expectWithin(5_000, start);
    expect(served.numConnections()).toBeLessThanOrEqual(4);
  });

  function serveSlow(): Promise<Served> {
    const { ollama } = imitations;
    return serveHttp((request, response) => {
      if (request.url !== '/readyz') answer(response, pageAt(ollama, request.url ?? ''));
    });
  }
});

describe('a server that loads its model', () => {
  it('is skipped and told so, and named nothing weaker', async () => {
    const loading = {
      status: 503,
      body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    };
    await using served = await serveImitation({ pages: {}, missing: loading });
    expect(await findingOf(served)).toMatchObject({
      kind: null,
      state: 'skipped',
      reason: expect.stringContaining('503'),
    });
  });
});

describe('a list of models', () => {
  const serveList = (numBytes: number): Promise<Served> => {
    const list = { object: 'list', data: [{ id: 'm' }], padding: '' };
    list.padding = 'x'.repeat(numBytes - JSON.stringify(list).length);
    return serveImitation({ ...imitations['openai-compatible'], pages: { '/v1/models': list } });
  };

  it('may have 512 KiB and not a byte more', async () => {
    await using fits = await serveList(512 << 10);
    await using isLonger = await serveList((512 << 10) + 1);
    expect(await findingOf(fits)).toMatchObject({ state: 'found', models: ['m'] });
    expect(await findingOf(isLonger)).toMatchObject({ state: 'skipped', reason: expect.stringContaining('524288') });
  });
});

describe('a scan', () => {
  it('opens no more connections at once than its limits say', async () => {
    let [open, most] = [0, 0];
    const start = (): Promise<Served> =>
      serveTcp((socket) => {
        most = Math.max(most, ++open);
        // Otherwise it never reads that the other side is gone.
        socket.resume();
        socket.on('close', () => open--);
      });
    const servers = await Promise.all(Array.from({ length: 12 }, start));
    const ports = servers.map(({ port }) => port);
    const { counts } = await collect(scanOf(ports, { limits: { endpointMs: 100, perHost: 2, requests: 3 } }));
    await endAll(servers);
    expect(counts).toMatchObject({ tried: 12, skipped: 12 });
    // The server learns of an end after the next connection.
    expect(most).toBeLessThanOrEqual(2 * 3 * 2);
  });

  it('contacts nothing before it is iterated, and nothing after the loop was left', async () => {
    const servers = await Promise.all(Array.from({ length: 10 }, () => serveImitation(imitations.ollama)));
    const scan = scanOf(
      servers.map(({ port }) => port),
      { limits: { connections: 1 } },
    );
    expect(servers.map(({ numConnections }) => numConnections())).toEqual(Array(10).fill(0));
    for await (const finding of scan) {
      expect(finding.kind).toBe('ollama');
      break;
    }
    const numContacted = servers.filter(({ numConnections }) => numConnections() > 0).length;
    expect(numContacted).toBeLessThanOrEqual(2);
    await endAll(servers);
  });

  it('ends with the reason of its signal, at once', async () => {
    await using served = await serveTcp(() => {});
    const controller = new AbortController();
    const scan = scanOf([served.port], { signal: controller.signal });
    const ended = collect(scan);
    controller.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });

  it('never contacts the listener of its own gateway', async () => {
    await using served = await serveImitation(imitations.ollama);
    await using own = await serveImitation(imitations['private-gateway']);
    const listeners = [{ host: '0.0.0.0', port: own.port }];
    const { byPort, counts } = await collect(scanOf([served.port, own.port], { own: listeners }));
    expect([...byPort.keys()]).toEqual([served.port]);
    expect(counts).toMatchObject({ endpoints: 1, excluded: 1 });
    expect(own.numConnections()).toBe(0);
  });

  it('of this machine tries the well-known ports, at 127.0.0.1 first', async () => {
    await using served = await serveImitation(imitations.vllm);
    const scan = createScan({ ports: [served.port] });
    expect(createScan().ports).toEqual(wellKnownPorts);
    expect(scan.range).toBe('localhost');
    const findings: Finding[] = [];
    for await (const finding of scan) findings.push(finding);
    expect(findings).toMatchObject([{ url: `http://127.0.0.1:${served.port}` }]);
  });

  it('asks over a new connection where one waited long for its turn', async () => {
    await using silent = await serveTcp(() => {});
    // Closes what is silent for half a second, as servers do.
    await using hasty = await serveTcp((socket) => {
      const close = setTimeout(() => socket.end(), 500);
      socket.once('data', (head) => {
        clearTimeout(close);
        const path = /^GET (\S+)/.exec(head.toString())?.[1] ?? '';
        const { status = 200, body } = pageAt(imitations.vllm, path);
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      });
    });
    const limits = { endpoints: 1, endpointMs: 1_500 };
    const { byPort } = await collect(scanOf([silent.port, hasty.port], { limits }));
    expect(byPort.get(hasty.port)).toMatchObject({ kind: 'vllm', state: 'found' });
  });

  it('of this machine finds what listens at ::1 alone', async (context) => {
    const served = await serveImitation(imitations.vllm, 0, '::1').catch(() => context.skip('this machine has no ::1'));
    const findings: Finding[] = [];
    for await (const finding of createScan({ ports: [served.port] })) findings.push(finding);
    await served[Symbol.asyncDispose]();
    expect(findings).toMatchObject([{ url: `http://[::1]:${served.port}`, kind: 'vllm' }]);
  });

  it('of a /22 is prepared in a moment', () => {
    const start = performance.now();
    const { counts } = createScan({ range: '10.0.0.0/22' });
    expect(counts).toMatchObject({ endpoints: 1_022 * wellKnownPorts.length, excluded: 2, tried: 0 });
    expectWithin(5_000, start);
  });

  it('knows the ports of every kind that listens somewhere', () => {
    expect(wellKnownPorts).toEqual(
      [1234, 1337, 2242, 3000, 4000, 4891, 5000, 5001, 5002, 8000, 8020, 8080, 8081, 9931, 9997].concat([
        11_434, 12_434, 13_305, 23_333, 30_000, 52_415,
      ]),
    );
  });
});
