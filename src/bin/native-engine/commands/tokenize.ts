import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import { argument, optionalArgument, print, switchOption, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { cacheDirFlag, debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import { readStandardInput } from '../dialogue/read-prompt.js';

/** `native-engine tokenize <model> [text]`: the tokens of a text, or the text of tokens. */
export class TokenizeCommand extends Command<CliContext> {
  static override paths = [['tokenize']];
  static override usage = Command.Usage({
    description: 'Shows the tokens of a text, or with --decode the text of token ids.',
    details:
      'The weights are not loaded. Without a text, standard input is read. A control token in the text counts as that token.',
    examples: [
      ['Ids and their texts', '$0 tokenize demo "What is 12 + 30?"'],
      ['How many a file has', '$0 tokenize demo --count < notes.txt'],
      ['The text of ids', '$0 tokenize demo --decode "12 7 40"'],
    ],
  });

  model = argument('model', { description: 'a name of list, an id such as org/name, or a path' });
  text = optionalArgument('text', { description: 'the text; left out or -, standard input' });
  decode = switchOption('--decode', {
    description: 'the text is token ids, of which the text is wanted',
    group: 'Output',
  });
  count = switchOption('--count', { description: 'how many there are, and nothing else', group: 'Output' });
  noSpecial = switchOption('--no-special', {
    description: 'without the tokens that the model expects around a text',
    group: 'Output',
  });
  json = jsonFlag('ids and their texts');
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const directories = await toDirectories(this, terminal.env);
    const { parseIds, renderTokens, tokenize } = await import('../models/tokenize.js');
    const isPiped = this.text === undefined || this.text === '-';
    if (isPiped && terminal.stdin.isTTY && this.text !== '-') {
      const message =
        'tokenize: <text> is missing, and standard input is a terminal. Example: native-engine tokenize demo "Hello"';
      throw new AppError('invalid_arguments', message, { command: 'tokenize' });
    }
    const text = isPiped ? await readStandardInput(terminal) : (this.text ?? '');
    const ids = this.decode ? parseIds(text) : undefined;
    const found = await interrupts.during(() =>
      tokenize({ model: this.model, directories, text, ids, addSpecialTokens: !this.noSpecial }),
    );
    if (this.json) await printJson(terminal, found);
    else if (this.count) await print(terminal.stdout, `${found.count}\n`, terminal.closed);
    else await print(terminal.stdout, this.decode ? `${found.text}\n` : renderTokens(found), terminal.closed);
    return 0;
  }
}
