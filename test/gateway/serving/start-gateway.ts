// A gateway of this process on a file of its own, for suites to talk to.
import { present } from '../../../src/base/index.js';
import { createGateway, type Gateway, type GatewaySetup } from '../../../src/gateway/index.js';
import { createKeySecret, type Meter } from '../../../src/metering/index.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import {
  chatBody,
  startProduct,
  type CommonSetup,
  type FileParts,
  type StartedProduct,
} from '../../support/start-product.js';

/** A gateway at work, and what it said. */
export interface StartedGateway extends StartedProduct<Gateway> {
  readonly gateway: Gateway;
  readonly meter: Meter;
}

/** A key as a file has it, and its secret. */
export interface TestKey {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secret: string;
  /** The header that brings it. */
  readonly headers: { readonly authorization: string };
}

/** A key that may use all models, with what `parts` say otherwise. */
export function makeKey(id = 'vk_a', parts: FileParts = {}): TestKey {
  const { secret, prefix, hash } = createKeySecret('gwk');
  const entry = { id, name: id, prefix, hash, models: null, limits: {}, ...parts };
  return { entry, secret, headers: { authorization: `Bearer ${secret}` } };
}

/** A runtime as a file has it. */
export function runtimeAt(url: string, parts: FileParts = {}): FileParts {
  return { id: 'r', kind: 'openai-compatible', base_url: url, ...parts };
}

/** A model as a file has it: `demo`, which runtime `r` calls `up`. */
export function modelOf(parts: FileParts = {}): FileParts {
  return { id: 'demo', targets: [{ runtime: 'r', model: 'up' }], ...parts };
}

/** Starts one on a free port, with model `demo` on what `parts` have as runtimes. */
export async function startGateway(
  parts: FileParts,
  setup: Partial<GatewaySetup> = {},
  directory?: string,
): Promise<StartedGateway> {
  const kind = {
    fileName: 'gateway.yaml',
    file: { gateway_id: 'gw_test', listen: '127.0.0.1:0', models: [modelOf()] },
    create: (path: string, common: CommonSetup) =>
      createGateway(path, {
        ...common,
        transport: 'node',
        readSecret: async (source) => `secret of ${JSON.stringify(source)}`,
        ...setup,
      }),
  };
  const started = await startProduct(kind, parts, directory);
  const gateway = started.product;
  return {
    ...started,
    gateway,
    get meter() {
      return present(gateway.meter, 'the gateway runs');
    },
  };
}

/** Sends a chat. */
export function chat({ port }: StartedGateway, key: TestKey, parts: FileParts = {}): Promise<Received> {
  return ask(port, 'POST', '/v1/chat/completions', chatBody(parts), undefined, key.headers);
}
