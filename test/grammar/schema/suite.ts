import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { isAppError } from '../../../src/base/index.js';
import { compileGrammar, GrammarWalk, type Grammar } from '../../../src/grammar/index.js';
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

/** What the compiled grammar and the plain interpreter say of a text. */
type Accepts = (text: string) => readonly boolean[];

/**
 * Both ways to read the texts of a grammar. `known` has them by the grammar's hash: most schemas are in all drafts, and make
 * the same grammar in each.
 */
function readersOf(grammar: Grammar, known: Map<string, Accepts>): Accepts {
  const id = createHash('sha256').update(serialize(grammar)).digest('base64url');
  const found = known.get(id);
  if (found !== undefined) return found;
  const walk = new GrammarWalk(compileGrammar(grammar));
  const answers = new Map<string, readonly boolean[]>();
  const accepts: Accepts = (text) => {
    const answered = answers.get(text);
    if (answered !== undefined) return answered;
    const end = walk.start().advance(new TextEncoder().encode(text));
    const both = [end?.canEnd ?? false, grammarAccepts(grammar, text)];
    answers.set(text, both);
    return both;
  };
  known.set(id, accepts);
  return accepts;
}

/** Compiles the schema of a group and tries its instances, as `JSON.stringify` prints them. */
function runGroup(group: Group, known: Map<string, Accepts>): GroupResult {
  const result = { group, refusal: undefined, accepted: [], missed: [], disputed: [] };
  let accepts: Accepts = () => [false];
  try {
    const { grammar } = readJsonSchema(group.schema, { anyOrder: true });
    accepts = readersOf(grammar, known);
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
  const known = new Map<string, Accepts>();
  return DRAFTS.map((draft) => [draft, readSuite(draft).map((group) => runGroup(group, known))]);
}
