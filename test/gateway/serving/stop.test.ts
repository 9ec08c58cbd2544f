// SIGTERM at each moment of a stream that the gateway relays.
import { describeStop } from '../../support/stop-contract.js';
import { startProcess } from '../hardening-gateway.js';

describeStop('the gateway', async (url, drainS) => {
  const gateway = await startProcess({ upstreams: { demo: url }, limits: `{ drain_s: ${drainS} }` });
  return {
    child: gateway.child,
    port: gateway.port,
    path: '/v1/chat/completions',
    key: gateway.key,
    ended: gateway.ended,
    charged: async () =>
      Array.from(gateway.output().matchAll(/"completion_tokens":(\d+)/g), ([, tokens]) => Number(tokens)),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
});
