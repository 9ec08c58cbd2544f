import { assert } from '../base/index.js';

/** The route of one path and method. */
export interface PathRoute<T> {
  /** Upper case, or `*` for every method. A GET route answers HEAD too. */
  readonly method: string;
  /**
   * `/v1/models`, with parameters for whole segments: `{id}` anywhere takes one, `{id...}` at the end takes one or more.
   */
  readonly path: string;
  readonly target: T;
}

/** Where a request belongs. `allow`: the path is known, but not with this method. */
export type Found<T> =
  | { readonly target: T; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: string };

/** Finds the route of a method, and of a path as it was sent, without query. Undefined: the path is unknown. */
export type Router<T> = (method: string, path: string) => Found<T> | undefined;

type Part = { readonly text: string } | { readonly name: string; readonly isRest: boolean };

/** The routes of one path. */
interface Place<T> {
  readonly parts: readonly Part[];
  readonly targets: Map<string, T>;
}

/**
 * Segments are compared as sent. Parameters are percent-decoded; one that is not valid UTF-8 does not match. In
 * `{id...}` `%2F` and `/` are alike; in `{id}` an escaped slash belongs to the value and an open one ends it. Several
 * slashes count as one, and one at the end as none, since base URLs end with one or lack it. Where several paths match,
 * a literal segment precedes a parameter, and a parameter the rest, from left to right. A route with the method
 * precedes one without.
 */
export function createRouter<T>(routes: readonly PathRoute<T>[]): Router<T> {
  const places = toPlaces(routes);
  return (method, path) => {
    if (!path.startsWith('/')) return undefined;
    const segments = path.split('/').filter(Boolean);
    let allow: string | undefined;
    for (const { parts, targets } of places) {
      const params = match(segments, parts);
      if (params === undefined) continue;
      const target = targets.get(method === 'HEAD' && !targets.has('HEAD') ? 'GET' : method) ?? targets.get('*');
      if (target !== undefined) return { target, params };
      allow ??= allowOf(targets);
    }
    return allow === undefined ? undefined : { allow };
  };
}

/** The names of the parameters of a route's path, in their order. */
export function paramsOf(path: string): readonly string[] {
  return toParts(path).flatMap((part) => ('name' in part ? [part.name] : []));
}

/** Places from the most to the least specific. */
function toPlaces<T>(routes: readonly PathRoute<T>[]): readonly Place<T>[] {
  const byShape = new Map<string, Place<T>>();
  for (const { method, path, target } of routes) {
    const parts = toParts(path);
    // Under other names of its parameters a path is the same, but what its handler reads is not.
    const place = byShape.get(path) ?? { parts, targets: new Map<string, T>() };
    assert(!place.targets.has(method), `two routes are ${method} ${path}`);
    place.targets.set(method, target);
    byShape.set(path, place);
  }
  return [...byShape.values()].toSorted(compare);
}

function toParts(path: string): readonly Part[] {
  const segments = path.split('/').filter(Boolean);
  return segments.map((segment, i) => {
    const [, name, rest] = /^\{(\w+)(\.\.\.)?\}$/.exec(segment) ?? [];
    if (name === undefined) {
      assert(!/[{}]/.test(segment), `a parameter of ${path} is not a whole segment`);
      return { text: segment };
    }
    assert(rest === undefined || i === segments.length - 1, `the rest of ${path} is not at its end`);
    return { name, isRest: rest !== undefined };
  });
}

function compare<T>({ parts: a }: Place<T>, { parts: b }: Place<T>): number {
  const at = a.findIndex((part, i) => weightOf(part) !== weightOf(b[i]));
  return at === -1 ? 0 : weightOf(a[at]) - weightOf(b[at]);
}

function weightOf(part: Part | undefined): number {
  if (part === undefined) return 0;
  return 'text' in part ? 1 : part.isRest ? 3 : 2;
}

function match(segments: readonly string[], parts: readonly Part[]): Record<string, string> | undefined {
  const last = parts.at(-1);
  const takesRest = last !== undefined && 'name' in last && last.isRest;
  if (takesRest ? segments.length < parts.length : segments.length !== parts.length) return undefined;
  const params: [string, string][] = [];
  for (const [i, part] of parts.entries()) {
    const sent = 'name' in part && part.isRest ? segments.slice(i).join('/') : (segments[i] ?? '');
    if ('text' in part) {
      if (part.text !== sent) return undefined;
      continue;
    }
    const value = decode(sent);
    if (value === undefined) return undefined;
    params.push([part.name, value]);
  }
  return Object.fromEntries(params);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function allowOf(targets: ReadonlyMap<string, unknown>): string {
  const methods = [...targets.keys()];
  if (targets.has('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}
