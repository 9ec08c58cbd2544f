import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGatewayConfig, GatewayFile } from '../../src/gateway/index.js';
import { textChecks } from '../../src/gateway/config/parse/parse-gateway-config.js';
import { readDocumentFields, readYaml, type Problem } from '../../src/yaml-file/index.js';
import { Compile } from '../../src/schema/index.js';
import { readWrongFiles } from './wrong-config-files.js';

const validator = Compile(GatewayFile);
const example = readFileSync('deploy/gateway.example.yaml', 'utf8');
const whole: unknown = checkGatewayConfig(example).file;

/** Every place of a value, as keys from the outside in. */
function placesOf(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([name, item]) => placesOf(item, [...place, name]))];
}

/** A copy of `value` with another value at a place. */
function withValue(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put;
  const inside: unknown = Reflect.get(Object(value), name);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? withValue(item, rest, put) : item));
  return { ...Object(value), [name]: withValue(inside, rest, put) };
}

/** What is read of a text, and what was wrong with it. */
function read(text: string): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const yaml = readYaml(text);
  if (!('document' in yaml)) return { value: undefined, problems: yaml };
  const problems: Problem[] = [];
  const value = readDocumentFields(GatewayFile, { ...yaml, problems, places: new Map(), checks: textChecks });
  return { value, problems };
}

// No text: those of some fields are checked more strictly than the schema can.
const others = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64, 1e308, -0),
  fc.constantFrom<unknown>([], {}, [null], [{}], { env: 'A' }, { tokens: 1, window: 'day' }, [[]], { '': 1 }),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => typeof value !== 'string'),
);

describe('the reader of fields', () => {
  it("has the verdict of TypeBox's own validator on each value that is put anywhere, and fits what it accepts", () => {
    const places = placesOf(whole);
    let accepted = 0;
    const property = fc.property(fc.constantFrom(...places), others, (place, put) => {
      const value = withValue(whole, place, put);
      const { value: found, problems } = read(JSON.stringify(value));
      // Undefined fields may be left out where they have a default; a default that was put there is itself.
      const isFilled = problems.length === 0 && validator.Check(found);
      expect(problems.length === 0).toBe(isFilled);
      const filled = Object(put) === put && !Array.isArray(put) && isFilled ? found : value;
      expect(validator.Check(filled)).toBe(problems.length === 0);
      if (problems.length === 0) accepted++;
    });
    fc.assert(property, { numRuns: 2000, seed: 5 });
    expect(accepted).toBeGreaterThan(20);
  });

  it('reads what it accepts as it is: a file with every field is its own value', () => {
    expect(read(JSON.stringify(whole))).toEqual({ value: whole, problems: [] });
  });
});

describe('any text at all', () => {
  const texts = [example, ...readWrongFiles().map(({ text }) => text)];
  it('is read or refused, and never throws', () => {
    const piece = fc.constantFrom(
      '- ',
      ': ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '*a',
      '&a ',
      '!!',
      '%',
      '#',
      "'",
      '"',
      '|',
      '>',
      '\u0000',
      '\t',
      '---\n',
      '<<: ',
    );
    const property = fc.property(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), piece), { minLength: 1, maxLength: 6 }),
      (text, changes) => {
        const changed = changes.reduce((rest, [at, length, put]) => {
          const from = at % (rest.length + 1);
          return rest.slice(0, from) + put + rest.slice(from + length);
        }, text);
        const { file, problems } = checkGatewayConfig(changed);
        expect(file === undefined).toBe(problems.length > 0);
        for (const { line, column, message } of problems) {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(changed.split('\n').length);
          expect(column).toBeGreaterThan(0);
          expect(message).not.toMatch(/undefined|does not fit its schema/);
        }
      },
    );
    fc.assert(property, { numRuns: 2000, seed: 9 });
  });
});

it('the messages of docs/gateway-config.md are those of the program', () => {
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(readFileSync('docs/gateway-config.md', 'utf8')) ?? [];
  const known = readWrongFiles().flatMap(({ message }) => message.split('\n'));
  const lines = block.trim().split('\n').slice(1);
  expect(lines.length).toBe(2);
  expect(lines.filter((line) => !known.includes(line))).toEqual([]);
});
