// The rows of money, as the rules read and change them.

/** The row of an account, and its mutable part. */
export interface AccountRow {
  readonly id: string;
  readonly currency: string;
  readonly state: string;
  availableMicro: bigint;
  heldMicro: bigint;
}

/** The window of a budget. */
export interface WindowRow {
  usedMicro: bigint;
  heldMicro: bigint;
}

/** The rows of a batch by their keys. The batch changes them in place. */
export interface Rows {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  /** Reservations of open requests. */
  readonly holds: Map<string, { heldMicro: bigint; grantedTokens: number }>;
  /** How requests ended. */
  readonly ended: Map<string, string>;
  /** By `key kind:day`. */
  readonly windows: ReadonlyMap<string, WindowRow>;
  /** By `node account`. */
  readonly allowances: Map<string, { amountMicro: bigint }>;
}
