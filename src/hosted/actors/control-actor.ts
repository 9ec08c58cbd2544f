import { Actor, actorKey } from '../../actor/index.js';
import { createControlServer, runOperation, type ControlServer } from '../../control/index.js';
import { describeFailure } from '../../endpoint/index.js';
import { operations } from '../operations/index.js';
import { hostedControlPath } from '../operations/hosted-operator.js';
import type { NodeSharedState } from './node-shared-state.js';

/** Answers commands of the operator while the node runs, which then owns the database where that is SQLite. */
export class ControlActor extends Actor {
  readonly #shared: NodeSharedState;
  #server: ControlServer | undefined;

  constructor(shared: NodeSharedState) {
    super();
    this.#shared = shared;
  }

  override async started(): Promise<void> {
    const { config, setup } = this.#shared;
    this.#server = await createControlServer(hostedControlPath(config.dataDir), {
      run: (operation, params, user) => {
        const by = user === undefined ? 'cli' : `cli:${user}`;
        return runOperation(operations, { operation, params }, this.#shared.operations(by));
      },
      onFailure: (error) => setup.log({ ...describeFailure(error), event: 'operation failed' }),
    });
  }

  override async stopping(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** The one control socket. */
export const CONTROL = actorKey<ControlActor>('control');
