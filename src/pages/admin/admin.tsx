import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient, Store, TextStorage } from '../data/index.js';
import type { Notices } from '../kit/index.js';
import type { AdminApi } from './api/admin-api.js';
import type { ConfigDraft } from './configuration/config-draft.js';

/** State that all sections share. */
export interface Admin {
  readonly api: AdminApi;
  readonly client: ApiClient;
  readonly storage: TextStorage | undefined;
  readonly themeKey: string;
  readonly notices: Store<Notices>;
  /** The unsaved text of gateway.yaml, shared by all sections. */
  readonly draft: Store<ConfigDraft>;
}

const AdminContext = createContext<Admin | undefined>(undefined);

/** Provides the API to all sections. */
export const AdminProvider = AdminContext.Provider;

/** The API of the gateway. Errors: a view outside of `AdminProvider`. */
export function useAdmin(): Admin {
  const admin = useContext(AdminContext);
  if (admin === undefined) throw new Error('this view is outside of AdminProvider');
  return admin;
}
