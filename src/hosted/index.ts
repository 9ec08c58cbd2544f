// The hosted API: providers by path, connected gateways, exact billing.
export { hostedCodes } from './errors.js';
export { operations, type OperationName } from './operations/index.js';
export type { ShownAccount, ShownGateway, ShownKey, ShownPrice } from './operations/shown.js';
export { readPriceFile } from './prices/read-price-file.js';
