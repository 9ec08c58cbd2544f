// Answers in a dialect: events of a completion as one object, or as a stream of them.
import { randomUUID } from 'node:crypto';
import { present, systemClock, type Clock, type ErrorData, type KindOf } from '../base/index.js';
import type {
  BeginEvent,
  Completion,
  CompletionCallOptions,
  CompletionEvent,
  EndEvent,
  TokenUsage,
} from '../completion/index.js';
import { AnswerTimer } from './answer-timer.js';
import type { AnswerHead, WireDialect, WireRequest } from './dialect.js';

/** How to answer a request: `CompletionCallOptions`, and texts of the answer. */
export interface WireAnswerOptions extends CompletionCallOptions {
  /** The model's name in the answer. Default: the model's own id. */
  readonly modelName?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Random text for ids. */
  readonly newId?: (() => string) | undefined;
  /** Started when the request came. Default: now. */
  readonly timer?: AnswerTimer | undefined;
}

/** The input of a stream. */
export interface AnswerStreamOptions extends Omit<WireAnswerOptions, 'signal'> {
  readonly signal: AbortSignal;
  /** Opens the model that answers, when the first event is asked for; it is held until the last. */
  readonly open: (signal: AbortSignal) => Promise<Disposable & { readonly completion: Completion }>;
}

/** An event of a completion, and the objects of the dialect that it becomes. */
export interface WrittenEvent<Event> {
  readonly event: CompletionEvent;
  readonly objects: readonly Event[];
}

/** A streamed answer. */
export interface AnswerStream<Event> {
  /** Made as they are pulled. The signal ends them while they wait; between two, leaving does. */
  readonly events: AsyncGenerator<WrittenEvent<Event>, void>;
  /** The last objects of a stream that failed, after what was written. */
  fail(error: ErrorData, kindOf: KindOf): readonly object[];
}

/** A whole answer, its usage, and what of the request's schemas it need not follow. */
export async function answerWhole<Whole, Event>(
  dialect: WireDialect<Whole, Event>,
  request: WireRequest,
  completion: Completion,
  options: WireAnswerOptions = {},
): Promise<{ readonly whole: Whole } & Pick<EndEvent, 'usage'> & Pick<BeginEvent, 'unenforced'>> {
  const { signal = new AbortController().signal, timer = new AnswerTimer(options.clock), ...call } = options;
  let writer: ReturnType<typeof dialect.toWhole> | undefined;
  let unenforced: readonly string[] = [];
  let usage: TokenUsage | undefined;
  timer.opened();
  for await (const event of completion.stream(request.completion, { ...call, signal })) {
    timer.mark(event);
    writer ??= dialect.toWhole(request, openHead(dialect.idPrefix, completion, { ...options, timer }));
    writer.add(event);
    if (event.type === 'begin') ({ unenforced } = event);
    if (event.type === 'end') ({ usage } = event);
  }
  const whole = present(writer, 'a completion begins').finish();
  return { whole, usage: present(usage, 'a completion ends with its usage'), unenforced };
}

/** A streamed answer. */
export function answerStream<Whole, Event>(
  dialect: WireDialect<Whole, Event>,
  request: WireRequest,
  options: AnswerStreamOptions,
): AnswerStream<Event> {
  const { open, timer = new AnswerTimer(options.clock), ...call } = options;
  let write: ReturnType<typeof dialect.toEvents> | undefined;
  const events = async function* (): AsyncGenerator<WrittenEvent<Event>, void> {
    using held = await open(call.signal);
    timer.opened();
    const { completion } = held;
    for await (const event of completion.stream(request.completion, call)) {
      timer.mark(event);
      write ??= dialect.toEvents(request, openHead(dialect.idPrefix, completion, { ...options, timer }));
      yield { event, objects: write(event) };
    }
  };
  return {
    events: events(),
    fail: (error, kindOf) => write?.fail?.(error, kindOf) ?? [dialect.toError(error, kindOf)],
  };
}

/** The answer to a request that only lets a model go, which has none to answer it. */
export function answerReleased<Whole, Event>(
  dialect: WireDialect<Whole, Event>,
  request: WireRequest,
  options: WireAnswerOptions & { readonly modelName: string },
): Whole {
  const { timer = new AnswerTimer(options.clock), modelName: modelId } = options;
  const head = openHead(dialect.idPrefix, { modelId, systemFingerprint: '' }, { ...options, timer });
  const writer = dialect.toWhole(request, head);
  writer.add({ type: 'begin', echoes: [], promptTokens: 0, unenforced: [] });
  writer.add({
    type: 'end',
    usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 },
  });
  return writer.finish();
}

function openHead(
  idPrefix: string,
  { modelId, systemFingerprint }: Pick<Completion, 'modelId' | 'systemFingerprint'>,
  options: WireAnswerOptions & { readonly timer: AnswerTimer },
): AnswerHead {
  const { modelName = modelId, clock = systemClock, newId = newRandomId, timer } = options;
  return {
    id: `${idPrefix}${newId()}`,
    created: clock.unixSeconds(),
    model: modelName,
    systemFingerprint,
    timer,
    newCallId: () => `call_${newId()}`,
    newId,
    unixSeconds: () => clock.unixSeconds(),
  };
}

function newRandomId(): string {
  // Of the kinds of random numbers of Node the one that it has in store.
  return randomUUID().replaceAll('-', '').slice(0, 24);
}
