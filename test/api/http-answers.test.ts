import { describe, expect, it } from 'vitest';
import { httpAnswers, toErrorBody, toHttpHeaders } from '../../src/api/index.js';
import { codeTables } from '../../src/cli/exit-codes.js';

/** Rooms whose errors no HTTP client can cause, and codes of a program's own options and of a listener that never listens. */
const elsewhere = ['cli'];
const atStart = [
  'invalid_option',
  'address_in_use',
  'address_unavailable',
  'transport_unavailable',
  'transport_unsafe',
];

describe('the answers to error codes', () => {
  const codes = Object.entries(codeTables)
    .filter(([room]) => !elsewhere.includes(room))
    .flatMap(([, table]) => Object.entries(table))
    .filter(([code]) => !atStart.includes(code));

  it('are there for every code that can reach a client, and for no other', () => {
    expect(codes.length).toBeGreaterThan(60);
    expect([...httpAnswers.keys()].toSorted()).toEqual(codes.map(([code]) => code).toSorted());
  });

  it('say by their status whose turn it is: what is to be waited for is 503 or 504, with a time', () => {
    for (const [code, { who }] of codes) {
      const answer = httpAnswers.get(code);
      if (who === 'wait') expect([code, [503, 504].includes(answer?.status ?? 0)]).toEqual([code, true]);
      if (answer?.status === 503)
        expect([code, toHttpHeaders(answer)]).toEqual([
          code,
          {
            'retry-after': expect.stringMatching(/^\d+$/) as string,
            'retry-after-ms': expect.stringMatching(/^\d+000$/) as string,
          },
        ]);
      if (who === 'developer' && code !== 'call_cancelled') expect([code, answer?.isPrivate]).toEqual([code, true]);
    }
  });

  it('tell SDKs not to send again what an engine died of', () => {
    const answer = httpAnswers.get('request_poisonous');
    expect(answer).toMatchObject({ status: 500, type: 'server_error' });
    expect(answer === undefined ? {} : toHttpHeaders(answer)).toEqual({ 'x-should-retry': 'false' });
    const body = toErrorBody({ code: 'request_poisonous', message: 'the engine died', details: {} });
    expect(body.error).toMatchObject({ code: 'request_poisonous', message: 'the engine died' });
  });

  it('hide what is ours alone', () => {
    const body = toErrorBody({ code: 'internal_error', message: 'secret', details: { param: 'secret' } });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(toErrorBody({ code: 'EMFILE', message: 'secret', details: {} }).error.code).toBe('internal_error');
  });
});
