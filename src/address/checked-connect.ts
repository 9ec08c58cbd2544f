import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';

/** Whether an IP address may be connected to. */
export type MayConnect = (address: string) => boolean;

/** All addresses of a name, as Node's `dns.lookup` gives them. */
export type LookUpAll = (
  hostname: string,
  tell: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** Error code of an address that is never contacted. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/** All addresses of a name as the system resolves it: by its hosts file, its search list and its other sources. */
export const lookUpInSystem: LookUpAll = (hostname, tell) => lookUp(hostname, { all: true }, tell);

/**
 * Resolves a name for a connection, and refuses it where any of its addresses may not be connected to. The connection
 * uses the checked addresses, so a name that changes meanwhile gains nothing.
 */
export function createCheckedLookup(mayConnect: MayConnect, lookUpAll: LookUpAll = lookUpInSystem): LookupFunction {
  return (hostname, options, tell) => {
    lookUpAll(hostname, (error, found) => {
      if (error !== null) return tell(error, []);
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => mayConnect(address))) return tell(refusal(), []);
      if (options.all === true) tell(null, [...found]);
      else tell(null, first.address, first.family);
    });
  };
}

/** Refuses IP addresses in a URL: no lookup happens for these. */
export function checkedConnector(connect: buildConnector.connector, mayConnect: MayConnect): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !mayConnect(host)) callback(refusal(), null);
    else connect(options, callback);
  };
}

function refusal(): Error {
  return Object.assign(new Error('the address is never contacted'), { code: ADDRESS_REFUSED });
}
