// The checkpoint of the demo model from the hub to a signed artifact.
import { demoRepository } from '../models/pull/support.js';
import { itGoesFromTheHubToASignature } from './hub-journey.js';

itGoesFromTheHubToASignature({
  repository: demoRepository('org/demo-chat'),
  weights: 'model.safetensors',
  drip: { bytes: 64_000, everyMs: 10 },
  kills: ['SIGKILL', 'SIGINT'],
  killAfterBytes: 1_200_000,
  // The file is one part, which a kill may have fetched twice, and Ctrl-C not (test/hub/faults.test.ts).
  wasteBytes: 5_322_016,
  listed: { quant: 'q8' },
  shown: ['apache-2.0'],
  question: 'What is 12 + 30?',
  maxTokens: 16,
  answer: /^42\n?$/,
});
