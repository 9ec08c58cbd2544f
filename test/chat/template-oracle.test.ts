import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memberSources } from '../../src/base/index.js';
import { wholeSet } from '../support/whole-sets.js';
import { renderTemplate, toJsonVariable, type TemplateVariables } from '../../src/chat/index.js';

interface Case {
  readonly template?: string;
  readonly messages?: unknown[];
  readonly tools?: unknown[] | null;
  readonly documents?: unknown[] | null;
  readonly options?: Record<string, unknown>;
  readonly now?: string;
  readonly rendered?: string;
  readonly error?: string;
}

interface Suite {
  readonly template?: string;
  readonly bos_token?: string | null;
  readonly eos_token?: string | null;
  readonly variables?: Record<string, unknown>;
  readonly now?: string;
  readonly cases: readonly Case[];
}

interface Differences {
  readonly reasons: Record<string, string>;
  readonly files: Record<string, Record<string, number[]>>;
}

const copied = join(process.cwd(), 'test/vectors/templates');
const directory = wholeSet('oracle/templates', 'test/vectors/templates');
const differences = JSON.parse(readFileSync(join(copied, 'known-differences.json'), 'utf8')) as Differences;
const notSuites = ['index.json', 'npm_jinja.json', 'known-differences.json'];
const names = readdirSync(directory).filter((name) => name.endsWith('.json') && !notSuites.includes(name));

/** The members of an object as variables in the text of the file: JSON.parse would lose how numbers are written. */
function asWritten(object = '{}'): Record<string, unknown> {
  return Object.fromEntries(Array.from(memberSources(object), ([name, text]) => [name, toJsonVariable(text)]));
}

/** The text of each case: one a line. */
function casesOf(file: string): ReadonlyMap<string, string>[] {
  const lines = (memberSources(file).get('cases') ?? '').split('\n').map((line) => line.trim().replace(/,$/, ''));
  return lines.filter((line) => line.startsWith('{')).map(memberSources);
}

function variablesOf(file: string, suite: Suite, one: Case, source: ReadonlyMap<string, string>): TemplateVariables {
  const now = one.now ?? suite.now;
  const clock = now === undefined ? {} : { now };
  if (suite.variables !== undefined) return { ...asWritten(memberSources(file).get('variables')), ...clock };
  const given = (name: string): unknown => toJsonVariable(source.get(name) ?? 'null');
  return {
    messages: given('messages'),
    tools: given('tools'),
    documents: given('documents'),
    add_generation_prompt: false,
    ...asWritten(source.get('options')),
    ...(typeof suite.bos_token === 'string' ? { bos_token: suite.bos_token } : {}),
    ...(typeof suite.eos_token === 'string' ? { eos_token: suite.eos_token } : {}),
    ...clock,
  };
}

/** What comes of a case, in words that compare: an error is an error, whatever it says. */
function outcome(template: string, variables: TemplateVariables): string {
  try {
    return `text: ${renderTemplate(template, variables)}`;
  } catch (error) {
    expect(error).toMatchObject({ code: 'template_error' });
    return 'error';
  }
}

describe('renderTemplate and Jinja', () => {
  it('were compared on suites that are there', () => {
    expect(names.length).toBeGreaterThanOrEqual(5);
  });

  it.each(names)('agree on %s but for the listed cases', (name) => {
    const file = readFileSync(join(directory, name), 'utf8');
    const suite = JSON.parse(file) as Suite;
    const sources = casesOf(file);
    expect(sources).toHaveLength(suite.cases.length);
    const listed = Object.values(differences.files[name] ?? {}).flat();
    // continue_final_message is no matter of the template (see the set's README).
    const differing = suite.cases.flatMap((one, index) => {
      if (one.options !== undefined && 'continue_final_message' in one.options) return [];
      const expected = one.error === undefined ? `text: ${one.rendered ?? ''}` : 'error';
      const variables = variablesOf(file, suite, one, sources[index] ?? new Map());
      return outcome(one.template ?? suite.template ?? '', variables) === expected ? [] : [index];
    });
    expect(differing).toEqual(listed.toSorted((a, b) => a - b));
  });

  it('have a reason for every difference', () => {
    const used = Object.values(differences.files).flatMap((byReason) => Object.keys(byReason));
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(differences.reasons).toSorted());
  });
});
