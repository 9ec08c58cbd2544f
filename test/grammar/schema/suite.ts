import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '../../../src/base/index.js';
import { readJsonSchema } from '../../../src/grammar/schema/index.js';
import { grammarAccepts } from '../interpret.js';

/** The drafts of which the suite is here. */
export const DRAFTS = ['7', '2019-09', '2020-12'] as const;

/** A schema of the suite and its instances. */
export interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly (readonly [description: string, data: unknown, isValid: boolean])[];
}

/** What became of a group. */
export interface GroupResult {
  readonly group: Group;
  /** Why the schema is refused; undefined where it compiles. */
  readonly refusal: string | undefined;
  /** Invalid instances that are accepted. */
  readonly accepted: readonly string[];
  /** Valid instances that are not. */
  readonly missed: readonly string[];
}

/** The groups of a draft; their schemas say which it is. */
export function readSuite(draft: (typeof DRAFTS)[number]): readonly Group[] {
  const path = join(process.cwd(), `test/vectors/json-schema-suite/${draft}.json`);
  const groups: readonly Group[] = JSON.parse(readFileSync(path, 'utf8'));
  const $schema =
    draft === '7' ? 'http://json-schema.org/draft-07/schema#' : `https://json-schema.org/draft/${draft}/schema`;
  return groups.map((group) =>
    typeof group.schema === 'boolean' ? group : { ...group, schema: { $schema, ...Object(group.schema) } },
  );
}

/** Compiles the schema of a group and tries its instances, as `JSON.stringify` prints them. */
export function runGroup(group: Group): GroupResult {
  let accepts: (text: string) => boolean;
  try {
    const { grammar } = readJsonSchema(group.schema, { anyOrder: true });
    accepts = (text) => grammarAccepts(grammar, text);
  } catch (error) {
    if (
      !isAppError(error) ||
      !['unsupported_schema', 'unsatisfiable_schema', 'grammar_too_large'].includes(error.code)
    ) {
      throw error;
    }
    if (error.code !== 'unsatisfiable_schema') return { group, refusal: error.message, accepted: [], missed: [] };
    accepts = () => false;
  }
  const wrong = group.tests.filter(([, data, isValid]) => accepts(JSON.stringify(data)) !== isValid);
  const names = (wanted: boolean): string[] =>
    wrong.filter(([, , isValid]) => isValid === wanted).map(([description]) => description);
  return { group, refusal: undefined, accepted: names(false), missed: names(true) };
}
