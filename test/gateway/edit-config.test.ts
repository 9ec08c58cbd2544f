import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGatewayConfig, editGatewayConfig, type ConfigEdit } from '../../src/gateway/index.js';

const HASH = '0123456789abcdef'.repeat(4);
const example = readFileSync('deploy/gateway.example.yaml', 'utf8');
/** Other ways to write: flush lists, four spaces, braces without spaces, double quotes. */
const flush = `gateway_id: gw_a1
runtimes:
- id: ollama
  kind: ollama
  base_url: "http://127.0.0.1:11434"
- {id: gpu, kind: vllm, base_url: "http://127.0.0.1:8000"}
models:
- id: llama3
  targets:
  - {runtime: ollama, model: "llama3:8b"}
  - {runtime: gpu, model: llama}
virtual_keys: []
`;
const wide = `gateway_id: 'gw_a1'

runtimes:
    - id: ollama
      kind: ollama
      base_url: http://127.0.0.1:11434

    - id: gpu
      kind: vllm
      base_url: http://127.0.0.1:8000
      api_key:
          env: KEY

virtual_keys:
    - id: vk_1
      name: default
      prefix: gwk_ab12cd
      hash: ${HASH}
      models:
          - llama*
          - qwen
      limits:
          parallel_requests: 8
          budget:
              tokens: 5
              window: day
`;
const bases = [example, flush, wide, 'gateway_id: gw_a1\n'];

/** A text with a comment of its own, `# cN`, at the ends of some lines and on lines of their own. */
function withComments(text: string, picks: readonly number[]): string {
  let next = 0;
  const comment = (): string => `# c${next++}`;
  const lines = text
    .replace(/ *#.*$/gm, '')
    .replace(/^\n+/, '')
    .split('\n')
    .slice(0, -1);
  const written = lines.flatMap((line, i) => {
    const pick = picks[i % picks.length] ?? 0;
    const indent = /^ */.exec(line)?.[0] ?? '';
    const above = pick % 3 === 1 ? [`${indent}${comment()}`] : [];
    const behind = pick % 5 === 1 && line.trim() !== '' ? `${line} ${comment()}` : line;
    return [...above, behind];
  });
  return [...written, comment(), ''].join('\n');
}

const commentsIn = (text: string): string[] => [...text.matchAll(/# (c\d+)$/gm)].map(([, name = '']) => name);

/** The comments on the lines of an entry, by its text alone: from its `- ` to its last line that has more than a comment. */
function commentsOnEntry(text: string, id: string): string[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => new RegExp(`^ *- (?:\\{ ?)?id: ${id}\\b`).test(line));
  const indent = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;
  const isNext = (line: string): boolean => /^ *[^ #]/.test(line) && indent(line) <= indent(lines[first] ?? '');
  const length = lines.slice(first + 1).findIndex(isNext);
  const own = lines.slice(first, length === -1 ? undefined : first + 1 + length);
  while (/^ *(?:#.*)?$/.test(own.at(-1) ?? 'x')) own.pop();
  return commentsIn(own.join('\n'));
}

const url = fc.constantFrom('http://127.0.0.1:8001', 'https://a.example.com', 'http://[::1]:9');
const limits = fc.record(
  {
    requests_per_minute: fc.integer({ min: 1, max: 99 }),
    parallel_requests: fc.integer({ min: 1, max: 99 }),
    budget: fc.oneof(
      fc.record({ tokens: fc.integer({ min: 1, max: 99 }), window: fc.constantFrom('day', 'total') }),
      fc.constant([
        { tokens: 5, window: 'day' },
        { tokens: 7, window: 'month' },
      ]),
    ),
  },
  { requiredKeys: [] },
);
const names = fc.constantFrom('plain', 'with: colon', 'true', '12', "it's", '# hash', 'ünï', '- dash');
const keyFields = fc.record({
  name: names,
  models: fc.oneof(
    fc.constant(null),
    fc.array(fc.constantFrom('llama*', 'qwen', '*'), { maxLength: 3 }).map((all) => [...new Set(all)]),
  ),
  limits,
});
const pick = fc.nat({ max: 1000 });
/** An edit of whatever the file has: `pick` chooses the entry. */
type Step = (values: Record<string, { id: string }[] | undefined>, count: number) => ConfigEdit | undefined;
const chooseId = (list: readonly { id: string }[] | undefined, at: number): string =>
  list?.[at % (list.length || 1)]?.id ?? '';
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ base_url: url, kind: fc.constantFrom('ollama', 'vllm') }).map((fields): Step => (_, count) => ({
    action: 'add',
    list: 'runtimes',
    entry: { id: `r${count}`, ...fields },
  })),
  keyFields.map((fields): Step => (_, count) => ({
    action: 'add',
    list: 'virtual_keys',
    entry: {
      id: `vk_${count}x`,
      prefix: `gwk_${String(count).padStart(6, '0')}`,
      hash: String(count).padStart(64, '0'),
      ...fields,
    },
  })),
  fc.tuple(pick, names).map(([at, model]): Step => ({ runtimes }, count) => {
    if (!runtimes?.length) return undefined;
    const targets = [{ runtime: chooseId(runtimes, at), model }];
    return { action: 'add', list: 'models', entry: { id: `m${count}`, targets } };
  }),
  fc.tuple(pick, url).map(([at, base_url]): Step => ({ runtimes }) => {
    return runtimes?.length
      ? { action: 'change', list: 'runtimes', id: chooseId(runtimes, at), fields: { base_url, fingerprint: 'abc' } }
      : undefined;
  }),
  fc.tuple(pick, keyFields).map(([at, fields]): Step => ({ virtual_keys: keys }) => {
    return keys?.length ? { action: 'change', list: 'virtual_keys', id: chooseId(keys, at), fields } : undefined;
  }),
  fc.tuple(pick, fc.constantFrom('runtimes', 'models', 'virtual_keys')).map(([at, list]): Step => (values) => {
    if (!values[list]?.length) return undefined;
    return { action: 'remove', list: list as 'models', id: chooseId(values[list], at) };
  }),
  fc.array(fc.constantFrom('/v1/rerank', '/v1/score'), { maxLength: 2 }).map((all): Step => () => {
    return { action: 'set', field: 'passthrough', value: [...new Set(all)] };
  }),
  fc.integer({ min: 1, max: 64 }).map((body_mib): Step => () => ({
    action: 'set',
    field: 'limits',
    value: { body_mib },
  })),
);

describe('edits of a gateway.yaml', () => {
  it('500 at random keep every comment that is not on a removed or changed line, their order, and a file that can be used', () => {
    let made = 0;
    const refused: string[] = [];
    const property = fc.property(
      fc.constantFrom(...bases),
      fc.array(fc.nat({ max: 30 }), { minLength: 40, maxLength: 40 }),
      fc.array(steps, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (base, picks, chosen, isWindows) => {
        let text = withComments(base, picks);
        if (isWindows) text = text.replaceAll('\n', '\r\n');
        chosen.forEach((step, count) => {
          const before = text.replaceAll('\r', '');
          const file = checkGatewayConfig(before).file;
          const edit = step(Object(file) as Record<string, { id: string }[]>, count);
          if (edit === undefined) return;
          try {
            text = editGatewayConfig(text, [edit], 'gateway.yaml');
          } catch (error) {
            // A model would lose its runtime: the edit is refused as a whole.
            expect(String(error)).toMatch(/which no runtime has|the budget would count nothing/);
            refused.push(String(error));
            return;
          }
          made++;
          const after = text.replaceAll('\r', '');
          const [old, now] = [commentsIn(before), commentsIn(after)];
          const isWhole = edit.action === 'add' || edit.action === 'set';
          const mayGo = isWhole
            ? edit.action === 'set'
              ? commentsOnField(before, edit.field)
              : []
            : commentsOnEntry(before, edit.id);
          expect(now).toEqual(old.filter((name) => now.includes(name)));
          expect(old.filter((name) => !now.includes(name) && !mayGo.includes(name))).toEqual([]);
          expect(text.includes('\r')).toBe(isWindows);
        });
      },
    );
    fc.assert(property, { numRuns: 170, seed: 32 });
    expect(made).toBeGreaterThanOrEqual(500);
    expect(refused.length).toBeLessThan(made / 2);
  });
});

/** The comments on the lines of a field of the file. */
function commentsOnField(text: string, field: string): string[] {
  return commentsIn(new RegExp(`^${field}:.*\\n(?: .*\\n)*`, 'm').exec(text)?.[0] ?? '');
}

/** Undefined: a model would lose its runtime, and the edit is refused as a whole. */
function tryEdit(text: string, one: ConfigEdit): string | undefined {
  try {
    return edit(text, one);
  } catch (error) {
    expect(String(error)).toMatch(/which no runtime has|the budget would count nothing/);
    return undefined;
  }
}

const edit = (text: string, ...edits: ConfigEdit[]): string => editGatewayConfig(text, edits, 'gateway.yaml');

describe('edits that are made together', () => {
  it('give the text that they give one after the other', () => {
    let [made, together] = [0, 0];
    const property = fc.property(
      fc.constantFrom(...bases),
      fc.array(fc.nat({ max: 30 }), { maxLength: 30 }),
      fc.array(steps, { minLength: 2, maxLength: 8 }),
      (base, picks, chosen) => {
        const text = withComments(base, picks);
        let slow = text;
        const edits = chosen.flatMap((step, count) => {
          const next = step(Object(checkGatewayConfig(slow).file) as Record<string, { id: string }[]>, count);
          const after = next && tryEdit(slow, next);
          if (next === undefined || after === undefined) return [];
          slow = after;
          return [next];
        });
        made += edits.length;
        expect(edit(text, ...edits)).toBe(slow);
        if (new Set(edits.map(({ action }) => action)).size > 1) together++;
      },
    );
    fc.assert(property, { numRuns: 60, seed: 36 });
    expect([made > 120, together > 20]).toEqual([true, true]);
  });

  it('take little longer than one of them, whatever they change', () => {
    const ids = Array.from({ length: 200 }, (_, i) => `m${i}`);
    const add = ids.map((id): ConfigEdit => ({
      action: 'add',
      list: 'models',
      entry: { id, targets: [{ runtime: 'gpu', model: id }] },
    }));
    const change = ids.map((id): ConfigEdit => ({
      action: 'change',
      list: 'models',
      id,
      fields: {
        targets: [
          { runtime: 'gpu', model: id },
          { runtime: 'ollama', model: id },
        ],
      },
    }));
    const remove = ids.map((id): ConfigEdit => ({ action: 'remove', list: 'models', id }));
    const full = edit(example, ...add);
    const timeOf = (...edits: ConfigEdit[]): number => {
      const beganMs = performance.now();
      edit(full, ...edits);
      return performance.now() - beganMs;
    };
    const oneMs = Math.max(...change.slice(0, 5).map((each) => timeOf(each)));
    expect(edit(full, ...remove)).toBe(example);
    // One by one they take two hundred times as long.
    for (const edits of [change, remove]) expect(timeOf(...edits) / oneMs).toBeLessThan(20);
  });

  it('rename an entry, and then know it by its new name', () => {
    const text = edit(
      example,
      { action: 'change', list: 'models', id: 'llama3', fields: { id: 'llama4' } },
      { action: 'change', list: 'models', id: 'llama4', fields: { id: 'llama5' } },
    );
    expect(text).toBe(example.replace('- id: llama3 #', '- id: llama5 #'));
    const twice: ConfigEdit = { action: 'change', list: 'runtimes', id: 'ollama', fields: { id: 'gpu' } };
    expect(() => edit(example, twice)).toThrow('runtimes has an entry gpu already');
  });

  it('are refused with the name of the one that is there already', () => {
    const entry = { id: 'twice', kind: 'ollama', base_url: 'http://127.0.0.1:1' };
    const add: ConfigEdit = { action: 'add', list: 'runtimes', entry };
    expect(() => edit('gateway_id: gw_a\n', add, add)).toThrow(
      'runtimes has an entry twice already; change it, or choose another id',
    );
  });
});

describe('an edit of a gateway.yaml', () => {
  const runtime = { id: 'mlx', kind: 'mlx', base_url: 'http://127.0.0.1:8080' };

  it('leaves each line as it is that it does not concern', () => {
    const after = edit(example, { action: 'add', list: 'runtimes', entry: runtime });
    const added = '  - id: mlx\n    kind: mlx\n    base_url: http://127.0.0.1:8080\n';
    expect(after).toBe(example.replace('\nmodels:', `${added}\nmodels:`));
  });

  it('writes an entry as its neighbours are, and a field where its place was', () => {
    const text = "gateway_id: gw_a1\nruntimes:\n  - { id: a, kind: ollama, base_url: 'http://127.0.0.1:1' } # a\n";
    const added = edit(text, { action: 'add', list: 'runtimes', entry: runtime });
    expect(added).toBe(`${text}  - { id: mlx, kind: mlx, base_url: http://127.0.0.1:8080 }\n`);
    const changed = edit(text, {
      action: 'change',
      list: 'runtimes',
      id: 'a',
      fields: { kind: 'vllm', api_key: { env: 'K' } },
    });
    expect(changed).toBe(
      "gateway_id: gw_a1\nruntimes:\n  - { id: a, kind: vllm, base_url: 'http://127.0.0.1:1', api_key: { env: K } } # a\n",
    );
    const without = edit(changed, {
      action: 'change',
      list: 'runtimes',
      id: 'a',
      fields: { kind: 'ollama' },
      without: ['api_key'],
    });
    expect(without).toBe(text);
  });

  it('takes an entry out with the comments of its lines, and keeps those above and below', () => {
    const text = `gateway_id: gw_a1
runtimes:
  # all of them
  - id: a # first
    # of its lines
    kind: ollama
    base_url: http://127.0.0.1:1
    # behind it
  # before the second
  - id: b
    kind: ollama
    base_url: http://127.0.0.1:2
`;
    expect(edit(text, { action: 'remove', list: 'runtimes', id: 'a' })).toBe(`gateway_id: gw_a1
runtimes:
  # all of them
  # behind it
  # before the second
  - id: b
    kind: ollama
    base_url: http://127.0.0.1:2
`);
  });

  it('of the last entry of a list leaves [], with the comments of the list before it and others where they were', () => {
    const text = `gateway_id: gw_a1
runtimes:
  # all of them
  - { id: a, kind: ollama, base_url: http://127.0.0.1:1 } # a
  # more to come

# what they serve
models: []
`;
    const after = edit(text, { action: 'remove', list: 'runtimes', id: 'a' });
    expect(after).toBe(`gateway_id: gw_a1
# all of them
# more to come
runtimes: []

# what they serve
models: []
`);
    const again = edit(after, { action: 'add', list: 'runtimes', entry: runtime });
    expect(again).toBe(
      after.replace('runtimes: []\n', 'runtimes:\n  - { id: mlx, kind: mlx, base_url: http://127.0.0.1:8080 }\n'),
    );
  });

  it('keeps the comment behind a value of which it makes a list', () => {
    const after = edit(example, {
      action: 'change',
      list: 'virtual_keys',
      id: 'vk_example1',
      fields: { models: ['llama3'] },
    });
    expect(after).toContain('models: [ llama3 ] # all; [] is none, [llama3, qwen*] some\n');
  });

  it.each<[string, ConfigEdit, RegExp]>([
    [
      'an entry that is not there',
      { action: 'remove', list: 'runtimes', id: 'olama' },
      /^runtimes has no entry olama. Did you mean ollama\?$/,
    ],
    [
      'an entry that is there',
      { action: 'add', list: 'runtimes', entry: { ...runtime, id: 'gpu' } },
      /has an entry gpu already/,
    ],
    [
      'a value that is wrong',
      { action: 'set', field: 'listen', value: 1 },
      /cannot be used: 1 mistake\ngateway.yaml:5:9: listen/,
    ],
    [
      'a field that is unknown',
      { action: 'change', list: 'models', id: 'llama3', fields: { prices: {} } },
      /Did you mean price\?/,
    ],
    ['a runtime that a model needs', { action: 'remove', list: 'runtimes', id: 'gpu' }, /"gpu", which no runtime has/],
    [
      'a key in plain text',
      {
        action: 'change',
        list: 'virtual_keys',
        id: 'vk_example1',
        fields: { name: `gwk_ab12cd_${'0'.repeat(43)}_0a1b2c` },
      },
      /a virtual key is here in plain text/,
    ],
  ])('with %s is refused', (_, wrong, message) => {
    expect(() => edit(example, wrong)).toThrow(message);
  });

  it('of a value that an anchor shares is refused, since others would change too; of an alias it is made', () => {
    const key = (n: number, some: string): string =>
      `  - { id: vk_${n}, name: k, prefix: gwk_aaaaa${n}, hash: ${HASH.replace('0', String(n))}, models: null, limits: ${some} }\n`;
    const text = `gateway_id: gw_a1\nvirtual_keys:\n${key(1, '&few { parallel_requests: 2 }')}${key(2, '*few')}`;
    const change = (id: string): ConfigEdit => ({
      action: 'change',
      list: 'virtual_keys',
      id,
      fields: { limits: { parallel_requests: 3 } },
    });
    expect(() => edit(text, change('vk_1'))).toThrow(/would change other entries too: an anchor/);
    expect(edit(text, change('vk_2'))).toBe(text.replace('*few', '{ parallel_requests: 3 }'));
  });

  it('of a file that cannot be used is refused with what is wrong', () => {
    expect(() => edit('gateway_id: 1\n', { action: 'set', field: 'listen', value: '[::1]:1' })).toThrow(
      /gateway_id is 1/,
    );
  });
});
