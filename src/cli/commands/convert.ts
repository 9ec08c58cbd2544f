import { Command, Option } from 'clipanion';
import type { CliContext } from '../context.js';
import { parseChoice } from '../option-values.js';
import { print } from '../terminal.js';

const quants = ['f32', 'bf16', 'f16', 'q8', 'q4', 'q4m'] as const;

/** `native-engine convert <checkpoint> --out <directory>`: makes an artifact of a Hugging Face checkpoint. */
export class ConvertCommand extends Command<CliContext> {
  static override paths = [['convert']];
  static override usage = Command.Usage({
    description: 'Converts a Hugging Face checkpoint directory to an artifact.',
    details: 'q4 keeps the embedding and the output matrix in q8. A directory that exists is never written to.',
    examples: [['Eight bits a weight', '$0 convert ./Qwen3-0.6B --out ./qwen3-q8 --quant q8']],
  });

  checkpoint = Option.String({ name: 'checkpoint directory' });
  out = Option.String('--out', { required: true, description: 'where the artifact is made; must not exist' });
  quant = Option.String('--quant', 'q8', { description: 'f32, bf16, f16, q8 (default), q4 or q4m' });
  debug = Option.Boolean('--debug', false, { description: 'stack traces of errors' });

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const quant = parseChoice('--quant', this.quant, quants);
    const { convertCheckpoint } = await import('../../convert/index.js');
    const { numTensors, sizeBytes } = await interrupts.during((signal) =>
      convertCheckpoint({ source: this.checkpoint, out: this.out, quant, signal }),
    );
    const size = `${numTensors} tensors, ${(sizeBytes / 2 ** 20).toFixed(1)} MiB, ${quant}`;
    await print(terminal.stdout, `${this.out}: ${size}\n`, terminal.closed);
    return 0;
  }
}
