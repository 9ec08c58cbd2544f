// A model says a recorded text, one allowed token a step: one engine guesses ahead, another does not. They take turns of
// a few tokens, so that a machine that changes its pace within seconds changes it for both, and then change places, since
// where its weights lie in memory makes one up to 5 % faster than the other.

import { present } from '../../src/base/index.js';
import { EngineCore } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/index.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { startDeviceThreadGroup, type DeviceThreadGroup } from './device-thread-group.js';

/** Tokens of a turn: less than a second of a 1.1B shape. */
const TURN = 16;
/** Tokens before that are not timed: they fill the prefix cache, and what runs them is compiled then. */
const WARM_UP = 32;

/** What both engines of a way said, and how long they took. */
interface Telling {
  readonly texts: string[];
  tokens: number;
  ms: number;
  /** Of `ms` until the first tokens. */
  firstMs: number;
}

/** Guessing ahead and not. */
export type Tellings = Readonly<Record<'on' | 'off', Telling>>;

/** `text` after a prompt, said twice each way: by one engine beside another, and by that one beside the first. */
export async function tellInTurn(
  directory: string,
  threads: number,
  promptTokenIds: readonly number[],
  text: readonly number[],
): Promise<Tellings> {
  await using one = await startDeviceThreadGroup(directory, threads);
  await using other = await startDeviceThreadGroup(directory, threads);
  one.device.calibrate();
  other.device.calibrate();
  const tellings: Tellings = { on: noTelling(), off: noTelling() };
  for (const [on, off] of [
    [one, other],
    [other, one],
  ] as const) {
    const tellers = { on: new Teller(on, true), off: new Teller(off, false) };
    takeTurns(tellers, requestOf(promptTokenIds, text.slice(0, WARM_UP)), { on: noTelling(), off: noTelling() });
    takeTurns(tellers, requestOf(promptTokenIds, text), tellings);
  }
  return tellings;
}

function noTelling(): Telling {
  return { texts: [], tokens: 0, ms: 0, firstMs: 0 };
}

/** The request that makes a model say `text`: a mask of one token a step, and no token is forced. A named caller's whole prompt is cached. */
function requestOf(promptTokenIds: readonly number[], text: readonly number[]): GenerateRequest {
  return {
    promptTokenIds,
    maxTokens: text.length,
    sampling: { temperature: 0, seed: 0 },
    stopTokenIds: [],
    ignoreStop: true,
    caller: 'bench',
    constraint: { kind: 'automaton', states: [...text.map((id, i) => [[id, i + 1] as const]), []] },
  };
}

/** Both serve `request`; in every second turn the other is the first. */
function takeTurns(tellers: Record<'on' | 'off', Teller>, request: GenerateRequest, tellings: Tellings): void {
  for (const which of ['on', 'off'] as const) tellers[which].begin(request);
  for (let until = TURN, isOnFirst = true; until < request.maxTokens + TURN; until += TURN, isOnFirst = !isOnFirst) {
    for (const which of isOnFirst ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      tellers[which].tell(until, tellings[which]);
    }
  }
  for (const which of ['on', 'off'] as const) tellings[which].texts.push(tellers[which].said.join(' '));
}

/** One engine, and what it has said to its last request. */
class Teller {
  readonly #engine: EngineCore;
  #requests = 0;
  said: number[] = [];

  constructor({ device, graph, contextLength }: DeviceThreadGroup, speculation: boolean) {
    const { maxRows, maxSequences } = device.plan.capacity;
    const limits = { maxRows, chunkRows: maxRows, maxSequences, maxWaiting: 1 };
    this.#engine = new EngineCore(device, { contextLength, vocabSize: graph.vocabSize, limits, speculation });
  }

  begin(request: GenerateRequest): void {
    this.said = [];
    this.#engine.add(this.#requests++, request, []);
  }

  /** Goes on until it has said `until` tokens, or all. */
  tell(until: number, telling: Telling): void {
    while (this.said.length < until && this.#engine.hasWork) {
      const outputs: StepOutput[] = [];
      const startMs = performance.now();
      this.#engine.step(outputs);
      const elapsedMs = performance.now() - startMs;
      telling.ms += elapsedMs;
      if (this.said.length === 0) telling.firstMs += elapsedMs;
      telling.tokens += outputs.length;
      this.said.push(...outputs.map(({ tokenId }) => present(tokenId, 'a text without an end has only tokens')));
    }
  }
}
