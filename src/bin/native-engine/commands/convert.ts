import { Command } from 'clipanion';
import { type CliContext, argument, requiredOption, textOption, parseChoice, print } from '../../../cli/index.js';
import { quantNames } from '../../../weights/index.js';
import { openProgressLine } from '../progress.js';
import { printNotices } from '../print-notices.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, modelsDirFlag } from '../options/engine-flags.js';

/** `native-engine convert <checkpoint> --out <directory>`: makes an artifact of a Hugging Face checkpoint or a GGUF file. */
export class ConvertCommand extends Command<CliContext> {
  static override paths = [['convert']];
  static override usage = Command.Usage({
    description: 'Converts a Hugging Face checkpoint directory, or a GGUF file, to an artifact.',
    details:
      'q4 and q4m (four bits with a minimum of their own) keep the embedding and the output matrix in q8. Without ' +
      '--quant a directory becomes q8, and a GGUF file keeps its integers and scales. A directory that exists is never ' +
      'written to.',
    examples: [
      ['Eight bits a weight', '$0 convert ./Qwen3-0.6B --out ./qwen3-q8 --quant q8'],
      ['A GGUF file, without loss', '$0 convert ./model.Q4_1.gguf --out ./model'],
    ],
  });

  checkpoint = argument('checkpoint', {
    description: 'the directory of a Hugging Face checkpoint, or a .gguf file',
  });
  out = requiredOption('--out', {
    value: 'DIR',
    description: 'where the artifact is made; must not exist',
    group: 'Files',
  });
  quant = textOption('--quant', {
    value: 'TYPE',
    description: quantNames.join(', '),
    default: 'q8; a GGUF file keeps its types',
    group: 'Files',
  });
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const asked = this.quant === undefined ? undefined : parseChoice('--quant', this.quant, quantNames);
    const directories = await toDirectories(this, terminal.env);
    const { convertCheckpoint } = await import('../../../convert/index.js');
    const { findModel } = await import('../../../models/index.js');
    const { defaultModelsDir } = await import('../../../store/index.js');
    const { numTensors, sizeBytes, quant } = await interrupts.during(async (signal) => {
      const source = await findModel(this.checkpoint, directories.modelsDir ?? defaultModelsDir());
      using progress = openProgressLine(terminal, this.checkpoint);
      return await convertCheckpoint({
        source: source.path,
        out: this.out,
        quant: asked,
        signal,
        onProgress: progress.onProgress,
        onNotice: printNotices(terminal),
      });
    });
    const size = `${numTensors} tensors, ${(sizeBytes / 2 ** 20).toFixed(1)} MiB, ${quant}`;
    await print(terminal.stdout, `${this.out}: ${size}\n`, terminal.closed);
    return 0;
  }
}
