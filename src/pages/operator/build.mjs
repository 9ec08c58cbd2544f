// Makes the operator page, in dist/pages/operator.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../kit/build-page.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
await buildPage(root, join(root, '../../../dist/pages/operator'));
