// Addresses of runtimes (S9): however one is written, nothing connects to where no runtime may be. A honeypot listens on every
// address of this machine, also those that only look like others.
import type { LookupAddress } from 'node:dns';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { resolveTarget } from '../../src/gateway/index.js';
import { mayServe, createCheckedLookup } from '../../src/address/index.js';
import { createUpstream, reasonOf } from '../../src/relay/index.js';
import { forbiddenUrls } from '../address/forbidden-urls.js';
import { useHoneypot } from '../address/use-honeypot.js';
import { startGateway } from './hardening-gateway.js';
import { startFaulty } from './hardening-upstreams.js';

describe('forms of addresses where no runtime may be', () => {
  const honeypot = useHoneypot();
  const urls = (): readonly string[] => forbiddenUrls(honeypot.port);

  it('discovery and probes do not look', async () => {
    const wrong: string[] = [];
    for (const url of urls()) {
      const target = await resolveTarget(url, { allowPublic: true }, async () => []).catch(() => undefined);
      // A backslash is a slash to every parser here: what is behind it is a path.
      if (target !== undefined && target.address !== '127.0.0.1') wrong.push(`${url} is ${target.address}`);
    }
    expect(wrong).toEqual([]);
    expect(honeypot.visits).toBe(0);
  });

  it('no base_url of a file leads, and no upstream connects', async () => {
    const taken: string[] = [];
    for (const url of urls()) {
      const started = await startGateway({ upstreams: { m: url } }).catch(() => undefined);
      if (started === undefined) continue;
      await started[Symbol.asyncDispose]();
      taken.push(url);
    }
    // Names of other machines to a URL parser: they are resolved, and have no address.
    expect(taken.filter((url) => /^https?:/i.test(url) && !URL.canParse(url))).toEqual([]);
    for (const url of urls().filter((text) => URL.canParse(text))) {
      const outcome = await tryUpstream(url);
      expect(['invalid_value', 'address_refused', 'connect_failed']).toContain(outcome);
    }
    expect(honeypot.visits).toBe(0);
  });

  it('no name leads, not even one that had a good address before', async () => {
    const answers: LookupAddress[][] = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '0.0.0.0', family: 4 }],
      [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ],
      [{ address: '::ffff:0.0.0.0', family: 6 }],
      [{ address: 'fe80::1%lo', family: 6 }],
      [],
    ];
    const asked = [...answers];
    const lookup = createCheckedLookup(mayServe, (_, tell) => tell(null, asked.shift() ?? []));
    const outcomes: string[] = [];
    for (const _ of answers) {
      outcomes.push(
        await new Promise<string>((resolve) => {
          const socket = connect({ host: 'rebinds.test', port: honeypot.port, lookup });
          socket.once('connect', () => {
            socket.destroy();
            resolve('connected');
          });
          socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        }),
      );
    }
    expect(outcomes).toEqual(['connected', ...Array.from({ length: 5 }, () => 'ADDRESS_REFUSED')]);
    expect(honeypot.visits).toBe(1);
  });

  it('no redirect of a runtime leads: its client gets the error', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      await using runtime = await startFaulty({
        m: (socket) =>
          void socket.write(
            `HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${honeypot.port}/latest/meta-data\r\nContent-Length: 0\r\n\r\n`,
          ),
      });
      await using gateway = await startGateway({ upstreams: { m: runtime.url } });
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}` },
        body: '{"model":"m"}',
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([
        status,
        `http://127.0.0.1:${honeypot.port}/latest/meta-data`,
      ]);
    }
    expect(honeypot.visits).toBe(0);
  });
});

/** What comes of a request to an upstream of that address. */
async function tryUpstream(baseUrl: string): Promise<string> {
  try {
    await using upstream = await createUpstream({ id: 'm', baseUrl, mayConnect: mayServe, limits: { connectMs: 500 } });
    const answer = await upstream.request({ method: 'GET', target: '/', fields: [] });
    return `status ${answer.status}`;
  } catch (error) {
    return reasonOf(error) ?? (error as { code?: string }).code ?? String(error);
  }
}
