import { unsupportedKeyword } from './unsupported.js';

/** A draft of JSON Schema by its year or number; `open` where the schema does not say: 2020-12, with older spellings. */
export type SchemaDraft = '4' | '6' | '7' | '2019-09' | '2020-12' | 'open';

/** Addresses of the drafts, without scheme, fragment and slash at the end. */
const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft-04/schema': '4',
  'json-schema.org/draft-06/schema': '6',
  'json-schema.org/draft-07/schema': '7',
  'json-schema.org/schema': 'open',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/** The draft that `$schema` names. Errors: `unsupported_schema` for another one. */
export function draftOf(address: unknown, pointer: string): SchemaDraft {
  if (address === undefined) return 'open';
  const name = typeof address === 'string' ? address.replace(/^https?:\/\//, '').replace(/#?$/, '') : '';
  const draft = DRAFTS[name];
  if (draft !== undefined) return draft;
  const reason = 'only the drafts 4, 6, 7, 2019-09 and 2020-12 are known';
  throw unsupportedKeyword({ pointer, keyword: '$schema', reason });
}

/** Whether keywords beside `$ref` are ignored. */
export function ignoresBesideRef(draft: SchemaDraft): boolean {
  return draft === '4' || draft === '6' || draft === '7';
}
