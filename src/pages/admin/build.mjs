// Makes the admin page, in dist/pages/admin.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../kit/build-page.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
await buildPage(root, join(root, '../../../dist/pages/admin'));
