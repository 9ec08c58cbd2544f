// Requests that cannot be answered, and what each is answered with, word for word.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Serving } from './serving.js';

/** One of them. `json` is sent as JSON, `text` and `base64` as they are. */
export interface GoldenError {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
  readonly status: number;
  readonly allow?: string;
  readonly error: object;
}

/** Those of a file of test/vectors. */
export function readGoldenErrors(file: string): GoldenError[] {
  return JSON.parse(readFileSync(join(process.cwd(), 'test/vectors', file), 'utf8')) as GoldenError[];
}

/** The id of each request. */
export const GOLDEN_ID = 'golden-1';

/** Sends the request and compares what all such answers have; the body. */
export async function expectGolden(serving: Serving, one: GoldenError): Promise<{ readonly error: object }> {
  const { json, text, base64 } = one;
  const body =
    base64 === undefined
      ? (text ?? (json === undefined ? undefined : JSON.stringify(json)))
      : Buffer.from(base64, 'base64');
  const response = await fetch(serving.url + one.path, {
    method: one.method ?? 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': GOLDEN_ID, ...one.headers },
    ...(body !== undefined && { body }),
  });
  // Node from 22.15 on knows zstd as well.
  const answer = JSON.parse((await response.text()).replace('gzip, deflate, br, zstd', 'gzip, deflate, br')) as {
    error: object;
  };
  expect({ status: response.status, error: answer.error }).toEqual({ status: one.status, error: one.error });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toBe(GOLDEN_ID);
  expect(response.headers.get('allow')).toBe(one.allow ?? null);
  return answer;
}
