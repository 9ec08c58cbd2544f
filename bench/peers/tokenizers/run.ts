import { compare, installPeers, vocabularies } from './compare.js';

// `node dist/bench/peers/tokenizers/run.js`: one JSON line for each vocabulary.
const peers = await installPeers(process.cwd());
if ('reason' in peers) {
  process.stderr.write(`${peers.reason}\n`);
  process.exitCode = 1;
} else {
  for (const vocabulary of vocabularies) {
    process.stdout.write(`${JSON.stringify(await compare(process.cwd(), peers.modules, vocabulary, 6000))}\n`);
  }
}
