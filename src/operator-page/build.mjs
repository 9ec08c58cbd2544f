// Makes the operator page, in dist/operator-page.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../page-kit/build-page.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
await buildPage(root, join(root, '../../dist/operator-page'));
