// What the child process of the placement `process` runs.
import process from 'node:process';
import { expose } from 'comlink';
import { createEndpoint } from './endpoint.js';
import { Host } from './host.js';

const host = new Host();
expose(
  host,
  createEndpoint(process, (message) => process.send?.(message, undefined, undefined, () => {})),
);

// Its supervisor died: nobody can call or stop this process any more.
process.on('disconnect', () => process.exit(1));

// Says why before it dies; also hears of unhandled rejections.
process.on('uncaughtException', (thrown) => {
  host.reportBug('its process', thrown);
  setImmediate(() => process.send?.(null, undefined, undefined, () => process.exit(1)));
});
