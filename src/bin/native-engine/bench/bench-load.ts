import { randomAt, randomKey, systemClock } from '../../../base/index.js';
import { renderTable } from '../../../cli/index.js';
import type { Engine, Model } from '../../../index.js';

/** How many callers at once, one level after the other, and for how long each. */
export interface LoadPlan {
  readonly concurrency: readonly number[];
  readonly durationMs: number;
  readonly promptTokens: number;
  readonly genTokens: number;
}

/** Milliseconds that half of all had at most, and 95 of 100. */
interface Spread {
  readonly p50: number;
  readonly p95: number;
}

/** What one level gave. Requests that were under way at its end count with what they had given. */
export interface LoadLevel {
  readonly concurrency: number;
  readonly seconds: number;
  /** That ended in time. */
  readonly requests: number;
  /** Generated, by all callers together. */
  readonly tokensPerSecond: number;
  /** From a request to its first token; null where none came in time. */
  readonly ttftMs: Spread | null;
  /** Between the tokens of a request, after the first. */
  readonly itlMs: Spread | null;
}

/** What `bench --concurrency --json` prints. */
export interface LoadResult {
  readonly model: string;
  readonly quant: string;
  readonly kernel: string;
  readonly threads: number;
  readonly promptTokens: number;
  readonly genTokens: number;
  readonly levels: readonly LoadLevel[];
}

/** Tokens of one level that are timed at most: more say nothing more. */
const MAX_TIMES = 1 << 20;

/**
 * Callers that each ask again as soon as they have their answer, with a prompt of their own, so that no cached prefix helps.
 * `tell`: of the level and the share of all that is done. Errors: those of loading and generating; the reason of the signal.
 */
export async function measureLoad(
  engine: Engine,
  { name, path, quant }: { readonly name: string; readonly path: string; readonly quant: string },
  plan: LoadPlan,
  signal: AbortSignal,
  tell: (concurrency: number, share: number) => void,
): Promise<LoadResult> {
  await using model = await engine.load(path, { signal });
  // Until kernels and their callers are compiled.
  await ask(model, plan, -1, systemClock.nowMs() + 500, signal, () => {});
  const levels: LoadLevel[] = [];
  const total = plan.concurrency.length;
  for (const [i, concurrency] of plan.concurrency.entries()) {
    const share = (part: number): void => tell(concurrency, (i + part) / total);
    levels.push(await measureLevel(model, plan, concurrency, signal, share));
  }
  const { promptTokens, genTokens } = plan;
  return { model: name, quant, kernel: model.kernel, threads: model.threads, promptTokens, genTokens, levels };
}

async function measureLevel(
  model: Model,
  plan: LoadPlan,
  concurrency: number,
  signal: AbortSignal,
  share: (part: number) => void,
): Promise<LoadLevel> {
  const startMs = systemClock.nowMs();
  const endMs = startMs + plan.durationMs;
  const [firsts, gaps]: [number[], number[]] = [[], []];
  let [tokens, requests, seed] = [0, 0, concurrency * 1_000_003];
  const caller = async (): Promise<void> => {
    while (systemClock.nowMs() < endMs) {
      const isWhole = await ask(model, plan, seed++, endMs, signal, (waitMs, isFirst) => {
        tokens++;
        const times = isFirst ? firsts : gaps;
        if (times.length < MAX_TIMES) times.push(waitMs);
        share(Math.min(1, (systemClock.nowMs() - startMs) / plan.durationMs));
      });
      if (isWhole) requests++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (systemClock.nowMs() - startMs) / 1000;
  return {
    concurrency,
    seconds: round(seconds),
    requests,
    tokensPerSecond: round(tokens / seconds),
    ttftMs: spreadOf(firsts),
    itlMs: spreadOf(gaps),
  };
}

/** One request until its end or `endMs`; false where it was cut. */
async function ask(
  model: Model,
  { promptTokens, genTokens }: LoadPlan,
  seed: number,
  endMs: number,
  signal: AbortSignal,
  onToken: (waitMs: number, isFirst: boolean) => void,
): Promise<boolean> {
  const key = randomKey(seed);
  const promptTokenIds = Array.from({ length: promptTokens }, (_, i) => Math.floor(randomAt(key, i) * model.vocabSize));
  const request = { promptTokenIds, maxTokens: genTokens, temperature: 0, ignoreStop: true };
  let [lastMs, count] = [systemClock.nowMs(), 0];
  for await (const _ of model.generate(request, { signal })) {
    const nowMs = systemClock.nowMs();
    if (nowMs > endMs) return false;
    onToken(nowMs - lastMs, count++ === 0);
    lastMs = nowMs;
  }
  return count > 0;
}

function spreadOf(times: number[]): Spread | null {
  if (times.length === 0) return null;
  const sorted = Float64Array.from(times).toSorted();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: round(at(0.5)), p95: round(at(0.95)) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The same as a table. */
export function renderLoad({ model, quant, kernel, threads, levels }: LoadResult): string {
  const rows = levels.map(({ concurrency, requests, tokensPerSecond, ttftMs, itlMs }) => [
    String(concurrency),
    String(requests),
    tokensPerSecond.toFixed(1),
    ...[ttftMs, itlMs].flatMap((spread) =>
      spread === null ? ['-', '-'] : [spread.p50.toFixed(1), spread.p95.toFixed(1)],
    ),
  ]);
  const header = ['CALLERS', 'REQUESTS', 'TOKENS/S', 'FIRST TOKEN', 'AT MOST', 'BETWEEN TOKENS', 'AT MOST'];
  const head = `${model}, ${quant}, ${kernel} kernels, ${threads} threads\nTimes in ms: the median, and what 95 % of all take at most.\n\n`;
  return head + renderTable(header, rows, [0, 1, 2, 3, 4, 5, 6]);
}
