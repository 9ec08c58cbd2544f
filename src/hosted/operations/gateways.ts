import { toErrorData } from '../../base/index.js';
import { withoutUrlSecrets } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { offeredModels, type ConnectedGateway } from '../gateways/connected-gateway.js';
import type { NewGateway } from '../gateways/gateway-store.js';
import { checkResolved, parseGatewayUrl, toGatewayBaseUrl } from '../gateways/gateway-url.js';
import { change, Name, operation } from './operation.js';
import { showGateway } from './shown.js';

const Slug = Type.String({ minLength: 1, maxLength: 64 });

/** Connects a gateway and asks it for its models. One that cannot be asked now is connected too, and asked again. */
export const addGateway = change(
  {
    action: 'gateway.add',
    target: ({ slug }) => `gateway:${slug}`,
    asked: ({ name, base_url: address, models: offer }) => ({
      name,
      after: { base_url: withoutUrlSecrets(address), offer },
    }),
  },
  {
    params: Type.Object({
      slug: Slug,
      name: Name,
      base_url: Type.String({ minLength: 1, maxLength: 1_000 }),
      credential: Type.Optional(Type.String({ maxLength: 10_000 })),
      models: Type.Optional(Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 2_000 })),
      metering: Type.Optional(Type.Enum(['inject', 'observe'])),
      replace: Type.Optional(Type.Boolean()),
    }),
    async run({ gateways, sync, rules, resolve, by }, params) {
      const { slug, name, base_url: baseUrl, credential = '', models = 'all', metering = 'inject', replace } = params;
      const url = parseGatewayUrl(baseUrl, rules);
      await checkResolved(url, rules, resolve);
      const gateway: NewGateway = { slug, name, baseUrl: toGatewayBaseUrl(url), credential, offer: models, metering };
      const added = await gateways.add(gateway, by, replace);
      const synced = await sync.syncNow(slug).catch((error: unknown) => {
        if (toErrorData(error).code !== 'gateway_sync_failed') throw error;
        return undefined;
      });
      return { gateway: showGateway(synced ?? (await gateways.get(added.slug))), is_plain: url.protocol === 'http:' };
    },
  },
);

/** Every gateway. */
export const listGateways = operation({
  params: Type.Object({}),
  run: async ({ gateways }) => ({ gateways: (await gateways.list()).map(showGateway) }),
});

/** Asks one gateway for its models now. */
export const syncGateway = change(
  { action: 'gateway.sync', target: ({ slug }) => `gateway:${slug}` },
  {
    params: Type.Object({ slug: Slug }),
    async run({ gateways, sync, billing, by }, { slug }) {
      const before = await gateways.get(slug);
      const after = await sync.syncNow(slug);
      const facts = (of: ConnectedGateway) => ({ offered_models: offeredModels(of).length });
      const diff = { name: after.name, before: facts(before), after: facts(after) };
      await billing.audit.record({ actor: by, action: 'gateway.sync', target: `gateway:${slug}`, diff });
      return { gateway: showGateway(after) };
    },
  },
);

/** Takes a gateway out of the catalog, or puts it back. */
export const setGatewayState = change(
  { action: ({ state }) => `gateway.${state}`, target: ({ slug }) => `gateway:${slug}` },
  {
    params: Type.Object({ slug: Slug, state: Type.Enum(['active', 'disabled']) }),
    run: async ({ gateways, by }, { slug, state }) => ({
      gateway: showGateway(await gateways.setState(slug, state, by)),
    }),
  },
);

/** Ends a gateway. */
export const removeGateway = change(
  { action: 'gateway.remove', target: ({ slug }) => `gateway:${slug}` },
  {
    params: Type.Object({ slug: Slug }),
    async run({ gateways, by }, { slug }) {
      await gateways.remove(slug, by);
      return { slug };
    },
  },
);
