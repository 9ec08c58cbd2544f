import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { offencesOf } from './openai-schemas.js';
import { overTransports } from '../http/over-transports.js';
import { startServing, type Serving } from './serving.js';

interface Golden {
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

const path = join(process.cwd(), 'test/vectors/server/errors.json');
const golden = JSON.parse(readFileSync(path, 'utf8')) as Golden[];

function bodyOf({ json, text, base64 }: Golden): string | Uint8Array | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return text ?? (json === undefined ? undefined : JSON.stringify(json));
}

overTransports('a request that cannot be answered', (transport) => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it('has at least sixty kinds', () => {
    expect(golden.length).toBeGreaterThanOrEqual(60);
    expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length);
  });

  it.each(golden.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const body = bodyOf(one);
    const response = await fetch(serving.url + one.path, {
      method: one.method ?? 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'golden-1', ...one.headers },
      ...(body !== undefined && { body }),
    });
    const answer = (await response.json()) as { error: object };
    expect({ status: response.status, error: answer.error }).toEqual({ status: one.status, error: one.error });
    expect(offencesOf('ErrorResponse', answer)).toEqual([]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toBe('golden-1');
    expect(response.headers.get('allow')).toBe(one.allow ?? null);
  });

  it('loads no model and touches no file that its name did not list', async () => {
    expect(serving.host.models().map(({ id }) => id)).toEqual(['demo']);
  });

  it('says nothing of the request in the log', () => {
    const lines = JSON.stringify(serving.log);
    expect(serving.log.length).toBeGreaterThanOrEqual(golden.length);
    expect(lines).not.toMatch(/passwd|gpt-4o|robot|one two three/);
  });
});
