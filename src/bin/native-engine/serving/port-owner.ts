import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A process that listens. */
export interface PortOwner {
  readonly pid: number;
  readonly name: string;
}

/** State of a listening socket. Source: Linux, include/net/tcp_states.h, TCP_LISTEN. */
const LISTENING = '0A';

/**
 * The process that listens on a TCP port, by Linux's /proc. Undefined on other systems, and for processes whose files
 * this user may not read. Source: proc(5), /proc/net/tcp and /proc/pid/fd.
 */
export async function ownerOfPort(port: number, proc = '/proc'): Promise<PortOwner | undefined> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => read(join(proc, 'net', table))));
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  for (const pid of (await list(proc)).filter((name) => /^\d+$/.test(name))) {
    for (const file of await list(join(proc, pid, 'fd'))) {
      const target = await readlink(join(proc, pid, 'fd', file)).catch(() => '');
      if (sockets.has(target)) return { pid: Number(pid), name: await nameOf(join(proc, pid)) };
    }
  }
  return undefined;
}

/** Inodes of the sockets that listen on `port`. Columns: number, local address:port in hex, remote, state, …, inode tenth. */
function listeningInodes(table: string, port: number): string[] {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  const isOurs = ([, local = '', , state]: string[]): boolean =>
    state === LISTENING && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
  return rows.filter(isOurs).flatMap((row) => row[9] ?? []);
}

async function nameOf(directory: string): Promise<string> {
  const name = (await read(join(directory, 'comm'))).trim();
  return name === '' ? 'a process' : name;
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function list(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}
