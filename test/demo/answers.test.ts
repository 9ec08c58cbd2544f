import { expect, it } from 'vitest';
import { scoreAnswers, totalScore } from '../../bench/engine/answers.js';
import { createEngine } from '../../src/index.js';

// The reference gives 1,009 exact answers; its goal is 1,004, and q8 may lie 10 below f32 (issue: the demo model).
it('the demo model answers as its float32 reference does', async () => {
  // Another suite runs beside it, on the machine's other core.
  await using engine = await createEngine({ threads: 1 });
  await using model = await engine.load('demo');
  const { right, total } = totalScore(await scoreAnswers(model));
  expect(total).toBe(1024);
  expect(right).toBeGreaterThanOrEqual(1004);
});
