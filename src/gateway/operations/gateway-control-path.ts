import { controlPath } from '../../control/index.js';

/** Where the gateway of a data directory listens for its operator. */
export function gatewayControlPath(dataDir: string): string {
  return controlPath(dataDir, 'gateway');
}
