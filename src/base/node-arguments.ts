// Arguments of node that were for its main script, and stop a thread or a process from starting with a file of ours.
import { execArgv } from 'node:process';

/** Options whose value is the script itself. */
const SCRIPT = /^(-e|--eval|-p|--print|-pe)$/;
const SCRIPT_WITH_VALUE = /^--(eval|print|input-type)=/;
/** Options that load something before the script, which threads and processes shall have too. */
const PRELOAD = /^(-r|--require|--import)$/;
const PRELOAD_WITH_VALUE = /^--(require|import)=/;

/**
 * For `new Worker`: nothing, since a thread inherits what its process was started with, but after
 * `node --input-type=module -e …`, which no thread takes. Other options may not be given to a thread, so then only what is
 * loaded first is kept.
 */
export function threadArguments(given: readonly string[] = execArgv): { execArgv?: string[] } {
  if (!given.some((argument) => argument.split('=', 1)[0] === '--input-type')) return {};
  return {
    execArgv: given.filter(
      (argument, i) => PRELOAD_WITH_VALUE.test(argument) || PRELOAD.test(argument) || PRELOAD.test(given[i - 1] ?? ''),
    ),
  };
}

/** For `fork`: all but the script that node was given instead of a file. */
export function processArguments(given: readonly string[] = execArgv): string[] {
  const takesNext = (argument: string): boolean => SCRIPT.test(argument) || argument === '--input-type';
  return given.filter(
    (argument, i) => !takesNext(argument) && !takesNext(given[i - 1] ?? '') && !SCRIPT_WITH_VALUE.test(argument),
  );
}
