import { Command } from 'clipanion';
import { AppError, hasErrorCode } from '../../../base/index.js';
import { argument, print, switchOption, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, memoryBudgetFlag, modelsDirFlag } from '../options/engine-flags.js';
import { toEngineOptions } from '../options/engine-options.js';

/** `native-engine pull <org/name>`: a model of the hub becomes one of the models directory, or is updated. */
export class PullCommand extends Command<CliContext> {
  static override paths = [['pull']];
  static override usage = Command.Usage({
    description: 'Downloads a model from the hub and converts it into the models directory, or updates it.',
    details:
      'A model is named by its repository, or by a short name that people know, such as llama3.2 or smollm2:135m. Of a repository ' +
      'with GGUF files one quant is taken: the one that is asked for, or Q4_K_M, or else the best that fits the memory. Of ' +
      'safetensors the weights are converted to q8, or to the quant that is asked for. What is ended in the middle goes on where ' +
      'it was. HF_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE and HTTPS_PROXY hold.',
    examples: [
      ['The usual quant', '$0 pull Qwen/Qwen3-0.6B-GGUF'],
      ['By a short name', '$0 pull smollm2:135m'],
      ['Another', '$0 pull Qwen/Qwen3-0.6B-GGUF:Q8_0'],
      ['Safetensors in four bits, at a tag', '$0 pull Qwen/Qwen3-0.6B@main:q4k'],
      ['For a program', '$0 pull Qwen/Qwen3-0.6B --json'],
    ],
  });

  model = argument('model', {
    description: 'org/name of the hub, with @revision and :quant where wanted, or a short name such as llama3.2',
  });
  quiet = switchOption('--quiet', { description: 'nothing but errors', group: 'Output' });
  json = jsonFlag('what happens, a line each,');
  memoryBudget = memoryBudgetFlag();
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { memoryBudgetBytes } = toEngineOptions(this);
    const { openUserStore, sweepAndSay } = await import('../models/open-user-store.js');
    const { createPuller, resolveOptions, toReference } = await import('../../../models/index.js');
    const { suggestKnownName } = await import('../../../store/index.js');
    const { openPullDisplay } = await import('../hub/pull-display.js');
    const { createPullLines, doneLine } = await import('../hub/pull-lines.js');
    const reference = toReference(this.model);
    if (reference === undefined) throw noReference(this.model, suggestKnownName(this.model));
    const store = openUserStore(await toDirectories(this, terminal.env));
    if (this.quiet) await store.sweep();
    else await sweepAndSay(store, terminal);
    const { memoryBudgetBytes: budgetBytes } = resolveOptions({ memoryBudgetBytes });
    await using puller = createPuller({ modelsDir: store.directory, budgetBytes, env: terminal.env });
    using display = openPullDisplay(terminal, this.model, this.quiet || this.json);
    const lines = createPullLines((line) => void terminal.stdout.write(`${JSON.stringify(line)}\n`));
    const onEvent = this.json && !this.quiet ? lines : display.onEvent;
    const pulled = await interrupts
      .during(async (signal) => puller.pull(reference, { signal, onEvent }))
      .catch((error: unknown) => {
        display[Symbol.dispose]();
        if (hasErrorCode(error, 'interrupted')) terminal.stderr.write(howToGoOn(this.model));
        throw error;
      });
    display[Symbol.dispose]();
    if (this.quiet && !this.json) return 0;
    if (this.json) await print(terminal.stdout, `${JSON.stringify(doneLine(pulled))}\n`, terminal.closed);
    else {
      const { outcome, model, revision } = pulled;
      const how = { new: 'is here', updated: 'was updated', current: 'is up to date' }[outcome];
      const text = `${this.model} ${how}: ${model.path}, at ${revision.slice(0, 12)}\nrun it: native-engine run ${this.model}\n`;
      await print(terminal.stdout, text, terminal.closed);
    }
    return 0;
  }
}

function howToGoOn(model: string): string {
  return `stopped; what came is kept, and the same command goes on from there: native-engine pull ${model}\n`;
}

function noReference(text: string, suggestion: string | undefined): AppError {
  const shown = /^[\w.:@/-]{1,96}$/.test(text) ? `"${text}"` : `a text of ${text.length} characters`;
  const near = suggestion === undefined ? '' : `; ${suggestion}`;
  const message = `${shown} is no id of a repository, and no short name that is known; write org/name, with @revision and :quant where wanted, such as Qwen/Qwen3-0.6B; native-engine search finds names${near}`;
  return new AppError('invalid_arguments', message);
}
