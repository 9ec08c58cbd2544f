// Options that several commands on signatures have: one declaration each.
import { argument, listOption, switchOption } from '../../cli/index.js';

/** `<artifact_dir>` */
export const directoryArgument = () => argument('artifact_dir', { description: 'the directory of an artifact' });

/** `--key` */
export const keyFlag = () =>
  listOption('--key', {
    value: 'HEX',
    description: 'public key that is trusted, 64 hexadecimal digits',
    default: 'TROUPE_TRUSTED_KEYS, keys between commas',
    group: 'Signatures',
  });

/** `--json` */
export const jsonFlag = () => switchOption('--json', { description: 'one line of JSON' });

/** `--debug` */
export const debugFlag = () => switchOption('--debug', { description: 'stack traces of errors' });
