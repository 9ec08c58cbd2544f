/** Levels of a tree that are shown: ours have five. */
const MAX_DEPTH = 16;

/** The live tree of actors, as `GET /health` has it, with an actor a line. */
export function renderTree(node: unknown, depth = 0): string {
  const { id, state, placement, restarts, children }: Record<string, unknown> = Object(node);
  const again = typeof restarts === 'number' && restarts > 0 ? `, restarted ${restarts} times` : '';
  const where = typeof placement === 'string' && placement !== 'supervisor' ? `, ${placement}` : '';
  const line = `${'  '.repeat(depth + 1)}${String(id)}: ${String(state)}${where}${again}\n`;
  const below = Array.isArray(children) && depth < MAX_DEPTH ? children : [];
  return line + below.map((child) => renderTree(child, depth + 1)).join('');
}
