import { readFile } from 'node:fs/promises';

/**
 * An id of the machine's present boot; undefined where the system has none. Source: Linux,
 * Documentation/admin-guide/sysctl/kernel.rst, `random`: a UUID that is made once a boot.
 */
export async function bootId(): Promise<string | undefined> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return /^[0-9a-f-]{36}\n?$/.test(text) ? text.trim() : undefined;
}
