import type { CodeTable } from '../base/index.js';
import { INTERRUPTED } from './interrupts.js';
import type { CodeTables, Product } from './product.js';

/** Exit status by who must act: 1 is a failure while running, 2 the user's mistake, 3 a refused configuration, 4 a network. */
export const exitByBlame = {
  caller: 2,
  operator: 3,
  upstream: 4,
  wait: 1,
  developer: 1,
} as const satisfies Record<CodeTable[string]['who'], number>;

/** The exit status for an error code; an unknown code is a failure of ours. */
export function toExitCode(code: string, tables: CodeTables): number {
  if (code === 'interrupted') return INTERRUPTED;
  for (const table of Object.values(tables)) {
    const entry = Object.hasOwn(table, code) ? table[code] : undefined;
    if (entry !== undefined) return exitByBlame[entry.who];
  }
  return 1;
}

/** The same for an error of a product, after loading its codes; 1 where they cannot be loaded. */
export async function exitCodeOf(code: string, product: Pick<Product, 'codes'>): Promise<number> {
  const tables = await product.codes().catch(() => ({}));
  return toExitCode(code, tables);
}
