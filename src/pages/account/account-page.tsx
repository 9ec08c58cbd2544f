import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BearerClient } from '../data/index.js';
import type { OpenedKit } from '../kit/index.js';
import type { AccountApi } from './api/account-api.js';

/** State that all views share. */
export interface AccountPage {
  readonly api: AccountApi;
  readonly client: BearerClient;
  readonly opened: OpenedKit;
  /** The path of the page, and the root of its API. */
  readonly path: string;
  readonly root: string;
}

const AccountContext = createContext<AccountPage | undefined>(undefined);

/** Provides the API to all views. */
export const AccountProvider = AccountContext.Provider;

/** The API of the account page. Errors: a view outside of `AccountProvider`. */
export function useAccount(): AccountPage {
  const page = useContext(AccountContext);
  if (page === undefined) throw new Error('this view is outside of AccountProvider');
  return page;
}
