// The main thread serves a relay on another thread, over a port.
import type { MessagePort } from 'node:worker_threads';
import { AppError, fromErrorData, toErrorData, type ErrorData, type LogEntry } from '../../base/index.js';
import type { ServerProof } from '../../relay/index.js';
import type { OtlpSpan } from '../../telemetry/index.js';
import type { RelayHost } from '../serving/relay-host.js';
import type { GatewayState } from '../serving/gateway-state.js';

type QuestionName = 'check' | 'isAdmin' | 'prove' | 'state' | 'metrics';
interface Asked {
  readonly id: number;
  readonly name: QuestionName;
  /** The id of a key or a runtime, or a secret. */
  readonly about: string;
  readonly parallelRequests?: number | undefined;
}
type Told = { readonly line: string } | { readonly entry: LogEntry } | { readonly spans: readonly OtlpSpan[] };
type Answer = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ErrorData };

/** Questions of one relay that may wait: as many as it may have requests under way. */
const MAX_WAITING = 65_536;

/** Serves the relay at the other end of `port` until its thread ends. */
export function serveRelayHost(port: MessagePort, host: RelayHost): void {
  const answer = async ({ name, about, parallelRequests }: Asked): Promise<unknown> => {
    if (name === 'check') return host.check(about, parallelRequests);
    if (name === 'isAdmin') return host.isAdmin(about);
    if (name === 'prove') return host.prove(about);
    return name === 'state' ? host.state() : host.metrics();
  };
  port.on('message', (message: Asked | Told) => {
    if ('line' in message) host.logLine(message.line);
    else if ('entry' in message) host.log(message.entry);
    else if ('spans' in message) host.trace(message.spans);
    else {
      const { id } = message;
      answer(message).then(
        (value) => port.postMessage({ id, value } satisfies Answer),
        (error: unknown) => port.postMessage({ id, error: toErrorData(error) } satisfies Answer),
      );
    }
  });
  port.unref();
}

/** The relay host at the other end of `port`. */
export function connectRelayHost(port: MessagePort): RelayHost {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let asked = 0;
  const ask = (name: QuestionName, about = '', parallelRequests?: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= MAX_WAITING) {
        reject(new AppError('overloaded', `${MAX_WAITING} questions of one relay wait already; try again later`));
        return;
      }
      const id = asked++;
      waiting.set(id, { resolve, reject });
      port.postMessage({ id, name, about, parallelRequests } satisfies Asked);
    });
  port.on('message', (answer: Answer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ('error' in answer) reject?.(fromErrorData(answer.error));
    else resolve?.(answer.value);
  });
  port.unref();
  return {
    check: (keyId, parallelRequests) => ask('check', keyId, parallelRequests) as Promise<void>,
    isAdmin: (secret) => ask('isAdmin', secret) as Promise<boolean>,
    prove: (runtimeId) => ask('prove', runtimeId) as Promise<ServerProof>,
    state: () => ask('state') as Promise<GatewayState>,
    metrics: () => ask('metrics') as Promise<string>,
    logLine: (line) => port.postMessage({ line } satisfies Told),
    log: (entry) => port.postMessage({ entry } satisfies Told),
    trace: (spans) => port.postMessage({ spans } satisfies Told),
  };
}
