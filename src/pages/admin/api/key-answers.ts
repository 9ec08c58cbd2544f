// Answers and bodies of the API about virtual keys. A suite holds these types to the schemas of the gateway.

import type { BudgetWindow, KeyAnswer, KeyUse } from '../../data/index.js';

/** A virtual key. The gateway counts by itself. */
export interface Key extends KeyAnswer {
  readonly origin: 'file' | 'database';
  readonly limits: KeyUse & { readonly running_requests: number };
  readonly etag: string;
}

/** A key that was made or rotated, with its secret, which no later answer has. */
export interface KeyWithSecret {
  readonly secret: string;
  readonly curl: string;
  readonly key: Key;
}

/** A budget as it is sent. */
export type SentBudget =
  | { readonly tokens: number; readonly window: BudgetWindow }
  | { readonly amount: string; readonly currency: string; readonly window: BudgetWindow };

/** Limits in a request: absent ones do not limit. */
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
