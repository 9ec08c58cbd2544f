import { Actor, actorKey } from '../../actor/index.js';
import { present } from '../../base/index.js';
import { createRefusalLog } from '../audit/refusal-log.js';
import { openOperatorPage, type OperatorPage } from '../operator/open-operator-page.js';
import type { NodeSharedState } from './node-shared-state.js';

const WRONG_TOKEN = {
  actor: 'operator',
  action: 'operator-page.open',
  target: 'operator-page',
  outcome: 'refused',
  reason: 'operator_token_invalid',
} as const;

/** Serves the operator page on a loopback address. */
export class OperatorActor extends Actor {
  readonly #shared: NodeSharedState;
  #page: OperatorPage | undefined;

  constructor(shared: NodeSharedState) {
    super();
    this.#shared = shared;
  }

  override async started(): Promise<void> {
    const { config, setup } = this.#shared;
    const { codes, clock, now, log, logLine } = setup;
    const place = present(config.operator, 'there is an operator page');
    const operations = this.#shared.operations('operator');
    const { dataDir } = config;
    const refusals = createRefusalLog(this.#shared.service.billing.audit, clock, log);
    this.#page = await openOperatorPage({
      place,
      dataDir,
      operations,
      onWrongToken: () => {
        this.#shared.alerts.failSignIn('operator');
        return refusals.add(WRONG_TOKEN);
      },
      codes,
      clock,
      now,
      log,
      logLine,
    });
  }

  override async stopping(): Promise<void> {
    await this.#page?.[Symbol.asyncDispose]();
  }

  /** The address of the page, and the file with its token. */
  async place(): Promise<{ readonly url: string; readonly tokenPath: string }> {
    const { url, tokenPath } = present(this.#page, 'the page is served');
    return { url, tokenPath };
  }
}

/** The one operator page. */
export const OPERATOR = actorKey<OperatorActor>('operator');
