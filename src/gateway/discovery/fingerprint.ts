import { runtimeKinds, type RuntimeKindName } from '../runtimes/index.js';

/** The version of the form below: one that is not known is a fingerprint of another gateway's release. */
const FORM = '1';

/** What a comparison says. */
export type FingerprintComparison =
  | { readonly isSame: true }
  /** `change`: what differs, as in `kind was ollama and is now openai-compatible`. */
  | { readonly isSame: false; readonly change: string };

/**
 * What is remembered of a runtime that an operator approved: `1:ollama:-`, its kind and the product that its Server header
 * names. It stays the same when a runtime is updated, gets a key or has other models. It proves no identity, since who
 * imitates a runtime imitates this too: it tells that something else listens where a runtime was.
 */
export function toFingerprint(kind: RuntimeKindName, server: string): string {
  return [FORM, kind, server === '' ? '-' : server].join(':');
}

/** Compares what was remembered with what was seen now. */
export function compareFingerprint(remembered: string, seen: string): FingerprintComparison {
  if (remembered === seen) return { isSame: true };
  const before = parse(remembered);
  const now = parse(seen);
  if (before === undefined) return { isSame: false, change: 'the remembered fingerprint is not of this version' };
  if (now === undefined) return { isSame: false, change: 'the fingerprint that was seen is not of this version' };
  const [field, from, to] =
    before.kind === now.kind ? ['server', before.server, now.server] : ['kind', before.kind, now.kind];
  return { isSame: false, change: `its ${field} was ${from} and is now ${to}` };
}

/** The kind that a fingerprint remembers; undefined: it is not of this version. */
export function kindOf(fingerprint: string): RuntimeKindName | undefined {
  return parse(fingerprint)?.kind;
}

function parse(text: string): { readonly kind: RuntimeKindName; readonly server: string } | undefined {
  const [form, kind = '', server = '', ...more] = text.split(':');
  const isWhole = form === FORM && Object.hasOwn(runtimeKinds, kind) && /^[\w.-]{1,32}$/.test(server);
  return isWhole && more.length === 0 ? { kind: kind as RuntimeKindName, server } : undefined;
}
