import { setMaxListeners } from 'node:events';
import { present } from '../../base/index.js';
import type { Generator, SequenceOutput } from '../../engine/index.js';
import type { ChoiceDeltas } from '../events.js';
import { ChoiceReader, type ChoiceRequest } from './choice.js';

/** Further listeners on a call's signal: Node's own limit. */
const OTHER_LISTENERS = 10;

/**
 * Generates choices and reads them, with one iterator between the engine and the consumer for any number of choices.
 * Events come in the order of arrival; ready choices take turns. A choice that ends before its sequence cancels the
 * sequence. When one fails, or the consumer leaves, every sequence ends.
 */
export function answerChoices(
  generator: Generator,
  choices: readonly ChoiceRequest[],
  signal: AbortSignal,
): AsyncGenerator<ChoiceDeltas, void> {
  const [only] = choices;
  // While `next()` is pending, only the signal cancels.
  if (choices.length === 1 && only !== undefined) return answerOne(generator, only, signal);
  return answerSeveral(generator, choices, signal);
}

async function* answerOne(
  generator: Generator,
  choice: ChoiceRequest,
  signal: AbortSignal,
): AsyncGenerator<ChoiceDeltas, void> {
  const reader = new ChoiceReader(choice);
  for await (const output of generator.generate(choice.generate, signal)) {
    signal.throwIfAborted();
    const event = reader.push(output);
    if (event !== undefined) yield event;
    if (reader.isOver) break;
  }
  // An abort may end a sequence without an output that says so.
  signal.throwIfAborted();
  yield reader.end();
}

/** One sequence of several, and its state. */
interface Sequence {
  readonly reader: ChoiceReader;
  readonly outputs: AsyncIterator<SequenceOutput, unknown>;
  /** Settles when this is among the arrivals; undefined without a pending request. */
  next: Promise<IteratorResult<SequenceOutput, unknown>> | undefined;
}

async function* answerSeveral(
  generator: Generator,
  choices: readonly ChoiceRequest[],
  signal: AbortSignal,
): AsyncGenerator<ChoiceDeltas, void> {
  // Ends the pending sequences when the consumer leaves or another fails.
  const leaving = new AbortController();
  const onAbort = (): void => leaving.abort(signal.reason);
  // Each sequence adds a listener, and Node reports more than ten as a leak.
  setMaxListeners(choices.length + OTHER_LISTENERS, leaving.signal);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  const sequences = choices.map((choice): Sequence => ({
    reader: new ChoiceReader(choice),
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
    // A sequence without a pending request ends like any iterator: its end is no error.
    if (sequences.some(({ next }) => next !== undefined)) leaving.abort(new DOMException('left', 'AbortError'));
    await Promise.all(sequences.map(async ({ outputs }) => outputs.return?.()));
  }
}

/** Sequences with an answer, oldest first. Not Promise.race: each race would leave a reaction on every slower promise. */
class Arrivals {
  readonly #arrived: Sequence[] = [];
  #wake: (() => void) | undefined;

  /** Requests the next output. */
  ask(sequence: Sequence): void {
    this.#await(sequence, sequence.outputs.next());
  }

  /** Ends the sequence's outputs; then it arrives as done. */
  end(sequence: Sequence): void {
    const left = Promise.resolve(sequence.outputs.return?.());
    this.#await(
      sequence,
      left.then(() => OVER),
    );
  }

  /** The sequence that arrived first; undefined without arrivals. */
  shift(): Sequence | undefined {
    return this.#arrived.shift();
  }

  /** Settles at an arrival. One caller at a time. */
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
