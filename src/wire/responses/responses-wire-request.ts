import type { TextFormat } from '../../api/index.js';
import type { ResponsesAsked } from '../../answers/index.js';
import type { WireRequest } from '../dialect.js';
import type { AskedFormat } from '../parsing/read-format.js';

/** A parsed body of the responses API, with the parts that its answers repeat. */
export type ResponsesWireRequest = WireRequest & ResponsesAsked;

/** The requirements of a checked format; undefined: none. */
export function toAskedFormat(format: TextFormat | null | undefined): AskedFormat | undefined {
  const field = 'text.format';
  if (format?.type === 'json_object') return { field, format: { kind: 'json' } };
  if (format?.type !== 'json_schema') return undefined;
  const { schema = {}, strict } = format;
  return { field, format: { kind: 'jsonSchema', schema, isStrict: strict !== false } };
}
