import { describe, expect, it } from 'vitest';
import { createRouter, type HttpRequest, type Route } from '../../src/http/index.js';

const request = (method: string, path: string): HttpRequest => ({
  id: 'id',
  method,
  path,
  params: {},
  query: new URLSearchParams(),
  headers: new Map(),
  body: new Uint8Array(0),
  signal: new AbortController().signal,
  client: '127.0.0.1',
  receivedMs: 0,
});
const route = (method: string, path: string): Route => ({
  method,
  path,
  handle: async ({ params }) => ({ status: 200, body: JSON.stringify({ route: `${method} ${path}`, params }) }),
});
const routes = ['/', '/v1/models', '/v1/models/{id}', '/v1/{rest}'].map((path) => route('GET', path));
const router = createRouter(
  [...routes, route('POST', '/v1/models'), route('DELETE', '/v1/models/{id}')],
  async ({ path }) => ({ status: 404, body: path }),
  async (_, allow) => ({ status: 405, headers: { allow } }),
);
const taken = async (method: string, path: string): Promise<unknown> => {
  const { body } = await router(request(method, path));
  return typeof body === 'string' ? JSON.parse(body) : body;
};

describe('the router', () => {
  it('finds exact paths, then the longest beginning', async () => {
    expect(await taken('GET', '/')).toEqual({ route: 'GET /', params: {} });
    expect(await taken('GET', '/v1/models')).toEqual({ route: 'GET /v1/models', params: {} });
    expect(await taken('GET', '/v1/models/a')).toEqual({ route: 'GET /v1/models/{id}', params: { id: 'a' } });
    expect(await taken('GET', '/v1/other/x')).toEqual({ route: 'GET /v1/{rest}', params: { rest: 'other/x' } });
  });

  it('gives a parameter the rest of the path, with slashes as they are or escaped', async () => {
    for (const path of ['/v1/models/org/name:tag', '/v1/models/org%2Fname:tag', '/v1/models/org%2fname%3Atag']) {
      expect(await taken('GET', path)).toMatchObject({ params: { id: 'org/name:tag' } });
    }
    expect(await taken('GET', '/v1/models/gr%C3%BC%20n')).toMatchObject({ params: { id: 'grü n' } });
    expect(await taken('GET', '/v1/models/..%2f..%2fetc')).toMatchObject({ params: { id: '../../etc' } });
  });

  it('takes several slashes for one, and a slash at the end for none', async () => {
    for (const path of ['/v1/models/', '//v1/models', '/v1//models', '///v1/models//']) {
      expect(await taken('GET', path), path).toMatchObject({ route: 'GET /v1/models' });
    }
    expect(await taken('GET', '//')).toMatchObject({ route: 'GET /' });
    expect(await taken('GET', '/v1/models/org//name/')).toMatchObject({ params: { id: 'org/name' } });
    // Escaped ones belong to a name.
    expect(await taken('GET', '/v1/models/a%2F%2Fb%2F')).toMatchObject({ params: { id: 'a//b/' } });
  });

  it('has no place for paths that are unknown, not decodable, or without the parameter', async () => {
    for (const path of ['/v2', '/v1', '/v1/', '/V1/models', '/v1/models/%zz%', '/v1/models/%ff', '*']) {
      expect((await router(request('GET', path))).status, path).toBe(404);
    }
  });

  it('tells the methods of a path that has others, and answers HEAD and OPTIONS', async () => {
    expect(await router(request('PUT', '/v1/models'))).toMatchObject({
      status: 405,
      headers: { allow: 'GET, POST, HEAD, OPTIONS' },
    });
    expect(await router(request('POST', '/v1/models/x'))).toMatchObject({
      headers: { allow: 'GET, DELETE, HEAD, OPTIONS' },
    });
    expect(await router(request('OPTIONS', '/v1/models'))).toEqual({
      status: 204,
      headers: { allow: 'GET, POST, HEAD, OPTIONS' },
    });
    expect((await router(request('HEAD', '/v1/models'))).status).toBe(200);
    expect((await router(request('OPTIONS', '/v2'))).status).toBe(404);
  });

  it('does not take the names of objects for parameters', async () => {
    const odd = createRouter(
      [route('GET', '/x/{__proto__}')],
      async () => ({ status: 404 }),
      async () => ({ status: 405 }),
    );
    const { body } = await odd(request('GET', '/x/y'));
    expect(body).toBe('{"route":"GET /x/{__proto__}","params":{"__proto__":"y"}}');
  });
});
