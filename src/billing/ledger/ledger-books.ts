// Views of the ledger.

/** The result of a check of the books. */
export interface LedgerCheck {
  readonly groups: number;
  readonly entries: number;
  /**
   * Each mistake in words: a group that does not sum to zero, a balance that differs from its entries, a broken chain.
   * Empty: the books are right.
   */
  readonly faults: readonly string[];
}

/** The double-entry ledger. Entries are never changed. */
export interface LedgerBooks {
  verify(): Promise<LedgerCheck>;
  /** All groups in order, as plain objects for export. */
  export(range: { readonly fromMs?: number; readonly toMs?: number }): AsyncIterable<LedgerGroup>;
}

/** One group: amounts that moved together. They sum to zero in each currency. */
export interface LedgerGroup {
  readonly id: string;
  readonly createdAtMs: number;
  readonly kind: 'credit' | 'usage' | 'void' | 'adjustment';
  readonly reference: string;
  readonly entries: readonly { readonly account: string; readonly currency: string; readonly amountMicro: bigint }[];
  readonly hash: string;
}
