import type { MenuItem } from '../../cli/index.js';

/** What `native-engine` alone offers on a terminal. */
export const menu: readonly MenuItem[] = [
  { title: 'Talk with the demo model', words: ['run', 'demo'] },
  { title: 'See the models that are here', words: ['list'] },
  { title: 'Get a model from a hub', words: ['pull'], asks: 'Repository (org/name, or org/name:quant)' },
  { title: 'Import a GGUF file', words: ['import'], asks: 'Path of the file' },
  { title: 'Serve the models over HTTP', words: ['serve', '--http'] },
  { title: 'Look at this machine', words: ['doctor'] },
];
