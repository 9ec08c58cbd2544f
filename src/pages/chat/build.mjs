// Builds the chat page into dist/pages/chat: the page by buildPage, and the service worker.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { buildPage, commonOptions, target } from '../kit/build-page.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const out = join(root, '../../../dist/pages/chat');

await buildPage(root, out);
await build({
  ...commonOptions(root),
  build: {
    outDir: out,
    emptyOutDir: false,
    target,
    reportCompressedSize: false,
    lib: {
      entry: join(root, 'service-worker.ts'),
      formats: ['iife'],
      name: 'worker',
      fileName: () => 'service-worker.js',
    },
  },
});
