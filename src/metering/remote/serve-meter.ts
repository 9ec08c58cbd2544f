import type { MessagePort } from 'node:worker_threads';
import { toErrorData } from '../../base/index.js';
import type { Meter } from '../meter.js';
import { BatchedPort } from './batched-port.js';
import type { AdmissionGrant, MeterCall, MeterChange, MeterMessage } from './meter-link.js';
import { RemoteHolds } from './remote-holds.js';

/**
 * Serves `meter` to the thread at the other end of `port` (`createMeterClient`). When that thread dies, its holds end
 * by the rule of a crash: a hold whose answer began is charged its reservation, as an estimate, and any other costs
 * nothing. The returned function ends the service.
 */
export function serveMeter(meter: Meter, port: MessagePort): () => void {
  const holds = new RemoteHolds(meter);
  const batched = new BatchedPort<MeterMessage, MeterCall>(port, receive, () => {
    stopWatching();
    holds.abandon();
  });
  const stopWatching = watchChanges(meter, (change) => batched.send({ change }));
  return () => batched.close();

  function receive(message: MeterCall): void {
    if (message.call === 'record') {
      meter.recordRequest(message.row);
      return;
    }
    const { id } = message;
    run(message).then(
      (value) => batched.send({ id, ...(value !== undefined && { value }) }),
      (error: unknown) => batched.send({ id, error: toErrorData(error) }),
    );
  }

  async function run(message: Exclude<MeterCall, { call: 'record' }>): Promise<AdmissionGrant | number | undefined> {
    switch (message.call) {
      case 'admit':
        return holds.admit(message.request);
      case 'extend':
        return holds.extend(message.requestId, message.completionTokens);
      case 'settle':
        await holds.settle(message.requestId, message.outcome);
        return undefined;
    }
  }
}

/** Tells `listener` all keys of `meter`, soon and after each change, and the keys that end. The returned function ends that. */
function watchChanges(meter: Meter, listener: (change: MeterChange) => void): () => void {
  let isTold = false;
  /** Once for all that changes in one turn. */
  const tellKeys = (): void => {
    if (isTold) return;
    isTold = true;
    queueMicrotask(() => {
      isTold = false;
      listener({ type: 'keys', keys: meter.keys() });
    });
  };
  const stops = [
    meter.onKeyEnded((keyId, hash) => listener({ type: 'ended', keyId, ...(hash !== undefined && { hash }) })),
    meter.onKeysChanged(tellKeys),
  ];
  tellKeys();
  return () => stops.forEach((stop) => stop());
}
