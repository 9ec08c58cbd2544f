import { Compile, type Static, type TSchema } from '../../schema/index.js';
import type { Partly, Report } from './partly.js';
import { sortProblems, type TextPosition, type Problem } from './problems.js';
import { readDocumentFields } from './read-fields.js';
import type { TextChecks } from './text-checks.js';
import { readYaml } from './yaml-document.js';
import type { FieldSchema } from '../schema/field-schema.js';

/** The result of checking a text against a schema. */
export interface CheckedText<File> {
  /** With defaults filled in. Undefined if there are problems. */
  readonly file: File | undefined;
  /** Mistakes that prevent the use of the text, in its order. */
  readonly problems: readonly Problem[];
  /** Settings that work, but are probably mistakes. */
  readonly warnings: readonly Problem[];
}

/** Checks beyond the schema. */
export interface TextRules<S extends TSchema> {
  readonly schema: S;
  readonly checks: TextChecks;
  /** Mistakes in the text as such, such as secrets in plain text. */
  readonly findInText: (text: string, placeAt: (offset: number) => TextPosition) => readonly Problem[];
  /** Mistakes that involve several fields. */
  readonly crossCheck: (file: Partly<Static<S>>, fail: Report, warn: Report) => void;
}

/** The checker of a kind of file. Never throws: `problems` lists every mistake of a text. */
export function createTextCheck<S extends TSchema & FieldSchema>({
  schema,
  checks,
  findInText,
  crossCheck,
}: TextRules<S>): (text: string) => CheckedText<Static<S>> {
  const validator = Compile(schema);
  return (text) => {
    const yaml = readYaml(text);
    if (!('document' in yaml)) return { file: undefined, problems: sortProblems(yaml), warnings: [] };
    const { document, placeAt } = yaml;
    const problems = [...findInText(text, placeAt)];
    const places = new Map<string, TextPosition>();
    const value = readDocumentFields(schema, { document, placeAt, problems, places, checks });
    const warnings: Problem[] = [];
    const reportTo =
      (list: Problem[]): Report =>
      (field, message) => {
        list.push({ ...(places.get(field) ?? { line: 1, column: 1 }), field, message: `${field} ${message}` });
      };
    if (typeof value === 'object') crossCheck(value as Partly<Static<S>>, reportTo(problems), reportTo(warnings));
    if (problems.length > 0)
      return { file: undefined, problems: sortProblems(problems), warnings: sortProblems(warnings) };
    if (validator.Check(value)) return { file: value, problems: [], warnings: sortProblems(warnings) };
    // A safeguard: a value that the schema refuses is never used, whatever this reader accepted.
    const [first] = validator.Errors(value);
    const message = `the file does not fit its schema at ${first?.instancePath ?? ''}: ${first?.message ?? ''}`;
    return { file: undefined, problems: [{ line: 1, column: 1, field: '', message }], warnings };
  };
}
