import { invalidValue } from '../../base/index.js';

/** What clients write behind `/pgw/`. */
const SLUG = /^[a-z0-9-]{3,40}$/;
/** Words that paths of ours, or pages about them, may need there one day. */
const RESERVED: ReadonlySet<string> = new Set(['admin', 'api', 'catalog', 'health', 'metrics', 'models', 'ready']);

/** What billing calls a connected gateway. */
export const toProvider = (slug: string): string => `pgw/${slug}`;

/** Whether a text can be a slug at all, so that nothing else is looked up. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Errors: `invalid_value` for what cannot be the slug of a new gateway. */
export function checkSlug(text: string): void {
  if (!isSlug(text)) throw invalidValue('slug', text, '3 to 40 of a to z, 0 to 9 and -');
  if (RESERVED.has(text)) throw invalidValue('slug', text, 'another word: this one is reserved');
}
