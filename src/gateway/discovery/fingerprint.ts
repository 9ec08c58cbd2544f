import { runtimeKinds, type RuntimeKindName } from '../runtimes/index.js';

/** The version of the form below: one that is not known is a fingerprint of another gateway's release. */
const FORM = '1';

/** The result of a comparison. */
export type FingerprintComparison =
  | { readonly isSame: true }
  /** `change`: the difference, as in `kind was ollama and is now openai-compatible`. */
  | { readonly isSame: false; readonly change: string };

/**
 * The fingerprint of an approved runtime: `1:ollama:-`, its kind and the product in its Server header. It stays the
 * same when a runtime is updated, gets a key or has other models. It proves no identity, since an imitation has the
 * same one: it detects that another kind of server took the address of a runtime.
 */
export function toFingerprint(kind: RuntimeKindName, server: string): string {
  return [FORM, kind, server === '' ? '-' : server].join(':');
}

/** Compares a stored fingerprint with a new one. */
export function compareFingerprint(remembered: string, seen: string): FingerprintComparison {
  if (remembered === seen) return { isSame: true };
  const before = parse(remembered);
  const now = parse(seen);
  if (before === undefined) return { isSame: false, change: 'the remembered fingerprint is not of this version' };
  if (now === undefined) return { isSame: false, change: 'the stored fingerprint has another version' };
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
