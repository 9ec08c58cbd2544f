import { existsSync } from 'node:fs';
import { MessagePort, Worker } from 'node:worker_threads';
import { transfer } from 'comlink';
import { AppError, locate, threadArguments } from '../../base/index.js';
import { createEndpoint } from '../endpoint.js';
import { causeOf, describeThrown } from '../errors.js';
import { findIn } from '../find-in.js';
import { createRemoteLink, type InstanceEnd, type PlacementKind } from '../link.js';

/**
 * Size of a thread's young generation. V8 would take up to 48 MB (96 from Node 24 on) in every thread that was once
 * busy, and keep it. An actor's messages and results are short-lived and few.
 */
const YOUNG_MB = 8;

/** In a worker thread of its own. */
export const thread: PlacementKind = {
  name: 'thread',
  open({ id, heapMb }, onEnd) {
    const resourceLimits = {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
    };
    const options = { name: id, resourceLimits, ...threadArguments() };
    const worker = new Worker(locate('dist/src/actor/thread-main.js'), options);
    worker.on('error', (thrown) => onEnd(crashed(id, thrown)));
    worker.on('exit', (exitCode) => onEnd(exited(id, exitCode)));
    const endpoint = createEndpoint(worker, (message, list) => worker.postMessage(message, list as MessagePort[]));
    return createRemoteLink(endpoint, {
      start: (remote, order) =>
        remote(transfer({ ...order, module: codeOf(order.module) }, findIn(order.init, isPort))),
      async terminate() {
        await worker.terminate();
      },
      hold: (active) => (active ? worker.ref() : worker.unref()),
    });
  },
};

/**
 * The one file that the build made of an actor's module and of what the actor uses (`src/bundle.mjs`); else the module. A thread
 * loads it in a third of the time.
 */
function codeOf(module: string): string {
  const joined = module.replace(/\.js$/, '.thread.js');
  return joined !== module && module.startsWith('file:') && existsSync(new URL(joined)) ? joined : module;
}

/** Message ports cross only when they are transferred. */
function isPort(value: object): value is MessagePort {
  return value instanceof MessagePort;
}

function crashed(id: string, thrown: Error): InstanceEnd {
  const details = { actor: id, cause: causeOf(thrown) };
  const error = new AppError('actor_crashed', `the thread of actor "${id}" died: ${describeThrown(thrown)}`, details);
  return { normal: false, error, stack: thrown.stack };
}

function exited(id: string, exitCode: number): InstanceEnd {
  const message = `the thread of actor "${id}" ended by itself with exit code ${exitCode}`;
  return { normal: exitCode === 0, error: new AppError('actor_exited', message, { actor: id, exitCode }) };
}
