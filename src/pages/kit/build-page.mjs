// Builds a page: index.html, and files whose names contain the hash of their content.

import { build } from 'vite';

/** Browsers of 2024. */
export const target = ['chrome123', 'firefox125', 'safari17.5'];

/** Options that all builds of a page at `root` share. */
export function commonOptions(root) {
  return {
    configFile: false,
    logLevel: 'warn',
    root,
    publicDir: false,
    plugins: [{ name: 'no-flash', transformIndexHtml: { order: 'post', handler: blockPainting } }],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  };
}

/**
 * Builds the page at `root` into `out`, which it empties first. `base`: the prefix of file addresses in the document.
 */
export async function buildPage(root, out, base = '/') {
  await build({
    ...commonOptions(root),
    base,
    build: {
      outDir: out,
      emptyOutDir: true,
      target,
      // The policy of a page forbids inline scripts and data URLs of scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A page includes only the used parts of the kit, and no library that only the unused parts need.
      rolldownOptions: {
        treeshake: { moduleSideEffects: [{ test: /\/(?:uplot|pages\/kit|pages\/data)\//, sideEffects: false }] },
      },
      // Writes the licences of the bundled code beside it.
      license: { fileName: 'licenses.md' },
    },
  });
}

/** Blocks painting until the script has run, because it sets the chosen theme. Source: the HTML Standard, 4.12.1. */
function blockPainting(html) {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}
