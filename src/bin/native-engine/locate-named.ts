import type { OnNotice } from '../../convert/index.js';
import type { Directories } from './options/directories.js';
import { printNotices } from './print-notices.js';
import type { Terminal } from '../../cli/index.js';
import { openProgressLine } from './progress.js';

/** Options of `locateNamed`. */
export interface LocateNamedOptions {
  readonly directories: Directories;
  readonly signal: AbortSignal;
  /** Called with notices on a file before it is converted. */
  readonly onNotice?: OnNotice;
  readonly memoryBudgetBytes?: number | undefined;
  /** Only signed models will be loaded: a file is refused, and nothing is pulled. */
  readonly requireSigned?: boolean | undefined;
}

/**
 * Path of the artifact that `name` names. A GGUF file is converted first, unless it is to be packed into memory; a repository
 * of a hub that is not here is pulled. Both show on standard error how far they are. Errors: those of the search, of
 * conversion and of a pull, the reason of the signal.
 */
export async function locateNamed(name: string, terminal: Terminal, options: LocateNamedOptions): Promise<string> {
  const { directories, signal, onNotice = printNotices(terminal), memoryBudgetBytes, requireSigned } = options;
  const [{ createPuller, locateModel, resolveOptions }, { defaultModelsDir }, { openPullDisplay }] = await Promise.all([
    import('../../models/index.js'),
    import('../../store/index.js'),
    import('./hub/pull-display.js'),
  ]);
  const { modelsDir = defaultModelsDir(), cacheDir, importGguf } = directories;
  const { memoryBudgetBytes: budgetBytes } = resolveOptions({ memoryBudgetBytes });
  await using puller =
    modelsDir === undefined || requireSigned === true
      ? undefined
      : createPuller({ modelsDir, budgetBytes, env: terminal.env });
  using display = openPullDisplay(terminal, name);
  using progress = openProgressLine(terminal, name);
  const places = { modelsDir, cacheDir, importGguf, requireSigned, puller };
  return await locateModel(name, places, {
    onEvent: (event) => (event.kind === 'notice' ? onNotice(event.notice) : display.onEvent(event)),
    signal,
    onProgress: progress.onProgress,
    onNotice,
  });
}
