import { Actor, actorKey } from '../../actor/index.js';
import { createControlServer, runOperation, type ControlServer } from '../../control/index.js';
import { describeFailure } from '../../endpoint/index.js';
import type { GatewayConfig } from '../config/index.js';
import { gatewayControlPath } from '../operations/gateway-control-path.js';
import { operations } from '../operations/index.js';
import type { GatewaySharedState } from './gateway-shared-state.js';

/** Answers commands of the operator while the gateway runs, which then owns the databases. */
export class ControlActor extends Actor {
  readonly #shared: GatewaySharedState;
  #server: ControlServer | undefined;

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
  }

  override async started(): Promise<void> {
    const { meter, configPath, reload } = this.#shared;
    const config = (): GatewayConfig => this.#shared.config;
    const socket = gatewayControlPath(this.#shared.config.dataDir);
    this.#server = await createControlServer(socket, {
      run: (operation, params, user) => {
        const by = { kind: 'cli', ...(user !== undefined && { id: user }) };
        return runOperation(operations, { operation, params }, { meter, config, by, path: configPath, reload });
      },
      onFailure: (error) => this.#shared.setup.log({ ...describeFailure(error), event: 'operation failed' }),
    });
  }

  override async stopping(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** The one control socket. */
export const CONTROL = actorKey<ControlActor>('control');
