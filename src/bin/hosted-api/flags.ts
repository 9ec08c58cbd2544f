// Options that several commands have: one declaration each. Every command calls them for declarations of its own.
import { switchOption, textOption } from '../../cli/index.js';

/** `--config` */
export const configFlag = () =>
  textOption(
    '--config',
    { also: '-config', value: 'FILE', description: 'the hosted.yaml', group: 'Files' },
    'hosted.yaml',
  );

/** `--json` */
export const jsonFlag = (what: string) => switchOption('--json', { description: `print ${what} as JSON` });

/** `--csv` */
export const csvFlag = (what: string) => switchOption('--csv', { description: `print ${what} as CSV` });

/** `--debug` */
export const debugFlag = () => switchOption('--debug', { description: 'print the stack of an error too' });
