// Makes one file of dist/src/schema/index.js and of typebox, in its place. Without it everything works, but starts later.

import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const file = join(root, 'dist', 'src', 'schema', 'index.js');
const license = await readFile(join(root, 'node_modules', 'typebox', 'license'), 'utf8');

const bundle = await rolldown({ input: file, platform: 'node' });
await bundle.write({ file, format: 'esm', banner: `/*!\n${license}*/` });
await bundle.close();
await rm(`${file}.map`, { force: true });
