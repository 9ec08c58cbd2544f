// Options whose help names what modules of the engine have. Commands without them start without those modules.
import { chatFormats } from '../../../chat/index.js';
import { textOption } from '../../../cli/index.js';
import { backendWords } from '../../../compute/index.js';

/** `--backend` */
export const backendFlag = () =>
  textOption('--backend', {
    value: 'NAME',
    description: backendWords.help,
    default: 'auto',
    group: 'Engine',
  });

/** `--template` */
export const templateFlag = () =>
  textOption('--template', {
    description: `chat template: ${Object.keys(chatFormats).join(', ')}, or the path of a Jinja file (with a slash, or ending in .jinja)`,
    default: "the model's own",
    group: 'Engine',
  });
