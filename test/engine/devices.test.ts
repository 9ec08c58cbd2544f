// The engine and its whole supervision tree on other devices than the CPU: it presumes neither threads nor segments.

import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { devices, type DeviceKind } from '../../src/compute/index.js';
import { EngineClient, engineKey, engineTree, type GenerateRequest } from '../../src/engine/index.js';
import { openModel } from '../../src/models/index.js';
import { loadOn, requestTiny } from '../support/tiny-on-device.js';

const PROMPT = [100, 90, 50];
const greedy: GenerateRequest = {
  promptTokenIds: PROMPT,
  maxTokens: 40,
  sampling: { temperature: 0, seed: 1 },
  stopTokenIds: [],
  ignoreStop: true,
};

const running: Supervisor[] = [];

afterEach(async () => {
  for (const supervisor of running.splice(0)) await supervisor.stop();
});

async function start(kind: DeviceKind, placement: 'inline' | 'thread') {
  const request = requestTiny({}, kind.name);
  const device = await loadOn(await kind.prepare({ isPortable: true }), request);
  const { contextLength, vocabSize } = request.config;
  const client = new EngineClient({ contextLength, vocabSize });
  // More deaths than any test causes.
  const restarts = { intensity: 1_000, periodMs: 10_000 };
  const spec = engineTree({ memory: { graph: request.graph, device, contextLength }, placement, client, restarts });
  const supervisor = await createSupervisor(spec);
  const attach = (): void => client.attach(supervisor.ref(engineKey));
  attach();
  supervisor.onEvent(({ type, id }) => {
    if (type === 'restarted' && id === engineKey.id) attach();
  });
  running.push(supervisor);
  return { supervisor, client, vocabSize };
}

/** All tokens of an answer; `onToken` gets their number. */
async function collect(client: EngineClient, onToken: (count: number) => void = () => {}): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { tokenIds } of client.generate(greedy)) {
    tokens.push(...tokenIds);
    onToken(tokens.length);
  }
  return tokens;
}

/** What the dummy's model says: each token is the sum of all before it. */
function sums(prompt: readonly number[], count: number, vocabSize: number): number[] {
  const tokens = [...prompt];
  for (let i = 0; i < count; i++) tokens.push(tokens.reduce((sum, id) => sum + id, 0) % vocabSize);
  return tokens.slice(prompt.length);
}

describe.each(['inline', 'thread'] as const)('an engine, %s', (placement) => {
  it('runs on the dummy, without a thread or a segment', async () => {
    const { supervisor, client, vocabSize } = await start(devices.dummy, placement);
    expect(supervisor.tree().children.map(({ id }) => id)).toEqual(['engine']);
    expect(await collect(client)).toEqual(sums(PROMPT, 40, vocabSize));
    // The same prompt again, whose beginning the prefix cache has by now.
    expect(await collect(client)).toEqual(sums(PROMPT, 40, vocabSize));
  });

  it('runs on the reference as on the CPU', async () => {
    const [reference, cpu] = await Promise.all([start(devices.reference, placement), start(devices.cpu, placement)]);
    const tokens = await collect(reference.client);
    expect(tokens).toHaveLength(40);
    expect(tokens).toEqual(await collect(cpu.client));
  });
});

it('goes on with the same tokens when its engine dies, on the dummy', async () => {
  const { supervisor, client, vocabSize } = await start(devices.dummy, 'thread');
  let due = new Set([5, 20]);
  // The dummy is so fast that all tokens may come before the kill: then the test runs again.
  for (let attempt = 0; attempt < 50 && due.size > 0; attempt++) {
    due = new Set([5, 20]);
    const tokens = await collect(client, (count) => {
      const at = [...due].find((least) => count >= least);
      if (at === undefined || supervisor.tree().children.some(({ state }) => state !== 'running')) return;
      due.delete(at);
      supervisor.kill('engine');
    });
    expect(tokens).toEqual(sums(PROMPT, 40, vocabSize));
  }
  expect(due.size).toBe(0);
});

it.each(['dummy', 'reference'] as const)('opens an artifact on the %s, with all actors of a model', async (name) => {
  const device = await devices[name].prepare({ isPortable: true });
  const directory = join(process.cwd(), 'dist/demo');
  await using model = await openModel(directory, { device, threads: 1, placement: 'thread', maxContext: 128 });
  const tokens: number[] = [];
  for await (const { tokenIds } of model.generate({ ...greedy, maxTokens: 6 })) tokens.push(...tokenIds);
  expect(tokens).toHaveLength(6);
  if (name === 'dummy') expect(tokens).toEqual(sums(PROMPT, 6, model.vocabSize));
});
