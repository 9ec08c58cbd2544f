import { wrap } from 'comlink';
import type { AppError, ErrorData } from '../base/index.js';
import type { MethodTable, Placement } from './actor.js';
import type { ClosableEndpoint } from './endpoint.js';
import type { Failure } from './errors.js';
import type { Host } from './host.js';
import type { StartOrder } from './load-class.js';
import type { StreamPart } from './host-stream.js';

/** How an instance ended by itself. */
export interface InstanceEnd {
  /** In order: `transient` actors are not started again. */
  readonly normal: boolean;
  readonly error: AppError;
  readonly stack?: string | undefined;
}

/** An instance as its supervisor holds it. Rejections are `Failure`s. */
export interface Link {
  start(order: StartOrder): Promise<MethodTable>;
  call(callId: number, method: string, args: readonly unknown[]): Promise<unknown>;
  cancel(callId: number, reason: ErrorData): void;
  pull(callId: number, method: string, args: readonly unknown[]): Promise<StreamPart>;
  close(callId: number): Promise<void>;
  stop(): Promise<void>;
  /** Settles when the actor ends by itself. */
  ended(): Promise<Failure | null>;
  /** Tears the instance down, whatever it does. Idempotent; settles when it is gone. */
  terminate(): Promise<void>;
  /** Sets whether the instance keeps the supervisor's process alive: while a caller waits for it. */
  hold(active: boolean): void;
}

/** Options of a placement besides the instance itself. */
export interface PlacementOptions {
  readonly id: string;
  readonly heapMb: number | undefined;
}

/** A way to run actors: a file of the registry `placements/`. */
export interface PlacementKind {
  readonly name: Placement;
  /** Opens an instance at once; calls `onEnd` at most once, when the instance ended by itself. */
  open(options: PlacementOptions, onEnd: (ended: InstanceEnd) => void): Link;
}

/** The part of a link that a remote placement adds to its endpoint. */
export interface RemoteControl {
  start(remote: (order: StartOrder) => Promise<MethodTable>, order: StartOrder): Promise<MethodTable>;
  terminate(): Promise<void>;
  hold(active: boolean): void;
}

/** A link to the host at the other end of `endpoint`, over comlink. */
export function createRemoteLink(endpoint: ClosableEndpoint, control: RemoteControl): Link {
  const remote = wrap<Host>(endpoint);
  // Each property of a comlink proxy is a new proxy under a FinalizationRegistry: take each once.
  const { call, cancel, pull, close, stop, ended, start } = remote;
  return {
    start: (order) => control.start((sent) => start(sent), order),
    call: (callId, method, args) => call(callId, method, ...args),
    cancel: (callId, reason) => void cancel(callId, reason),
    pull: (callId, method, args) => pull(callId, method, ...args),
    close: (callId) => close(callId),
    stop: () => stop(),
    ended: () => ended(),
    async terminate() {
      endpoint.close();
      await control.terminate();
    },
    hold: (active) => control.hold(active),
  };
}
