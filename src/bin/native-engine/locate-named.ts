import type { Directories } from './directories.js';
import { openProgressLine, type Terminal } from '../../cli/index.js';

/**
 * Path of the artifact that `name` names; a GGUF file is converted first, with its progress on standard error.
 * `onWarning` hears before that what it cannot do. Errors: those of the search and of conversion, the reason of the signal.
 */
export async function locateNamed(
  name: string,
  directories: Directories,
  terminal: Terminal,
  signal: AbortSignal,
  onWarning: (warning: string) => void = (warning) => void terminal.stderr.write(`warning: ${warning}\n`),
): Promise<string> {
  const [{ locateModel }, { defaultModelsDir }] = await Promise.all([
    import('../../library/index.js'),
    import('../../store/index.js'),
  ]);
  const { modelsDir = defaultModelsDir(), cacheDir } = directories;
  using progress = openProgressLine(terminal, name);
  return await locateModel(name, { modelsDir, cacheDir, signal, onProgress: progress.onProgress, onWarning });
}
