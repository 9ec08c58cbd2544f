// A process that is a gateway with its admin page on a free port, and nothing else: `node scale-process.js gateway.yaml`.
import { systemClock } from '../../../src/base/index.js';
import { createGateway } from '../../../src/gateway/index.js';
import { codeTables } from '../../repo/code-tables.js';

const events: unknown[] = [];
const gateway = await createGateway(process.argv[2] ?? '', {
  build: '0',
  codes: codeTables,
  transport: 'node',
  readSecret: async () => '',
  logLine: () => {},
  log: (entry) => void events.push(entry),
  clock: systemClock,
  now: Date.now,
  admin: { port: 0 },
});
process.on('message', () =>
  process.send?.({ rss: process.memoryUsage.rss(), complete: gateway.meter.rollups.isComplete }),
);
process.on('SIGTERM', () => void gateway[Symbol.asyncDispose]().then(() => process.disconnect()));
process.send?.({ port: gateway.port, adminPort: Number(new URL(gateway.adminUrl ?? '').port) });
