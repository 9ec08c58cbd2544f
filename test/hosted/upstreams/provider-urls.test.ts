// Base URLs of providers (S9). They are their operator's, who is trusted: private addresses are allowed. What no server needs
// is refused, nothing connects to where credentials of clouds are, and no redirect is followed.
import { describe, expect, it } from 'vitest';
import { lookUpInSystem, mayServe, type LookUpAll } from '../../../src/address/index.js';
import { codeOf, systemClock } from '../../../src/base/index.js';
import { checkHostedConfig } from '../../../src/hosted/config/index.js';
import { createUpstreamSet } from '../../../src/hosted/upstreams/upstream-set.js';
import { reasonOf } from '../../../src/relay/index.js';
import { forbiddenUrls } from '../../address/forbidden-urls.js';
import { useHoneypot } from '../../address/use-honeypot.js';
import { overTransports } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { startListing, listOf } from '../gateways/listing-server.js';
import { providerAt, startHosted } from '../serving/start-hosted.js';
import { chatBody, headerOf } from '../../support/start-product.js';

/** What a file says of a base URL; undefined: nothing is wrong. */
function troubleOf(baseUrl: string): string | undefined {
  const file = { secret: { env: 'S' }, providers: [{ id: 'a', base_url: baseUrl }] };
  return checkHostedConfig(JSON.stringify(file)).problems[0]?.message;
}

describe('the base URL of a provider', () => {
  it.each([
    'https://api.example.com',
    'https://api.example.com:8443/openai/deployments/x',
    'http://127.0.0.1:8000',
    'http://10.1.2.3',
    'http://[fd00::1]:9000',
    'http://localhost:11434/',
    'https://xn--bcher-kva.example',
    'HTTPS://API.example.com',
  ])('may be %s', (url) => expect(troubleOf(url)).toBeUndefined());

  it.each([
    ['https://user:pw@api.example.com', /a user or a password/],
    ['https://user@api.example.com', /a user or a password/],
    ['https://@api.example.com', /a user or a password/],
    ['https://api.example.com/?key=1', /a query or a fragment/],
    ['https://api.example.com?', /a query or a fragment/],
    ['https://api.example.com/#', /a query or a fragment/],
    ['https://127.0.0.1?@api.example.com/', /a query or a fragment/],
    ['ftp://api.example.com', /not an http or https URL/],
    ['file:///etc/passwd', /not an http or https URL/],
    ['unix:/var/run/docker.sock', /not an http or https URL/],
    ['//api.example.com', /not an http or https URL/],
    ['api.example.com', /not an http or https URL/],
    ['/v1', /not an http or https URL/],
    ['https:api.example.com', /not an http or https URL/],
    ['https:///api.example.com', /not a URL/],
    ['https://api.example.com\\@evil.example', /characters that no URL/],
    ['https://api.exa mple.com', /characters that no URL/],
    ['https://api.example.com\r\nhost: x', /characters that no URL/],
    ['https://api.\texample.com', /characters that no URL/],
    ['https://bücher.example', /not written in ASCII; write xn--bcher-kva\.example/],
    ['https://api.example.com.', /a dot at its end/],
    ['http://2130706433', /another form; write 127\.0\.0\.1/],
    ['http://0x7f.1', /another form/],
    ['http://127.1', /another form/],
    ['http://%31%32%37.0.0.1', /another form/],
    ['http://[0:0:0:0:0:0:0:1]', /another form; write \[::1\]/],
    ['http://169.254.169.254/latest', /link-local address/],
    ['http://168.63.129.16', /metadata address/],
    ['http://[fd00:ec2::254]', /metadata address/],
    ['http://0.0.0.0', /the address of no machine/],
  ])('is not %j', (url, why) => expect(troubleOf(url)).toMatch(why));

  it('is reported without what a password may be in', () => {
    expect(troubleOf('https://user:hunter2-hunter2@api.example.com')).not.toContain('hunter2');
    expect(troubleOf('https://api.example.com/?key=hunter2-hunter2')).not.toContain('hunter2');
  });
});

describe('forms of forbidden addresses', () => {
  const honeypot = useHoneypot();

  it('are taken for no provider, neither at the start nor in a changed file', async () => {
    const taken = forbiddenUrls(honeypot.port).filter((url) => troubleOf(url) === undefined);
    expect(taken).toEqual([]);
    for (const url of forbiddenUrls(honeypot.port).slice(0, 3)) {
      await expect(startHosted({ providers: [providerAt(url)] })).rejects.toMatchObject({
        code: 'hosted_config_invalid',
      });
    }
    expect(honeypot.visits).toBe(0);
  });

  it('connect to nothing, whatever a file let through', async () => {
    await using set = createUpstreamSet(systemClock, lookUpInSystem);
    const limits = { connections: 1, firstByteMs: 2_000, idleMs: 2_000, requestMs: 2_000 };
    const outcomes = new Set<string>();
    for (const baseUrl of forbiddenUrls(honeypot.port)) {
      try {
        const open = await set.open({ key: baseUrl, id: 'up', baseUrl, mayConnect: mayServe, ...limits });
        const answer = await open.upstream.request({ method: 'POST', target: '/v1/chat/completions', fields: [] });
        outcomes.add(`status ${answer.status}`);
      } catch (error) {
        outcomes.add(reasonOf(error) ?? codeOf(error) ?? String(error));
      }
    }
    for (const outcome of outcomes) expect(['invalid_value', 'address_refused', 'connect_failed']).toContain(outcome);
    expect(outcomes).toContain('address_refused');
    expect(honeypot.visits).toBe(0);
  });

  it.each([
    ['a provider', '/up/v1/chat/completions', 'demo'],
    ['a connected gateway', '/pgw/lab/v1/chat/completions', 'up'],
  ])('are not reached by a name of %s that had a good address before', async (_, path, model) => {
    // Each answer ends its connection, so that the next request looks the name up again.
    await using up = await startRuntime((_asked, socket) => {
      socket.write(whole(completion(1, 1), 200, ['Connection: close']));
      socket.end();
    });
    const now = { addresses: ['127.0.0.1'] };
    const lookUpAll: LookUpAll = (_hostname, tell) =>
      tell(
        null,
        now.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    const url = `http://rebinds.test:${new URL(up.url).port}`;
    const gateways = { allow_private: ['127.0.0.0/8'], sync_interval_s: 86_400 };
    await using node = await startHosted({ providers: [providerAt(url)], gateways }, { lookUpAll });
    await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: url });
    await node.price();
    await node.price('up', { provider: 'pgw/lab' });
    const payer = await node.payer();
    const send = async (...addresses: string[]): Promise<number> => {
      now.addresses = addresses;
      return (await ask(node.port, 'POST', path, chatBody({ model }), undefined, payer.headers)).status;
    };
    expect(await send('127.0.0.1')).toBe(200);
    // One short of the failures that open the breaker.
    expect(await send('0.0.0.0')).toBe(502);
    expect(await send('127.0.0.1', '169.254.169.254')).toBe(502);
    expect(await send('::ffff:0.0.0.0')).toBe(502);
    expect(await send('fe80::1%lo')).toBe(502);
    expect(await send('127.0.0.1')).toBe(200);
    expect(up.asked).toHaveLength(2);
    expect(honeypot.visits).toBe(0);
  });

  it('are reached by no gateway outside of the ranges that are allowed, at a name as little as at an address', async () => {
    const addresses = ['8.8.8.8'];
    const lookUpAll: LookUpAll = (_, tell) =>
      tell(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    await using node = await startHosted({ gateways: { allow_private: ['10.0.0.0/8'] } }, { lookUpAll });
    const add = (url: string): Promise<unknown> =>
      node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: url });
    const refused = { code: 'gateway_url_refused' };
    await expect(add(`http://127.0.0.1:${honeypot.port}`)).rejects.toMatchObject(refused);
    addresses[0] = '127.0.0.1';
    await expect(add(`http://name.test:${honeypot.port}`)).rejects.toMatchObject(refused);
    addresses[0] = '192.168.1.1';
    await expect(add('http://name.test')).rejects.toMatchObject(refused);
    expect(honeypot.visits).toBe(0);
  });
});

overTransports('a redirect', (transport) => {
  it.each([301, 302, 303, 307, 308])('%d is handed on and never followed with a key', async (status) => {
    await using thief = await startListing(listOf('stolen'));
    const location = `${thief.url}/steal?x=1`;
    await using up = await startRuntime(
      (_, socket) => void socket.write(whole('moved', status, [`Location: ${location}`])),
    );
    await using node = await startHosted({
      listen: { port: 0, transport },
      providers: [providerAt(up.url)],
      gateways: { allow_private: ['127.0.0.0/8'] },
    });
    await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: up.url, credential: 'secret-of-lab' });
    await node.price();
    await node.price('up', { provider: 'pgw/lab' });
    const payer = await node.payer();
    for (const [path, model] of [
      ['/up/v1/chat/completions', 'demo'],
      ['/pgw/lab/v1/chat/completions', 'up'],
    ] as const) {
      for (const stream of [false, true]) {
        const body = chatBody({ model, stream });
        const got = await ask(node.port, 'POST', path, body, undefined, payer.headers);
        expect([got.status, headerOf(got, 'location'), got.body.toString()]).toEqual([status, location, 'moved']);
      }
    }
    expect(up.asked).toHaveLength(4);
    expect(thief.seen).toEqual([]);
  });

  it('of a list of models is not followed either', async () => {
    await using thief = await startListing(listOf('stolen'));
    await using gateway = await startListing(
      (response) => void response.writeHead(307, { location: `${thief.url}/v1/models` }).end(),
    );
    await using node = await startHosted({
      listen: { port: 0, transport },
      gateways: { allow_private: ['127.0.0.0/8'] },
    });
    const added = { slug: 'lab', name: 'Lab', base_url: gateway.url, credential: 'secret-of-lab' };
    expect(JSON.stringify(await node.operate('gateways.add', added))).toContain('redirects are not followed');
    expect(gateway.seen).not.toEqual([]);
    expect(thief.seen).toEqual([]);
  });
});
