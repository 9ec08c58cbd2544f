// A crowd of gateways as a process of its own: the service does not bear the cost of hostile gateways.
import { startCrowdServer } from './crowd-server.js';

const counts = new Map<number, number>();
const server = await startCrowdServer((index) => {
  counts.set(index, (counts.get(index) ?? 0) + 1);
  process.send?.({ index, count: counts.get(index) });
});
process.send?.({ url: server.url });
process.on('disconnect', () => process.exit(0));
