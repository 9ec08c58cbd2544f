import { Child } from './child.js';
import type { Restart, Strategy } from './spec.js';
import type { Supervised } from './tree.js';

/** When `child` is started again. */
export function restartOf({ spec }: Supervised): Restart {
  return spec.restart ?? 'permanent';
}

/**
 * Children in the order of their starts, in groups that start concurrently: a child with `startsBeside` joins the group
 * before it.
 */
export function startGroups<C extends Supervised>(children: readonly C[]): C[][] {
  const groups: C[][] = [];
  for (const child of children) {
    const before = groups.at(-1);
    if (before !== undefined && child instanceof Child && child.spec.startsBeside === true) before.push(child);
    else groups.push([child]);
  }
  return groups;
}

/** The `children` to restart after `fallen` fell; none when all fallen ones have left the tree since. */
export function groupOf<C extends Supervised>(
  strategy: Strategy,
  children: readonly C[],
  fallen: readonly C[],
): readonly C[] {
  if (strategy === 'oneForOne') return children.filter((child) => fallen.includes(child));
  const first = children.findIndex((child) => fallen.includes(child));
  if (first < 0) return [];
  return strategy === 'oneForAll' ? children : children.slice(first);
}
