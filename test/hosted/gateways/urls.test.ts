// Base URLs of connected gateways (S9): however one is written, nothing connects to where no gateway may be.
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/base/index.js';
import { parseAllowedRanges, toMayConnect, type ContactRules } from '../../../src/hosted/gateways/contact-rules.js';
import { checkResolved, parseGatewayUrl, toGatewayBaseUrl } from '../../../src/hosted/gateways/gateway-url.js';
import { fetchModels } from '../../../src/hosted/sync/fetch-models.js';
import { lookUpInSystem } from '../../../src/address/index.js';
import { systemClock } from '../../../src/base/index.js';
import { forbiddenUrls } from '../../address/forbidden-urls.js';
import { useHoneypot } from '../../address/use-honeypot.js';

const rulesOf = (...allowed: readonly string[]): ContactRules => ({
  allowed: parseAllowedRanges(allowed),
  own: () => [{ host: '0.0.0.0', port: 9470 }],
  ownHosts: new Set(['api.example.com', 'api.example.com:8443']),
  interfaces: {
    eth0: [{ address: '10.1.2.3', netmask: '255.0.0.0', family: 'IPv4', mac: '', internal: false, cidr: '10.1.2.3/8' }],
  },
});
const nobody = async (): Promise<readonly string[]> => [];

describe('the base URL of a gateway', () => {
  it.each([
    ['https://gw.example.com', 'https://gw.example.com'],
    ['https://gw.example.com/', 'https://gw.example.com'],
    ['https://GW.example.com:443/v1', 'https://gw.example.com'],
    ['http://gw.example.com:8080/engines/v1/', 'http://gw.example.com:8080/engines'],
    ['http://8.8.8.8', 'http://8.8.8.8'],
    ['http://[2606:4700::1111]:9000/x', 'http://[2606:4700::1111]:9000/x'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ])('%s is kept as %s', (text, kept) => {
    expect(toGatewayBaseUrl(parseGatewayUrl(text, rulesOf()))).toBe(kept);
  });

  it.each([
    ['https://user:pw@gw.example.com', /a user or a password/],
    ['https://@gw.example.com', /a user or a password/],
    ['https://gw.example.com/?a=1', /a query/],
    ['https://gw.example.com/#a', /a query/],
    ['https://gw.example.com?', /a query/],
    ['ftp://gw.example.com', /not an http or https URL/],
    ['gw.example.com', /not an http or https URL/],
    ['https://gw.example.com\\@evil.example', /plain characters/],
    ['https://gw.exa mple.com', /plain characters/],
    ['https://bücher.example', /plain characters/],
    ['https://gw.example.com\r\nhost: x', /plain characters/],
    ['https:///gw.example.com', /not a URL/],
    ['https://gw.example.com.', /a dot at its end/],
    ['https://127.0.0.1', /loopback address, and no range/],
    ['https://10.0.0.1', /private address, and no range/],
    ['https://[::1]', /loopback address/],
    ['https://169.254.169.254', /link-local address/],
    ['https://168.63.129.16', /metadata address/],
    ['https://2130706433', /another form; write it as 127\.0\.0\.1/],
    ['https://0x7f.1', /another form/],
    ['https://127.1', /another form/],
    ['https://%31%32%37.0.0.1', /another form/],
    ['https://api.example.com', /would be a loop/],
    ['https://API.example.com:443/pgw/other', /would be a loop/],
    [`https://gw.example.com/${'a'.repeat(300)}`, /the limit is 300/],
  ])('%j is refused', (text, why) => {
    expect(() => parseGatewayUrl(text, rulesOf())).toThrow(why);
  });

  it('may be in a range that the operator allows, and nowhere that no range leads', () => {
    const rules = rulesOf('10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::/0');
    expect(toGatewayBaseUrl(parseGatewayUrl('http://10.9.9.9:8000', rules))).toBe('http://10.9.9.9:8000');
    expect(toGatewayBaseUrl(parseGatewayUrl('http://[::1]:8000', rules))).toBe('http://[::1]:8000');
    for (const url of [
      'http://169.254.169.254',
      'http://192.168.0.1',
      'http://0.0.0.0',
      'http://[fe80::1]',
      'http://[ff02::1]',
    ]) {
      expect(() => parseGatewayUrl(url, rules)).toThrow(/address/);
    }
    expect(() => parseAllowedRanges(['10.0.0.0/33'])).toThrow(/CIDR/);
    expect(() => parseAllowedRanges(['ten'])).toThrow(/CIDR/);
  });

  it('is refused where its name has an address that is not allowed, or leads back to this process', async () => {
    const rules = rulesOf('10.0.0.0/8', '127.0.0.0/8');
    const check = (url: string, ...addresses: readonly string[]): Promise<void> =>
      checkResolved(parseGatewayUrl(url, rules), rules, async () => addresses);
    await check('http://gw.example.com', '10.7.7.7', '8.8.8.8');
    await expect(check('http://gw.example.com')).rejects.toThrow(/has no address now/);
    await expect(check('http://gw.example.com', '8.8.8.8', '169.254.169.254')).rejects.toThrow(/link-local/);
    await expect(check('http://gw.example.com', 'fe80::1%eth0')).rejects.toThrow(/no address that can be contacted/);
    await expect(check('http://gw.example.com', '::ffff:192.168.1.1')).rejects.toThrow(/private/);
    await expect(check('http://gw.example.com:9470', '10.1.2.3')).rejects.toThrow(/a loop/);
    await expect(check('http://127.0.0.1:9470')).rejects.toThrow(/a loop/);
    await check('http://gw.example.com:9471', '10.1.2.3');
  });
});

describe('forms of forbidden addresses', () => {
  const honeypot = useHoneypot();

  it('are taken for no gateway, and connect to nothing', async () => {
    const rules = rulesOf();
    const taken: string[] = [];
    for (const url of forbiddenUrls(honeypot.port)) {
      try {
        const parsed = parseGatewayUrl(url, rules);
        await checkResolved(parsed, rules, nobody);
        taken.push(url);
      } catch (error) {
        if (!isAppError(error)) throw error;
      }
      // Also one that stands in the database.
      const fetched = await tryFetch(url, rules);
      expect(fetched, url).not.toBe('read');
    }
    expect(taken).toEqual([]);
    expect(honeypot.visits).toBe(0);
  });

  async function tryFetch(baseUrl: string, rules: ContactRules): Promise<string> {
    const request = {
      lookUpAll: lookUpInSystem,
      slug: 's',
      credential: 'x',
      etag: undefined,
      serviceId: '',
      clock: systemClock,
    };
    try {
      const signal = new AbortController().signal;
      return (await fetchModels({ ...request, baseUrl, mayConnect: toMayConnect(rules), signal })).state;
    } catch (error) {
      if (!isAppError(error)) throw error;
      return error.code;
    }
  }
});
