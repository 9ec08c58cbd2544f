import type { OnNotice } from '../../convert/index.js';
import type { LocateOptions } from '../../library/index.js';
import type { Directories } from './directories.js';
import { printNotices } from './print-notices.js';
import type { Terminal } from '../../cli/index.js';
import { openProgressLine } from './progress.js';

/**
 * Path of the artifact that `name` names; a GGUF file is converted first, with its progress on standard error, unless it is
 * to be packed into memory.
 * `onNotice` hears before that what the user should know of it. Errors: those of the search and of conversion, the reason
 * of the signal.
 */
export async function locateNamed(
  name: string,
  directories: Directories & Pick<LocateOptions, 'requireSigned'>,
  terminal: Terminal,
  signal: AbortSignal,
  onNotice: OnNotice = printNotices(terminal),
): Promise<string> {
  const [{ locateModel }, { defaultModelsDir }] = await Promise.all([
    import('../../library/index.js'),
    import('../../store/index.js'),
  ]);
  const { modelsDir = defaultModelsDir(), cacheDir, importGguf, requireSigned } = directories;
  using progress = openProgressLine(terminal, name);
  return await locateModel(name, {
    modelsDir,
    cacheDir,
    importGguf,
    requireSigned,
    signal,
    onProgress: progress.onProgress,
    onNotice,
  });
}
