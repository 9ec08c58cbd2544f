import { Actor, actorKey } from '../../actor/index.js';
import { toErrorData } from '../../base/index.js';
import type { AuditEvent } from '../../metering/index.js';
import type { Board } from './board.js';

/** Writes what the gateway does by itself into the audit log. What an operator does is written by the ledger, before it is done. */
export class AuditActor extends Actor {
  readonly #board: Board;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override started(): void {
    this.#board.audit = (event) => void this.append(event);
  }

  /** Nobody waits for it: where it cannot be written, the log says so. */
  async append(event: Omit<AuditEvent, 'actor'>): Promise<void> {
    await this.#board.meter.audit.append({ ...event, actor: { kind: 'system' } }).catch((error: unknown) => {
      const { code } = toErrorData(error);
      this.#board.setup.log({ event: 'audit failed', action: event.action, target: event.target, code });
    });
  }
}

/** The one audit writer. */
export const AUDIT = actorKey<AuditActor>('audit');
