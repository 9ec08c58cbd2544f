import { createInterface } from 'node:readline';
import type { Task } from './measures.js';

/** A contestant's loop: says what it is, then answers each line of standard input with a rate, until the input ends. */
export async function serveTasks(about: object, run: (task: Task) => Promise<number>): Promise<void> {
  process.stdout.write(`${JSON.stringify(about)}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const rate = await run(JSON.parse(line) as Task);
    process.stdout.write(`${JSON.stringify({ rate })}\n`);
  }
}
