import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AppError, locate, processArguments } from '../../base/index.js';
import { createEndpoint } from '../endpoint.js';
import { findIn } from '../find-in.js';
import { createRemoteLink, type InstanceEnd, type PlacementKind } from '../link.js';

/**
 * In a process of its own: the supervisor survives even the death of that process. Messages are copied (V8
 * serialisation); shared memory, modules and ports cannot cross (`not_cloneable`).
 */
export const process: PlacementKind = {
  name: 'process',
  open({ id, heapMb }, onEnd) {
    const limits = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
    const child = fork(fileURLToPath(locate('dist/src/actor/process-main.js')), [], {
      serialization: 'advanced',
      execArgv: [...processArguments(), ...limits],
    });
    let gone = false;
    child.on('error', (thrown) => onEnd(ended(id, `could not run: ${thrown.message}`, false)));
    child.on('exit', (exitCode, signal) => {
      gone = true;
      onEnd(ended(id, signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`, exitCode === 0));
    });
    // The callback keeps a send to a dead process from becoming an 'error' event; 'exit' reports the death.
    const endpoint = createEndpoint(child, (message) => child.send(message as object, () => {}));
    return createRemoteLink(endpoint, {
      async start(remote, order) {
        // V8's serialiser would silently copy shared memory.
        if (findIn(order.init, isShared).length > 0) throw notShared(id);
        return remote(order);
      },
      async terminate() {
        if (gone || child.pid === undefined) return;
        const exit = once(child, 'exit');
        child.ref();
        child.kill('SIGKILL');
        await exit;
      },
      hold(active) {
        if (active) {
          child.ref();
          child.channel?.ref();
        } else {
          child.unref();
          child.channel?.unref();
        }
      },
    });
  },
};

/** Accepts buffers of any realm: each realm has its own SharedArrayBuffer. */
function isSharedMemory(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object SharedArrayBuffer]';
}

function isShared(value: object): value is object {
  return isSharedMemory(value) || (ArrayBuffer.isView(value) && isSharedMemory(value.buffer));
}

function notShared(id: string): AppError {
  const message = `the init of actor "${id}" holds shared memory, which no process can share; place it inline or on a thread`;
  return new AppError('not_cloneable', message, { actor: id });
}

function ended(id: string, what: string, normal: boolean): InstanceEnd {
  return { normal, error: new AppError('actor_exited', `the process of actor "${id}" ${what}`, { actor: id }) };
}
