// How a page is built: index.html and files whose names have the hashes of what is in them.

import { build } from 'vite';

/** Browsers of 2024. */
export const target = ['chrome123', 'firefox125', 'safari17.5'];

/** What all builds of a page at `root` have in common. */
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

/** Builds the page at `root` into `out`, which it empties. `base`: where its files are, as its document names them. */
export async function buildPage(root, out, base = '/') {
  await build({
    ...commonOptions(root),
    base,
    build: {
      outDir: out,
      emptyOutDir: true,
      target,
      // The policy of a page has no inline script, and no data URL of a script.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A page has what it uses of the kit, and of libraries that only the rest of the kit uses nothing.
      rolldownOptions: {
        treeshake: { moduleSideEffects: [{ test: /\/(?:uplot|pages\/kit|pages\/data)\//, sideEffects: false }] },
      },
      // The licences of what is bundled, beside it.
      license: { fileName: 'licenses.md' },
    },
  });
}

/** Nothing is painted before the script has run: it knows which appearance was chosen. Source: the HTML Standard, 4.12.1. */
function blockPainting(html) {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}
