import { AppError, invalidValue } from '../base/index.js';
import type { AuditActor, AuditEvent } from './audit/audit-entry.js';
import { writeAdminToken, type AdminTokenState } from './admin-token-file.js';
import { isSameHash, parseKeySecret } from './keys/key-secret.js';

/** What it works on. */
export interface AdminTokenOptions {
  /** Where its file lies. */
  readonly directory: string;
  readonly state: AdminTokenState;
  readonly audit: { append(event: AuditEvent): Promise<void> };
}

/** The admin token: only its hash is known. */
export class AdminToken {
  readonly #options: AdminTokenOptions;
  readonly #listeners = new Set<() => void>();
  #state: AdminTokenState;

  constructor(options: AdminTokenOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  /** Whether `secret` is the one in force, in a time that does not tell how much of it is right. */
  check(secret: string): boolean {
    const parsed = parseKeySecret(secret);
    return parsed?.kind === 'gwa' && this.#state.state === 'issued' && isSameHash(parsed.hash, this.#state.hash);
  }

  /** Errors: `admin_token_missing`, `admin_token_unusable`. */
  requireIssued(): void {
    if (this.#state.state === 'unusable') throw this.#state.error;
    if (this.#state.state === 'issued') return;
    const message =
      'no admin token was issued; make one with private-gateway admin-token -config FILE, or turn the admin page off';
    throw new AppError('admin_token_missing', message);
  }

  /** Puts one in force by its hash, in the place of the one before. Errors: `invalid_value`, `audit_unavailable`, those of files. */
  async set(hash: string, by: AuditActor): Promise<void> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw invalidValue('hash', hash.length, '64 hexadecimal digits in lower case');
    const { audit, directory } = this.#options;
    await audit.append({ actor: by, action: 'admin-token.set', target: 'admin-token', outcome: 'ok' });
    await writeAdminToken(directory, hash);
    this.#state = { state: 'issued', hash };
    for (const listener of this.#listeners) listener();
  }

  /** Writes its file into another data directory, where there is one. Errors: those of files. */
  async copyTo(directory: string): Promise<void> {
    if (this.#state.state === 'issued') await writeAdminToken(directory, this.#state.hash);
  }

  /** Calls `listener` when another one is in force. The returned function ends that. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
