// OpenAI's published schemas as checks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';

/** The definitions that are checked by name. */
export type SchemaName =
  | 'CreateChatCompletionResponse'
  | 'CreateChatCompletionStreamResponse'
  | 'CreateCompletionResponse'
  | 'CreateEmbeddingResponse'
  | 'ListModelsResponse'
  | 'Model'
  | 'ErrorResponse';

const path = join(process.cwd(), 'test/vectors/server/openai-schemas.json');
const { $defs } = withNulls(JSON.parse(readFileSync(path, 'utf8'))) as { $defs: Record<string, object> };

const compiled = new Map<SchemaName, ReturnType<typeof compile>>();

/** What is wrong with `value` by the definition of that name; empty when nothing is. */
export function offencesOf(name: SchemaName, value: unknown): unknown[] {
  const schema = compiled.get(name) ?? compile(name);
  compiled.set(name, schema);
  if (schema.Check(value)) return [];
  const [, errors] = schema.Errors(value);
  return errors.length > 0 ? errors : [`no ${name}`];
}

function compile(name: SchemaName) {
  if ($defs[name] === undefined) throw new Error(`there is no definition ${name}`);
  return Compile({ $defs, $ref: `#/$defs/${name}` });
}

/** OpenAPI's `nullable` in JSON Schema's words. */
function withNulls(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNulls);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as { nullable?: boolean };
  const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withNulls(value)]));
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
}
