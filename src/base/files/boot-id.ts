import { readFile } from 'node:fs/promises';

/**
 * What tells one start of this machine from another; undefined where the system does not say it. Source: Linux,
 * Documentation/admin-guide/sysctl/kernel.rst, `random`: a UUID that is made once a boot.
 */
export async function bootId(): Promise<string | undefined> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return /^[0-9a-f-]{36}\n?$/.test(text) ? text.trim() : undefined;
}
