import { Command } from 'clipanion';
import { argument, print, switchOption, textOption, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import {
  cacheDirFlag,
  ctxFlag,
  debugFlag,
  jsonFlag,
  kvCacheFlag,
  memoryBudgetFlag,
  modelsDirFlag,
  threadsFlag,
} from '../options/engine-flags.js';
import { toEngineOptions } from '../options/engine-options.js';
import { printJson } from '../print-json.js';
import { serverFlag } from '../remote/flags.js';
import {
  allowRollbackFlag,
  requireSignedFlag,
  toTrustOptions,
  trustDirFlag,
  trustedKeyFlag,
} from '../../signatures/trust-options.js';

/** `native-engine load <model>`: has a running server load a model, or tells what that would take here. */
export class LoadCommand extends Command<CliContext> {
  static override paths = [['load']];
  static override usage = Command.Usage({
    description: 'Makes a running server load a model, or estimates the memory that it needs.',
    details:
      'A duration is a number of seconds, or has units: 30s, 5m, 1h30m; below 0 the model stays until its memory is needed. ' +
      '--estimate-only asks no server: it looks at the model here, and takes the options below Engine. --require-signed believes the ' +
      'server, which says who signed what it loaded.',
    examples: [
      ['For an hour after its last call', '$0 load org/name --keep-alive 1h'],
      ['The memory that it needs on this machine', '$0 load demo --estimate-only'],
    ],
  });

  model = argument('model', { description: 'a name of list, or an id such as org/name' });
  estimateOnly = switchOption('--estimate-only', {
    description: 'print the memory that it needs, and load nothing',
    group: 'Output',
  });
  keepAlive = textOption('--keep-alive', {
    value: 'DURATION',
    description: 'how long it stays behind its last call',
    default: 'as the server decides',
    group: 'Network',
  });
  host = serverFlag();
  json = jsonFlag('the loaded model, or the estimate');
  ctx = ctxFlag();
  kvCache = kvCacheFlag();
  threads = threadsFlag();
  memoryBudget = memoryBudgetFlag();
  requireSigned = requireSignedFlag();
  trustedKey = trustedKeyFlag();
  allowRollback = allowRollbackFlag();
  trustDir = trustDirFlag();
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    return this.estimateOnly ? this.estimate() : this.load();
  }

  private async load(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { connectRemote } = await import('../remote/connect.js');
    const { loadOn, sayOfLoaded } = await import('../remote/load-on.js');
    const { model, keepAlive, host } = this;
    const trust = await toTrustOptions(this, terminal.env);
    const loaded = await interrupts.during((signal) =>
      loadOn(connectRemote(host, terminal, signal), { model, keepAlive, trust }, terminal),
    );
    if (this.json) await printJson(terminal, loaded);
    else await print(terminal.stdout, sayOfLoaded(loaded), terminal.closed);
    return 0;
  }

  private async estimate(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const engineOptions = toEngineOptions(this);
    const directories = await toDirectories(this, terminal.env);
    const trust = await toTrustOptions(this, terminal.env);
    const { estimateMemory, renderEstimate } = await import('../models/estimate.js');
    const { openUserStore } = await import('../models/open-user-store.js');
    const { findForUser } = await import('../models/find-for-user.js');
    const model = await findForUser(openUserStore(directories), this.model);
    const found = await interrupts.during(async () =>
      estimateMemory(model, { ...engineOptions, ...directories, ...trust }),
    );
    if (this.json) await printJson(terminal, found);
    else await print(terminal.stdout, renderEstimate(found), terminal.closed);
    return 0;
  }
}
