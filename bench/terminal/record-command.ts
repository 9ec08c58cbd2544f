import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A piece of output. */
export interface OutputPiece {
  /** Milliseconds since the command was started. */
  readonly atMs: number;
  readonly text: string;
}

/** Everything a command wrote on a terminal, and how long it took. */
export interface RecordedCommand {
  readonly pieces: readonly OutputPiece[];
  readonly endMs: number;
}

/**
 * Runs a shell command on a pseudo-terminal of its own and keeps what it writes and when. Colours are off (`NO_COLOR`). Throws
 * when the command fails. Needs `script` of util-linux, so Linux.
 */
export async function recordCommand(command: string, cwd: string, path: string): Promise<RecordedCommand> {
  const env = { ...process.env, NO_COLOR: '1', TERM: 'xterm-256color', PATH: `${path}:${process.env['PATH'] ?? ''}` };
  const startedMs = performance.now();
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: OutputPiece[] = [];
  const decoder = new TextDecoder();
  child.stdout.on('data', (chunk: Buffer) => {
    pieces.push({ atMs: performance.now() - startedMs, text: decoder.decode(chunk, { stream: true }) });
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command} ended with exit status ${String(status)}`);
  return { pieces, endMs: performance.now() - startedMs };
}
