import { createStore, readAddress, toAddress, type Address, type Store } from '../../data/index.js';

/** The address of the page as an observable value. */
export interface Router extends Pick<Store<Address>, 'get' | 'subscribe'> {
  /** Opens a place within the page. */
  go(address: string): void;
  /** Changes the query of the address without empty values. `replace` adds no history entry, as for typing. */
  setQuery(change: Readonly<Record<string, string>>, how?: 'push' | 'replace'): void;
}

/** The address bar of the browser. */
export function createRouter(page: Window = window): Router {
  const read = (): Address => readAddress(page.location.pathname, page.location.search);
  const store = createStore<Address>(read());
  page.addEventListener('popstate', () => store.set(read()));
  const write = (address: string, how: 'push' | 'replace'): void => {
    if (how === 'push') page.history.pushState(null, '', address);
    else page.history.replaceState(null, '', address);
    store.set(read());
  };
  return {
    get: store.get,
    subscribe: store.subscribe,
    go: (address) => write(address, 'push'),
    setQuery(change, how = 'push') {
      const { path, query } = store.get();
      write(toAddress({ path, query: { ...query, ...change } }), how);
    },
  };
}
