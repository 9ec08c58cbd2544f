import { parseChoice, parseNumber, ranges } from '../../../cli/index.js';
import { AppError } from '../../../base/index.js';
import { backendNames, isBackendChoice, isNumberedBackend, type BackendChoice } from '../../../compute/index.js';

/** Options of createEngine as the command line spells them; absent ones are left to the library. */
export interface EngineFlags {
  readonly threads?: string | undefined;
  readonly kernel?: string | undefined;
  readonly placement?: string | undefined;
  readonly backend?: string | undefined;
  readonly kvCache?: string | undefined;
  readonly memoryBudget?: string | undefined;
  readonly ctx?: string | undefined;
  readonly template?: string | undefined;
}

function parseBackend(text: string): BackendChoice {
  const [, name = '', number = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (!isNumberedBackend(name)) return parseChoice('--backend', text, backendNames);
  const choice = `${name}:${Number(number)}`;
  if (/^\d{1,3}$/.test(number) && isBackendChoice(choice)) return choice;
  const message = `--backend is ${JSON.stringify(text)}, but the device after ${name}: must be a whole number such as ${name}:0.`;
  throw new AppError('invalid_option', message, { option: '--backend', value: text });
}

function toBytes(gibibytes: number): number {
  return Math.floor(gibibytes * 2 ** 30);
}

/** What createEngine takes, checked here so that a mistake costs no start-up. Throws `invalid_option`. */
export function toEngineOptions(flags: EngineFlags) {
  return {
    ...(flags.threads === undefined ? {} : { threads: parseNumber('--threads', flags.threads, ranges.threads) }),
    ...(flags.kernel === undefined
      ? {}
      : { kernel: parseChoice('--kernel', flags.kernel, ['auto', 'portable'] as const) }),
    ...(flags.placement === undefined
      ? {}
      : { placement: parseChoice('--placement', flags.placement, ['auto', 'inline', 'threads'] as const) }),
    ...(flags.kvCache === undefined
      ? {}
      : { kvCache: parseChoice('--kv-cache', flags.kvCache, ['f32', 'q8'] as const) }),
    ...(flags.memoryBudget === undefined
      ? {}
      : { memoryBudgetBytes: toBytes(parseNumber('--memory-budget', flags.memoryBudget, ranges.memoryBudget)) }),
    ...(flags.ctx === undefined ? {} : { maxContext: parseNumber('--ctx', flags.ctx, ranges.context) }),
    ...(flags.template === undefined ? {} : { template: flags.template }),
    ...(flags.backend === undefined ? {} : { backend: parseBackend(flags.backend) }),
  };
}

/** Reads the template that `--template` names, so that a mistake costs no conversion. Errors: those of `readTemplate`. */
export async function checkTemplateOption(asked: string | undefined): Promise<void> {
  if (asked === undefined) return;
  const { readTemplate } = await import('../../../models/index.js');
  await readTemplate(asked, '--template');
}
