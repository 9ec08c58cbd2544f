import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAnnounced, checkHead } from '../../src/http/heads/check-head.js';
import { DEFAULT_LIMITS, isLoopbackHost } from '../../src/http/index.js';
import { createAllowedNames, type AllowedNames } from '../../src/http/heads/names.js';
import type { RequestHead } from '../../src/http/exchange.js';

const names = createAllowedNames('127.0.0.1');
const base: RequestHead = {
  scheme: 'http',
  method: 'POST',
  target: '/a',
  version: '1.1',
  fields: [['Host', 'localhost']],
  checksChunks: true,
};
const check = (changed: Partial<RequestHead>): unknown => checkHead({ ...base, ...changed }, names, DEFAULT_LIMITS);

describe('the check of a head', () => {
  it('takes a plain one', () => {
    expect(
      check({
        target: '/a?b=c',
        fields: [
          ['HOST', 'localhost'],
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      }),
    ).toMatchObject({
      path: '/a',
      headers: new Map([
        ['host', 'localhost'],
        ['x-a', '1, 2'],
      ]),
      contentLength: undefined,
    });
  });

  it('takes of any fields only framing that has one reading', () => {
    const value = fc.oneof(
      fc.constantFrom(
        'chunked',
        'Chunked',
        'identity',
        'chunked, chunked',
        '0',
        '5',
        '05',
        '+5',
        '-1',
        '0x5',
        '5,5',
        '',
        ' 5 ',
        '\xa05',
        '5\x85',
        'chunked\xa0',
      ),
      fc.string({ maxLength: 6 }),
      fc.nat().map(String),
    );
    const name = fc.constantFrom(
      'Content-Length',
      'content-length',
      'Transfer-Encoding',
      'transfer-encoding',
      'X-A',
      'Host',
    );
    const fields = fc.array(fc.tuple(name, value), { maxLength: 4 });
    fc.assert(
      fc.property(fields, (more) => {
        const result = checkHead({ ...base, fields: [...base.fields, ...more] }, names, DEFAULT_LIMITS);
        if ('code' in result) return;
        const of = (key: string): string[] =>
          more.filter(([n]) => n.toLowerCase() === key).map(([, v]) => v.replace(/^[ \t]+|[ \t]+$/g, ''));
        expect(of('host')).toEqual([]);
        const [lengths, codings] = [of('content-length'), of('transfer-encoding')];
        expect(lengths.length + codings.length).toBeLessThanOrEqual(1);
        for (const length of lengths) expect(String(Number(length)).padStart(length.length, '0')).toBe(length);
        for (const coding of codings) expect(coding.toLowerCase()).toBe('chunked');
      }),
      { numRuns: 3_000 },
    );
  });

  it('carries bytes beyond ASCII, and takes none of them for a blank', () => {
    const field = (name: string, value: string): unknown => check({ fields: [...base.fields, [name, value]] });
    expect(field('X-Name', 'J\xf6rg \xff')).toMatchObject({
      headers: new Map([
        ['host', 'localhost'],
        ['x-name', 'J\xf6rg \xff'],
      ]),
    });
    expect(field('X-Name', 'a\x07')).toMatchObject({ code: 'request_malformed' });
    expect(field('Content-Length', '\xa05')).toMatchObject({ code: 'request_malformed' });
    expect(field('Transfer-Encoding', 'chunked\xa0')).toMatchObject({ code: 'request_malformed' });
    expect(check({ fields: [['Host', 'localhost\xa0']] })).toMatchObject({ code: 'host_refused', framing: 'sound' });
  });

  it('answers too many fields, unless their framing has two readings', () => {
    const many = Array.from({ length: DEFAULT_LIMITS.headerCount }, (_, i) => [`X-${i}`, 'v'] as const);
    expect(check({ fields: [...base.fields, ...many] })).toMatchObject({ code: 'headers_too_large', framing: 'sound' });
    const doubled = [...base.fields, ...many, ['Content-Length', '1'], ['Content-Length', '2']] as const;
    expect(check({ fields: doubled })).toMatchObject({ code: 'request_malformed', framing: 'malformed' });
  });

  it('refuses a body above the limit before a byte of it came', () => {
    const fields = (length: number): [string, string][] => [
      ['Host', 'localhost'],
      ['Content-Length', String(length)],
    ];
    expect(check({ fields: fields(DEFAULT_LIMITS.bodyBytes) })).toMatchObject({
      contentLength: DEFAULT_LIMITS.bodyBytes,
    });
    expect(checkAnnounced(undefined, 10)).toBeUndefined();
    expect(checkAnnounced(DEFAULT_LIMITS.bodyBytes, DEFAULT_LIMITS.bodyBytes)).toBeUndefined();
    expect(checkAnnounced(DEFAULT_LIMITS.bodyBytes + 1, DEFAULT_LIMITS.bodyBytes)).toMatchObject({
      code: 'request_too_large',
      framing: 'sound',
    });
  });
});

describe('the names of a listener', () => {
  const own = createAllowedNames('192.168.7.7', ['Models.LAN', 'other:81', '[fd00:0:0:0:0:0:0:5]']);
  const refusedOf = (of: AllowedNames, hosts: readonly string[]): string[] =>
    hosts.filter((host) => !of.isHostAllowed(host));

  it('are the loopback names and the listen host at any port and without one, and what was added, exactly', () => {
    const anyPort = ['localhost', 'LOCALHOST', '127.0.0.1', '127.0.1.1', '[::1]', '192.168.7.7'];
    const taken = [
      ...anyPort.flatMap((name) => [name, `${name}:1`, `${name}:8080`, `${name}:65535`]),
      'models.lan',
      'models.lan:5',
      'other:81',
      '[fd00::5]',
      '[fd00::5]:1',
      // Other spellings of an address are that address: no DNS name is one.
      '[0:0:0:0:0:0:0:1]:80',
      '[::ffff:127.0.0.1]',
      '[::FFFF:7f00:1]:8080',
    ];
    expect(refusedOf(own, taken)).toEqual([]);
  });

  it('are none that DNS could give to another host, nor any that two readers could take for two hosts', () => {
    const foreign = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      'x.localhost',
      'localhost.',
      '127.0.0.1.',
      '192.168.7.8',
      '[::2]',
      '[::ffff:8.8.8.8]',
      'other',
      'other:82',
      'x.models.lan',
      'models.lan.',
      'user@localhost',
      'localhost@evil.example',
      'localhost:80@evil.example',
      'evil.example#localhost',
      'localhost:65536',
      'localhost:',
      'localhost:8080:80',
      'localhost:-1',
      'localhost:0x50',
      ':11434',
      '',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '127.0.0.256',
      '127.0.0.01',
      '::1',
      '[::1',
      '[::1%25lo]',
      '[localhost]',
      'local\u017fhost',
      'loca\uff4chost',
      'localhost\xa0',
      'local host',
      'localhost/',
      'localhost,evil.example',
    ];
    expect(foreign.filter((host) => own.isHostAllowed(host))).toEqual([]);
  });

  it('are all addresses too on a wildcard host, since DNS rebinding uses names', () => {
    for (const host of ['0.0.0.0', '::']) {
      const open = createAllowedNames(host);
      expect(refusedOf(open, ['[::1]', '192.168.1.5:8080', '[fd00::5]:1', 'localhost:1'])).toEqual([]);
      expect(open.isHostAllowed('evil.example')).toBe(false);
    }
  });

  it('are all where * was added', () => {
    const open = createAllowedNames('127.0.0.1', ['*'], ['*']);
    expect(refusedOf(open, ['evil.example', 'x:1'])).toEqual([]);
    expect(['https://evil.example', 'null'].filter((origin) => !open.isOriginAllowed(origin))).toEqual([]);
    // It goes back in a header of the answer.
    expect(open.isOriginAllowed('https://evil\xe9')).toBe(false);
  });

  it('take pages that the listener served itself, but not where any host is allowed', () => {
    const takes = (hosts: readonly string[], origin: string, host: string): boolean =>
      createAllowedNames('0.0.0.0', hosts).isOriginAllowed(origin, host);
    expect(takes([], 'http://192.168.1.5:11434', '192.168.1.5:11434')).toBe(true);
    expect(takes(['chat.lan'], 'https://Chat.lan', 'chat.lan')).toBe(true);
    expect(takes([], 'http://192.168.1.5', '192.168.1.5:11434')).toBe(false);
    expect(takes([], 'http://192.168.1.6:11434', '192.168.1.5:11434')).toBe(false);
    expect(takes([], 'file://192.168.1.5', '192.168.1.5')).toBe(false);
    expect(takes(['*'], 'http://evil.example:11434', 'evil.example:11434')).toBe(false);
  });

  it('have the same rule for the origins of this machine', () => {
    const { isOriginAllowed } = createAllowedNames('127.0.0.1', [], ['https://ok.example', 'chrome-extension://abc']);
    const taken = [
      'http://localhost',
      'https://localhost:3000',
      'http://127.0.0.1:5173',
      'http://127.9.9.9:1',
      'http://[::1]:80',
      'https://ok.example',
      'chrome-extension://abc',
    ];
    expect(taken.filter((origin) => !isOriginAllowed(origin))).toEqual([]);
    const foreign = [
      'null',
      'http://evil.example',
      'http://localhost.evil.example',
      'http://127.0.0.1.nip.io',
      'http://localhost.',
      'http://user@localhost',
      'file://localhost',
      'http://localhost/',
      'http://localhost:99999',
      'localhost',
      '',
      'https://ok.example:444',
      'http://ok.example',
      'chrome-extension://abcd',
    ];
    expect(foreign.filter((origin) => isOriginAllowed(origin))).toEqual([]);
  });

  it('know which hosts others can reach', () => {
    expect(['127.0.0.1', 'localhost', '::1', '127.9.9.9'].filter((host) => !isLoopbackHost(host))).toEqual([]);
    expect(['0.0.0.0', '::', '192.168.1.1', 'localhost.evil', '127.evil'].filter(isLoopbackHost)).toEqual([]);
  });
});
