import type { TreeNode } from '../actor/index.js';
import { waitFor } from '../base/index.js';
import type { OpenModel } from '../models/index.js';
import type { EngineStats } from '../engine/index.js';
import { heading, renderListener, sample } from '../endpoint/index.js';
import type { ServedEngine, ServerContext } from './engine-route.js';

/** An engine answers between its steps; one whose step takes longer is left out of a scrape. */
const STATS_DEADLINE_MS = 500;

/** The gauges of each model's engine. */
const GAUGES: readonly { readonly name: string; readonly help: string; readonly of: (stats: EngineStats) => number }[] =
  [
    { name: 'troupe_sequences_running', help: 'Sequences that are in the batch.', of: ({ running }) => running },
    { name: 'troupe_sequences_waiting', help: 'Sequences that wait for a place.', of: ({ waiting }) => waiting },
    {
      name: 'troupe_kv_cache_usage_ratio',
      help: 'Part of the blocks of the KV cache that is in use.',
      of: ({ blocks, freeBlocks }) => (blocks - freeBlocks) / Math.max(1, blocks),
    },
    {
      name: 'troupe_tokens_per_second',
      help: 'Completion tokens of the last second.',
      of: ({ tokensPerSecond }) => tokensPerSecond,
    },
  ];

/** The state of listener and models now, in the text format of Prometheus. */
export async function renderServerMetrics({ engine, listenerStats }: ServerContext): Promise<string> {
  return (await renderEngineMetrics(engine)) + renderListener('troupe', listenerStats());
}

/** The state of the models alone. */
export async function renderEngineMetrics(engine: ServedEngine): Promise<string> {
  const models = engine.openModels();
  const stats = await Promise.all(models.map(async (model) => ({ id: model.id, values: await statsOf(model) })));
  const gauges = GAUGES.map(({ name, help, of }) => {
    const samples = stats.flatMap(({ id, values }) => (values ? sample(name, { model: id }, of(values)) : []));
    return heading(name, 'gauge', help) + samples.join('');
  });
  const restarts = models.flatMap((model) =>
    actorsOf(model.tree()).map((actor) =>
      sample('troupe_actor_restarts_total', { model: model.id, actor: actor.id }, actor.restarts),
    ),
  );
  return [
    ...gauges,
    heading('troupe_actor_restarts_total', 'counter', 'Actors of a loaded model that replaced one that died.'),
    ...restarts,
    heading('troupe_models_loaded', 'gauge', 'Models that answer.'),
    sample('troupe_models_loaded', {}, models.length),
    heading('troupe_model_bytes', 'gauge', 'Weights, KV caches and activations of all models.'),
    sample(
      'troupe_model_bytes',
      {},
      engine.models().reduce((sum, { bytes }) => sum + bytes, 0),
    ),
    renderTree(engine.tree()),
  ].join('');
}

/** The actors below a supervisor. */
function actorsOf({ children }: TreeNode): TreeNode[] {
  return children.flatMap((child) => (child.placement === 'supervisor' ? actorsOf(child) : [child]));
}

/** Undefined while the engine computes a long step, or is being started again. */
async function statsOf({ client }: OpenModel): Promise<EngineStats | undefined> {
  return waitFor(client.stats(), 'engine stats', { deadlineMs: STATS_DEADLINE_MS }).catch(() => undefined);
}

function renderTree({ children }: TreeNode): string {
  const name = 'troupe_model_ready';
  const samples = children.map(({ id, state }) =>
    sample(name, { model: id.replace(/^model:/, '') }, state === 'running' ? 1 : 0),
  );
  return heading(name, 'gauge', '1 while a loaded model runs, 0 once its supervisor gave up.') + samples.join('');
}
