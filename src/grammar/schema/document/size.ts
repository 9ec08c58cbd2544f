import { automatonTooLarge } from '../../regular/index.js';

/** Characters of all strings and names of a schema, and eight for each value. */
const MAX_SIZE = 4_000_000;
/** Values within one another. */
const MAX_DEPTH = 512;

/** Refuses a schema that is larger or deeper than the limits, before anything else looks at it. Errors: `grammar_too_large`. */
export function checkSize(schema: unknown): void {
  let size = 0;
  let level: readonly unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw automatonTooLarge('levels of values within one another', MAX_DEPTH);
    const next: unknown[] = [];
    for (const value of level) {
      size += 8;
      if (typeof value === 'string') size += value.length;
      if (Array.isArray(value)) for (const each of value) next.push(each);
      else if (typeof value === 'object' && value !== null) {
        for (const [name, each] of Object.entries(value)) {
          size += name.length;
          next.push(each);
        }
      }
      if (size > MAX_SIZE) throw automatonTooLarge('characters in a schema', MAX_SIZE);
    }
    level = next;
  }
}
