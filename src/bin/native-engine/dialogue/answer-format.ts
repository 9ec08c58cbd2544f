import { AppError, describe, isAppError, parseStrictJson, readBoundedFile, suggestion } from '../../../base/index.js';
import type { ResponseFormat } from '../../../index.js';

/** Bytes of a schema's file: more than a grammar takes. */
const MAX_SCHEMA_BYTES = 1 << 20;
/** Nesting of a schema's file: more than a grammar takes. */
const MAX_SCHEMA_DEPTH = 256;

/** The form of answers that a user chose. */
export interface ChosenFormat {
  /** As the user wrote it: `json`, or the path of a schema. */
  readonly name: string;
  readonly responseFormat: ResponseFormat;
}

/**
 * The form that a user asked for: `json` is any JSON object, a path the JSON Schema of its file, checked at once. A path has
 * a slash or ends in .json, so that no file is taken for a misspelled word. `option` is what errors call it.
 * Errors: `invalid_option`, those of reading files, `unsupported_schema` and the others of schemas.
 */
export async function readAnswerFormat(asked: string, option: string): Promise<ChosenFormat> {
  if (asked === 'json') return { name: asked, responseFormat: { type: 'json_object' } };
  if (!/[/\\]|\.json$/i.test(asked)) {
    const message = `${option} is ${describe(asked, true)}; it must be json, or the file of a JSON Schema: a path with a slash, or that ends in .json.${suggestion(asked, ['json'])}`;
    throw new AppError('invalid_option', message, { param: option });
  }
  const schema = await readSchemaFile(asked, option);
  await checkSchema(schema, asked);
  return { name: asked, responseFormat: { type: 'json_schema', json_schema: { schema, strict: true } } };
}

async function readSchemaFile(path: string, option: string): Promise<object | boolean> {
  const refuse = (why: string): AppError => {
    return new AppError('invalid_option', `${path} ${why}; ${option} takes the file of a JSON Schema`, { path });
  };
  const value = parseStrictJson(
    await readBoundedFile(path, MAX_SCHEMA_BYTES, refuse),
    { maxDepth: MAX_SCHEMA_DEPTH, keepsOrder: true },
    refuse,
  );
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refuse(`is ${describe(value)}, and a schema is an object`);
}

/** What cannot be held is said before a model is loaded. Errors: those of `readJsonSchema`. */
async function checkSchema(schema: object | boolean, path: string): Promise<void> {
  const { readJsonSchema } = await import('../../../grammar/index.js');
  try {
    readJsonSchema(schema);
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { keyword, pointer, reason } = error.details;
    const isKeyword = typeof keyword === 'string' && typeof pointer === 'string' && typeof reason === 'string';
    const why = isKeyword ? `the keyword ${keyword} at ${pointer} cannot be enforced: ${reason}` : error.message;
    throw new AppError(error.code, `${path}: ${why}`, { ...error.details, path }, { cause: error });
  }
}
