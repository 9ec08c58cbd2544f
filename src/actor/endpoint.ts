import type { Endpoint } from 'comlink';
import { isError } from '../base/index.js';

/** The common part of Worker, MessagePort, ChildProcess and process, without `post`. */
export interface MessageSource {
  on(event: 'message', listener: (data: unknown) => void): unknown;
  off(event: 'message', listener: (data: unknown) => void): unknown;
}

/** A comlink endpoint that can be shut. */
export interface ClosableEndpoint extends Endpoint {
  /** Removes every listener; messages posted later are lost. */
  close(): void;
}

type Post = (message: unknown, transfer: readonly unknown[]) => void;
type Listener = (event: { data: unknown }) => void;

/**
 * A comlink endpoint over a Node message source. It answers a message that cannot be cloned at once with
 * `not_cloneable`: a request to its own caller, a reply to the other side. (comlink's own adapter leaves the entry of
 * such a request in its table for ever.)
 */
export function createEndpoint(source: MessageSource, post: Post): ClosableEndpoint {
  const listeners = new Map<unknown, (data: unknown) => void>();
  let open = true;
  return {
    postMessage(message: unknown, transfer: readonly unknown[] = []) {
      if (!open) return;
      try {
        post(message, transfer);
      } catch (thrown) {
        const reply = refusal(message, thrown);
        const isRequest = typeof message === 'object' && message !== null && 'path' in message;
        if (!isRequest) post(reply, []);
        else queueMicrotask(() => listeners.forEach((deliver) => deliver(reply)));
      }
    },
    addEventListener(_type: string, listener: unknown) {
      const deliver = (data: unknown): void => (listener as Listener)({ data });
      listeners.set(listener, deliver);
      source.on('message', deliver);
    },
    removeEventListener(_type: string, listener: unknown) {
      const deliver = listeners.get(listener);
      if (deliver !== undefined) source.off('message', deliver);
      listeners.delete(listener);
    },
    close() {
      open = false;
      for (const deliver of listeners.values()) source.off('message', deliver);
      listeners.clear();
    },
  };
}

/** comlink's wire form of a thrown `Failure`, in answer to `message`. */
function refusal(message: unknown, thrown: unknown): unknown {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  const why = isError(thrown) ? thrown.message : String(thrown);
  const error = {
    code: 'not_cloneable',
    message: `a value cannot cross to another thread or process: ${why}; send plain data, or transfer it`,
    details: {},
  };
  return { id, type: 'HANDLER', name: 'throw', value: { isError: false, value: { kind: 'answer', error } } };
}
