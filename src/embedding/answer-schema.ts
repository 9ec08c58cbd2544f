import { AppError, describe, isError } from '../base/index.js';
import { Compile, type TSchema } from '../schema/index.js';
import { closeObjects } from '../grammar/index.js';
import type { SchemaIssue, StandardSchema } from './schema-output.js';

/** An error message lists at most this many issues. */
const MAX_TOLD_ISSUES = 3;
/** The most characters of one issue. A schema library's message may be of any length. */
const MAX_ISSUE_LENGTH = 200;

/** The result of judging a value: the schema's output, or a description of the problem. */
export type SchemaVerdict = { readonly value: unknown } | { readonly problem: string };

/** A schema of any library: the JSON Schema that constrains an answer, and the function that judges the answer. */
export interface AnswerSchema {
  /** JSON Schema of the text that the model writes. */
  readonly json: object;
  readonly judge: (value: unknown) => SchemaVerdict | Promise<SchemaVerdict>;
}

/**
 * Reads a Standard Schema (Zod, ArkType and others), a TypeBox schema or a plain JSON Schema. Checks beyond JSON
 * Schema, such as refinements, run on the complete answer. Objects of TypeBox and Zod are closed. `field` names the
 * schema in errors. Errors: `unsupported_schema`, `invalid_value`.
 */
export function readSchema(schema: unknown, field: string): AnswerSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || Array.isArray(schema)) {
    throw refused(
      'invalid_value',
      field,
      `is ${describe(schema)}; it must be a schema of TypeBox or Zod, or a JSON Schema`,
    );
  }
  if ('~standard' in schema) return readStandard(schema as StandardSchema, field);
  const json = toJson(schema, field);
  if (!('~kind' in schema)) return { json, judge: (value) => ({ value }) };
  const validator = Compile(schema as TSchema);
  return {
    json: closeObjects(json),
    judge: (value) => {
      if (validator.Check(value)) return { value };
      const issues = validator.Errors(value).map(({ message, instancePath }) => ({
        message,
        path: instancePath.split('/').slice(1),
      }));
      return { problem: tell(issues) };
    },
  };
}

function readStandard(schema: StandardSchema, field: string): AnswerSchema {
  const { vendor, jsonSchema, validate } = schema['~standard'];
  if (typeof jsonSchema?.input !== 'function') {
    const message = `is of ${describe(vendor, true)}, which does not give it as JSON Schema (~standard.jsonSchema); Zod does from 4.2 on; or give a JSON Schema`;
    throw refused('unsupported_schema', field, message);
  }
  let json: object;
  try {
    json = jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    const why = isError(error) ? `: ${error.message}` : '';
    throw refused(
      'unsupported_schema',
      field,
      `cannot be written as JSON Schema, says ${describe(vendor, true)}${why}`,
    );
  }
  return {
    json: closeObjects(toJson(json, field)),
    async judge(value) {
      const result = await validate(value);
      return result.issues === undefined ? { value: result.value } : { problem: tell(result.issues) };
    },
  };
}

/** Copies `schema` as pure JSON, because another thread receives it. */
function toJson(schema: object, field: string): object {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema));
    if (typeof copy === 'object' && copy !== null) return copy;
  } catch {
    // JSON cannot represent a cycle, a bigint or a function.
  }
  throw refused(
    'invalid_value',
    field,
    'is no JSON: it has a circle, a bigint or is a function; a JSON Schema is a tree of JSON',
  );
}

/** Describes the first issues, each with its path. A key that is not a plain word becomes `…`. */
function tell(issues: readonly SchemaIssue[]): string {
  const told = issues.slice(0, MAX_TOLD_ISSUES).map(({ message, path = [] }) => {
    const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
    const place = keys.map((key) => (/^[\w$-]{1,64}$/.test(String(key)) ? String(key) : '…')).join('.');
    const text = message.length > MAX_ISSUE_LENGTH ? `${message.slice(0, MAX_ISSUE_LENGTH)}…` : message;
    return place === '' ? text : `${place}: ${text}`;
  });
  const more = issues.length - told.length;
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function refused(code: string, field: string, why: string): AppError {
  return new AppError(code, `${field} ${why}`, { param: field });
}
