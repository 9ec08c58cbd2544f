import { describe, expect, it } from 'vitest';
import { checkAllowedHost, checkAllowedOrigin, listen, refuseBody, type Decision } from '../../src/http/index.js';
import { toErrorResponse } from './over-transports.js';

const refusalOf = (check: (option: string, value: string) => void, value: string): string | undefined => {
  try {
    check('--allow-it', value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a value of --allow-origin', () => {
  it('may be what browsers send, whichever case it is in', () => {
    const fine = [
      'https://chat.example',
      'HTTPS://Chat.Example',
      'http://chat.example:8080',
      'http://[fd00::5]:3000',
      '*',
      'null',
      'chrome-extension://abcdefghij',
      'moz-extension://5a8e-11',
      'tauri://localhost',
      'capacitor://localhost',
      'https://xn--mller-kva.example',
      'http://localhost:3000',
    ];
    for (const value of fine) expect(refusalOf(checkAllowedOrigin, value), value).toBeUndefined();
  });

  it('is refused where it can never match, with what would', () => {
    const wrong: readonly (readonly [value: string, would: string])[] = [
      ['https://chat.example/', 'no path, not even a slash at its end; https://chat.example would match'],
      ['https://chat.example/app?x#y', 'https://chat.example would match'],
      ['chat.example', 'begins with its scheme; https://chat.example or http://chat.example would match'],
      ['localhost:3000', 'https://localhost:3000 or http://localhost:3000 would match'],
      ['https://chat.example:443', 'https://chat.example would match'],
      ['http://chat.example:80', 'http://chat.example would match'],
      ['https://*.example', 'list each one, or give * alone'],
      ['https://chat.example:*', 'list each one, or give * alone'],
      ['https://me@chat.example', 'no user; https://chat.example would match'],
      ['https://müller.example', 'https://xn--mller-kva.example would match'],
      ['https://[0:0:0:0:0:0:0:1]', 'https://[::1] would match'],
      ['chrome-extension://abc/', 'chrome-extension://abc would match'],
      ['https://', 'can never match'],
      ['https://chat.example:99999', 'can never match'],
      [' ', 'it is empty'],
      ['', 'it is empty'],
    ];
    for (const [value, would] of wrong) expect(refusalOf(checkAllowedOrigin, value), value).toContain(would);
  });
});

describe('a value of --allow-host', () => {
  it('may be a name or an address, with a port or without', () => {
    const fine = [
      'x.example',
      'X.Example:8080',
      'x.example:80',
      'my_service',
      '10.0.0.1:1',
      '[fd00::5]',
      '[fd00::5]:1',
      '*',
    ];
    for (const value of fine) expect(refusalOf(checkAllowedHost, value), value).toBeUndefined();
  });

  it('is refused where it can never match, with what would', () => {
    const wrong: readonly (readonly [value: string, would: string])[] = [
      ['https://x.example', 'no scheme; x.example would match'],
      ['http://x.example:8080/', 'no scheme; x.example:8080 would match'],
      ['x.example/', 'no path; x.example would match'],
      ['me@x.example', 'no user; x.example would match'],
      ['*.example', 'list each name, or give * alone'],
      ['müller.example', 'xn--mller-kva.example would match'],
      ['fd00::5', '[fd00::5] would match'],
      ['[fd00:0:0:0:0:0:0:5]:1', '[fd00::5]:1 would match'],
      ['127.1', '127.0.0.1 would match'],
      ['x.example:99999', 'can never match'],
      ['x.example:', 'x.example would match'],
      ['x y', 'can never match'],
      ['', 'it is empty'],
    ];
    for (const [value, would] of wrong) expect(refusalOf(checkAllowedHost, value), value).toContain(would);
  });

  it('is refused by a listener too, under the name of its option', async () => {
    const options = { host: '127.0.0.1', port: 0, transport: 'node', log: () => {}, toErrorResponse } as const;
    const handler = (): Decision => refuseBody({ status: 200 });
    await expect(listen({ ...options, handler, allowedHosts: ['a', 'b/'] })).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('allowedHosts[1]'),
    });
    await expect(listen({ ...options, handler, allowedOrigins: ['a'] })).rejects.toMatchObject({
      code: 'invalid_value',
    });
  });
});
