// The entry of a worker thread of the placement `thread`.
import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import { giveWayIfAsked, present } from '../base/index.js';
import { createEndpoint } from './endpoint.js';
import { Host } from './host.js';

giveWayIfAsked();
const port = present(parentPort, 'thread-main runs in a worker thread');
expose(
  new Host(),
  createEndpoint(port, (message, transfer) => port.postMessage(message, transfer as ArrayBuffer[])),
);
