// The actors of a gateway as data: each actor needs the actors before it.
import { createServer, type AddressInfo } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { actorKey, transfer, type ActorKey, type ChildSpec, type SupervisorSpec } from '../../actor/index.js';
import { usableCores } from '../../base/index.js';
import { bindError, canSharePort, chooseTransport } from '../../http/index.js';
import { serveMeter } from '../../metering/index.js';
import { readCredentials, type Credentials } from '../routing/upstream-pool.js';
import { ADMIN } from './admin-actor.js';
import { AUDIT } from './audit-actor.js';
import type { GatewaySharedState } from './gateway-shared-state.js';
import { CONTROL } from './control-actor.js';
import type { RelayHost } from '../serving/relay-host.js';
import { serveRelayHost } from './relay-host-port.js';
import { DISCOVERY } from './discovery-actor.js';
import { LEDGER } from './ledger-actor.js';
import { PROBES } from './probe-actor.js';
import type { RelayActor } from './relay-actor.js';
import type { RelayInit } from './relay-init.js';

/** More threads would share one ledger, which is then the bottleneck. */
const MAX_THREADS = 16;
const SHUTDOWN_MS = 10_000;

/** The relays of a gateway. */
export interface Relays {
  readonly keys: readonly ActorKey<RelayActor>[];
  /** Of the file that is in use. */
  credentials: Credentials;
  /** Where all of them listen: once the first does, one that is started again takes the same. */
  port: number;
}

/** The relays for this machine, its file and its setup. Errors: those of `readCredentials` and of the transport. */
export async function planRelays({ setup, config }: GatewaySharedState): Promise<Relays> {
  const { relayThreads = usableCores() > 2 ? usableCores() - 1 : 0, log } = setup;
  const transport = await chooseTransport(setup.transport, config.listen.host, setup.uwsDirectory);
  const isShared = relayThreads > 1;
  const threads = isShared && !canSharePort(transport) ? 1 : Math.min(MAX_THREADS, relayThreads);
  if (threads < relayThreads) log({ event: 'relays', threads, asked: relayThreads, transport });
  const ids = threads === 0 ? ['relay'] : Array.from({ length: threads }, (_, i) => `relay-${i + 1}`);
  return {
    keys: ids.map((id) => actorKey<RelayActor>(id)),
    credentials: await readCredentials(config.runtimes, setup.readSecret),
    // Of port 0 the first would take a free one, and the others other ones.
    port: config.listen.port === 0 && threads > 1 ? await findFreePort(config.listen.host) : config.listen.port,
  };
}

/** The tree of a gateway. */
export function toGatewayTree(shared: GatewaySharedState, relays: Relays, host: RelayHost): SupervisorSpec {
  const place = { init: () => shared, restart: 'permanent', placement: 'inline', shutdownMs: SHUTDOWN_MS } as const;
  const rules = { intensity: 5, periodMs: 60_000, backoffMs: { first: 100, max: 5_000 } } as const;
  return {
    id: 'gateway',
    strategy: 'restForOne',
    ...rules,
    children: [
      { ...place, id: LEDGER.id, actor: { module: at('ledger-actor'), name: 'LedgerActor' } },
      { ...place, id: AUDIT.id, actor: { module: at('audit-actor'), name: 'AuditWriterActor' } },
      { ...place, id: DISCOVERY.id, actor: { module: at('discovery-actor'), name: 'DiscoveryActor' } },
      { ...place, id: CONTROL.id, actor: { module: at('control-actor'), name: 'ControlActor' } },
      { ...place, id: PROBES.id, actor: { module: at('probe-actor'), name: 'ProbeActor' } },
      {
        id: 'relays',
        strategy: 'oneForOne',
        ...rules,
        children: relays.keys.map(({ id }) => toRelaySpec(id, shared, relays, host)),
      },
      ...(shared.admin === undefined
        ? []
        : [{ ...place, id: ADMIN.id, actor: { module: at('admin-actor'), name: 'AdminActor' } }]),
      ...(shared.setup.lastActor === undefined ? [] : [shared.setup.lastActor]),
    ],
  };
}

function at(file: string): URL {
  return new URL(`./${file}.js`, import.meta.url);
}

function toRelaySpec(id: string, shared: GatewaySharedState, relays: Relays, host: RelayHost): ChildSpec {
  const isThread = relays.keys.length > 1 || id !== 'relay';
  return {
    id,
    actor: { module: at('relay-actor'), name: 'RelayActor' },
    init: () => (isThread ? toThreadInit(shared, relays, host) : toInit(shared, relays, toLocalWays(shared, host))),
    restart: 'permanent',
    shutdownMs: SHUTDOWN_MS,
    placement: isThread ? 'thread' : 'inline',
    // A drain takes as long as the file says.
    callDeadlineMs: Infinity,
  };
}

function toInit({ setup, config, health }: GatewaySharedState, relays: Relays, ways: RelayInit['ways']): RelayInit {
  const { build, codes, transport, uwsDirectory, httpLimits } = setup;
  const { listen } = config;
  return {
    config: { ...config, listen: { ...listen, port: relays.port } },
    credentials: relays.credentials,
    health: [...health.values()],
    build,
    codes,
    transport,
    uwsDirectory,
    httpLimits,
    sharesPort: relays.keys.length > 1,
    ways,
  };
}

function toLocalWays({ meter, setup }: GatewaySharedState, host: RelayHost): RelayInit['ways'] {
  const { clock, now } = setup;
  return { meter, host, clock, now };
}

/** Each start has channels of its own. They close with the thread, and the ledger then settles its reservations. */
function toThreadInit(shared: GatewaySharedState, relays: Relays, host: RelayHost): RelayInit {
  const [meter, questions] = [new MessageChannel(), new MessageChannel()];
  serveMeter(shared.meter, meter.port1);
  serveRelayHost(questions.port1, host);
  const init = toInit(shared, relays, { meterPort: meter.port2, hostPort: questions.port2 });
  return transfer(init, [meter.port2, questions.port2]);
}

function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(bindError(error, host, 0)));
    server.listen({ host, port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
