import { textOption } from '../../../cli/index.js';

/** `--host` of a command that asks a running server. */
export const serverFlag = () =>
  textOption('--host', {
    value: 'ADDRESS',
    description: 'the server to ask: host:port, or a URL',
    default: 'TROUPE_HOST, else 127.0.0.1:11434',
    group: 'Network',
  });
