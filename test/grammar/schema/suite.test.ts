import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatedPart } from '../../repo/docs.js';
import { formatsTable, suiteTable } from '../../repo/json-schema-page.js';
import { runSuite } from './suite.js';

/** Valid instances that are not accepted, by file: what a format leaves out, and formats where they are annotations. */
const LEFT_OUT: Readonly<Record<string, number>> = {
  'optional/format/time': 4,
  'optional/format/date-time': 1,
  'optional/format/email': 5,
  'optional/format/hostname': 15,
  format: 1,
};

const suite = runSuite();

describe.each(suite)('JSON-Schema-Test-Suite, draft %s', (_draft, results) => {
  it('has hundreds of schemas, of which one in ten or fewer is refused', () => {
    const refused = results.filter(({ refusal }) => refusal !== undefined);
    expect(results.length).toBeGreaterThan(290);
    expect(refused.length).toBeLessThan(results.length / 10);
  });

  it('has no invalid instance that is accepted', () => {
    expect(
      results.filter(({ accepted }) => accepted.length > 0).map(({ group, accepted }) => [group, accepted]),
    ).toEqual([]);
  });

  it('has no valid instance that is not accepted, but for what formats leave out', () => {
    const wrong = results.filter(({ group, missed }) => missed.length > (LEFT_OUT[group.file] ?? 0));
    expect(wrong.map(({ group, missed }) => [group, missed])).toEqual([]);
  });

  it('names the keyword, its place and what to do where a schema is refused', () => {
    for (const refusal of results.flatMap((result) => result.refusal ?? [])) {
      expect(refusal).toMatch(/^the (?:keyword \S+ at \S+ .*; change it|grammar needs more than \d+ .*; use smaller)/);
    }
  });

  it('has the same answers of the compiled grammar and of the plain interpreter', () => {
    expect(results.flatMap(({ group, disputed }) => (disputed.length > 0 ? [[group, disputed]] : []))).toEqual([]);
  });
});

describe('docs/json-schema.md', () => {
  const page = readFileSync('docs/json-schema.md', 'utf8');

  it('has the table of this suite', () => {
    expect(generatedPart(page, 'suite')).toBe(suiteTable(suite));
  });

  it('has the formats', () => {
    expect(generatedPart(page, 'formats')).toBe(formatsTable());
  });
});
