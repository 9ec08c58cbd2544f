// A round: the conversations run, and an actor is killed meanwhile, at a message or at a character of the answers.

import { killAtMessage } from '../../src/actor/faults.js';
import { allRunning, converse, isRunning, type Demo, type Outcome } from './demo.js';

/** Who is killed in a round, and when. */
export interface Death {
  readonly victims: readonly string[];
  /**
   * At the n-th message to the first victim, or at the n-th streamed character. Not at the n-th piece of text: tokens
   * that come while their reader is busy are one piece, so that their number differs between runs.
   */
  readonly at: 'message' | 'character';
  readonly n: number;
  readonly when?: 'before' | 'after';
}

/** What came of a round. */
export interface Round {
  readonly outcomes: readonly Outcome[];
  readonly fired: boolean;
  /** From the death to the next text after the engine's restart; undefined where no engine died. */
  readonly backMs: number | undefined;
}

/** Runs one. Ends when everybody is answered and every actor runs again. */
export async function runRound({ model, supervisor, opened }: Demo, maxTokens: number, death: Death): Promise<Round> {
  const { victims, at, n, when } = death;
  const first = victims[0] as string;
  let characters = 0;
  let fired = false;
  let diedMs: number | undefined;
  let restarted = false;
  let backMs: number | undefined;
  const off = supervisor.onEvent(({ type, id }) => {
    if (type === 'crashed' && victims.includes(id)) diedMs ??= performance.now();
    if (type === 'restarted' && id === 'engine') restarted = true;
  });
  const fault = at === 'message' ? killAtMessage(supervisor, first, n, when) : undefined;
  const outcomes = await converse(model, maxTokens, (text) => {
    characters += text.length;
    if (restarted && diedMs !== undefined) backMs ??= performance.now() - diedMs;
    if (fault !== undefined || fired || characters < n) return;
    if (!victims.every((id) => isRunning(supervisor.tree(), id))) return;
    fired = true;
    diedMs = performance.now();
    for (const id of victims) supervisor.kill(id);
  });
  fired ||= fault?.fired === true;
  fault?.clear();
  await allRunning(supervisor);
  off();
  // Nothing is left in the engine: what was cancelled or finished under a death did not come back with it.
  const { running, waiting } = await opened.client.stats();
  if (running + waiting > 0) throw new Error(`${running + waiting} sequences run that no caller waits for`);
  return { outcomes, fired, backMs };
}
