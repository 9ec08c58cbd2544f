// One `init` over everything at once: the real engine, an imitation of every other kind, and those who must never be taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  parseGatewayConfig,
  runtimeKindNames,
  runtimeKinds,
  type Finding,
  type GatewayConfig,
  type RuntimeKindName,
} from '../../src/gateway/index.js';
import { imitations } from '../gateway/imitations/index.js';
import { impostors } from '../gateway/imitations/impostors.js';
import { endAll } from '../gateway/imitations/scanning.js';
import { serveImitation, type Served } from '../gateway/imitations/serve.js';
import { startServing, type Serving } from '../server/serving.js';
import { createFolder, scanArgs, withoutProgress } from './gateway-processes.js';

const names = Object.keys(runtimeKinds) as RuntimeKindName[];
const pretenders = [
  'an Ollama whose engine field is of another case',
  '200 and an error for everything, as LM Studio has it',
  'a web server with /v1/models as a page',
  'a port that accepts and says nothing',
  'a list of models in a body without an end',
] as const;

describe('init over the real engine, imitations of all other kinds and five impostors', () => {
  const folder = createFolder();
  const ports = new Map<string, number>();
  const served: Served[] = [];
  let engine: Serving | undefined;
  let findings: readonly Finding[] = [];
  let config: GatewayConfig | undefined;
  const findingAt = (name: string): Finding | undefined =>
    findings.find(({ url }) => Number(new URL(url).port) === ports.get(name));

  beforeAll(async () => {
    engine = await startServing();
    ports.set('native-engine', engine.server.port);
    const start = async (name: string, open: () => Promise<Served> | undefined): Promise<void> => {
      const one = await open();
      if (one === undefined) throw new Error(`nobody is called ${name}`);
      served.push(one);
      ports.set(name, one.port);
    };
    for (const name of names) if (!ports.has(name)) await start(name, () => serveImitation(imitations[name]));
    for (const name of pretenders) await start(name, () => impostors[name]?.());
    // The one that says nothing costs its whole time; the others answer at once.
    const args = ['-config', 'g.yaml', '--yes', '--json', ...scanArgs([...ports.values()], '8')];
    const { code, stdout, stderr } = await folder.run('init', ...args);
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' });
    findings = (JSON.parse(stdout) as { findings: Finding[] }).findings;
    config = parseGatewayConfig(folder.read('g.yaml'), 'g.yaml').config;
  });
  afterAll(async () => {
    await endAll(served);
    await engine?.[Symbol.asyncDispose]();
    folder.remove();
  });

  it.each(names)('names %s rightly, and writes it where requests can be relayed to it', (name) => {
    expect(findingAt(name)).toMatchObject({ kind: name });
    const isRelayed = runtimeKindNames.includes(name);
    expect(findingAt(name)?.state).toMatch(isRelayed ? /^(?:found|auth)$/ : /^skipped$/);
    const written = config?.runtimes.filter(({ baseUrl }) => Number(new URL(baseUrl).port) === ports.get(name));
    expect(written?.map(({ kind, baseUrl }) => [kind, baseUrl])).toEqual(
      isRelayed ? [[name, findingAt(name)?.url]] : [],
    );
  });

  it.each(pretenders)('is not fooled by %s', (name) => {
    expect(findingAt(name)).toMatchObject({ kind: null });
    expect(findingAt(name)?.state).toMatch(/^(?:skipped|impostor)$/);
  });

  it('writes the models, one of a name that three servers have', () => {
    expect(config?.models.find(({ id }) => id === 'demo')?.targets).toMatchObject([{ runtimeId: 'native-engine' }]);
    expect(config?.models.find(({ id }) => id === 'Qwen/Qwen3-8B')?.targets).toHaveLength(3);
  });

  it('is accepted by check', async () => {
    const { code, stdout, stderr } = await folder.run('check', '-config', 'g.yaml', '--json');
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, warnings: [], missing_secrets: [] });
  });

  it('sends GETs and no credentials', () => {
    const asked = served.flatMap((each) => each.asked);
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.filter(({ method, headers }) => method !== 'GET' || headers.authorization !== undefined)).toEqual([]);
  });
});
