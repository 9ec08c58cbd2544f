// node dist/bench/gateway/serve.js FILE TRANSPORT UWS THREADS: a gateway in a process of its own, without its log of
// requests. Prints its port.

import { systemClock, unixMs } from '../../src/base/index.js';
import { codeTables } from '../../src/bin/private-gateway/codes.js';
import { createGateway } from '../../src/gateway/index.js';

const [file = '', transport = 'node', uwsDirectory = '', threads = '0'] = process.argv.slice(2);
const gateway = await createGateway(file, {
  build: 'bench',
  codes: codeTables,
  transport: transport === 'uws' ? 'uws' : 'node',
  uwsDirectory,
  relayThreads: Number(threads),
  readSecret: async () => '',
  logLine: () => {},
  log: (entry) => process.stderr.write(`${JSON.stringify(entry)}\n`),
  clock: systemClock,
  now: unixMs,
  httpLimits: { connections: 20_000 },
});
process.stdout.write(`${gateway.port}\n`);
process.once('SIGTERM', () => {
  void gateway[Symbol.asyncDispose]().then(() => process.exit(0));
});
