/**
 * Strongly connected components of a directed graph, those first that lead to no other: R. E. Tarjan, Depth-first search
 * and linear graph algorithms, SIAM J. Comput. 1 (1972); with a stack of its own instead of recursion.
 */
export function findComponents(targets: readonly (readonly number[])[]): number[][] {
  const order = new Int32Array(targets.length).fill(-1);
  const low = new Int32Array(targets.length);
  const onStack = new Uint8Array(targets.length);
  const stack: number[] = [];
  const components: number[][] = [];
  let next = 0;
  const enter = (node: number): { node: number; child: number } => {
    order[node] = low[node] = next++;
    stack.push(node);
    onStack[node] = 1;
    return { node, child: 0 };
  };
  const lower = (node: number, to: number): void => {
    low[node] = Math.min(low[node] as number, to);
  };
  for (let root = 0; root < targets.length; root++) {
    if (order[root] !== -1) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const child = targets[node]?.[top.child++];
      if (child === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) lower(parent.node, low[node] as number);
        if (low[node] === order[node]) components.push(pop(stack, onStack, node));
      } else if (order[child] === -1) path.push(enter(child));
      else if (onStack[child] === 1) lower(node, order[child] as number);
    }
  }
  return components;
}

function pop(stack: number[], onStack: Uint8Array, last: number): number[] {
  const component = stack.splice(stack.lastIndexOf(last));
  for (const node of component) onStack[node] = 0;
  return component;
}
