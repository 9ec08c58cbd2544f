import { invalidValue } from '../../base/index.js';

/** The name that clients write behind `/pgw/`. */
const SLUG = /^[a-z0-9-]{3,40}$/;
/** Words that paths of ours, or pages about them, may need there one day. */
const RESERVED: ReadonlySet<string> = new Set(['admin', 'api', 'catalog', 'health', 'metrics', 'models', 'ready']);

/** The name of a connected gateway in billing. */
export const toProvider = (slug: string): string => `pgw/${slug}`;

/** Whether a text can be a slug; a lookup of any other text is skipped. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Errors: `invalid_value` if it cannot be the slug of a new gateway. */
export function checkSlug(text: string): void {
  if (!isSlug(text)) throw invalidValue('slug', text, '3 to 40 of a to z, 0 to 9 and -');
  if (RESERVED.has(text)) throw invalidValue('slug', text, 'another word: this one is reserved');
}
