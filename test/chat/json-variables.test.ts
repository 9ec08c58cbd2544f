import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTemplate, toArgumentsVariable, toJsonVariable } from '../../src/chat/index.js';

const render = (template: string, json: string): string => renderTemplate(template, { x: toJsonVariable(json) });
const NUMBERS = '{"b": [12345678901234567890, 1e3, 1.0, -0, -0.0, 1E+2, 0.10, 1e400], "10": 1, "2": {"a": "é\\u00e9"}}';
const PRINTED = NUMBERS.replace('\\u00e9', 'é');

describe('JSON text as a variable', () => {
  it('prints through tojson as it was written, but for its spaces and escapes', () => {
    expect(render('{{ x | tojson }}', NUMBERS)).toBe(PRINTED);
    expect(render('{{ x | tojson }}', ` ${NUMBERS.replaceAll(' ', '\n')}\t`)).toBe(PRINTED);
  });

  it('prints without tojson, joined and in a loop, with the same numbers', () => {
    expect(render("{{ x.b | join(' ') }}|{{ x.b }}", NUMBERS)).toBe(
      '12345678901234567890 1e3 1.0 -0 -0.0 1E+2 0.10 1e400|[12345678901234567890, 1e3, 1.0, -0, -0.0, 1E+2, 0.10, 1e400]',
    );
    expect(render('{% for k, v in x.items() %}{{ k }}={{ v ~ "" }};{% endfor %}', '{"10": 1.50, "2": 1e2}')).toBe(
      '10=1.50;2=1e2;',
    );
  });

  it('has numbers that a template computes with', () => {
    expect(render('{{ x[0] + 1 }} {{ x[1] + 1 }} {{ x[1] == 1 }} {{ x[2] is number }}', '[1, 1.0, 1e3]')).toBe(
      '2 2.0 True True',
    );
  });

  it('may be any JSON, and text that is none is text', () => {
    for (const json of ['null', 'true', '[]', '{}', '"a"', '5', '[[1, {"a": []}], ""]']) {
      expect(render('{{ x | tojson }}', json)).toBe(json);
    }
    expect(render('{{ x | tojson }}', 'no "json"')).toBe('"no \\"json\\""');
  });

  it('survives a structured clone', () => {
    const variables = structuredClone({ x: toJsonVariable('[1.0]') });
    expect(renderTemplate('{{ x | tojson }}', variables)).toBe('[1.0]');
  });

  it('says of any value what JSON.parse says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(2), (value, space) => {
        const text = render('{{ x | tojson }}', JSON.stringify(value, null, space));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('arguments as a variable', () => {
  it.each([
    ['', '{}'],
    [' \n', '{}'],
    ['null', '{}'],
    ['{}', '{}'],
    [' {"user_id":2512292042121000001,"10":1,"2":1e3}\n', '{"user_id": 2512292042121000001, "10": 1, "2": 1e3}'],
    ['{"a":1,"a":2}', '{"a": 2}'],
    [String.raw`{"re":"\d+"}`, String.raw`{"re": "\\d+"}`],
    [String.raw`"{\"a\":1.0}"`, '{"a": 1.0}'],
    [String.raw`{"a":"\ud83d\ude00"}`, '{"a": "😀"}'],
    ['[1]', '"[1]"'],
    ['5', '"5"'],
    ['"Rome"', String.raw`"\"Rome\""`],
    ['{oops', '"{oops"'],
  ])('%j print as %s', (text, printed) => {
    expect(renderTemplate('{{ x | tojson }}', { x: toArgumentsVariable(text) })).toBe(printed);
  });
});

it('an object that a template adds to a text, as DeepSeek’s do with arguments, is its JSON', () => {
  const template =
    "{{ '```json\\n' + x + '\\n```' }}{% set ns = namespace(out='') %}{% set ns.out = ns.out + x %}|{{ ns.out }}";
  const json = '{"id": 2512292042121000001, "10": [1e3, {"é": null}], "2": {}}';
  const printed = `\`\`\`json\n${json}\n\`\`\`|${json}`;
  expect(renderTemplate(template, { x: toArgumentsVariable(json.replaceAll(' ', '')) })).toBe(printed);
  expect(renderTemplate(template, { x: toArgumentsVariable('[1]') })).toBe('```json\n[1]\n```|[1]');
  expect(renderTemplate("{{ '' + x }}", { x: toArgumentsVariable('') })).toBe('{}');
});

describe('plain data as a variable', () => {
  it('has numbers as JSON.stringify writes them, and integers of any size as a bigint', () => {
    const x = [1, 1.5, -0, 1e21, 1e-7, 2n ** 64n];
    expect(renderTemplate('{{ x | tojson }} {{ x }}', { x })).toBe(
      '[1, 1.5, 0, 1e+21, 1e-7, 18446744073709551616] [1, 1.5, 0, 1e+21, 1e-7, 18446744073709551616]',
    );
  });
});

it('members of plain data that are undefined are absent, as in JSON', () => {
  const x = { a: undefined, b: [undefined, { c: undefined }] };
  expect(renderTemplate("{{ x | tojson }} {{ x.a is defined }} {{ 'a' in x }}", { x })).toBe(
    `${JSON.stringify(x).replace(',', ', ').replace(':', ': ')} False False`,
  );
});

describe('the filter tojson', () => {
  const x = { b: [1, 'é\u007f'], a: {} };

  it.each([
    ['tojson(indent=2)', '{\n  "b": [\n    1,\n    "é\u007f"\n  ],\n  "a": {}\n}'],
    ["tojson(indent='-', separators=(';', '='))", '{\n-"b"=[\n--1;\n--"é\u007f"\n-];\n-"a"={}\n}'],
    ['tojson(indent=0)', '{\n"b": [\n1,\n"é\u007f"\n],\n"a": {}\n}'],
    ['tojson(ensure_ascii=true, sort_keys=true)', '{"a": {}, "b": [1, "\\u00e9\\u007f"]}'],
    ['tojson(true)', '{"b": [1, "\\u00e9\\u007f"], "a": {}}'],
  ])('%s prints as json.dumps', (filter, text) => {
    expect(renderTemplate(`{{ x | ${filter} }}`, { x })).toBe(text);
  });

  it('prints numbers of the template as Python does', () => {
    expect(renderTemplate('{{ [1.0, 0.5 * 2, 10 / 4, -1] | tojson }}', {})).toBe('[1.0, 1.0, 2.5, -1]');
  });
});
