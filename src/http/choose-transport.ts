import type { TransportName } from './transports/index.js';

/** A transport by name, or the best that is there. */
export type TransportChoice = TransportName | 'auto';

/** The transport for a choice. */
export async function chooseTransport(choice: TransportChoice, _host: string): Promise<TransportName> {
  return choice === 'auto' ? 'node' : choice;
}
