// Answers and bodies of the API about virtual keys. A test compares these types with the gateway's schemas.

import type { BudgetWindow, KeyAnswer, KeyUse } from '../../data/index.js';

/** A virtual key. Each gateway counts its own usage. */
export interface Key extends KeyAnswer {
  readonly origin: 'file' | 'database';
  readonly limits: KeyUse & { readonly running_requests: number };
  readonly etag: string;
}

/** A created or rotated key with its secret, which no later answer contains. */
export interface KeyWithSecret {
  readonly secret: string;
  readonly curl: string;
  readonly key: Key;
}

/** A budget in a request. */
export type SentBudget =
  | { readonly tokens: number; readonly window: BudgetWindow }
  | { readonly amount: string; readonly currency: string; readonly window: BudgetWindow };

/** Limits in a request. An absent limit does not apply. */
export interface SentLimits {
  readonly requests_per_minute?: number;
  readonly tokens_per_minute?: number;
  readonly parallel_requests?: number;
  readonly max_output_tokens?: number;
  readonly budget?: SentBudget[];
}

/** The rules of a key. */
export interface KeyRules {
  readonly name: string;
  readonly models: string[] | null;
  readonly expires_at: string | null;
  readonly limits: SentLimits;
}
