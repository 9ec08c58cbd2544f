import { setMaxListeners } from 'node:events';
import { present } from '../../base/index.js';
import type { Generator, SequenceOutput } from '../../engine/index.js';
import { ChoiceReader, type ChoiceEvent, type ChoiceRequest } from './choice.js';

/** Whoever else listens to the signal of a call: Node's own limit. */
const OTHER_LISTENERS = 10;

/**
 * Generates choices and reads them: one iterator between the engine's and whoever reads, however many there are. Their events
 * come as they come, in turn where several are ready. An end before the engine's own cancels its sequence; when one fails, or
 * the consumer leaves, no sequence is left running. `onBegin` hears of the first output of each.
 */
export function answerChoices(
  generator: Generator,
  choices: readonly ChoiceRequest[],
  signal: AbortSignal,
  onBegin: () => void,
): AsyncGenerator<ChoiceEvent, void> {
  const [only] = choices;
  // Whoever reads it cannot leave while it waits, but by the signal.
  if (choices.length === 1 && only !== undefined) return answerOne(generator, only, signal, onBegin);
  return answerSeveral(generator, choices, signal, onBegin);
}

async function* answerOne(
  generator: Generator,
  choice: ChoiceRequest,
  signal: AbortSignal,
  onBegin: () => void,
): AsyncGenerator<ChoiceEvent, void> {
  const reader = new ChoiceReader(choice, onBegin);
  for await (const output of generator.generate(choice.generate, signal)) {
    signal.throwIfAborted();
    const event = reader.push(output);
    if (event !== undefined) yield event;
    if (reader.isOver) break;
  }
  // A sequence cut short by an abort may end without an output that says so.
  signal.throwIfAborted();
  yield reader.end();
}

/** A sequence of several, and what it has answered. */
interface Sequence {
  readonly reader: ChoiceReader;
  readonly outputs: AsyncIterator<SequenceOutput, unknown>;
  /** Settled once this is among the arrivals; undefined while nobody has asked. */
  next: Promise<IteratorResult<SequenceOutput, unknown>> | undefined;
}

async function* answerSeveral(
  generator: Generator,
  choices: readonly ChoiceRequest[],
  signal: AbortSignal,
  onBegin: () => void,
): AsyncGenerator<ChoiceEvent, void> {
  // Ends the sequences that are awaited when the consumer leaves or another fails.
  const leaving = new AbortController();
  const onAbort = (): void => leaving.abort(signal.reason);
  // Each sequence listens, and Node takes more than ten listeners for a leak.
  setMaxListeners(choices.length + OTHER_LISTENERS, leaving.signal);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  const sequences = choices.map((choice): Sequence => ({
    reader: new ChoiceReader(choice, onBegin),
    outputs: generator.generate(choice.generate, leaving.signal)[Symbol.asyncIterator](),
    next: undefined,
  }));
  const arrivals = new Arrivals();
  try {
    for (const sequence of sequences) arrivals.ask(sequence);
    for (let open = sequences.length; open > 0;) {
      const sequence = arrivals.shift();
      if (sequence === undefined) {
        await arrivals.wait();
        continue;
      }
      const next = present(sequence.next, 'it was asked');
      sequence.next = undefined;
      const { done, value } = await next;
      signal.throwIfAborted();
      const event = done === true ? undefined : sequence.reader.push(value);
      if (event !== undefined) yield event;
      if (done !== true && !sequence.reader.isOver) {
        arrivals.ask(sequence);
      } else if (event !== undefined) {
        arrivals.end(sequence);
      } else {
        await sequence.outputs.return?.();
        open--;
        yield sequence.reader.end();
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // One that is not awaited is left like any iterator: its end is no error.
    if (sequences.some(({ next }) => next !== undefined)) leaving.abort(new DOMException('left', 'AbortError'));
    await Promise.all(sequences.map(async ({ outputs }) => outputs.return?.()));
  }
}

/** Sequences that have answered, oldest first. Not Promise.race: each would leave a reaction on every slower promise. */
class Arrivals {
  readonly #arrived: Sequence[] = [];
  #wake: (() => void) | undefined;

  /** Asks for the next output; the consumer wants it. */
  ask(sequence: Sequence): void {
    this.#await(sequence, sequence.outputs.next());
  }

  /** Leaves its outputs; then it arrives as one that is done. */
  end(sequence: Sequence): void {
    const left = Promise.resolve(sequence.outputs.return?.());
    this.#await(
      sequence,
      left.then(() => OVER),
    );
  }

  /** The one that has waited longest; undefined where none has arrived. */
  shift(): Sequence | undefined {
    return this.#arrived.shift();
  }

  /** Settles when one arrives. One caller at a time. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #await(sequence: Sequence, next: NonNullable<Sequence['next']>): void {
    sequence.next = next;
    const arrive = (): void => {
      this.#arrived.push(sequence);
      this.#wake?.();
    };
    next.then(arrive, arrive);
  }
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined };
