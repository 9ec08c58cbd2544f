// Keys that are guessed (S7): none is taken, and nothing but the whole of one is.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/base/index.js';
import { createKeySecret } from '../../src/metering/index.js';
import { parseKeySecret } from '../../src/metering/keys/key-secret.js';
import { createKeyGuesses } from './hardening-guesses.js';
import { keyHeaders, startGateway } from './hardening-gateway.js';

const GUESSES = 100_000;

/** The code of the error that a function throws; undefined: it throws none. */
function refusalOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

describe('keys that are guessed', () => {
  it(`of ${GUESSES} that look right none is taken, and few get as far as a look-up`, async () => {
    await using gateway = await startGateway({ upstreams: {} });
    const { meter } = gateway.gateway;
    const guess = createKeyGuesses(gateway.key);
    const taken: string[] = [];
    let wellFormed = 0;
    for (let i = 0; i < GUESSES; i++) {
      const secret = guess(i);
      if (parseKeySecret(secret) !== undefined) wellFormed++;
      if (refusalOf(() => meter?.authenticate(secret)) !== 'invalid_api_key') taken.push(secret);
    }
    expect(taken).toEqual([]);
    // Those that were made whole, check digits and all.
    expect(wellFormed).toBeLessThan(GUESSES / 4 + 10);
    expect(meter?.authenticate(gateway.key).id).toBe('vk_hard');
  });

  it('over HTTP the answers are the same 401, whatever of the key is right', async () => {
    await using gateway = await startGateway({ upstreams: {} });
    const { key, port } = gateway;
    const other = createKeySecret('gwk').secret;
    const ask = async (secret: string): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: keyHeaders(secret) });
      return `${answer.status} ${answer.headers.get('www-authenticate')} ${await answer.text()}`;
    };
    const answers = await Promise.all(
      [
        other,
        key.slice(0, -1),
        `${key}0`,
        key.toUpperCase(),
        key.slice(0, 10),
        `${key.slice(0, 10)}${other.slice(10)}`,
      ].map(ask),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^401 Bearer .*invalid_api_key/);
    expect(await ask(key)).toMatch(/^200/);
  });

  it('takes one in a header and nowhere else', async () => {
    await using gateway = await startGateway({ upstreams: {} });
    const { key, port } = gateway;
    const ask = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
    expect(await ask('/v1/models', { authorization: `Bearer ${key}` })).toBe(200);
    expect(await ask('/v1/models', { 'x-api-key': key })).toBe(200);
    const nowhere: Record<string, string>[] = [
      { cookie: `key=${key}` },
      { 'api-key': key },
      { 'x-goog-api-key': key },
      { authorization: key },
      { authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` },
      { authorization: `Bearer ${key}, Bearer ${key}` },
      { authorization: `Bearer ${key} ${key}` },
      { 'proxy-authorization': `Bearer ${key}` },
      { authorization: `Bearer ${createKeySecret('gwk').secret}`, 'x-api-key': key },
      { authorization: `Bearer ${createHash('sha256').update(key).digest('hex')}` },
    ];
    for (const headers of nowhere) expect([headers, await ask('/v1/models', headers)]).toEqual([headers, 401]);
    for (const name of ['key', 'api_key', 'token', 'access_token']) {
      expect(await ask(`/v1/models?${name}=${key}`, {})).toBe(401);
    }
    expect(await ask('/v1/models', { authorization: `Bearer ${randomBytes(32).toString('hex')}` })).toBe(401);
  });
});
