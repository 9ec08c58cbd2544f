import { Command } from 'clipanion';
import { print, windowWidth, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { cacheDirFlag, debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine df`: what models and caches take of the disk. */
export class DfCommand extends Command<CliContext> {
  static override paths = [['df']];
  static override usage = Command.Usage({
    description: 'Shows the disk space of models and caches, and the free space.',
    details:
      'Files that several models share are counted once. What can be made again may be removed while nothing runs.',
    examples: [
      ['A table', '$0 df'],
      ['For a program', '$0 df --json'],
    ],
  });

  json = jsonFlag('places and disks');
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const directories = await toDirectories(this, terminal.env);
    const { measureDisk, renderDisk } = await import('../models/disk-use.js');
    const { openUserStore } = await import('../models/open-user-store.js');
    const use = await measureDisk(openUserStore(directories).directory, directories.cacheDir, terminal);
    if (this.json) await printJson(terminal, use);
    else await print(terminal.stdout, renderDisk(use, windowWidth(terminal)), terminal.closed);
    return 0;
  }
}
