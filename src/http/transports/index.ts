// The registry of transports: what carries HTTP. To add one, write a file here and add its line.
import type { Transport } from '../exchange.js';
import { listenNode } from './node.js';
import { listenUws } from './uws.js';

/** Every transport by its name. */
export const transports = {
  node: listenNode,
  uws: listenUws,
} as const satisfies Record<string, Transport>;

/** The name of a transport. */
export type TransportName = keyof typeof transports;
