// Published schemas of the Responses and the Messages API as checks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { sseData } from './serving.js';

/** Whose schemas. */
export type Publisher = 'openai' | 'open-responses' | 'anthropic';

const files: Readonly<Record<Publisher, string>> = {
  openai: 'responses/openai.json',
  'open-responses': 'responses/open-responses.json',
  anthropic: 'messages/anthropic.json',
};

/** Names of events where publishers differ: Open Responses has its own for reasoning text. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['response.reasoning_text.delta', 'response.reasoning.delta'],
  ['response.reasoning_text.done', 'response.reasoning.done'],
]);

type Schemas = Readonly<Record<string, object>>;

/** A check of values by the definitions of one publisher. */
export interface PublishedSchemas {
  /** What is wrong with a value by the definition of that name; empty when nothing is. */
  offences(name: string, value: unknown): string[];
  /** The same of an event, by the definition that has its type. */
  eventOffences(event: { readonly type: string }): string[];
}

/** Reads and compiles the schemas of `publisher`. */
export function readPublishedSchemas(publisher: Publisher): PublishedSchemas {
  const path = join(process.cwd(), 'test/vectors', files[publisher]);
  const { $defs } = JSON.parse(readFileSync(path, 'utf8')) as { $defs: Schemas };
  // Formats are OpenAPI's, which JSON Schema does not have.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'published', $defs });
  const compiled = new Map<string, ValidateFunction>();
  const offences: PublishedSchemas['offences'] = (name, value) => {
    if ($defs[name] === undefined) throw new Error(`there is no definition ${name}`);
    const check = compiled.get(name) ?? ajv.compile({ $ref: `published#/$defs/${name}` });
    compiled.set(name, check);
    return check(value) ? [] : [`${name}: ${ajv.errorsText(check.errors)}`];
  };
  const names = eventNames($defs);
  return {
    offences,
    eventOffences(event) {
      const type = names.has(event.type) ? event.type : (renamed.get(event.type) ?? event.type);
      const name = names.get(type);
      return name === undefined ? [`no event is called ${event.type}`] : offences(name, { ...event, type });
    },
  };
}

/** The definitions of events by the type that each allows. */
function eventNames($defs: Schemas): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries($defs)) {
    if (!name.endsWith('Event')) continue;
    const { properties } = definition as { properties?: { type?: { enum?: string[]; const?: string; $ref?: string } } };
    const { type } = properties ?? {};
    const referred = type?.$ref === undefined ? type : ($defs[type.$ref.split('/').at(-1) ?? ''] as typeof type);
    const value = referred?.const ?? referred?.enum?.[0];
    if (value !== undefined) names.set(value, name);
  }
  return names;
}

/** The objects of a stream of named events; each must be called by its type. */
export async function readNamedEvents<T extends { readonly type: string }>(response: Response): Promise<T[]> {
  return sseData(await response.text()).map(({ name, data }) => {
    const event = JSON.parse(data) as T;
    if (event.type !== name) throw new Error(`an event ${name} with an object ${event.type}`);
    return event;
  });
}
