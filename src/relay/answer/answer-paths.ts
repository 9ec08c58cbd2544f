/**
 * How a value is read. `text`: if it is a string. `value`: the tokens of its string or of its JSON. `token`: text, or the number
 * of one token. `piece`: a fixed cost. `kept`: stored until the whole answer was read.
 */
export type PathUse = 'text' | 'value' | 'token' | 'piece' | 'kept';

/** A path in a JSON text, and the use of its value. */
export interface AnswerPath {
  /** Members from the root with dots between; `*` is each item of a list. */
  readonly path: string;
  readonly use: PathUse;
  /**
   * How many members lead to an object that may have the same text under several names: the longest of them counts. Absent:
   * every text counts.
   */
  readonly same?: number;
  /** Its own cost in tokens: of a piece, or of an object or list. */
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
