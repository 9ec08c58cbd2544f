import { Command } from 'clipanion';
import { openStatusLine, print, switchOption, windowWidth, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { cacheDirFlag, debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine doctor`: what this machine has and lacks for running models. */
export class DoctorCommand extends Command<CliContext> {
  static override paths = [['doctor']];
  static override usage = Command.Usage({
    description: 'Looks at this machine: CPU, memory, Node, kernels, GPU, disk, models, network, environment.',
    details:
      'Marks what will fail with x, and what could be better with !. The exit status is 1 when something will fail. Passwords ' +
      'in the addresses of proxies are not shown.',
    examples: [
      ['Everything', '$0 doctor'],
      ['Without measurements', '$0 doctor --quick'],
      ['For a bug report', '$0 doctor --json'],
    ],
  });

  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  quick = switchOption('--quick', { description: 'measure no speeds', group: 'Output' });
  json = jsonFlag('all checks and the live tree');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const directories = await toDirectories(this, terminal.env);
    const { examine, renderDoctor } = await import('../machine/doctor.js');
    const found = await interrupts.during(async (signal) => {
      using line = openStatusLine(terminal);
      const tell = (section: string, done: number): void => line.show(done, (bar) => `${bar}looking at ${section}`);
      return await examine({ env: terminal.env, directories, isQuick: this.quick, signal }, tell);
    });
    if (this.json) await printJson(terminal, found);
    else await print(terminal.stdout, renderDoctor(found, windowWidth(terminal)), terminal.closed);
    return found.problems === 0 ? 0 : 1;
  }
}
