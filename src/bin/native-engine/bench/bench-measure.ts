import { assert, isAppError, median, randomAt, randomKey, systemClock } from '../../../base/index.js';
import type { Engine, Model } from '../../../index.js';

/** How much one measurement generates, and how often it is repeated. */
export interface BenchPlan {
  readonly promptTokens: number;
  readonly genTokens: number;
  /** Undefined: three times, and on until a second has passed or it was often enough. */
  readonly repeats: number | undefined;
  readonly placement: string;
  readonly kvCache: string;
}

/**
 * The line that `bench --json` prints. Rates are medians over the repeats, in tokens per second. All but those of
 * speculation are without it: every token reads the weights once.
 */
export interface BenchResult extends SpeculationResult {
  readonly model: string;
  readonly quant: string;
  readonly prefillTokensPerSecond: number;
  /** One token after the other, none guessed; null where too few came for a rate. */
  readonly decodeTokensPerSecond: number | null;
  /** What `model.stream` delivers between its first and its last token; null without a chat template. */
  readonly streamTokensPerSecond: number | null;
  readonly loadMs: number;
  readonly threads: number;
  readonly kernel: string;
  readonly kernelNotes: readonly string[];
  /** As asked for; `auto` is the library's choice. */
  readonly placement: string;
  readonly kvCache: string;
  readonly node: string;
  readonly promptTokens: number;
  /** Generated in each run: fewer than asked for where the context ended. */
  readonly genTokens: number;
  readonly prefillRuns: readonly number[];
  readonly decodeRuns: readonly number[];
}

/** The same with prompt-lookup speculation. How much it gains depends on how much the texts repeat themselves. */
export interface SpeculationResult {
  readonly speculativeTokensPerSecond: number | null;
  /** As `streamTokensPerSecond`: the answers of a model to questions, which are more like real texts. */
  readonly speculativeStreamTokensPerSecond: number | null;
  /** Of the guessed tokens, the share that was right; null where none was worth a guess. */
  readonly speculationAcceptanceRate: number | null;
  readonly speculativeRuns: readonly number[];
}

/** Prompts for the streaming measure: ones that the demo model answers with about a hundred tokens. */
const STREAM_PROMPTS = ['hedgehog', 'fox', 'owl', 'bear', 'mouse', 'squirrel', 'badger', 'hen'].map(
  (animal) => `Tell me a story about a ${animal}.`,
);

/**
 * Measures a model in an engine that does not guess, then in one that does; `open` makes them. Each run has a prompt of its
 * own, so that no cached prefix helps.
 */
export async function measure(
  open: (options: { readonly speculation: boolean }) => Promise<Engine>,
  model: { name: string; path: string; quant: string },
  plan: BenchPlan,
  signal: AbortSignal,
): Promise<BenchResult> {
  const plain = await measurePlain(open, model, plan, signal);
  await using engine = await open({ speculation: true });
  await using loaded = await engine.load(model.path);
  return { ...plain, ...(await measureSpeculation(loaded, plan, signal)) };
}

async function measurePlain(
  open: Parameters<typeof measure>[0],
  model: { name: string; path: string; quant: string },
  plan: BenchPlan,
  signal: AbortSignal,
): Promise<Omit<BenchResult, keyof SpeculationResult>> {
  await using engine = await open({ speculation: false });
  const loadStart = systemClock.nowMs();
  await using loaded = await engine.load(model.path);
  const loadMs = systemClock.nowMs() - loadStart;
  await warmUp(loaded, plan, signal);
  const runs = await measureRuns(loaded, plan, signal);
  const prefillRuns = runs.map(({ prefill }) => round(prefill));
  const decodeRuns = runs.map(({ decode }) => round(decode));
  const streamTokensPerSecond = await timeStreamIfAny(loaded, signal);
  assert((await loaded.stats())?.drafted === 0, 'no token was guessed where plain decode was measured');
  return {
    model: model.name,
    quant: model.quant,
    prefillTokensPerSecond: median(prefillRuns),
    decodeTokensPerSecond: median(decodeRuns) || null,
    streamTokensPerSecond,
    loadMs: round(loadMs),
    threads: loaded.threads,
    kernel: loaded.kernel,
    kernelNotes: loaded.kernelNotes,
    placement: plan.placement,
    kvCache: plan.kvCache,
    node: process.version,
    promptTokens: plan.promptTokens,
    genTokens: runs.at(-1)?.generated ?? 0,
    prefillRuns,
    decodeRuns,
  };
}

async function measureSpeculation(model: Model, plan: BenchPlan, signal: AbortSignal): Promise<SpeculationResult> {
  // The warm-up also teaches what a guess costs.
  await warmUp(model, plan, signal);
  const before = await model.stats();
  const runs = await measureRuns(model, plan, signal);
  const speculativeStreamTokensPerSecond = await timeStreamIfAny(model, signal);
  const after = await model.stats();
  const drafted = (after?.drafted ?? 0) - (before?.drafted ?? 0);
  const accepted = (after?.accepted ?? 0) - (before?.accepted ?? 0);
  const speculativeRuns = runs.map(({ decode }) => round(decode));
  return {
    speculativeTokensPerSecond: median(speculativeRuns) || null,
    speculativeStreamTokensPerSecond,
    speculationAcceptanceRate: drafted === 0 ? null : Math.round((accepted / drafted) * 1000) / 1000,
    speculativeRuns,
  };
}

/** Until the JavaScript around the kernels is compiled too; a large model needs one short run for its pages. */
const WARM_UP_MS = 500;
const SETTLED_MS = 1000;
/** A tiny model ends a thousand runs in that time; the line lists each. */
const MAX_RUNS = 64;

async function warmUp(model: Model, plan: BenchPlan, signal: AbortSignal): Promise<void> {
  const short = { ...plan, genTokens: Math.min(plan.genTokens, 8) };
  const start = systemClock.nowMs();
  for (let run = -1; systemClock.nowMs() - start < WARM_UP_MS; run--) {
    await timeGeneration(model, run, run === -1 ? short : plan, signal);
  }
}

async function measureRuns(model: Model, plan: BenchPlan, signal: AbortSignal) {
  const runs: { prefill: number; decode: number; generated: number }[] = [];
  const start = systemClock.nowMs();
  const isEnough = (): boolean =>
    plan.repeats === undefined
      ? runs.length >= MAX_RUNS || (runs.length >= 3 && systemClock.nowMs() - start > SETTLED_MS)
      : runs.length >= plan.repeats;
  while (!isEnough()) runs.push(await timeGeneration(model, runs.length + 1, plan, signal));
  return runs;
}

/** Tokens that come so soon after the first came with it, in one output: no model is so fast. */
const SAME_OUTPUT_MS = 0.02;

async function timeGeneration(model: Model, run: number, plan: BenchPlan, signal: AbortSignal) {
  const key = randomKey(run);
  const promptTokenIds = Array.from({ length: plan.promptTokens }, (_, i) =>
    Math.floor(randomAt(key, i) * model.vocabSize),
  );
  const start = systemClock.nowMs();
  let [first, last] = [start, start];
  let withFirst = 1;
  const ids: number[] = [];
  const request = { promptTokenIds, maxTokens: plan.genTokens, temperature: 0, ignoreStop: true };
  for await (const id of model.generate(request, { signal })) {
    last = systemClock.nowMs();
    if (ids.length === 0) first = last;
    ids.push(id);
    if (last - first < SAME_OUTPUT_MS) withFirst = ids.length;
  }
  return {
    prefill: rate(plan.promptTokens, first - start),
    decode: rate(ids.length - withFirst, last - first),
    generated: ids.length,
  };
}

async function timeStreamIfAny(model: Model, signal: AbortSignal): Promise<number | null> {
  try {
    return await timeStream(model, signal);
  } catch (error) {
    if (isAppError(error) && ['template_missing', 'tokenizer_missing'].includes(error.code)) return null;
    throw error;
  }
}

async function timeStream(model: Model, signal: AbortSignal): Promise<number | null> {
  let [tokens, ms] = [0, 0];
  for (const content of STREAM_PROMPTS) {
    const request = {
      messages: [{ role: 'user' as const, content }],
      temperature: 0,
      max_tokens: 256,
      stream_options: { include_usage: true },
    };
    let [first, last] = [0, 0];
    let completionTokens = 0;
    for await (const chunk of model.stream(request, { signal })) {
      completionTokens = chunk.usage?.completion_tokens ?? completionTokens;
      if (!chunk.choices[0]?.delta.content) continue;
      last = systemClock.nowMs();
      first ||= last;
    }
    tokens += Math.max(0, completionTokens - 1);
    ms += last - first;
  }
  return tokens > 0 && ms > 0 ? round(rate(tokens, ms)) : null;
}

function rate(tokens: number, ms: number): number {
  return ms > 0 ? (tokens * 1000) / ms : 0;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
