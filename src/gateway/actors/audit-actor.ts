import { Actor, actorKey } from '../../actor/index.js';
import { toErrorData } from '../../base/index.js';
import type { AuditEvent } from '../../metering/index.js';
import type { GatewaySharedState } from './gateway-shared-state.js';

/** Writes the gateway's own actions into the audit log. The ledger writes an operator's actions before it does them. */
export class AuditWriterActor extends Actor {
  readonly #shared: GatewaySharedState;

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
  }

  override started(): void {
    this.#shared.audit = (event) => void this.append(event);
  }

  /** Its caller need not wait: the log reports an entry that cannot be written. */
  async append(event: Omit<AuditEvent, 'actor'>): Promise<void> {
    await this.#shared.meter.audit.append({ ...event, actor: { kind: 'system' } }).catch((error: unknown) => {
      const { code } = toErrorData(error);
      this.#shared.setup.log({ event: 'audit failed', action: event.action, target: event.target, code });
    });
  }
}

/** The one audit writer. */
export const AUDIT = actorKey<AuditWriterActor>('audit');
