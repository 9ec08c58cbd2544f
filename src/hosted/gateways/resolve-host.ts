import { lookup } from 'node:dns/promises';
import { isError } from '../../base/index.js';
import type { Resolve } from './gateway-url.js';

/** All addresses of a name, as the system knows them; none where it has none. */
export const resolveHost: Resolve = async (hostname) => {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (isError(error)) return [];
    throw error;
  }
};
