import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toErrorBody, toHttpAnswer, toHttpHeaders } from '../../src/api/index.js';
import { createKindOf, type CodeTable } from '../../src/base/index.js';
import { codeTables } from '../repo/code-tables.js';
import { isAnswered } from '../repo/errors-page.js';

const kindOf = createKindOf(Object.values(codeTables));
const codes = Object.entries(codeTables).flatMap(([module, table]) =>
  Object.entries(table).filter(([code]) => isAnswered(module, code)),
);

describe('the answers to error codes', () => {
  it('are what clients have come to know', () => {
    const path = join(process.cwd(), 'test/vectors/server/answers.json');
    const known = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>;
    expect(Object.keys(known).length).toBeGreaterThan(60);
    for (const [code, answer] of Object.entries(known))
      expect([code, toHttpAnswer(code, kindOf)]).toEqual([code, answer]);
  });

  it('follow from the kind of a new code, of which no table knows', () => {
    const table: CodeTable = { key_revoked: { who: 'caller', kind: 'unauthenticated', when: 'a key was taken back' } };
    const withNew = createKindOf([table]);
    expect(toHttpAnswer('key_revoked', withNew)).toEqual({ status: 401, type: 'authentication_error' });
    const { error } = toErrorBody({ code: 'key_revoked', message: 'no', details: {} }, withNew);
    expect(error).toEqual({ message: 'no', type: 'authentication_error', param: null, code: 'key_revoked' });
  });

  it('say when a limited key may go on, and that an empty budget does not fill by asking again', () => {
    const limited = toHttpAnswer('rate_limit_exceeded', kindOf);
    expect(limited).toEqual({ status: 429, type: 'rate_limit_error' });
    const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' };
    const again = { 'retry-after': '2', 'retry-after-ms': '1500', ...reset };
    expect(toHttpHeaders(limited, { retryAfterMs: 1500 })).toEqual(again);
    expect(toHttpHeaders(limited, { retryAfterMs: 1500, value: 60 })).toEqual({ ...again, 'x-ratelimit-limit': '60' });
    expect(toHttpHeaders(limited)).toMatchObject({ 'retry-after': '60', 'x-ratelimit-reset': '60' });
    const spent = toHttpAnswer('budget_exceeded', kindOf);
    expect(spent.status).toBe(429);
    const hours = [
      [{ resetsAtMs: 7_200_000 }, '7200'],
      [{ resetsAtMs: 1 }, '1'],
      [{ resetsAtMs: null }, '86400'],
    ] as const;
    for (const [details, seconds] of hours) {
      const headers = { 'x-should-retry': 'false', 'retry-after': seconds, 'x-ratelimit-reset': seconds };
      expect(toHttpHeaders(spent, details, 0)).toMatchObject({ ...headers, 'x-ratelimit-remaining': '0' });
    }
    const body = toErrorBody({ code: 'budget_exceeded', message: 'none left', details: {} }, kindOf);
    expect(body.error).toMatchObject({ type: 'budget_exceeded', code: 'insufficient_quota' });
  });

  it.each(['missing_api_key', 'invalid_api_key', 'expired_key', 'admin_token_invalid'])(
    '%s is 401 and says how',
    (code) => {
      const answer = toHttpAnswer(code, kindOf);
      expect([answer.status, toHttpHeaders(answer)]).toEqual([401, { 'www-authenticate': 'Bearer' }]);
    },
  );

  it('say by their status whose turn it is: what is to be waited for is 409, 429, 503 or 504, with a time', () => {
    expect(codes.length).toBeGreaterThan(60);
    for (const [code, { who }] of codes) {
      const answer = toHttpAnswer(code, kindOf);
      if (who === 'wait') expect([code, [409, 429, 503, 504].includes(answer.status)]).toEqual([code, true]);
      if (answer.status === 503)
        expect([code, toHttpHeaders(answer)]).toEqual([
          code,
          {
            'retry-after': expect.stringMatching(/^\d+$/) as string,
            'retry-after-ms': expect.stringMatching(/^\d+000$/) as string,
          },
        ]);
      if (who === 'developer' && code !== 'call_cancelled') expect([code, answer.isPrivate]).toEqual([code, true]);
    }
  });

  it('tell SDKs not to send again what an engine died of', () => {
    const answer = toHttpAnswer('request_poisonous', kindOf);
    expect(answer).toMatchObject({ status: 500, type: 'server_error' });
    expect(toHttpHeaders(answer)).toEqual({ 'x-should-retry': 'false' });
    const body = toErrorBody({ code: 'request_poisonous', message: 'the engine died', details: {} }, kindOf);
    expect(body.error).toMatchObject({ code: 'request_poisonous', message: 'the engine died' });
  });

  it('hide what is ours alone', () => {
    const body = toErrorBody({ code: 'internal_error', message: 'secret', details: { param: 'secret' } }, kindOf);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(toErrorBody({ code: 'EMFILE', message: 'secret', details: {} }, kindOf).error.code).toBe('internal_error');
  });
});
