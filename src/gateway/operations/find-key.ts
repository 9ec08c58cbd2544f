import { AppError } from '../../base/index.js';
import type { KeyRecord, Meter } from '../../metering/index.js';
import { Type } from '../../schema/index.js';

/** Ids that a refusal lists. */
const MAX_LISTED = 10;
/** Characters of a wrong id or name that a refusal repeats. */
const MAX_SHOWN = 64;

/** A key by its id or by its name. The bound is that of a name. */
export const NamedKey = Type.String({ minLength: 1, maxLength: 100 });

/**
 * The key that an operator names: the one of this id, else the only one of this name. A revoked key, which nothing can change, does
 * not count beside one that is not revoked. Errors: `key_unknown`, `key_ambiguous`.
 */
export function findKey(meter: Pick<Meter, 'keys' | 'pages'>, named: string): KeyRecord {
  const byId = meter.pages.findKey(named);
  if (byId !== undefined) return byId;
  const sameName = meter.keys().filter(({ name }) => name === named);
  const usable = sameName.filter(({ state }) => state !== 'revoked');
  const found = usable.length > 0 ? usable : sameName;
  const shown = JSON.stringify(named.slice(0, MAX_SHOWN));
  const [only] = found;
  if (only === undefined) {
    const message = `no key has the id or the name ${shown}; 'keys list' shows the ids and names of all keys`;
    throw new AppError('key_unknown', message, { key_id: named.slice(0, MAX_SHOWN) });
  }
  if (found.length === 1) return only;
  const ids = found.slice(0, MAX_LISTED).map(({ id }) => id);
  const more = found.length > ids.length ? ` and ${found.length - ids.length} more` : '';
  const message = `${found.length} keys have the name ${shown}; say which by its id: ${ids.join(', ')}${more}`;
  throw new AppError('key_ambiguous', message, { key_ids: ids.join(' ') });
}
