// A production server of this process over a real socket, with the demo model and certificates of its own.
import { systemClock, type Clock, type LogEntry } from '../../src/base/index.js';
import { judges } from '../../src/bin/native-engine/serving/serve-config.js';
import { codeTables } from '../../src/bin/native-engine/codes.js';
import { createClient, type Client, type ClientOptions } from '../../src/client/index.js';
import type { GrpcLimits } from '../../src/grpc/index.js';
import {
  createOneModelLibrary,
  demoDirectory,
  openModelHost,
  type ModelHost,
  type OneModelLibrary,
} from '../../src/models/index.js';
import { createProductionServer, prepareStart, readTrust, type ProductionServer } from '../../src/server/index.js';
import { createCa, createFiles, forClient, forServer, type Ca, type Issued } from './certificates.js';

/** A server, its clients' certificates, and what is behind it. */
export interface Production extends AsyncDisposable {
  readonly server: ProductionServer;
  readonly host: ModelHost;
  readonly library: OneModelLibrary;
  readonly ca: Ca;
  readonly config: string;
  readonly files: ReturnType<typeof createFiles>;
  readonly address: string;
  /** Entries of its log. */
  readonly log: LogEntry[];
  readonly issued: { readonly data: Issued; readonly control: Issued; readonly both: Issued; readonly nobody: Issued };
  /** A client with a certificate; disposed of with the server. */
  client(who: Issued | undefined, options?: Partial<ClientOptions>): Client;
}

/** What a suite may choose. */
export interface ProductionSetup {
  readonly limits?: Partial<GrpcLimits>;
  readonly clock?: Clock;
  readonly security?: Record<string, unknown>;
  readonly isPlain?: boolean;
}

/** Starts one on a free port, as `serve --config` does. One compute thread, as in serving.ts. */
export async function startProduction(setup: ProductionSetup = {}): Promise<Production> {
  const { limits, clock = systemClock } = setup;
  const files = createFiles();
  const ca = await createCa();
  const server = await forServer(ca);
  const [data, control, both, nobody] = await Promise.all(
    ['data', 'control', 'both', 'nobody'].map((name) => forClient(ca, name)),
  );
  if (!data || !control || !both || !nobody) throw new Error('four certificates');
  files.write('ca.pem', ca.cert);
  files.write('server.pem', server.cert);
  files.write('server.key', server.key);
  const config = files.write('engine.json', JSON.stringify(toConfig(setup)));
  const plan = await prepareStart(config, judges, clock);
  const log: LogEntry[] = [];
  const host = await openModelHost({ threads: 1 });
  let production: ProductionServer | undefined;
  const library = createOneModelLibrary({
    model: { name: plan.artifact.id, path: demoDirectory(), isFile: false, changedMs: plan.artifact.changedMs },
    host,
    clock,
    onState: () => production?.refresh(),
  });
  await library.load(async () => {}, new AbortController().signal);
  production = await createProductionServer({
    engineId: plan.config.engine.id,
    host: '127.0.0.1',
    port: 0,
    trust: plan.trust,
    readTrust: async () => (await readTrust(config, judges, clock)).trust,
    verify: async () => {},
    library,
    engine: host,
    build: '0.0.0',
    codes: codeTables,
    clock,
    limits,
    log: (_, entry) => log.push(entry),
  });
  const address = `127.0.0.1:${production.port}`;
  const clients: Client[] = [];
  return {
    server: production,
    host,
    library,
    ca,
    config,
    files,
    address,
    log,
    issued: { data, control, both, nobody },
    client(who, options) {
      const tls = setup.isPlain === true ? undefined : { ca: ca.cert, cert: who?.cert, key: who?.key };
      const client = createClient({ address, tls, ...options });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await production[Symbol.asyncDispose]();
      await library[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      files[Symbol.dispose]();
    },
  };
}

function toConfig({ isPlain = false, security }: ProductionSetup): object {
  const id = (name: string): string => `spiffe://suite.test/${name}`;
  const certificates = { server_cert_path: 'server.pem', server_key_path: 'server.key', client_ca_path: 'ca.pem' };
  const lists = { control_identities: [id('control'), id('both')], data_identities: [id('data'), id('both')] };
  return {
    engine: { id: 'suite', grpc_port: 0 },
    security: {
      mtls_required: !isPlain,
      allow_unsigned_dev: true,
      ...(!isPlain && { ...certificates, ...lists }),
      ...security,
    },
    model: { artifact_path: demoDirectory() },
  };
}
