// Operators, `with` and `trim` of templates beside Jinja itself: test/vectors/python-templates.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memberSources } from '../../src/base/index.js';
import { renderTemplate, toJsonVariable } from '../../src/chat/index.js';

interface Case {
  readonly template: string;
  readonly rendered?: string;
  readonly error?: string;
}

const file = readFileSync(join(process.cwd(), 'test/vectors/python-templates/cases.json'), 'utf8');
const { cases } = JSON.parse(file) as { cases: readonly Case[] };
// How numbers are written is lost by JSON.parse.
const variables = Object.fromEntries(
  Array.from(memberSources(memberSources(file).get('variables') ?? '{}'), ([name, text]) => [
    name,
    toJsonVariable(text),
  ]),
);

function outcome(template: string): string {
  try {
    return `text: ${renderTemplate(template, variables)}`;
  } catch (error) {
    expect(error).toMatchObject({ code: 'template_error' });
    return 'error';
  }
}

describe('operators, with and trim', () => {
  it('make of a thousand templates what Jinja makes of them', () => {
    expect(cases.length).toBeGreaterThan(1_000);
    const differing = cases.flatMap(({ template, rendered, error }) => {
      const expected = error === undefined ? `text: ${rendered ?? ''}` : 'error';
      const got = outcome(template);
      return got === expected ? [] : [{ template, expected, got }];
    });
    expect(differing).toEqual([]);
  });

  it.each([
    ["{{ 'a' + [1] }}", '+ was given text and a list'],
    ['{{ [1] + none }}', '+ was given a list and none'],
    ["{{ 1 < 'a' }}", '< was given a number and text'],
    ['{% with a %}{% endwith %}', 'a with statement must give each of its names a value'],
  ])('refuse %s by what is wrong', (template, words) => {
    expect(() => renderTemplate(template, {})).toThrow(
      expect.objectContaining({ code: 'template_error', message: expect.stringContaining(words) }),
    );
  });

  it('leave the functions that stand for operators to no caller', () => {
    expect(renderTemplate('{{ 1 == 1 }}', { __equal: 'mine', __print: 'mine' })).toBe('True');
  });
});
