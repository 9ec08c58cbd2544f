import { AppError, invalidValue } from '../../base/index.js';
import type { AuditActor } from '../audit/audit-entry.js';
import type { AuditLog } from '../audit/audit-log.js';
import { markAdminToken, readAdminToken, writeAdminToken, type AdminTokenState } from './admin-token-file.js';
import { isSameHash, parseKeySecret } from '../keys/key-secret.js';

/** Options of the admin token. */
export interface AdminTokenOptions {
  /** Where its file lies. */
  readonly directory: string;
  readonly state: AdminTokenState;
  readonly audit: Pick<AuditLog, 'append' | 'during'>;
}

/** Why the token that was in force is not any more. */
export type AdminTokenEnd = 'token_replaced' | 'token_removed';

/**
 * The admin token; only its hash is stored. Its file is the truth: if the file is removed or changes its owner, the
 * token ends at once.
 */
export class AdminToken {
  readonly #options: AdminTokenOptions;
  readonly #listeners = new Set<(why: AdminTokenEnd) => void>();
  #state: AdminTokenState;
  /** Of the file that `#state` was read from. */
  #mark: string | undefined;
  /** While this process writes the file, a change of it is its own. */
  #isWriting = false;

  constructor(options: AdminTokenOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#mark = markAdminToken(options.directory);
  }

  /** Compares `secret` with the token in force, in constant time. */
  check(secret: string): boolean {
    this.look();
    const parsed = parseKeySecret(secret);
    return parsed?.kind === 'gwa' && this.#state.state === 'issued' && isSameHash(parsed.hash, this.#state.hash);
  }

  /** Errors: `admin_token_missing`, `admin_token_unusable`. */
  requireIssued(): void {
    if (this.#state.state === 'unusable') throw this.#state.error;
    if (this.#state.state === 'issued') return;
    const message =
      'no admin token was issued; make one with private-gateway admin-token --config FILE, or turn the admin page off';
    throw new AppError('admin_token_missing', message);
  }

  /**
   * Activates a token by its hash, which replaces the one before. Errors: `invalid_value`, `audit_unavailable`, those
   * of files.
   */
  async set(hash: string, by: AuditActor): Promise<void> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw invalidValue('hash', hash.length, '64 hexadecimal digits in lower case');
    const { audit, directory } = this.#options;
    this.look();
    const diff = { before: { issued: this.#state.state === 'issued' }, after: { issued: true } };
    await audit.during({ actor: by, action: 'admin-token.set', target: 'admin-token', diff }, async () => {
      this.#isWriting = true;
      try {
        await writeAdminToken(directory, hash);
        this.#take({ state: 'issued', hash });
      } finally {
        this.#isWriting = false;
      }
    });
  }

  /** Reads the file again: the token ends if the file was removed, replaced or opened to others. Costs one `lstat`. */
  look(): void {
    const { directory, audit } = this.#options;
    if (this.#isWriting || markAdminToken(directory) === this.#mark) return;
    const before = this.#state;
    const now = readAdminToken(directory);
    const isSame = before.state === now.state && (now.state !== 'issued' || hashOf(before) === now.hash);
    this.#mark = markAdminToken(directory);
    if (isSame) return;
    this.#take(now);
    const action = now.state === 'issued' ? 'admin-token.set' : 'admin-token.remove';
    const diff = { before: { issued: before.state === 'issued' }, after: { issued: now.state === 'issued' } };
    const reason = now.state === 'unusable' ? now.error.message : 'its file was changed by another program';
    // If it cannot be written, the audit log's own error reports it.
    audit
      .append({ actor: { kind: 'system' }, action, target: 'admin-token', outcome: 'ok', reason, diff })
      .catch(() => {});
  }

  #take(state: AdminTokenState): void {
    this.#state = state;
    this.#mark = markAdminToken(this.#options.directory);
    for (const listener of this.#listeners) listener(state.state === 'issued' ? 'token_replaced' : 'token_removed');
  }

  /** Writes its file into another data directory, if a token exists. Errors: those of files. */
  async copyTo(directory: string): Promise<void> {
    if (this.#state.state === 'issued') await writeAdminToken(directory, this.#state.hash);
  }

  /** Calls `listener` when another one is in force, or none. The returned function ends that. */
  onChanged(listener: (why: AdminTokenEnd) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function hashOf(state: AdminTokenState): string | undefined {
  return state.state === 'issued' ? state.hash : undefined;
}
