/** Why a model has a shorter context than it declares, in one line. */
export function describeContext(contextLength: number, declared: number, kvBytesPerToken: number): string {
  const [chosen, all] = [contextLength, declared].map((tokens) => tokens.toLocaleString('en-US'));
  const bytes = kvBytesPerToken * declared;
  return `context ${chosen} of ${all} tokens: the KV cache of all would take ${(bytes / 1e9).toFixed(1)} GB; --ctx (maxContext) chooses another`;
}
