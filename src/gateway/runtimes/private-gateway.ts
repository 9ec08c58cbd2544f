import { GATEWAY_ID_HEADER, MODELS_PATH } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Another gateway of this package, or this one by another address: relaying through it may go in a circle. */
export const privateGateway: RuntimeKind = {
  title: 'private gateway',
  ports: [],
  probes: [MODELS_PATH],
  basePath: '',
  sharesPrefixCache: true,
  refusal: 'a gateway is no runtime: requests could go in a circle',
  prove(evidence) {
    const id = evidence.answer(MODELS_PATH)?.gatewayId ?? '';
    return /^gw_\w{1,64}$/.test(id) ? { by: `GET ${MODELS_PATH} has the header ${GATEWAY_ID_HEADER}` } : undefined;
  },
};
