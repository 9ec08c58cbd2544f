import type { Grammar } from './grammar.js';
export function readGbnf(_: string): Grammar {
  throw new Error('stub');
}
export function readJsonSchema(
  _: unknown,
  __?: { strict?: boolean },
): { grammar: Grammar; unenforced: readonly string[] } {
  throw new Error('stub');
}
