// A key with its current usage, the same for every server of these pages. A test compares these types with the servers'
// schemas.

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

/** Each limit with its usage; null means no limit. If several nodes count, `running_requests` is null. */
export interface KeyUse {
  readonly requests_per_minute: number | null;
  readonly requests_left: number | null;
  readonly tokens_per_minute: number | null;
  readonly tokens_left: number | null;
  readonly parallel_requests: number | null;
  readonly running_requests: number | null;
  readonly max_output_tokens: number | null;
  readonly budgets: readonly BudgetUsage[];
}

/** The fields of a key that all servers return. */
export interface KeyAnswer {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly state: KeyState;
  readonly models: readonly string[] | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly grace_until: string | null;
  readonly limits: KeyUse;
  readonly used: { readonly day_tokens: number; readonly month_tokens: number; readonly total_tokens: number };
}
