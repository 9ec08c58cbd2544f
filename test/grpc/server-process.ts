// A production server in a process of its own, whose memory is its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createClient, type Client } from '../../src/client/index.js';
import { demoDirectory } from '../../src/models/index.js';
import { createCa, createFiles, forClient, forServer, type Ca, type Issued } from './certificates.js';

/** It, and how it is spoken to. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ca: Ca;
  readonly files: ReturnType<typeof createFiles>;
  /** Its engine.json. */
  readonly config: string;
  /** By name: data, other, control and those of the setup. */
  readonly issued: Readonly<Record<string, Issued>> & {
    readonly data: Issued;
    readonly other: Issued;
    readonly control: Issued;
  };
  readonly data: Client;
  /** One of another identity, on which nothing is tried. */
  readonly measured: Client;
  readonly control: Client;
  /** Of its process, in MiB. */
  rssMb(): number;
  /** What it has printed. */
  output(): string;
}

/** What a suite may choose. */
export interface ServerProcessSetup {
  readonly security?: object;
  /** Whether our clients speak TLS. */
  readonly tls?: boolean;
  /** Its artifact; default the demo. */
  readonly artifact?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More identities that may call Inference. */
  readonly clients?: readonly string[];
  /** More words of its command line. */
  readonly words?: readonly string[];
}

/** Starts `native-engine serve --config` and waits until it listens. */
export async function startServerProcess(setup: ServerProcessSetup = {}): Promise<ServerProcess> {
  const {
    security = {},
    tls = true,
    artifact = demoDirectory(),
    env = {},
    words: more = [],
    clients: others = [],
  } = setup;
  const files = createFiles();
  const ca = await createCa();
  const [server, data, other, control] = await Promise.all([
    forServer(ca),
    forClient(ca, 'data'),
    forClient(ca, 'other'),
    forClient(ca, 'control'),
  ]);
  const issued = Object.fromEntries(
    await Promise.all(others.map(async (name) => [name, await forClient(ca, name)] as const)),
  );
  files.write('ca.pem', ca.cert);
  files.write('server.pem', server.cert);
  files.write('server.key', server.key);
  const config = files.write(
    'engine.json',
    JSON.stringify({
      engine: { grpc_port: 0, log_level: 'warn' },
      security: {
        mtls_required: true,
        server_cert_path: 'server.pem',
        server_key_path: 'server.key',
        client_ca_path: 'ca.pem',
        control_identities: ['spiffe://suite.test/control'],
        data_identities: ['data', 'other', ...others].map((name) => `spiffe://suite.test/${name}`),
        allow_unsigned_dev: true,
        ...security,
      },
      model: { artifact_path: artifact },
    }),
  );
  const words = ['dist/src/bin/native-engine.js', 'serve', '--config', config, '--threads', '1', ...more];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let printed = '';
  const port = await new Promise<number>((resolve, reject) => {
    const take = (text: string): void => {
      printed += text;
      const found = /listening on grpcs?:\/\/127\.0\.0\.1:(\d+)/.exec(printed);
      if (found !== null) resolve(Number(found[1]));
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${printed}`)));
  });
  let isWanted = true;
  child.once('exit', (code, signal) => {
    if (isWanted) process.stderr.write(`the server ended with ${code ?? signal}: ${printed.slice(-4_000)}\n`);
  });
  const clientOf = ({ cert, key }: Issued): Client =>
    createClient({ address: `localhost:${port}`, tls: tls ? { ca: ca.cert, cert, key } : undefined });
  const clients = { data: clientOf(data), measured: clientOf(other), control: clientOf(control) };
  return {
    child,
    port,
    ca,
    files,
    config,
    issued: { ...issued, data, other, control },
    ...clients,
    rssMb: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    output: () => printed,
    async [Symbol.asyncDispose]() {
      isWanted = false;
      for (const client of Object.values(clients)) await client.close();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // It may have died already.
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await ended;
      }
      files[Symbol.dispose]();
    },
  };
}
