// Clients that are not ours: Python's grpcio, Go's grpc and grpcurl, each installed once into a cache of the repository.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { files } from '../../../src/grpc/index.js';

const run = promisify(execFile);
const cache = join(process.cwd(), 'node_modules', '.cache', 'grpc-peers');
const PROTO = join(process.cwd(), 'proto');
const OURS = ['chat', 'inference', 'control'].map((name) => `troupe/engine/v1/${name}.proto`);
/** Whatever compiles there takes minutes on two cores. */
const TIMEOUT_MS = 900_000;

/** Programs that were made ready, or why there are none. */
export interface Peers {
  readonly python?: readonly string[];
  readonly go?: string;
  readonly grpcurl?: string;
  /** Where generated Python code and descriptors are. */
  readonly generated: string;
  readonly reasons: Readonly<Record<string, string>>;
}

/** Installs what is not there yet. What cannot be installed has a reason. */
export async function installPeers(): Promise<Peers> {
  mkdirSync(cache, { recursive: true });
  const generated = join(cache, 'generated');
  const reasons: Record<string, string> = {};
  const attempt = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      reasons[name] = String(error).split('\n', 1)[0] ?? 'it failed';
      return undefined;
    });
  const python = await attempt('python', () => installPython(generated));
  const grpcurl = await attempt('grpcurl', () =>
    installGo('github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3', 'grpcurl'),
  );
  const go = python && (await attempt('go', () => buildGo(python)));
  return {
    generated,
    reasons,
    ...(python && { python: [python, join(process.cwd(), 'test/long/grpc/fixtures/client.py')] }),
    ...(go !== undefined && { go }),
    ...(grpcurl !== undefined && { grpcurl }),
  };
}

async function installPython(generated: string): Promise<string> {
  const home = join(cache, 'python');
  const python = join(home, 'bin', 'python');
  if (!existsSync(python)) {
    await run('python3', ['-m', 'venv', home], { timeout: TIMEOUT_MS });
    const packages = ['grpcio', 'grpcio-tools', 'grpcio-health-checking', 'grpcio-reflection', 'grpcio-status'];
    const pinned = packages.map((name) => `${name}==1.76.0`);
    await run(python, ['-m', 'pip', 'install', '-q', ...pinned], { timeout: TIMEOUT_MS });
  }
  mkdirSync(generated, { recursive: true });
  const protoc = ['-m', 'grpc_tools.protoc', `-I${PROTO}`];
  await run(python, [...protoc, `--python_out=${generated}`, `--grpc_python_out=${generated}`, ...OURS]);
  const all = Object.keys(files).filter((name) => !name.startsWith('google/protobuf/'));
  const set = join(generated, 'descriptors.bin');
  await run(python, [...protoc, '--include_imports', `--descriptor_set_out=${set}`, ...all]);
  const ours = Object.entries(files).map(([name, { bytes }]) => [name, bytes.toString('base64')] as const);
  writeFileSync(join(generated, 'descriptors.json'), JSON.stringify(Object.fromEntries(ours)));
  return python;
}

/** Installs a Go program once; where it is. */
async function installGo(module: string, name: string): Promise<string> {
  const bin = join(cache, 'bin');
  const program = join(bin, name);
  if (existsSync(program)) return program;
  await run('go', ['install', module], {
    timeout: TIMEOUT_MS,
    env: { ...process.env, GOBIN: bin, GOFLAGS: '-modcacherw' },
  });
  return program;
}

/** Builds the client in Go on code that protoc generates. */
async function buildGo(python: string): Promise<string> {
  const home = join(cache, 'go');
  const program = join(home, 'peer');
  mkdirSync(join(home, 'enginev1'), { recursive: true });
  await installGo('google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.10', 'protoc-gen-go');
  await installGo('google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1', 'protoc-gen-go-grpc');
  const names = OURS.flatMap((name) => [
    `--go_opt=M${name}=example.test/peer/enginev1`,
    `--go-grpc_opt=M${name}=example.test/peer/enginev1`,
  ]);
  const outs = [
    `--go_out=${home}`,
    `--go-grpc_out=${home}`,
    '--go_opt=module=example.test/peer',
    '--go-grpc_opt=module=example.test/peer',
  ];
  const path = `${join(cache, 'bin')}:${process.env['PATH']}`;
  await run(python, ['-m', 'grpc_tools.protoc', `-I${PROTO}`, ...outs, ...names, ...OURS], {
    env: { ...process.env, PATH: path },
  });
  copyFileSync(join(process.cwd(), 'test/long/grpc/fixtures/client.go.txt'), join(home, 'main.go'));
  const requires = 'require (\n\tgoogle.golang.org/grpc v1.76.0\n\tgoogle.golang.org/protobuf v1.36.10\n)\n';
  writeFileSync(join(home, 'go.mod'), `module example.test/peer\n\ngo 1.24\n\n${requires}`);
  const env = { ...process.env, GOFLAGS: '-modcacherw' };
  await run('go', ['mod', 'tidy'], { cwd: home, timeout: TIMEOUT_MS, env });
  await run('go', ['build', '-o', program, '.'], { cwd: home, timeout: TIMEOUT_MS, env });
  return program;
}
