import { VERSION } from '../../base/index.js';
import type { Product } from '../../cli/index.js';
import { commands } from './commands/index.js';
import { hints } from './hints.js';
import { menu } from './menu.js';

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
