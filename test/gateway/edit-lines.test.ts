// An edit touches the lines that it changes, and no other, however they are written.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editGatewayConfig, type ConfigEdit } from '../../src/gateway/config/index.js';

const HASH = 'a'.repeat(64);
const text = `# Ours
gateway_id:   gw_a
listen: "127.0.0.1:1"
cors_origins: [ 'https://a.example',"https://b.example" ]   # both
passthrough: [/v1/rerank,   /v1/score]
limits: {body_mib: 3, header_kib:   16 }
runtimes:
  - { id: r,   kind: vllm, base_url: 'http://127.0.0.1:8000'}
  - id: s
    kind:  ollama   # local
    base_url: "http://127.0.0.1:11434"
models:
  - id: a
    targets: [{runtime: r, model: up},
              {runtime: s,model: up}]
    max_output_tokens:    100
    price: {input_per_million: '1', output_per_million: '2',   currency: USD}
  - id: b
    targets: [ {runtime: r, model: 'b'} ]
virtual_keys:
  - id: vk_1
    name: "one"
    prefix: gwk_abcdef
    hash: ${HASH}
    models: [a,b]
    limits: { requests_per_minute: 5,budget: [{ tokens: 10, window: day },{amount: '5', currency: USD,window: month}] }
`;

const edit = (...edits: ConfigEdit[]): string => editGatewayConfig(text, edits, 'gateway.yaml');
/** The lines that one text has and the other has not. */
const changed = (after: string): readonly string[] => {
  const [old, now] = [text.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
};

it.each([
  [
    { action: 'change', list: 'models', id: 'a', fields: { max_output_tokens: 200 } },
    ['-    max_output_tokens:    100', '+    max_output_tokens: 200'],
  ],
  [
    { action: 'change', list: 'runtimes', id: 's', fields: { kind: 'vllm' } },
    ['-    kind:  ollama   # local', '+    kind: vllm # local'],
  ],
  [
    { action: 'change', list: 'virtual_keys', id: 'vk_1', fields: { name: 'two' } },
    ['-    name: "one"', '+    name: "two"'],
  ],
  [{ action: 'set', field: 'listen', value: '127.0.0.1:2' }, ['-listen: "127.0.0.1:1"', '+listen: "127.0.0.1:2"']],
  [{ action: 'change', list: 'models', id: 'b', fields: { max_output_tokens: 7 } }, ['+    max_output_tokens: 7']],
  [{ action: 'remove', list: 'models', id: 'b' }, ['-  - id: b', "-    targets: [ {runtime: r, model: 'b'} ]"]],
] as readonly (readonly [ConfigEdit, readonly string[]])[])('edit %# changes its own lines alone', (one, lines) => {
  expect(changed(edit(one))).toEqual(lines);
});

it('an added entry leaves every line that there was', () => {
  const after = edit(
    { action: 'add', list: 'models', entry: { id: 'c', targets: [{ runtime: 'r', model: 'c' }] } },
    { action: 'add', list: 'runtimes', entry: { id: 't', kind: 'vllm', base_url: 'http://127.0.0.1:9' } },
  );
  expect(changed(after).filter((line) => line.startsWith('-'))).toEqual([]);
});

it('lines that no edit concerns stay, whatever is changed', () => {
  const fields = fc.record({ max_output_tokens: fc.integer({ min: 1, max: 9_999 }) });
  const change = fc
    .constantFrom('a', 'b')
    .chain((id) => fields.map((each): ConfigEdit => ({ action: 'change', list: 'models', id, fields: each })));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (edits) => {
      const lost = changed(edit(...edits)).filter((line) => line.startsWith('-'));
      expect(lost.every((line) => line.includes('max_output_tokens'))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
