import type { MessagePort } from 'node:worker_threads';
import { AppError, fromErrorData } from '../../base/index.js';
import { BatchedPort } from './batched-port.js';
import type { AdmissionGrant, MeterCall, MeterChange, MeterLink, MeterMessage } from './meter-link.js';

/** Calls under way at most: far above the requests that one thread relays at once. */
const MAX_CALLS = 65_536;

interface Waiting {
  readonly resolve: (value: AdmissionGrant | number | undefined) => void;
  readonly reject: (error: AppError) => void;
}

/** The way to the meter that another thread serves on `port` (`serveMeter`). */
export function openMeterLink(port: MessagePort): MeterLink {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(change: MeterChange) => void>();
  const changes: MeterChange[] = [];
  let made = 0;
  let isKnown = false;
  const batched = new BatchedPort<MeterCall, MeterMessage>(port, receive, () => {
    for (const { reject } of waiting.values()) reject(goneAway());
    waiting.clear();
  });

  // A thread waits for the keys, and for its answers.
  port.ref();
  const letGo = (): void => {
    if (isKnown && waiting.size === 0) port.unref();
  };

  function receive(message: MeterMessage): void {
    if ('change' in message) {
      isKnown = true;
      letGo();
      if (listeners.size === 0) changes.push(message.change);
      for (const listener of listeners) listener(message.change);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    letGo();
    if ('error' in message) call?.reject(fromErrorData(message.error));
    else call?.resolve(message.value);
  }

  function ask(toCall: (id: number) => MeterCall): Promise<AdmissionGrant | number | undefined> {
    if (batched.isClosed || waiting.size >= MAX_CALLS) return Promise.reject(goneAway());
    const id = made++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      if (waiting.size === 1) port.ref();
      batched.send(toCall(id));
    });
  }

  return {
    admit: async (request) => (await ask((id) => ({ id, call: 'admit', request }))) as AdmissionGrant,
    extend: async (requestId, completionTokens) =>
      (await ask((id) => ({ id, call: 'extend', requestId, completionTokens }))) as number,
    settle: async (requestId, outcome) => {
      await ask((id) => ({ id, call: 'settle', requestId, outcome }));
    },
    recordRequest: (row) => batched.send({ call: 'record', row }),
    onChange(listener) {
      listeners.add(listener);
      for (const change of changes.splice(0)) listener(change);
    },
  };
}

function goneAway(): AppError {
  const message = 'the metering thread has ended or is overloaded; requests are refused until it is back';
  return new AppError('metering_unavailable', message, { reason: 'no answer' });
}
