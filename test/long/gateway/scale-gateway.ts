// A gateway in a process of its own over the data of scale-data.ts, and how long its pages take.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { send, type Answered } from '../../gateway/admin/start-admin.js';

/** A gateway that runs. */
export interface ScaleGateway {
  /** From its start until it listened. */
  readonly startMs: number;
  readonly adminPort: number;
  /** Its memory in MB, its processor time in milliseconds since it began, and what it still works on. */
  ask(): Promise<{ readonly rssMb: number; readonly cpuMs: number; readonly isComplete: boolean }>;
  /** A GET with the admin token. */
  get(path: string): Promise<Answered>;
  /** Ends the process: cleanly, or at once. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** What the process says of itself. */
interface ProcessState {
  readonly rss: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly isComplete: boolean;
}

/** Starts the gateway of a file. Rejects when it ends before it listens. */
export async function startScaleGateway(configPath: string, token: string): Promise<ScaleGateway> {
  const beganMs = performance.now();
  const child = fork(join(process.cwd(), 'dist/test/long/fixtures/scale-process.js'), [configPath]);
  const answerOf = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`the gateway ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message as T);
      });
    });
  const { adminPort } = await answerOf<{ adminPort: number }>();
  return {
    startMs: performance.now() - beganMs,
    adminPort,
    async ask() {
      child.send('');
      const { rss, cpu, isComplete } = await answerOf<ProcessState>();
      return { rssMb: rss / 1e6, cpuMs: (cpu.user + cpu.system) / 1_000, isComplete };
    },
    get: (path) => send(adminPort, 'GET', path, { headers: { authorization: `Bearer ${token}` } }),
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}
