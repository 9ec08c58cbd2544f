import { Command } from 'clipanion';
import {
  agoText,
  countText,
  fitTable,
  print,
  sizeText,
  switchOption,
  windowWidth,
  type CliContext,
} from '../../../cli/index.js';
import { openStatusLine } from '../../../cli/index.js';
import { unixMs } from '../../../base/index.js';
import type { ModelListing } from '../models/describe-listed.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine list`: the models that `run` and `serve` know by name. */
export class ListCommand extends Command<CliContext> {
  static override paths = [['list']];
  static override usage = Command.Usage({
    description: 'Lists the models on this machine.',
    details:
      'Only the head of each model is read. Unreadable models are reported on standard error. Half-made ' +
      'models of killed processes are removed, and reported there too.',
    examples: [
      ['A table', '$0 list'],
      ['For a program', '$0 list --json'],
      ['Names alone', '$0 list --quiet'],
    ],
  });

  quiet = switchOption('--quiet', { also: '-q', description: 'names alone', group: 'Output' });
  json = jsonFlag('an array of models');
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const { openUserStore, sweepAndSay } = await import('../models/open-user-store.js');
    const { listNamed } = await import('../../../models/index.js');
    const { describeListed } = await import('../models/describe-listed.js');
    const store = openUserStore(await toDirectories(this, terminal.env));
    await sweepAndSay(store, terminal);
    const entries = await listNamed(store.directory);
    if (this.quiet) {
      await print(terminal.stdout, entries.map(({ name }) => `${name}\n`).join(''), terminal.closed);
      return 0;
    }
    const listed: ModelListing[] = [];
    {
      using line = openStatusLine(terminal);
      for (const [i, entry] of entries.entries()) {
        line.show(i / entries.length, (bar) => `${bar}reading model ${i + 1} of ${entries.length}`);
        listed.push(await describeListed(entry));
      }
    }
    for (const { entry, problem } of listed) {
      if (problem !== undefined) terminal.stderr.write(`warning: ${entry.name}: ${problem.message}\n`);
    }
    if (this.json)
      await printJson(
        terminal,
        listed.map(({ entry }) => entry),
      );
    else await print(terminal.stdout, toTable(listed, unixMs(), windowWidth(terminal)), terminal.closed);
    return 0;
  }
}

/** Of a narrow window signed, context and date go first: they are in `show` too. */
function toTable(listed: readonly ModelListing[], nowMs: number, width: number | undefined): string {
  const rows = listed.map(({ entry, problem }) => {
    const { name, sizeBytes, quant, contextLength, modified, signed } = entry;
    const isBroken = quant === null;
    return [
      name,
      isBroken ? '-' : sizeText(sizeBytes),
      isBroken ? 'unreadable' : (quant ?? '-'),
      contextLength === null ? '-' : countText(contextLength),
      modified === null ? '-' : agoText(nowMs - Date.parse(modified)),
      signed === null ? '-' : signed ? 'yes' : problem?.code === 'signature_invalid' ? 'tampered' : 'no',
    ];
  });
  const header = ['NAME', 'SIZE', 'QUANT', 'CONTEXT', 'MODIFIED', 'SIGNED'];
  return fitTable(header, rows, { width, rightAligned: [1, 3], droppable: [3, 5, 4] });
}
