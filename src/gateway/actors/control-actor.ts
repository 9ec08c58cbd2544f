import { Actor, actorKey } from '../../actor/index.js';
import { createControlServer, runOperation, type ControlServer } from '../../control/index.js';
import { describeFailure } from '../../endpoint/index.js';
import { gatewayControlPath } from '../operations/gateway-control-path.js';
import { operations } from '../operations/index.js';
import type { Board } from './board.js';

/** Answers commands of the operator while the gateway runs, which then owns the databases. */
export class ControlActor extends Actor {
  readonly #board: Board;
  #server: ControlServer | undefined;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override async started(): Promise<void> {
    const context = { meter: this.#board.meter, config: () => this.#board.config, by: { kind: 'cli' } };
    const path = gatewayControlPath(this.#board.config.dataDir);
    this.#server = await createControlServer(path, {
      run: (operation, params) => runOperation(operations, { operation, params }, context),
      onFailure: (error) => this.#board.setup.log({ ...describeFailure(error), event: 'operation failed' }),
    });
  }

  override async stopping(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** The one control socket. */
export const CONTROL = actorKey<ControlActor>('control');
