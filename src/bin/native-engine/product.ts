import { VERSION } from '../../base/index.js';
import type { MenuItem, Product } from '../../cli/index.js';
import { commands } from './commands/index.js';
import { hints } from './hints.js';

/** What `native-engine` alone offers on a terminal. */
const menu: readonly MenuItem[] = [
  { title: 'Talk with the demo model', words: ['run', 'demo'] },
  { title: 'See the models that are here', words: ['list'] },
  { title: 'Get a model from a hub', words: ['pull'], asks: 'Repository (org/name, or org/name:quant)' },
  { title: 'Import a GGUF file', words: ['import'], asks: 'Path of the file' },
  { title: 'Serve the models over HTTP', words: ['serve', '--http'] },
  { title: 'Look at this machine', words: ['doctor'] },
];

/** `native-engine`. */
export const nativeEngine: Product = {
  binary: 'native-engine',
  label: 'Troupe',
  version: VERSION,
  summary: 'language models on this machine',
  firstCommand: 'run demo',
  menu,
  aliases: { ls: 'list' },
  synonyms: {
    download: 'pull',
    get: 'pull',
    install: 'pull',
    find: 'search',
    delete: 'rm',
    remove: 'rm',
    uninstall: 'rm',
    copy: 'cp',
    create: 'import',
    add: 'import',
    info: 'show',
    inspect: 'show',
    models: 'list',
    chat: 'run',
    start: 'serve',
    server: 'serve',
    encode: 'tokenize',
    benchmark: 'bench',
    disk: 'df',
  },
  hints,
  sections: {
    Talk: ['run'],
    Models: ['search', 'pull', 'list', 'show', 'import', 'cp', 'rm', 'verify', 'df', 'convert', 'tokenize'],
    Server: ['serve', 'ps', 'load', 'unload', 'stop', 'status'],
    Machine: ['doctor', 'bench', 'completion'],
  },
  commands,
  codes: async () => (await import('./codes.js')).codeTables,
};
