import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';

/** What a suite started: processes, threads, and sockets that listen or connect. */
export interface Starts {
  readonly processes: number;
  readonly threads: number;
  readonly sockets: number;
}

// One process may run many suites, and each function is replaced only once.
const counts = { processes: 0, threads: 0, sockets: 0 };
for (const name of ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'] as const)
  tellCalls(childProcess, name, () => counts.processes++);
tellCalls(workerThreads, 'Worker', () => counts.threads++);
tellCalls(net.Server.prototype, 'listen', () => counts.sockets++);
tellCalls(net.Socket.prototype, 'connect', () => counts.sockets++);
// Named imports of these modules see the new functions too.
syncBuiltinESMExports();

/** The function that it returns gives what this thread has started since this call. */
export function countStarts(): () => Starts {
  const before = { ...counts };
  return () => ({
    processes: counts.processes - before.processes,
    threads: counts.threads - before.threads,
    sockets: counts.sockets - before.sockets,
  });
}

/** Replaces a function or a class of a built-in module by one that calls `called` first. */
function tellCalls<Name extends string>(of: Record<Name, unknown>, name: Name, called: () => void): void {
  of[name] = new Proxy(of[name] as new () => object, {
    apply(target, self, args) {
      called();
      return Reflect.apply(target, self, args) as unknown;
    },
    construct(target, args, newTarget) {
      called();
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}
