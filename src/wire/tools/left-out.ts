/** Limits of the list of names in a header and the log, and the form of a name in it. */
const MAX_NAMES = 16;
const NAME = /^[\w.-]{1,64}$/;

/**
 * An untrusted list in which an entry of an unsupported type keeps only its type and name: nothing else of it is
 * checked. Indexes stay. A value that is not a list stays unchanged.
 */
export function bareOthers(list: unknown, isServed: (type: string) => boolean): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown) => {
    const type = typeOf(entry);
    if (type === undefined || isServed(type)) return entry;
    const name: unknown = Reflect.get(entry as object, 'name');
    return typeof name === 'string' ? { type, name } : { type };
  });
}

function typeOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
  const type: unknown = Reflect.get(entry, 'type');
  return typeof type === 'string' ? type : undefined;
}

/** The ignored parts of a request for a header and the log: each once, and only words. */
export function toIgnored(names: Iterable<string>): readonly string[] | undefined {
  const listed = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, MAX_NAMES);
  return listed.length === 0 ? undefined : listed;
}
