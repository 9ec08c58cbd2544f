// Makes the account page, in dist/pages/account.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../kit/build-page.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
// Relative addresses work below any path, because the service may have a base path.
await buildPage(root, join(root, '../../../dist/pages/account'), './');
