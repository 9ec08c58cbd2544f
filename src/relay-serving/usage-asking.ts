// Asks upstreams for the usage of streams, and remembers which of them refuse that.
import type { Clock } from '../base/index.js';
import type { UpstreamAnswer } from '../relay/index.js';

/** An answer to a request, and whether the request asked for usage though its client did not. */
export interface AskedAnswer {
  readonly answer: UpstreamAnswer;
  readonly asksUsage: boolean;
}

/** Asks upstreams for the usage of streams, and remembers their reaction. */
export interface UsageAsking {
  /**
   * Sends a request that asks for usage. If the upstream refuses it as wrong, and has never accepted one, sends the
   * request again without. If that helps, the upstream is not asked again for an hour. `target`: the key of the memory,
   * from the server, the path and the model. Errors: those of `send`.
   */
  send(target: string, send: (asksUsage: boolean) => Promise<UpstreamAnswer>): Promise<AskedAnswer>;
}

/** Statuses of servers that refuse an unknown member of a request. Sources: OpenAI's API (400); FastAPI's validation (422). */
const REFUSALS: readonly number[] = [400, 422];
/** How long the reaction of a target is remembered: servers are updated. */
const REMEMBERED_MS = 3_600_000;
/** Targets that are remembered; beyond them the oldest are dropped, and asked once more. */
const MAX_TARGETS = 10_000;

/** Knows of no target yet. */
export function createUsageAsking(clock: Clock): UsageAsking {
  const known = new Map<string, { readonly takes: boolean; readonly untilMs: number }>();
  const takes = (target: string): boolean | undefined => {
    const found = known.get(target);
    return found === undefined || found.untilMs <= clock.nowMs() ? undefined : found.takes;
  };
  const remember = (target: string, isTaken: boolean): void => {
    known.delete(target);
    known.set(target, { takes: isTaken, untilMs: clock.nowMs() + REMEMBERED_MS });
    const [oldest] = known.keys();
    if (known.size > MAX_TARGETS && oldest !== undefined) known.delete(oldest);
  };
  return {
    async send(target, send) {
      const before = takes(target);
      if (before === false) return { answer: await send(false), asksUsage: false };
      const asked = await send(true);
      if (before === undefined && isGood(asked)) remember(target, true);
      if (before !== undefined || !REFUSALS.includes(asked.status)) return { answer: asked, asksUsage: true };
      // The refusal concerns a request that the client did not send: drop it.
      void asked.body.return?.();
      const answer = await send(false);
      if (isGood(answer)) remember(target, false);
      return { answer, asksUsage: false };
    },
  };
}

function isGood({ status }: UpstreamAnswer): boolean {
  return status >= 200 && status < 300;
}
