// Clients in processes of their own, and what an honest one waits beside a hostile one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServerProcess } from '../../grpc/server-process.js';
import type { attacks, Counts, Target } from './fixtures/attacks.js';

/** Times of calls in milliseconds. */
export interface Measured {
  readonly health: readonly number[];
  readonly chat: readonly number[];
  readonly failures: number;
}

/** What the honest client waited while it was calm and while the attack went on, of all rounds together. */
export interface Compared {
  readonly calm: Measured;
  readonly under: Measured;
  readonly counts: readonly Counts[];
}

/**
 * An attacker stands for another machine, whose processor is its own. Here it gets only idle processor time: the idle class where
 * there is one, else the lowest priority. So the measurement shows its cost to the engine.
 */
const ELSEWHERE = spawnSync('chrt', ['-i', '0', 'true']).status === 0 ? ['chrt', '-i', '0'] : ['nice', '-n', '19'];
/** Attackers come from addresses of their own, each from another: connections are counted by address. */
let numAttackers = 0;
const nextAddress = (): string => `127.0.1.${(numAttackers++ % 250) + 1}`;

/** Runs a file of the fixtures until it prints what it has to say. `stop`: ends its standard input. */
function startApart<T>(
  file: string,
  argument: object,
  prefix: readonly string[] = [],
): { readonly said: Promise<T>; readonly stop: () => void } {
  const words = [...prefix, process.execPath, join(import.meta.dirname, 'fixtures', file), JSON.stringify(argument)];
  const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  const said = once(child, 'close').then(() => JSON.parse(text) as T);
  return { said, stop: () => child.stdin.end() };
}

/** The honest client for so long. */
export function measure(server: ServerProcess, ms: number): Promise<Measured> {
  return startApart<Measured>('honest-process.js', { target: targetOf(server, 'other'), ms }).said;
}

/** The attack until it is stopped, or until it has done `wanted`. */
export function attack(
  server: ServerProcess,
  name: keyof typeof attacks,
  { who = 'data', wanted }: { readonly who?: string; readonly wanted?: { name: string; count: number } } = {},
): ReturnType<typeof startApart<Counts>> {
  const target = { ...targetOf(server, who), localAddress: nextAddress() };
  return startApart<Counts>('attacker-process.js', { attack: name, target, wanted }, ELSEWHERE);
}

/** Calm and attack one after the other, so often: what else the machine does is beside both. */
export async function compare(
  server: ServerProcess,
  name: keyof typeof attacks,
  { rounds, ms }: { readonly rounds: number; readonly ms: number },
): Promise<Compared> {
  const [calm, under, counts]: [Measured[], Measured[], Counts[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    calm.push(await measure(server, ms));
    // Each attack is the first of its client: what it is kept out for later is no part of what it costs.
    const attacker = attack(server, name, { who: `${name}${round}` });
    under.push(await measure(server, ms));
    attacker.stop();
    counts.push(await attacker.said);
    // Whatever an attacker does, calls of others are answered.
    expect([name, under.at(-1)?.failures]).toEqual([name, 0]);
  }
  return { calm: joined(calm), under: joined(under), counts };
}

function joined(parts: readonly Measured[]): Measured {
  return {
    health: parts.flatMap(({ health }) => health),
    chat: parts.flatMap(({ chat }) => chat),
    failures: parts.reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** The value that a share of all is at most. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}

/** How a client of that name is spoken for. */
export function targetOf({ port, ca, issued }: ServerProcess, who: string): Target {
  const { cert, key } = issued[who] ?? expect.fail(`a certificate of ${who}`);
  return { port, ca: ca.cert, cert, key };
}
