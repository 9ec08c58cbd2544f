import { describe, expect, it } from 'vitest';
import { createRouter, type PathRoute } from '../../src/http/index.js';

const route = (method: string, path: string): PathRoute<string> => ({ method, path, target: `${method} ${path}` });
const routes = ['/', '/v1/models', '/v1/models/{id...}', '/v1/{rest...}'].map((path) => route('GET', path));
const find = createRouter([...routes, route('POST', '/v1/models'), route('DELETE', '/v1/models/{id...}')]);

describe('the router', () => {
  it('finds literal paths, then the longest beginning', () => {
    expect(find('GET', '/')).toEqual({ target: 'GET /', params: {} });
    expect(find('GET', '/v1/models')).toEqual({ target: 'GET /v1/models', params: {} });
    expect(find('GET', '/v1/models/a')).toEqual({ target: 'GET /v1/models/{id...}', params: { id: 'a' } });
    expect(find('GET', '/v1/other/x')).toEqual({ target: 'GET /v1/{rest...}', params: { rest: 'other/x' } });
  });

  it('gives a rest parameter the rest of the path, with slashes as they are or escaped', () => {
    for (const path of ['/v1/models/org/name:tag', '/v1/models/org%2Fname:tag', '/v1/models/org%2fname%3Atag']) {
      expect(find('GET', path)).toMatchObject({ params: { id: 'org/name:tag' } });
    }
    expect(find('GET', '/v1/models/gr%C3%BC%20n')).toMatchObject({ params: { id: 'grü n' } });
    expect(find('GET', '/v1/models/..%2f..%2fetc')).toMatchObject({ params: { id: '../../etc' } });
  });

  it('takes several slashes for one, and a slash at the end for none', () => {
    for (const path of ['/v1/models/', '//v1/models', '/v1//models', '///v1/models//']) {
      expect(find('GET', path), path).toMatchObject({ target: 'GET /v1/models' });
    }
    expect(find('GET', '//')).toMatchObject({ target: 'GET /' });
    expect(find('GET', '/v1/models/org//name/')).toMatchObject({ params: { id: 'org/name' } });
    // Escaped ones belong to a name.
    expect(find('GET', '/v1/models/a%2F%2Fb%2F')).toMatchObject({ params: { id: 'a//b/' } });
  });

  it('has no place for paths that are unknown, not decodable, or without the parameter', () => {
    for (const path of ['/v2', '/v1', '/v1/', '/V1/models', '/v1/models/%zz%', '/v1/models/%ff', '*']) {
      expect(find('GET', path), path).toBeUndefined();
    }
  });

  it('tells the methods of a path that has others, and answers HEAD', () => {
    expect(find('PUT', '/v1/models')).toEqual({ allow: 'GET, POST, HEAD, OPTIONS' });
    expect(find('POST', '/v1/models/x')).toEqual({ allow: 'GET, DELETE, HEAD, OPTIONS' });
    expect(find('OPTIONS', '/v1/models')).toEqual({ allow: 'GET, POST, HEAD, OPTIONS' });
    expect(find('HEAD', '/v1/models')).toMatchObject({ target: 'GET /v1/models' });
    expect(find('OPTIONS', '/v2')).toBeUndefined();
  });

  it('does not take the names of objects for parameters', () => {
    const odd = createRouter([route('GET', '/x/{__proto__}')]);
    expect(JSON.stringify(odd('GET', '/x/y'))).toBe('{"target":"GET /x/{__proto__}","params":{"__proto__":"y"}}');
  });
});

describe('the parameters of a path', () => {
  const gateway = createRouter([
    route('*', '/pgw/{slug}/{rest...}'),
    route('POST', '/pgw/{slug}/v1/chat/completions'),
    route('GET', '/pgw/{slug}/v1/models'),
    route('GET', '/pgw/admin/v1/models'),
    route('GET', '/keys/{owner}/of/{id}'),
  ]);

  it('stand anywhere', () => {
    expect(gateway('POST', '/pgw/acme/v1/chat/completions')).toEqual({
      target: 'POST /pgw/{slug}/v1/chat/completions',
      params: { slug: 'acme' },
    });
    expect(gateway('GET', '/keys/a%20b/of/7')).toMatchObject({ params: { owner: 'a b', id: '7' } });
    expect(gateway('GET', '/keys/a/b/of/7')).toBeUndefined();
    expect(gateway('GET', '/keys/a/of')).toBeUndefined();
  });

  it('keep an escaped slash in one segment, and end at an open one', () => {
    expect(gateway('GET', '/keys/a%2Fb/of/7')).toMatchObject({ params: { owner: 'a/b' } });
    expect(gateway('GET', '/keys/%2F/of/7')).toMatchObject({ params: { owner: '/' } });
    // Once only: what is escaped twice stays escaped once.
    expect(gateway('GET', '/keys/a%252Fb/of/7')).toMatchObject({ params: { owner: 'a%2Fb' } });
    for (const bad of ['%', '%2', '%zz', '%c3', '%ed%a0%80']) {
      expect(gateway('GET', `/keys/${bad}/of/7`), bad).toBeUndefined();
    }
  });

  it('come after a literal segment, and the rest after both', () => {
    expect(gateway('GET', '/pgw/admin/v1/models')).toMatchObject({ target: 'GET /pgw/admin/v1/models' });
    expect(gateway('GET', '/pgw/other/v1/models')).toMatchObject({ target: 'GET /pgw/{slug}/v1/models' });
    // Literal segments are compared as sent.
    expect(gateway('GET', '/pgw/%61dmin/v1/models')).toMatchObject({ params: { slug: 'admin' } });
    expect(gateway('GET', '/pgw/acme/v1/files/a/b')).toEqual({
      target: '* /pgw/{slug}/{rest...}',
      params: { slug: 'acme', rest: 'v1/files/a/b' },
    });
  });

  it('of a route for every method take what a narrower path does not', () => {
    for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      expect(gateway(method, '/pgw/acme/v1/models')).toMatchObject({ target: '* /pgw/{slug}/{rest...}' });
    }
    expect(gateway('HEAD', '/pgw/acme/v1/models')).toMatchObject({ target: 'GET /pgw/{slug}/v1/models' });
    expect(gateway('GET', '/pgw/acme')).toBeUndefined();
  });

  it('are whole segments, and the rest is last', () => {
    expect(() => createRouter([route('GET', '/a/{b}c')])).toThrow('not a whole segment');
    expect(() => createRouter([route('GET', '/a/{b...}/c')])).toThrow('not at its end');
    expect(() => createRouter([route('GET', '/a'), route('GET', '/a')])).toThrow('two routes');
  });
});
