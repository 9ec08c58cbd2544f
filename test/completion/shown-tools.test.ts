import { expect, it } from 'vitest';
import { renderTemplate } from '../../src/chat/index.js';
import { toShownTools } from '../../src/completion/templates/shown-tools.js';

/** What a template prints of tools, one on a line. */
function shown(tools: unknown): string[] {
  return renderTemplate('{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}', { tools }).trimEnd().split('\n');
}

// `strict` of a schema's own property stays, and numbers and keys stay as they were written.
const rest = '"name": "f", "parameters": {"properties": {"10": {"const": 1.0}, "2": {}, "strict": {"const": true}}}';

it.each([
  [`[{"type": "function", "function": {"strict": true, ${rest}}}]`],
  [`[{"type":"function","function":{${rest},"strict":null}},{"type":"function","function":{"name":"g"}}]`],
  [`[{"type": "function", "function": {${rest}}}]`],
])('a template sees nothing of strict, whether tools came as text or not: %s', (text) => {
  const tools = JSON.parse(text) as Record<string, unknown>[];
  const [first, ...others] = shown(toShownTools(tools, text));
  expect(first).toBe(`{"type": "function", "function": {${rest}}}`);
  for (const other of others) expect(other).toBe('{"type": "function", "function": {"name": "g"}}');
  // Without the text, numbers and keys are as JSON.parse gives them.
  const parsed = shown(toShownTools(tools, undefined));
  expect(parsed.map((line) => JSON.parse(line) as unknown)).toEqual(
    [first, ...others].map((line) => JSON.parse(line ?? '') as unknown),
  );
});

it('tools that say nothing of it are handed on as they are', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }, { type: 'function' }];
  expect(toShownTools(tools, undefined)).toBe(tools);
});
