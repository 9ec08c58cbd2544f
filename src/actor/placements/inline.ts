import { Host } from '../host.js';
import { createKeepAlive } from '../keep-alive.js';
import type { PlacementKind } from '../link.js';

/** In the supervisor's own thread: nothing is copied. Does not survive the death of its thread. */
export const inline: PlacementKind = {
  name: 'inline',
  open() {
    const host = new Host();
    const keepAlive = createKeepAlive();
    return {
      start: (order) => host.start(order),
      call: (callId, method, args) => host.call(callId, method, ...args),
      cancel: (callId, reason) => host.cancel(callId, reason),
      pull: (callId, method, args) => host.pull(callId, method, ...args),
      close: (callId) => host.close(callId),
      stop: () => host.stop(),
      ended: () => host.ended(),
      terminate() {
        host.abandon();
        keepAlive.clear();
        return Promise.resolve();
      },
      hold: (active) => keepAlive.waiting(active),
    };
  },
};
