import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '../../../src/base/index.js';
import { compileGrammar, GrammarWalk } from '../../../src/grammar/index.js';
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
  /** Instances about which the compiled grammar and the plain interpreter do not agree. */
  readonly disputed: readonly string[];
}

/** The groups of a draft; their schemas say which it is. */
export function readSuite(draft: (typeof DRAFTS)[number]): readonly Group[] {
  const path = join(process.cwd(), `test/vectors/json-schema-suite/${draft}.json`);
  const groups: readonly Group[] = JSON.parse(readFileSync(path, 'utf8'));
  const isOld = draft === '7';
  const $schema = isOld ? 'http://json-schema.org/draft-07/schema#' : `https://json-schema.org/draft/${draft}/schema`;
  return groups.map((group) =>
    typeof group.schema === 'boolean' ? group : { ...group, schema: { $schema, ...Object(group.schema) } },
  );
}

/** Compiles the schema of a group and tries its instances, as `JSON.stringify` prints them. */
export function runGroup(group: Group): GroupResult {
  const result = { group, refusal: undefined, accepted: [], missed: [], disputed: [] };
  let accepts = (_text: string): readonly boolean[] => [false];
  try {
    const { grammar } = readJsonSchema(group.schema, { anyOrder: true });
    const walk = new GrammarWalk(compileGrammar(grammar));
    accepts = (text) => {
      const end = walk.start().advance(new TextEncoder().encode(text));
      return [end?.canEnd ?? false, grammarAccepts(grammar, text)];
    };
  } catch (error) {
    const isRefused = isAppError(error) && ['unsupported_schema', 'grammar_too_large'].includes(error.code);
    if (isRefused) return { ...result, refusal: error.message };
    if (!isAppError(error) || error.code !== 'unsatisfiable_schema') throw error;
  }
  const tried = group.tests.map(([description, data, isValid]) => {
    const answers = accepts(JSON.stringify(data));
    return { description, isValid, isAccepted: answers.includes(true), isDisputed: answers[0] !== answers.at(-1) };
  });
  const names = (chosen: typeof tried): string[] => chosen.map(({ description }) => description);
  return {
    ...result,
    accepted: names(tried.filter(({ isValid, isAccepted }) => isAccepted && !isValid)),
    missed: names(tried.filter(({ isValid, isAccepted }) => isValid && !isAccepted)),
    disputed: names(tried.filter(({ isDisputed }) => isDisputed)),
  };
}

/** All groups of all drafts. */
export function runSuite(): readonly (readonly [draft: string, results: readonly GroupResult[]])[] {
  return DRAFTS.map((draft) => [draft, readSuite(draft).map(runGroup)]);
}
