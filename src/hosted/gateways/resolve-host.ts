import type { LookUpAll } from '../../address/index.js';
import type { Resolve } from './gateway-url.js';

/** All addresses of a name; none where it has none. */
export function toResolve(lookUpAll: LookUpAll): Resolve {
  return (hostname) =>
    new Promise((resolve) => {
      lookUpAll(hostname, (error, found) => resolve(error === null ? found.map(({ address }) => address) : []));
    });
}
