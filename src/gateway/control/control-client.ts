import { connect, type Socket } from 'node:net';
import { AppError, codeOf, fromErrorData, systemClock, type LogEntry, unixMs } from '../../base/index.js';
import { openMeter, type AuditActor } from '../../metering/index.js';
import type { GatewayConfig } from '../config/index.js';
import { runOperation, type OperationName } from '../operations/index.js';
import { toKeyDefinitions } from '../routing/key-definitions.js';
import { controlPath } from './control-path.js';
import { readLine, type ControlAnswer } from './message.js';

/** Bytes of an answer: a thousand rows, or some ten thousand keys. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** A backup of a large database takes minutes. */
const ANSWER_MS = 600_000;

/** Runs operations on a gateway: by asking it while it runs, else on its databases. */
export interface Operator extends AsyncDisposable {
  /** Whether the gateway runs. */
  readonly isRunning: boolean;
  run(operation: OperationName, params?: unknown): Promise<unknown>;
}

/**
 * The operator of the gateway of a file. Errors: `control_failed` where a gateway runs and cannot be asked; those of the
 * meter.
 */
export async function createOperator(
  config: GatewayConfig,
  by: AuditActor,
  log: (entry: LogEntry) => void,
): Promise<Operator> {
  const path = controlPath(config.dataDir);
  const found = await tryConnect(path);
  if (found !== undefined) {
    found.destroy();
    return {
      isRunning: true,
      run: (operation, params = {}) => ask(path, { operation, params }),
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const { requestLogDays: requestDays, auditDays } = config.retention;
  const meter = await openMeter({
    directory: config.dataDir,
    clock: systemClock,
    now: unixMs,
    log,
    retention: { requestDays, auditDays },
  });
  meter.setFileKeys(toKeyDefinitions(config.virtualKeys));
  return {
    isRunning: false,
    run: (operation, params = {}) => runOperation(operation, params, { meter, by }),
    [Symbol.asyncDispose]: () => meter[Symbol.asyncDispose](),
  };
}

/** Undefined: nobody listens there. */
function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      const code = codeOf(error) ?? '';
      if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'].includes(code)) resolve(undefined);
      else
        reject(
          new AppError('control_failed', `the gateway that listens at ${path} cannot be asked: ${code}`, { path }),
        );
    });
  });
}

async function ask(path: string, request: object): Promise<unknown> {
  const socket = await tryConnect(path);
  if (socket === undefined)
    throw new AppError('control_failed', 'the gateway has ended meanwhile; try again', { path });
  socket.setTimeout(ANSWER_MS);
  socket.write(`${JSON.stringify(request)}\n`);
  const answer = JSON.parse(await readLine(socket, MAX_ANSWER_BYTES)) as ControlAnswer;
  socket.destroy();
  if ('error' in answer) throw fromErrorData(answer.error);
  return answer.result;
}
