// The entry of a child process of the placement `process`.
import process from 'node:process';
import { expose } from 'comlink';
import { createEndpoint } from './endpoint.js';
import { Host } from './host.js';

const host = new Host();
expose(
  host,
  createEndpoint(process, (message) => process.send?.(message, undefined, undefined, () => {})),
);

// The supervisor died: no process can call or stop this one any more.
process.on('disconnect', () => process.exit(1));

// Reports the reason before the process dies; also runs for unhandled rejections.
process.on('uncaughtException', (thrown) => {
  host.reportBug('its process', thrown);
  setImmediate(() => process.send?.(null, undefined, undefined, () => process.exit(1)));
});
