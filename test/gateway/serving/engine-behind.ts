// A gateway before the engine's own server with the demo model, for clients that people use.
import { startServing, type Serving } from '../../server/serving.js';
import { makeKey, modelOf, runtimeAt, startGateway, type StartedGateway, type TestKey } from './start-gateway.js';

/** Both of them, and a key. */
export interface EngineBehind extends AsyncDisposable {
  readonly gateway: StartedGateway;
  readonly serving: Serving;
  readonly key: TestKey;
}

/** Starts both. */
export async function startEngineBehind(transport: 'node' | 'uws'): Promise<EngineBehind> {
  const serving = await startServing({}, { transport });
  const key = makeKey('vk_a', { limits: { budget: { tokens: 10 ** 9, window: 'total' } } });
  const parts = {
    runtimes: [runtimeAt(serving.url, { kind: 'native-engine' })],
    models: [modelOf({ targets: [{ runtime: 'r', model: 'demo' }] })],
    virtual_keys: [key.entry],
  };
  const gateway = await startGateway(parts, { transport });
  return {
    gateway,
    serving,
    key,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await serving[Symbol.asyncDispose]();
    },
  };
}
