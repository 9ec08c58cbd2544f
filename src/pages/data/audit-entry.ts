/** An entry of an audit log, the same for every product. */
export interface AuditEntry {
  readonly seq: number;
  readonly time: string;
  readonly sentence: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly reason: string;
  readonly diff: unknown;
  readonly prev_hash: string;
  readonly hash: string;
}

/** Whether every entry follows from the one before it. */
export interface AuditVerdict {
  readonly ok: boolean;
  readonly entries: number;
  readonly first_bad: number | null;
}
