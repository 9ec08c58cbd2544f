// Makes the chat page, in dist/page: index.html, files whose names have the hashes of what is in them, and the service worker.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const out = join(root, '../../dist/page');
const common = {
  configFile: false,
  logLevel: 'warn',
  root,
  publicDir: false,
  plugins: [{ name: 'no-flash', transformIndexHtml: { order: 'post', handler: blockPainting } }],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};
/** Browsers of 2024. */
const target = ['chrome123', 'firefox125', 'safari17.5'];

/** Nothing is painted before the script has run: it knows which appearance was chosen. Source: the HTML Standard, 4.12.1. */
function blockPainting(html) {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}

await build({
  ...common,
  build: {
    outDir: out,
    emptyOutDir: true,
    target,
    // The policy of the page has no inline script, and no data URL of a script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The licences of what is bundled, beside it.
    license: { fileName: 'licenses.md' },
  },
});
await build({
  ...common,
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
