// Answers and bodies of the API about virtual keys. A suite holds these types to the schemas of the gateway.

export type KeyState = 'active' | 'disabled' | 'revoked' | 'expired';
export type BudgetWindow = 'day' | 'week' | 'month' | 'total';

/** A budget and its usage. Tokens are numbers, money is a decimal text. */
export interface BudgetUsage {
  readonly unit: string;
  readonly window: BudgetWindow;
  readonly limit: number | string;
  readonly used: number | string;
  readonly held: number | string;
  readonly resets_at: string | null;
}

/** Each limit with its usage; null does not limit. */
export interface KeyUse {
  readonly requests_per_minute: number | null;
  readonly requests_left: number | null;
  readonly tokens_per_minute: number | null;
  readonly tokens_left: number | null;
  readonly parallel_requests: number | null;
  readonly running_requests: number;
  readonly max_output_tokens: number | null;
  readonly budgets: readonly BudgetUsage[];
}

/** A virtual key. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly origin: 'file' | 'database';
  readonly state: KeyState;
  readonly models: readonly string[] | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly grace_until: string | null;
  readonly limits: KeyUse;
  readonly used: { readonly day_tokens: number; readonly month_tokens: number; readonly total_tokens: number };
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
