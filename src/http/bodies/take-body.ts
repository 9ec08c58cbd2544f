import { checkAnnounced } from '../heads/check-head.js';
import type { BodyDecoder } from './decode-body.js';
import type { Incoming } from '../incoming.js';
import type { RequestLife } from '../request-life.js';
import type { Decision, Handler, HttpHead, HttpResponse, WholeOptions } from '../message.js';
import { receiveBody, refuseForBudget, type BodyBudget } from './receive-body.js';
import type { Refusal } from '../refusal.js';
import { StreamedBody } from './streamed-body.js';
import type { Sink } from './write-body.js';

/** One request whose head is sound, and the body that its transport brings. */
export interface Call {
  readonly life: RequestLife;
  readonly head: HttpHead;
  readonly wantsContinue: boolean;
  readonly incoming: Incoming;
}

/** What all requests of a listener share, and how each can go on. */
export interface BodyContext {
  readonly handler: Handler;
  readonly budget: BodyBudget;
  readonly decoder: BodyDecoder;
  sinkOf(life: RequestLife): Sink;
  countBytes(bytes: number): void;
  refuse(call: Call, refusal: Refusal): void;
  answer(call: Call, response: HttpResponse): void;
  /** Answers once what still comes of the body was dropped. */
  answerUnread(call: Call, response: HttpResponse): void;
  fail(call: Call, error: unknown): void;
}

/** Has the handler decide, and does as it says. A decision that is there at once costs no turn of the event loop. */
export function takeBody(caller: BodyContext, call: Call): void {
  try {
    const decision = caller.handler(call.head);
    if (!(decision instanceof Promise)) return carryOut(caller, call, decision);
    decision.then(
      (late) => carryOut(caller, call, late),
      (error: unknown) => caller.fail(call, error),
    );
  } catch (error) {
    caller.fail(call, error);
  }
}

function carryOut(caller: BodyContext, call: Call, decision: Decision): void {
  if (decision.take === 'nothing') caller.answerUnread(call, decision.response);
  else if (decision.take === 'whole') void readWhole(caller, call, decision.options, decision.handle);
  else void stream(caller, call, decision.handle);
}

async function readWhole(
  caller: BodyContext,
  call: Call,
  { maxBytes, decode = true }: WholeOptions,
  handle: Extract<Decision, { take: 'whole' }>['handle'],
): Promise<void> {
  const { life, head, incoming } = call;
  const sink = caller.sinkOf(life);
  const limit = maxBytes ?? sink.limits.bodyBytes;
  const tooLarge = checkAnnounced(head.contentLength, limit);
  if (tooLarge !== undefined) return caller.refuse(call, tooLarge);
  askForBody(call);
  const received = await receiveBody(sink, incoming, caller.budget, limit);
  if ('code' in received) return caller.refuse(call, received);
  if (life.isClosed) return;
  caller.countBytes(received.length);
  const encoding = decode ? head.headers.get('content-encoding') : undefined;
  const body = await caller.decoder.decode(received, encoding, limit);
  if ('code' in body) return caller.refuse(call, body);
  if (body !== received) {
    const size = body.length;
    if (!caller.budget.take(size)) return caller.refuse(call, refuseForBudget());
    life.onClosed(() => caller.budget.give(size));
  }
  // Not awaited: this function would be kept, and all that it knows, for as long as a stream lasts.
  void answerWith(caller, call, () => handle({ ...head, body }));
}

async function stream(
  caller: BodyContext,
  call: Call,
  handle: Extract<Decision, { take: 'stream' }>['handle'],
): Promise<void> {
  const body = new StreamedBody(caller.sinkOf(call.life), call.incoming, {
    onBegin: () => askForBody(call),
    onBytes: (bytes) => caller.countBytes(bytes),
  });
  await answerWith(caller, call, () => handle({ ...call.head, body }));
}

async function answerWith(caller: BodyContext, call: Call, handle: () => Promise<HttpResponse>): Promise<void> {
  try {
    const response = await handle();
    // An answer of many pieces goes out while the body comes in.
    const isWhole = typeof response.body !== 'object' || response.body instanceof Uint8Array;
    if (isWhole && !call.incoming.isEnded) caller.answerUnread(call, response);
    else caller.answer(call, response);
  } catch (error) {
    caller.fail(call, error);
  }
}

function askForBody({ life, wantsContinue }: Call): void {
  life.isAsked = true;
  if (wantsContinue) life.exchange.sendContinue();
}
