import { Command } from 'clipanion';
import {
  argument,
  parseChoice,
  print,
  sizeText,
  switchOption,
  textOption,
  type CliContext,
} from '../../../cli/index.js';
import { quantNames } from '../../../weights/index.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine import <file>`: a GGUF file, or a checkpoint directory, becomes a model of the models directory. */
export class ImportCommand extends Command<CliContext> {
  static override paths = [['import']];
  static override usage = Command.Usage({
    description: 'Converts a GGUF file, or a checkpoint directory, into the models directory.',
    details:
      'The file stays unchanged, and is no longer needed. Any part names a model in parts. Without --quant a GGUF ' +
      'file keeps its integers and scales, and a directory becomes q8.',
    examples: [
      ['Under the name of the file', '$0 import ./model.Q4_1.gguf'],
      ['Under a name of your own', '$0 import ./model.Q4_1.gguf --name mine'],
      ['A checkpoint directory', '$0 import ./Qwen3-0.6B --quant q4k'],
    ],
  });

  file = argument('file', { description: 'a .gguf file, or the directory of a Hugging Face checkpoint' });
  name = textOption('--name', {
    value: 'NAME',
    description: 'what it is called',
    default: 'the name of the file',
    group: 'Files',
  });
  quant = textOption('--quant', {
    value: 'TYPE',
    description: quantNames.join(', '),
    default: 'the types of the file; q8 of a directory',
    group: 'Files',
  });
  force = switchOption('--force', { description: 'replace a model of that name', group: 'Files' });
  json = jsonFlag('what was made');
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const quant = this.quant === undefined ? undefined : parseChoice('--quant', this.quant, quantNames);
    const { openUserStore, sweepAndSay } = await import('../models/open-user-store.js');
    const { importForUser } = await import('../models/import-for-user.js');
    const store = openUserStore(await toDirectories(this, terminal.env));
    await sweepAndSay(store, terminal);
    const { file, name, force } = this;
    const made = await interrupts.during((signal) =>
      importForUser({ store, file, name, quant, mayReplace: force, signal }, terminal),
    );
    if (this.json) await printJson(terminal, made);
    else {
      const text = `${made.name}: ${made.quant}, ${sizeText(made.sizeBytes)}\nrun it: native-engine run ${made.name}\n`;
      await print(terminal.stdout, text, terminal.closed);
    }
    return 0;
  }
}
