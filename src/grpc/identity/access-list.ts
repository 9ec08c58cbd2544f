import { AppError, describe } from '../../base/index.js';
import { toCommonName, toDnsName, toUri, type Identity, type IdentityName } from './identity.js';

/** The calls that an identity may make. Neither role includes the other. */
export type Role = 'control' | 'data';

/** The names that a configuration lists. An entry without a kind matches a name of any kind with the same text. */
export interface AccessList {
  /** The roles of an identity; empty if it is not listed. */
  rolesOf(identity: Identity): ReadonlySet<Role>;
}

/** The notation of entries, for messages. */
export const ENTRY_FORMS =
  'spiffe://domain/path, uri:…, dns:name, cn:name, or the name alone, which any of the three may be';

/**
 * The names that an entry of a list matches. `field`: the name of the entry in errors. Errors: `invalid_value`.
 */
export function parseIdentityEntry(entry: string, field: string): IdentityName[] {
  const [, kind = '', rest = ''] = /^(spiffe|uri|dns|cn):(.*)$/is.exec(entry) ?? [];
  // A blank at either end is a typing error: such an entry would never match an identity.
  const found = entry === entry.trim() ? namesOf(kind.toLowerCase(), rest, entry) : [];
  if (found.length > 0) return found;
  const message = `${field} is ${describe(entry, true)}, which is no identity; write ${ENTRY_FORMS}`;
  throw new AppError('invalid_value', message, { field });
}

function namesOf(kind: string, rest: string, entry: string): IdentityName[] {
  const uri = (text: string): IdentityName[] => named('uri', toUri(text));
  const dns = (text: string): IdentityName[] => named('dns', toDnsName(text));
  const cn = (text: string): IdentityName[] => named('cn', toCommonName(text));
  if (kind === 'spiffe') return uri(entry);
  if (kind === 'uri') return uri(rest);
  if (kind === 'dns') return dns(rest);
  if (kind === 'cn') return cn(rest);
  return [...uri(entry), ...dns(entry), ...cn(entry)];
}

function named(kind: IdentityName['kind'], value: string | undefined): IdentityName[] {
  return value === undefined ? [] : [{ kind, value }];
}

/** The lists of a configuration. Errors: `invalid_value`. */
export function createAccessList(lists: Readonly<Record<Role, readonly string[]>>): AccessList {
  const listed: Record<Role, ReadonlySet<string>> = { control: read('control'), data: read('data') };
  return {
    rolesOf: ({ names }) =>
      new Set((['control', 'data'] as const).filter((role) => names.some((name) => listed[role].has(keyOf(name))))),
  };

  function read(role: Role): Set<string> {
    const entries = lists[role].flatMap((entry, at) => parseIdentityEntry(entry, `security.${role}_identities[${at}]`));
    return new Set(entries.map(keyOf));
  }
}

/** Gives every client both roles, for servers that require no client certificates. */
export const openAccess: AccessList = { rolesOf: () => new Set(['control', 'data']) };

function keyOf({ kind, value }: IdentityName): string {
  return `${kind} ${value}`;
}
