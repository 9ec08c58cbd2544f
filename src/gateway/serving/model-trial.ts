// Sends an operator's test message as a client's would be sent, to the same targets. The gateway stores neither the
// message nor its answer.
import { AppError, type Clock } from '../../base/index.js';
import { resultOf, sendToGroup, toUpstreamFields, type TargetState, type UpstreamAnswer } from '../../relay/index.js';
import type { UsageAsking } from '../../relay-serving/index.js';
import { targetKeyOf, type ModelTarget } from '../routing/model-target.js';
import type { RoutedModel } from '../routing/routing-table.js';
import { readTrialAnswer, type TrialText } from './trial-answer.js';

/** The targets of a model as a relay sees them. */
export interface ModelTargets {
  readonly id: string;
  readonly targets: readonly TargetState[];
}

/** The result of a trial. */
export interface Tried extends TrialText {
  readonly status: number;
  readonly runtimeId: string;
  readonly upstreamModel: string;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/** How long a trial may take. */
const TRIAL_MS = 120_000;
/** Bytes of an answer: 4,096 tokens take some 600 KB as events. */
const MAX_ANSWER_BYTES = 4 << 20;
const PATH = '/v1/chat/completions';

/** Options of a trial. */
export interface Trial {
  readonly model: RoutedModel;
  readonly message: string;
  readonly maxTokens: number;
  readonly usageAsking: UsageAsking;
  readonly clock: Clock;
}

/** Sends a message and reads the answer as it arrives. Errors: those of a relay. */
export async function tryModel({ model, message, maxTokens, usageAsking, clock }: Trial): Promise<Tried> {
  const beganMs = clock.nowMs();
  const controller = new AbortController();
  const cancel = clock.after(TRIAL_MS, () =>
    controller.abort(new AppError('upstream_timeout', `the model did not answer within ${TRIAL_MS / 1000} s`)),
  );
  const { signal } = controller;
  try {
    const send = async (target: ModelTarget): Promise<UpstreamAnswer> => {
      const sendOnce = (asksUsage: boolean) => sendTo(target, { message, maxTokens, asksUsage, signal });
      return (await usageAsking.send(targetKeyOf(target, PATH), sendOnce)).answer;
    };
    const { group, retries: budget, id } = model;
    const { answer, chosen } = await sendToGroup<ModelTarget>({ group, budget, id, send, canRepeat: true, signal });
    let firstByteMs: number | undefined;
    try {
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of answer.body) {
        firstByteMs ??= clock.nowMs() - beganMs;
        pieces.push(piece);
        length += piece.length;
        if (length > MAX_ANSWER_BYTES) break;
      }
      chosen.end(resultOf(answer.status, undefined));
      const { target } = chosen;
      return {
        ...readTrialAnswer(answer.status, Buffer.concat(pieces).toString()),
        status: answer.status,
        runtimeId: target.runtime.config.id,
        upstreamModel: target.model,
        firstByteMs,
        durationMs: clock.nowMs() - beganMs,
      };
    } catch (error) {
      chosen.end('failed');
      throw error;
    }
  } finally {
    cancel();
  }
}

/** The request that a target gets. */
interface Sent extends Pick<Trial, 'message' | 'maxTokens'> {
  readonly asksUsage: boolean;
  readonly signal: AbortSignal;
}

function sendTo({ runtime, model }: ModelTarget, sent: Sent): Promise<UpstreamAnswer> {
  const { credential, upstream } = runtime;
  const { message, maxTokens, asksUsage, signal } = sent;
  const body = Buffer.from(
    JSON.stringify({
      model,
      messages: [{ role: 'user', content: message }],
      max_tokens: maxTokens,
      stream: true,
      ...(asksUsage && { stream_options: { include_usage: true } }),
    }),
  );
  const own: (readonly [string, string])[] = [['content-type', 'application/json']];
  if (credential !== undefined) own.push(['authorization', `Bearer ${credential}`]);
  const fields = toUpstreamFields([], { own, plainAnswer: true });
  return upstream.request({ method: 'POST', target: PATH, fields, body: [body], contentLength: body.length, signal });
}
