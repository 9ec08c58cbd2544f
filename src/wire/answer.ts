// Answers in a dialect: events of a completion as one object, or as a stream of them.
import { randomUUID } from 'node:crypto';
import { present, systemClock, type Clock } from '../base/index.js';
import type { BeginEvent, Completion, CompletionCallOptions, TokenUsage } from '../completion/index.js';
import { AnswerTimer } from './answer-timer.js';
import type { AnswerHead, EventWriter, WireDialect, WireRequest } from './dialect.js';

/** How to answer a request: `CompletionCallOptions`, and texts of the answer. */
export interface WireAnswerOptions extends CompletionCallOptions {
  /** Called when the prompt is ready, before any token. */
  readonly onBegin?: ((event: BeginEvent) => void) | undefined;
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
  /** Opens the model that answers, when the first object is asked for; it is held until the last. */
  readonly open: (signal: AbortSignal) => Promise<Disposable & { readonly completion: Completion }>;
  /** Called at the first event that has anything of a choice. */
  readonly onFirst?: (() => void) | undefined;
  /** Called with the writer of the answer once it exists: the writer ends a stream that fails later. */
  readonly onWriter?: ((writer: Pick<EventWriter<unknown>, 'fail'>) => void) | undefined;
  /** Called with the usage of the answer when it has ended. */
  readonly onUsage?: ((usage: TokenUsage) => void) | undefined;
}

/** A whole answer, and its usage. */
export async function answerWhole<Body extends object, Whole, Event>(
  dialect: WireDialect<Body, Whole, Event>,
  request: WireRequest,
  completion: Completion,
  options: WireAnswerOptions = {},
): Promise<{ readonly whole: Whole; readonly usage: TokenUsage }> {
  const { signal = new AbortController().signal, timer = new AnswerTimer(options.clock), ...call } = options;
  let writer: ReturnType<typeof dialect.toWhole> | undefined;
  let usage: TokenUsage | undefined;
  timer.opened();
  const onFirstToken = (): void => timer.firstToken();
  for await (const event of completion.stream(request.completion, { ...call, signal, onFirstToken })) {
    if (event.type === 'begin') {
      timer.begun();
      options.onBegin?.(event);
    }
    writer ??= dialect.toWhole(request, openHead(dialect.idPrefix, completion, { ...options, timer }));
    writer.add(event);
    if (event.type === 'end') usage = event.usage;
  }
  const whole = present(writer, 'a completion begins').finish();
  return { whole, usage: present(usage, 'a completion ends with its usage') };
}

/** The objects of a streamed answer, made as they are pulled. The signal ends it while it waits; between two, leaving does. */
export async function* answerStream<Body extends object, Whole, Event>(
  dialect: WireDialect<Body, Whole, Event>,
  request: WireRequest,
  options: AnswerStreamOptions,
): AsyncGenerator<Event, void> {
  const { open, onFirst, onUsage, onWriter, timer = new AnswerTimer(options.clock), ...call } = options;
  using held = await open(call.signal);
  timer.opened();
  const { completion } = held;
  let write: ReturnType<typeof dialect.toEvents> | undefined;
  let isBegun = false;
  const onFirstToken = (): void => timer.firstToken();
  for await (const event of completion.stream(request.completion, { ...call, onFirstToken })) {
    if (event.type === 'begin') {
      timer.begun();
      options.onBegin?.(event);
    }
    if (write === undefined) {
      write = dialect.toEvents(request, openHead(dialect.idPrefix, completion, { ...options, timer }));
      onWriter?.(write);
    }
    if (event.type === 'choice' && !isBegun) {
      isBegun = true;
      onFirst?.();
    }
    if (event.type === 'end') onUsage?.(event.usage);
    // Not yield*: that waits a turn for each, even if there is none.
    for (const object of write(event)) yield object;
  }
}

/** The answer to a request that only lets a model go, which has none to answer it. */
export function answerReleased<Body extends object, Whole, Event>(
  dialect: WireDialect<Body, Whole, Event>,
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
