/**
 * A model of a hub becomes one of the store.
 *
 *   id ─ commit ─ tree ─ files chosen ─ estimate ─ the place in the store, ours alone ─ downloads ─ conversion ─ in place
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, parseStrictJson } from '../../base/index.js';
import type { Hub, HubFile, HubModel } from '../../hub/index.js';
import { directoryNameOf, type ModelId, type Origin, type Store, type StoredModel } from '../../store/index.js';
import { buildArtifact, checkRoom, sizeOnDisk } from './build-artifact.js';
import { chooseFiles, chooseShards } from './choose-files.js';
import { estimate, fitsMemory } from './estimate.js';
import type { FilePlan } from './file-plan.js';
import type { OnPullEvent, PullEvent } from './pull-events.js';

/** A model of a hub as requested. */
export type HubReference = Pick<ModelId, 'quant' | 'revision'> & { readonly repo: string };

/** How a model is pulled. */
export interface PullOptions {
  readonly hub: Hub;
  readonly store: Store;
  /** The memory budget of models on this machine. */
  readonly budgetBytes: number;
  readonly signal: AbortSignal;
  readonly onEvent?: OnPullEvent | undefined;
}

/** The result of a pull. */
export interface Pulled {
  readonly model: StoredModel;
  /** `current`: the store had this commit already; `updated`: it had an older one. */
  readonly outcome: 'new' | 'updated' | 'current';
  readonly repo: string;
  /** The commit. */
  readonly revision: string;
  readonly quant: string | undefined;
  /** Bytes that came over the network. */
  readonly fetchedBytes: number;
}

/** The folder of files before conversion; a later pull resumes from it. The name is hidden, so no list shows it. */
const DOWNLOADS = '.download-';

/**
 * Pulls a model, or finds that the store has its newest commit. Of several processes one does it; the others wait for it.
 * Errors: those of a hub; `pull_no_weights`, `pull_quant_missing`; `disk_full`; those of conversion and of the store; the
 * reason of the signal.
 */
export async function pullModel(asked: HubReference, options: PullOptions): Promise<Pulled> {
  const { hub, store, signal, budgetBytes } = options;
  const onEvent: OnPullEvent = (event) => options.onEvent?.(event);
  const onRetry = (retry: Pick<PullEvent & { kind: 'retry' }, 'reason' | 'attempt' | 'waitMs'>): void =>
    onEvent({ kind: 'retry', file: undefined, ...retry });
  const found = await hub.describe(asked.repo, asked.revision, { signal, onRetry });
  const repo = toKeptName(asked.repo, found);
  const files = await hub.listFiles(found.repo, found.commit, { signal, onRetry });
  const plan = await choose(found, files, asked, options);
  const quant = plan.quant?.toUpperCase();
  const isAskedQuant = asked.quant !== undefined;
  // Refuse a name that cannot be stored before any download.
  const name = directoryNameOf(repo, isAskedQuant ? quant : undefined);
  const isCurrent = (origin: Origin): boolean => origin.revision === found.commit && origin.quant === quant;
  const about = { repo, revision: found.commit, quant };

  const old = (await store.list()).find((model) => model.name === name);
  const origin = old === undefined ? undefined : await store.originOf(old);
  if (old !== undefined && origin !== undefined && origin.repo === repo && isCurrent(origin)) {
    return { model: old, outcome: 'current', fetchedBytes: 0, ...about };
  }
  if (plan.format === 'gguf' && plan.note !== undefined) onEvent({ kind: 'note', text: plan.note });
  const estimated = await estimate(plan, store.directory, budgetBytes);
  onEvent({ kind: 'plan', ...about, estimate: estimated });

  const directory = join(store.directory, DOWNLOADS + name);
  let fetchedBytes: number | undefined;
  const model = await store.place(
    { ...about, ref: asked.revision, isAskedQuant, license: found.license },
    async ({ artifact }) => {
      checkRoom(store.directory, estimated.diskBytes - (await sizeOnDisk(directory)), estimated.freeBytes);
      fetchedBytes = await buildArtifact({
        hub,
        repo: found.repo,
        commit: found.commit,
        plan,
        directory,
        artifact,
        signal,
        onEvent,
      });
    },
    { signal, isCurrent, onWait: (pid) => onEvent({ kind: 'wait', pid }) },
  );
  if (fetchedBytes === undefined) return { model, outcome: 'current', fetchedBytes: 0, ...about };
  // A remaining folder takes room and does no harm.
  await rm(directory, { recursive: true, force: true }).catch(() => {});
  return { model, outcome: old === undefined ? 'new' : 'updated', fetchedBytes, ...about };
}

/** The requested name; where only its case differs from the hub's, the hub's spelling. */
function toKeptName(asked: string, { repo }: HubModel): string {
  return repo.toLowerCase() === asked.toLowerCase() ? repo : asked;
}

async function choose(
  { repo, commit }: HubModel,
  files: readonly HubFile[],
  { quant }: HubReference,
  { hub, signal, budgetBytes }: PullOptions,
): Promise<FilePlan> {
  const plan = chooseFiles(repo, files, quant, (sizeBytes) => fitsMemory(sizeBytes, budgetBytes));
  if (plan.format === 'gguf' || plan.index === undefined) return plan;
  const bytes = await hub.readFile(repo, commit, plan.index.file, { signal });
  const index = parseStrictJson(bytes, { maxDepth: 8, maxItems: 1_000_000 }, (why) => {
    const message = `the list of weights of ${repo} ${why}`;
    return new AppError('pull_no_weights', message, { repo });
  });
  return { ...plan, small: [...plan.small, plan.index], weights: chooseShards(repo, index, files) };
}
