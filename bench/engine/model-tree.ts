// An engine over an artifact without the rooms above it, so that a bench can choose the scheduler's limits.

import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { openArtifact } from '../../src/artifact/index.js';
import { devices } from '../../src/compute/index.js';
import { EngineClient, engineKey, engineTree, fillModelMemory, planModelMemory } from '../../src/engine/index.js';

/** What a bench changes. */
export interface TreeOptions {
  readonly threads: number;
  readonly adaptChunks?: boolean;
  readonly speculation?: boolean;
  readonly maxSequences?: number;
}

/** A running engine and its client. */
export interface RunningEngine extends AsyncDisposable {
  readonly client: EngineClient;
  readonly supervisor: Supervisor;
}

/** Loads the artifact in `directory` and starts its engine. */
export async function startEngine(directory: string, options: TreeOptions): Promise<RunningEngine> {
  const device = await devices.cpu.prepare({ isPortable: false });
  await using artifact = await openArtifact(directory);
  const memory = await fillModelMemory(artifact, planModelMemory(artifact, { ...options, device }));
  const { contextLength, config } = memory;
  const client = new EngineClient({ contextLength, vocabSize: config.vocabSize });
  const { adaptChunks = true, speculation, maxSequences } = options;
  const limits = { adaptChunks, ...(maxSequences !== undefined && { maxSequences }) };
  const spec = engineTree({ memory, placement: 'thread', client, limits, speculation });
  const supervisor = await createSupervisor(spec);
  client.attach(supervisor.ref(engineKey));
  return { client, supervisor, [Symbol.asyncDispose]: () => supervisor.stop() };
}
