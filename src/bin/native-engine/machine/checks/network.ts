import { ownerOfPort } from '../../serving/port-owner.js';
import type { Check, CheckGroup } from '../check.js';
import { DEFAULT_PORT, readServerAddress } from '../../remote/server-address.js';
import { createServerClient } from '../../remote/server-client.js';

/** Ports of this product: the engine, the admin page of the gateway, gRPC of the sample configuration. */
const PORTS: readonly (readonly [port: number, what: string])[] = [
  [DEFAULT_PORT, 'the HTTP API'],
  [9_465, 'the admin page of the gateway'],
  [19_443, 'gRPC'],
];
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
/** A server on this machine answers sooner. */
const TIMEOUT_MS = 2_000;

/** Ports and who has them, a server that runs, proxies. */
export const network: CheckGroup = {
  section: 'Network',
  async look({ env, signal }) {
    const ports = await Promise.all(PORTS.map(async ([port, what]) => portCheck(port, what)));
    return [...ports, await serverCheck(env, signal), ...proxyChecks(env)];
  },
};

async function portCheck(port: number, what: string): Promise<Check> {
  const name = `port ${port}`;
  const owner = await ownerOfPort(port);
  if (owner === undefined) return { name, state: 'ok', text: `free, for ${what}` };
  return { name, state: 'ok', text: `process ${owner.pid} (${owner.name}) listens; it is the port of ${what}` };
}

async function serverCheck(env: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Check> {
  const name = 'server';
  let url: URL;
  try {
    url = readServerAddress(undefined, env);
  } catch {
    return { name, state: 'problem', text: 'TROUPE_HOST is no address of a server', advice: 'set it to host:port' };
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const version = await createServerClient(url, within)
    .get('/api/version')
    .catch(() => undefined);
  signal.throwIfAborted();
  if (version === undefined) return { name, state: 'ok', text: `none runs at ${url.origin}` };
  const { engine, build }: Record<string, unknown> = Object(version);
  const who = engine === 'troupe' ? `Troupe ${String(build)}` : 'another engine with the API of Ollama';
  return { name, state: 'ok', text: `${who} runs at ${url.origin}` };
}

/** Where requests to a hub go through. A password in an address is not told. */
function proxyChecks(env: Readonly<Record<string, string | undefined>>): Check[] {
  const set = PROXIES.flatMap((name) => {
    const value = env[name] || env[name.toLowerCase()];
    return value ? [{ name: name.toLowerCase(), state: 'ok' as const, text: withoutSecret(value) }] : [];
  });
  const certificates = env['NODE_EXTRA_CA_CERTS'];
  return [
    ...(set.length === 0 ? [{ name: 'proxy', state: 'ok' as const, text: 'none is set' }] : set),
    ...(certificates ? [{ name: 'certificates', state: 'ok' as const, text: `more of them in ${certificates}` }] : []),
  ];
}

function withoutSecret(value: string): string {
  return value.replace(/\/\/[^@/]*@/, '//***@').replaceAll(/\p{Cc}/gu, ' ');
}
