// Node's arguments for its main script. They would keep a thread or process from starting with a file of ours.
import { execArgv } from 'node:process';

/** Options whose value is the script itself. */
const SCRIPT = /^(-e|--eval|-p|--print|-pe)$/;
const SCRIPT_WITH_VALUE = /^--(eval|print|input-type)=/;
/** Options that load modules before the script; threads and processes shall load them too. */
const PRELOAD = /^(-r|--require|--import)$/;
const PRELOAD_WITH_VALUE = /^--(require|import)=/;

/**
 * For `new Worker`: nothing, since a thread inherits its process's arguments. The exception is `node
 * --input-type=module -e …`, which no thread accepts. Then only the preloads are kept, since a thread accepts no other
 * options.
 */
export function threadArguments(given: readonly string[] = execArgv): { execArgv?: string[] } {
  if (!given.some((argument) => argument.split('=', 1)[0] === '--input-type')) return {};
  return {
    execArgv: given.filter(
      (argument, i) => PRELOAD_WITH_VALUE.test(argument) || PRELOAD.test(argument) || PRELOAD.test(given[i - 1] ?? ''),
    ),
  };
}

/** For `fork`: all arguments except a script that node got instead of a file. */
export function processArguments(given: readonly string[] = execArgv): string[] {
  const takesNext = (argument: string): boolean => SCRIPT.test(argument) || argument === '--input-type';
  return given.filter(
    (argument, i) => !takesNext(argument) && !takesNext(given[i - 1] ?? '') && !SCRIPT_WITH_VALUE.test(argument),
  );
}
