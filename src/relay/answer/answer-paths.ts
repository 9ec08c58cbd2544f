/**
 * What a value is that is read: `text`, where it is a string; a `value`, whose tokens are those of its string or of its JSON;
 * `token`, text too or the number of one; a `piece`, which costs the same whatever it has; or one that is `kept`, to be
 * looked at when all was read.
 */
export type PathUse = 'text' | 'value' | 'token' | 'piece' | 'kept';

/** A place in a JSON text, and what stands there. */
export interface AnswerPath {
  /** Members from the root with dots between; `*` is each item of a list. */
  readonly path: string;
  readonly use: PathUse;
  /**
   * How many members lead to an object that may have the same text under several names: the longest of them counts. Absent:
   * every text counts.
   */
  readonly same?: number;
  /** What it costs itself: a piece, or an object or list that is no text. */
  readonly tokens?: number;
}

/** The paths of an API, by their members. */
export interface PathNode {
  readonly members: ReadonlyMap<string, PathNode>;
  readonly use: PathUse | undefined;
  readonly same: number | undefined;
  readonly tokens: number;
}

interface Growing {
  readonly members: Map<string, Growing>;
  use: PathUse | undefined;
  same: number | undefined;
  tokens: number;
}

/** The tree of paths. */
export function toPathTree(paths: readonly AnswerPath[]): PathNode {
  const grow = (): Growing => ({ members: new Map(), use: undefined, same: undefined, tokens: 0 });
  const root = grow();
  for (const { path, use, same, tokens = 0 } of paths) {
    let node = root;
    for (const name of path.split('.')) {
      const next = node.members.get(name) ?? grow();
      node.members.set(name, next);
      node = next;
    }
    node.use = use;
    node.same = same;
    node.tokens = tokens;
  }
  return root;
}
