// testssl.sh of Debian, unpacked without being installed: it is a shell script over openssl.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isError } from '../../../src/base/index.js';

const run = promisify(execFile);
/** A scan runs openssl some hundred times. */
const TIMEOUT_MS = 1_200_000;

/** What testssl.sh found of one thing. */
export interface Finding {
  readonly id: string;
  /** OK, INFO, LOW, MEDIUM, HIGH, CRITICAL, or WARN where it could not look. */
  readonly severity: string;
  readonly finding: string;
}

/** Its script and its data, or why there are none. */
export async function findTestssl(): Promise<{ readonly script: string; readonly data: string } | { reason: string }> {
  const folder = join(process.cwd(), 'node_modules', '.cache', 'testssl');
  const found = { script: join(folder, 'x/usr/bin/testssl'), data: join(folder, 'x/etc/testssl') };
  try {
    if (!existsSync(found.script)) {
      mkdirSync(folder, { recursive: true });
      await run('apt-get', ['download', 'testssl.sh'], { cwd: folder, timeout: 120_000 });
      const name = readdirSync(folder).find((file) => file.endsWith('.deb')) ?? '';
      await run('dpkg-deb', ['-x', name, 'x'], { cwd: folder });
    }
    for (const tool of ['openssl', 'hexdump', 'ps']) await run('which', [tool]);
    // It wants a tool for names, although its options turn lookups off.
    mkdirSync(join(folder, 'bin'), { recursive: true });
    const host = join(folder, 'bin', 'host');
    writeFileSync(host, '#!/bin/sh\nexit 1\n');
    chmodSync(host, 0o755);
    return found;
  } catch (error) {
    const why = isError(error) ? error.message.slice(0, 200) : 'apt-get failed';
    return { reason: `testssl.sh, openssl, hexdump or ps is not there and cannot be fetched: ${why}` };
  }
}

/** `folder`: of its results, and of its CA in ca.pem. Protocols, ciphers, forward secrecy, preferences, defaults and all vulnerabilities of what listens on `port`. */
export async function scan(
  { script, data }: { readonly script: string; readonly data: string },
  port: number,
  folder: string,
): Promise<readonly Finding[]> {
  const out = join(folder, 'testssl.json');
  const quiet = [
    '--quiet',
    '--color',
    '0',
    '--warnings',
    'off',
    '-n',
    'none',
    '--jsonfile',
    out,
    '--add-ca',
    join(folder, 'ca.pem'),
  ];
  const args = [...quiet, '-p', '-s', '-f', '-P', '-S', '-U', `127.0.0.1:${port}`];
  const openssl = (await run('which', ['openssl'])).stdout.trim();
  await run(script, ['--openssl', openssl, ...args], {
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 24,
    env: { ...process.env, TESTSSL_INSTALL_DIR: data, PATH: `${join(data, '../../../bin')}:${process.env['PATH']}` },
    // How many things it found is its exit status.
  }).catch((error: unknown) => {
    if (!existsSync(out)) throw error;
  });
  return JSON.parse(readFileSync(out, 'utf8')) as Finding[];
}
