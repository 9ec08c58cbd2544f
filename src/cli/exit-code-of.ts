/**
 * The exit status for an error code. The table knows the codes of every module, so it is read only when there is an error;
 * where it cannot be read, the status is 1.
 */
export async function exitCodeOf(code: string): Promise<number> {
  const codes = await import('./exit-codes.js').catch(() => undefined);
  return codes?.toExitCode(code) ?? 1;
}
