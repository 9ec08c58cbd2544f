import { Compile, type Static, type TSchema } from '../../schema/index.js';
import type { Partly, Report } from './partly.js';
import { sortProblems, type TextPosition, type Problem } from './problems.js';
import { readDocumentFields } from './read-fields.js';
import type { TextChecks } from './text-checks.js';
import { readYaml } from './yaml-document.js';
import type { FieldSchema } from '../schema/field-schema.js';

/** What a text is as a file of a schema. */
export interface CheckedText<File> {
  /** With its defaults filled in. Undefined where there are problems. */
  readonly file: File | undefined;
  /** What keeps the text from being used, in its order. */
  readonly problems: readonly Problem[];
  /** What works, but hardly as it was meant. */
  readonly warnings: readonly Problem[];
}

/** What a file of a schema must be besides. */
export interface TextRules<S extends TSchema> {
  readonly schema: S;
  readonly checks: TextChecks;
  /** What is wrong with the text as such, such as secrets in plain text. */
  readonly findInText: (text: string, placeAt: (offset: number) => TextPosition) => readonly Problem[];
  /** What no field shows by itself. */
  readonly crossCheck: (file: Partly<Static<S>>, fail: Report, warn: Report) => void;
}

/** The checker of a kind of file. Total: whatever is wrong with a text is in `problems`. */
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
    // Nothing is used that the schema does not have, whatever this reader thinks of it.
    const [first] = validator.Errors(value);
    const message = `the file does not fit its schema at ${first?.instancePath ?? ''}: ${first?.message ?? ''}`;
    return { file: undefined, problems: [{ line: 1, column: 1, field: '', message }], warnings };
  };
}
