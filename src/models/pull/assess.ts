import { toErrorData } from '../../base/index.js';
import type { FoundRepository, Hub } from '../../hub/index.js';
import { chooseFiles } from './choose-files.js';
import { estimate, fitsMemory, type PullEstimate } from './estimate.js';
import { isPlainName } from './file-plan.js';

/** A repository that a search found, and what a pull of it would take. */
export interface Assessed {
  readonly found: FoundRepository;
  readonly quant: string | undefined;
  readonly estimate: PullEstimate | undefined;
  /** Why it cannot be pulled. */
  readonly problem: string | undefined;
}

/** Trees that are requested concurrently. */
const AT_ONCE = 4;
/** Shards by their usual names: their list is not read for this. */
const SHARD = /^model-\d{5}-of-\d{5}\.safetensors$/;

/** Searches a hub, and looks at the files of what it finds. Errors: those of a hub. */
export async function searchAndAssess(
  hub: Hub,
  words: string,
  options: {
    readonly limit: number;
    readonly modelsDir: string;
    readonly budgetBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<Assessed[]> {
  const found = await hub.search(words, options.limit, { signal: options.signal });
  const assessed: Assessed[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE);
    assessed.push(...(await Promise.all(some.map(async (each) => assess(hub, each, options)))));
  }
  return assessed;
}

async function assess(
  hub: Hub,
  found: FoundRepository,
  {
    modelsDir,
    budgetBytes,
    signal,
  }: { readonly modelsDir: string; readonly budgetBytes: number; readonly signal: AbortSignal },
): Promise<Assessed> {
  try {
    const files = await hub.listFiles(found.repo, 'main', { signal });
    const plan = chooseFiles(found.repo, files, undefined, (sizeBytes) => fitsMemory(sizeBytes, budgetBytes));
    const isSharded = plan.format === 'safetensors' && plan.index !== undefined;
    const shards = files.filter(({ path }) => SHARD.test(path) && isPlainName(path));
    const weights = isSharded ? shards.map((file) => ({ file, name: file.path })) : plan.weights;
    const estimated = await estimate({ ...plan, weights }, modelsDir, budgetBytes);
    return { found, quant: plan.quant, estimate: estimated, problem: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { found, quant: undefined, estimate: undefined, problem: toErrorData(error).message };
  }
}
