import { parseArgs } from 'node:util';
import { ourLikelihood, peerLikelihood, toPerplexity } from './perplexity.js';
import { findSmolLm2 } from './smollm2.js';

// `node dist/bench/peers/llama-cpp/run.js [--python python3] [--model file.gguf] [--threads 2]`: perplexity of a text by
// both engines on the same file, as one JSON line. Needs an interpreter with llama-cpp-python 0.3.36 and numpy:
// python3 -m venv v && v/bin/pip install llama-cpp-python==0.3.36 numpy
const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    model: { type: 'string' },
    threads: { type: 'string', default: '2' },
  },
});
const root = process.cwd();
const threads = Number(values.threads);
const found = values.model === undefined ? await findSmolLm2(root) : { path: values.model };
if ('reason' in found) {
  process.stderr.write(`${found.reason}\n`);
  process.exitCode = 1;
} else {
  const peer = await peerLikelihood(values.python, found.path, root, threads);
  const ours = await ourLikelihood(found.path, root, { threads });
  const withFloatCache = await ourLikelihood(found.path, root, { threads, kvCache: 'f32' });
  const line = {
    model: found.path,
    tokens: ours.ids.length,
    sameIds: JSON.stringify(ours.ids) === JSON.stringify(peer.ids),
    perplexity: toPerplexity(ours),
    perplexityFloatCache: toPerplexity(withFloatCache),
    peerPerplexity: toPerplexity(peer),
    ratio: toPerplexity(ours) / toPerplexity(peer),
    node: process.version,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
