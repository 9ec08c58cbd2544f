// The contract of every kind of runtime, on answers without a network.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GatewayFile,
  runtimeKindNames,
  runtimeKinds,
  wellKnownPorts,
  type FieldSchema,
  type RuntimeKind,
  type RuntimeKindName,
} from '../../src/gateway/index.js';
import { createAnswer, createEvidence, type ProbeAnswer, type Evidence } from '../../src/gateway/evidence.js';
import { imitations } from './imitations/index.js';
import { pageAt, type Imitation } from './imitations/pages.js';

const kinds = Object.entries(runtimeKinds) as [RuntimeKindName, RuntimeKind][];
const probesOf = (kind: RuntimeKind): RuntimeKind['probes'] => [...kind.probes, ...(kind.costlyProbes ?? [])];
const bytesOf = (body: unknown): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** What a kind would see of an imitation. */
function evidenceOf(kind: RuntimeKind, imitation: Imitation, port = 1): Evidence {
  const probes = probesOf(kind);
  const answers = new Map<string, ProbeAnswer>();
  for (const path of probes) {
    const { status = 200, type = 'application/json', headers, body } = pageAt(imitation, path);
    const answer = createAnswer(status, { 'content-type': type, ...imitation.headers, ...headers }, bytesOf(body));
    if (answer !== undefined) answers.set(path, answer);
  }
  return createEvidence(port, probes, answers);
}

/** The first kind of the list that has something to say. */
function nameOf(imitation: Imitation): string | undefined {
  return kinds.find(([, kind]) => kind.prove(evidenceOf(kind, imitation)) !== undefined)?.[0];
}

describe.each(kinds)('%s', (name, kind) => {
  it('asks for plain paths, and the ports it listens on are ports', () => {
    expect(probesOf(kind).filter((path) => !/^\/[\w./-]*$/.test(path))).toEqual([]);
    expect(new Set(probesOf(kind)).size).toBe(probesOf(kind).length);
    expect(kind.ports.filter((port) => !Number.isInteger(port) || port < 1024 || port > 65_535)).toEqual([]);
    expect(kind.ports.filter((port) => !wellKnownPorts.includes(port))).toEqual([]);
  });

  it('is the first of the list that knows its imitation', () => {
    expect(nameOf(imitations[name])).toBe(name);
  });

  it('has nothing to say where nothing is answered, or 404', () => {
    expect(kind.prove(createEvidence(1, probesOf(kind), new Map()))).toBeUndefined();
    const missing = createAnswer(404, {}, Buffer.from(''));
    const answers = new Map(probesOf(kind).map((path) => [path, missing as ProbeAnswer]));
    expect(kind.prove(createEvidence(1, probesOf(kind), answers))).toBeUndefined();
  });

  it('is not proven by one answer for all paths', () => {
    const bodies = ['', 'Ollama is running', '{}', '[]', 'null', '{"error":"Unexpected endpoint or method. (GET /x)"}'];
    const pages = [200, 401, 403, 503].flatMap((status) => bodies.map((body) => ({ status, body })));
    for (const missing of pages) {
      const said = kind.prove(evidenceOf(kind, { pages: {}, missing }));
      const isProof = said !== undefined && 'by' in said;
      // A server that asks for a key below /v1 in JSON may be anything with OpenAI's API.
      const isLocked =
        name === 'openai-compatible' && [401, 403].includes(missing.status) && missing.body.startsWith('{');
      expect([missing, isProof]).toEqual([missing, isLocked]);
    }
  });

  it('throws nothing and claims no models of its own making, whatever JSON is answered', () => {
    const json = fc.json({ maxDepth: 4 });
    const answer = fc.record({ status: fc.constantFrom(200, 401, 404, 503), body: fc.oneof(json, fc.string()) });
    const property = fc.property(fc.array(answer, { minLength: 6, maxLength: 6 }), (given) => {
      const pages = Object.fromEntries(
        probesOf(kind).map((path, i) => [path, { isPage: true, ...given[i % given.length] }]),
      );
      const said = kind.prove(evidenceOf(kind, { pages, missing: { status: 404, body: '' } }));
      if (said === undefined || 'contradiction' in said || 'other' in said) return;
      expect(JSON.stringify([said.version ?? '', ...(said.models ?? [])])).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('the list of kinds', () => {
  it('is that of gateway.yaml, but for those to which no request is relayed', () => {
    const relayed = kinds.filter(([, { refusal }]) => refusal === undefined).map(([name]) => name);
    expect(relayed.length).toBeGreaterThan(15);
    expect(runtimeKindNames).toEqual(relayed);
    expect((GatewayFile as FieldSchema).properties?.['runtimes']?.items?.properties?.['kind']?.enum).toEqual(relayed);
  });

  it('ends with what proves least', () => {
    expect(kinds.at(-1)?.[0]).toBe('openai-compatible');
  });

  it('asks LiteLLM before the path by which LiteLLM calls its providers', () => {
    const costly = kinds.findIndex(([, kind]) => (kind.costlyProbes ?? []).includes('/health'));
    expect(kinds.findIndex(([name]) => name === 'litellm')).toBeLessThan(costly);
    expect(kinds.filter(([, kind]) => kind.probes.includes('/health'))).toEqual([]);
  });

  it('lets no kind read what it does not ask for', () => {
    const evidence = createEvidence(1, ['/a'], new Map());
    expect(() => evidence.answer('/b')).toThrow('/b is read and is no probe of its kind');
  });

  it('needs every kind that it has: without it, its imitation gets another name', () => {
    for (const [name] of kinds) {
      const others = kinds.filter(([other]) => other !== name);
      const found = others.find(([, kind]) => kind.prove(evidenceOf(kind, imitations[name])) !== undefined)?.[0];
      expect(found).not.toBe(name);
    }
  });
});

describe('a list of models', () => {
  const read = (list: unknown): readonly string[] | undefined => {
    const answer = createAnswer(200, {}, bytesOf(list));
    return createEvidence(1, ['/v1/models'], new Map([['/v1/models', answer as ProbeAnswer]])).models('/v1/models');
  };

  it('may be empty, also as Ollama writes that', () => {
    expect(read({ object: 'list', data: [] })).toEqual([]);
    expect(read({ object: 'list', data: null })).toEqual([]);
  });

  it.each([
    ['no object', { data: [] }],
    ['data of another type', { object: 'list', data: {} }],
    ['an id that is no string', { object: 'list', data: [{ id: 1 }] }],
    ['names alone', { object: 'list', data: ['a'] }],
    ['a key twice', '{"object":"list","data":[],"data":[]}'],
    ['a key __proto__', '{"object":"list","data":[],"__proto__":{}}'],
    ['too many levels', `{"object":"list","data":[],"x":${'['.repeat(99)}${']'.repeat(99)}}`],
  ])('is none with %s', (_, list) => {
    expect(read(list)).toBeUndefined();
  });

  it('loses names that could not be shown, and repeated ones', () => {
    const ids = ['a', 'a', 'b/c:d', '', 'x'.repeat(257), '\u001b[31mred', 'line\nbreak', '\u202etrap', 'ok ö'];
    expect(read({ object: 'list', data: ids.map((id) => ({ id })) })).toEqual(['a', 'b/c:d', 'ok ö']);
  });

  it('has at most 4,096', () => {
    expect(read({ object: 'list', data: Array.from({ length: 5_000 }, (_, i) => ({ id: `m${i}` })) })).toHaveLength(
      4_096,
    );
  });
});
