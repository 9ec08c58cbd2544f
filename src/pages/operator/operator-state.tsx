import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BearerClient } from '../data/index.js';
import type { OpenedKit } from '../kit/index.js';
import type { OperatorApi } from './api/operator-api.js';

/** State that all sections share. */
export interface OperatorState {
  readonly api: OperatorApi;
  readonly client: BearerClient;
  readonly opened: OpenedKit;
}

const OperatorContext = createContext<OperatorState | undefined>(undefined);

/** Provides the API to all sections. */
export const OperatorProvider = OperatorContext.Provider;

/** The API of the operator page. Errors: a view outside of `OperatorProvider`. */
export function useOperator(): OperatorState {
  const operator = useContext(OperatorContext);
  if (operator === undefined) throw new Error('this view is outside of OperatorProvider');
  return operator;
}
