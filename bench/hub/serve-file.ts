// A hub with one large file, in a process of its own: `serve-file.js <path> <sha256>` prints its address and serves until it is killed.
import { contentOfFile } from '../../test/support/hub/repository.js';
import { startHub } from '../../test/support/hub/test-hub.js';

const [, , path = '', sha256 = ''] = process.argv;
const hub = await startHub([{ id: 'org/large', files: new Map([['large.Q8_0.gguf', contentOfFile(path, sha256)]]) }]);
process.stdout.write(`${hub.url}\n`);
