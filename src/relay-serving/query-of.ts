/** The unchanged query of a target, with its question mark. */
export function queryOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at);
}
