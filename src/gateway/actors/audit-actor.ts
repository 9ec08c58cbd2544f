import { Actor, actorKey } from '../../actor/index.js';
import { toErrorData } from '../../base/index.js';
import type { AuditEvent } from '../../metering/index.js';
import type { Board } from './board.js';

/**
 * Writes the gateway's own actions into the audit log. The ledger writes those of an operator, before they are done.
 */
export class AuditActor extends Actor {
  readonly #board: Board;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override started(): void {
    this.#board.audit = (event) => void this.append(event);
  }

  /** Its caller need not wait: the log reports an entry that cannot be written. */
  async append(event: Omit<AuditEvent, 'actor'>): Promise<void> {
    await this.#board.meter.audit.append({ ...event, actor: { kind: 'system' } }).catch((error: unknown) => {
      const { code } = toErrorData(error);
      this.#board.setup.log({ event: 'audit failed', action: event.action, target: event.target, code });
    });
  }
}

/** The one audit writer. */
export const AUDIT = actorKey<AuditActor>('audit');
