import { fieldsOf, itemsOf, numberOf, textOf } from '../../data/index.js';

/** An actor or a supervisor with its depth in the tree. */
export interface ActorRow {
  readonly path: string;
  readonly id: string;
  readonly depth: number;
  readonly placement: string;
  readonly state: string;
  readonly restarts: number;
  readonly mailboxDepth: number;
  readonly uptimeMs: number;
  readonly numChildren: number;
}

/** The greatest depth. Supervisors form a few levels; a deeper answer is not a tree of actors. */
const MAX_DEPTH = 16;

/** Converts a tree to rows, parents first. */
export function toActorRows(tree: unknown, depth = 0, above = ''): readonly ActorRow[] {
  const { id, placement, state, restarts, mailboxDepth, uptimeMs, children } = fieldsOf(tree);
  const name = textOf(id);
  if (name === undefined || depth > MAX_DEPTH) return [];
  const path = `${above}/${name}`;
  const below = itemsOf(children);
  const row: ActorRow = {
    path,
    id: name,
    depth,
    placement: textOf(placement) ?? '',
    state: textOf(state) ?? '',
    restarts: numberOf(restarts) ?? 0,
    mailboxDepth: numberOf(mailboxDepth) ?? 0,
    uptimeMs: numberOf(uptimeMs) ?? 0,
    numChildren: below.length,
  };
  return [row, ...below.flatMap((child) => toActorRows(child, depth + 1, path))];
}
