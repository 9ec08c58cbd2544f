import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHead } from '../../src/http/check-head.js';
import { DEFAULT_LIMITS, isLoopbackHost } from '../../src/http/index.js';
import { createAllowedNames } from '../../src/http/names.js';
import type { RequestHead } from '../../src/http/exchange.js';

const names = createAllowedNames('127.0.0.1', 80);
const base: RequestHead = {
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
        const of = (key: string): string[] => more.filter(([n]) => n.toLowerCase() === key).map(([, v]) => v.trim());
        expect(of('host')).toEqual([]);
        const [lengths, codings] = [of('content-length'), of('transfer-encoding')];
        expect(lengths.length + codings.length).toBeLessThanOrEqual(1);
        for (const length of lengths) expect(String(Number(length)).padStart(length.length, '0')).toBe(length);
        for (const coding of codings) expect(coding.toLowerCase()).toBe('chunked');
      }),
      { numRuns: 3_000 },
    );
  });

  it('refuses a body above the limit before a byte of it came', () => {
    const fields = (length: number): [string, string][] => [
      ['Host', 'localhost'],
      ['Content-Length', String(length)],
    ];
    expect(check({ fields: fields(DEFAULT_LIMITS.bodyBytes) })).toMatchObject({
      contentLength: DEFAULT_LIMITS.bodyBytes,
    });
    expect(check({ fields: fields(DEFAULT_LIMITS.bodyBytes + 1) })).toMatchObject({
      code: 'request_too_large',
      framing: 'sound',
    });
  });
});

describe('the names of a listener', () => {
  it('are the loopback names, the listen host and what was added, exactly', () => {
    const own = createAllowedNames('192.168.7.7', 11434, ['Models.LAN', 'other:81']);
    const taken = [
      'localhost:11434',
      '127.0.0.1:11434',
      '[::1]:11434',
      '192.168.7.7:11434',
      'models.lan',
      'models.lan:5',
      'other:81',
    ];
    const refused = [
      '192.168.7.8:11434',
      'other',
      'other:82',
      'x.models.lan',
      'models.lan.',
      '192.168.7.7',
      '',
      ':11434',
    ];
    expect(taken.filter((host) => !own.isHostAllowed(host))).toEqual([]);
    expect(refused.filter((host) => own.isHostAllowed(host))).toEqual([]);
  });

  it("are the machine's addresses too on a wildcard host, since DNS rebinding uses names", () => {
    const open = createAllowedNames('::', 80);
    expect([open.isHostAllowed('[::1]'), open.isHostAllowed('evil.example')]).toEqual([true, false]);
  });

  it('know which hosts others can reach', () => {
    expect(['127.0.0.1', 'localhost', '::1', '127.9.9.9'].filter((host) => !isLoopbackHost(host))).toEqual([]);
    expect(['0.0.0.0', '::', '192.168.1.1', 'localhost.evil', '127.evil'].filter(isLoopbackHost)).toEqual([]);
  });
});
