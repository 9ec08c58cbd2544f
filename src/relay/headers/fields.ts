import type { HeaderFields } from '../../http/index.js';

/** Fields of one connection, which no intermediary passes on. Source: RFC 9110, 7.6.1; Proxy-Connection and Keep-Alive by custom. */
const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** Fields that the client sends to its own server only, never forwarded: its credentials, its page, its route. */
const OF_THE_CLIENT: readonly string[] = [
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'host',
  'content-length',
  'expect',
  'origin',
  'referer',
  'forwarded',
  'via',
  'trailer',
];

/** Changes to a request's fields. */
export interface RequestFieldChanges {
  /** Fields of ours, such as the upstream's credential; they replace the client's fields of the same names. */
  readonly own?: HeaderFields | undefined;
  /** The answer must come without content-encoding, since parts of it may be removed. */
  readonly plainAnswer?: boolean | undefined;
  /** The content-encoding of the body was undone. */
  readonly isDecoded?: boolean | undefined;
}

/**
 * The fields of a request for its upstream, in order. Leaves out fields of the connection and those that `Connection`
 * names, the client's credentials and cookies, and what browsers and proxies add. The client's key is dropped from
 * every field that may carry it.
 */
export function toUpstreamFields(fields: HeaderFields, changes: RequestFieldChanges = {}): HeaderFields {
  const { own = [], plainAnswer = false, isDecoded = false } = changes;
  const named = namedByConnection(fields);
  const ours = own.map(([name]) => name.toLowerCase());
  const kept: (readonly [name: string, value: string])[] = [];
  for (const field of fields) {
    const name = field[0].toLowerCase();
    if (NOT_UPSTREAM.has(name) || FROM_BROWSERS_AND_PROXIES.test(name)) continue;
    if (named.includes(name) || ours.includes(name)) continue;
    if ((plainAnswer && name === 'accept-encoding') || (isDecoded && name === 'content-encoding')) continue;
    kept.push(field);
  }
  if (plainAnswer) kept.push(['accept-encoding', 'identity']);
  return [...kept, ...own];
}

const NOT_UPSTREAM: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OF_THE_CLIENT]);
const FROM_BROWSERS_AND_PROXIES = /^(?:x-forwarded-|access-control-|sec-)/;

/** Changes to an answer's fields. */
export interface AnswerFieldChanges {
  /** The body may become shorter, so its length is unknown. */
  readonly dropLength?: boolean | undefined;
  /** Fields, by name in lower case, that are this upstream's and not its clients'. */
  readonly isDropped?: ((name: string) => boolean) | undefined;
}

/** The fields of an answer for its client, in order: without those of the connection. */
export function toAnswerFields(fields: HeaderFields, changes: AnswerFieldChanges = {}): HeaderFields {
  const { dropLength = false, isDropped } = changes;
  const named = namedByConnection(fields);
  return fields.filter((field) => {
    const name = field[0].toLowerCase();
    if (HOP_BY_HOP.includes(name) || named.includes(name)) return false;
    return !(dropLength && name === 'content-length') && isDropped?.(name) !== true;
  });
}

/**
 * Fields that may not follow a body: those of the connection, and those that frame or name the message. Source: RFC
 * 9110, 6.5.1.
 */
export function toTrailerFields(fields: HeaderFields): HeaderFields {
  return fields.filter(([name]) => {
    const key = name.toLowerCase();
    return !HOP_BY_HOP.includes(key) && !OF_THE_CLIENT.includes(key) && !NOT_BEHIND.includes(key);
  });
}

const NOT_BEHIND: readonly string[] = ['content-encoding', 'content-type', 'content-range', 'set-cookie'];

/** The first value of a field by its name in lower case. */
export function fieldOf(fields: HeaderFields, name: string): string | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Names of fields that the message's `Connection` field lists. `content-length` and the like cannot be listed. */
function namedByConnection(fields: HeaderFields): readonly string[] {
  const names: string[] = [];
  for (const [name, value] of fields) {
    if (name.length !== CONNECTION.length || name.toLowerCase() !== CONNECTION) continue;
    for (const part of value.split(',')) {
      const named = part.trim().toLowerCase();
      if (!NEVER_OF_THE_CONNECTION.includes(named)) names.push(named);
    }
  }
  return names;
}

const CONNECTION = 'connection';
const NEVER_OF_THE_CONNECTION: readonly string[] = ['', 'close', 'content-length', 'content-encoding', 'content-type'];
