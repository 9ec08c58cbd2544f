// count.mjs REPORT NAME FAILURES: prints `passed failed skipped` of a vitest JSON report and appends the names of
// what failed, with the first line of why, to the file FAILURES. Exit status 1 when the report is missing or no test ran.
import { appendFileSync, readFileSync } from 'node:fs';

const firstLine = (text) => String(text).split('\n', 1)[0].slice(0, 300);
const [report, name, failures] = process.argv.slice(2);
const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const file of testResults) {
  for (const test of file.assertionResults) {
    // `pending` has begun and not ended: the process of its file is gone.
    const isLost = test.status === 'pending';
    const outcome = isLost || test.status === 'failed' ? 'failed' : test.status === 'passed' ? 'passed' : 'skipped';
    counts[outcome]++;
    const reason = isLost
      ? `did not end; the process that ran ${file.name} is gone`
      : firstLine(test.failureMessages[0]);
    if (outcome === 'failed') appendFileSync(failures, `${name}: ${test.fullName}: ${reason}\n`);
  }
  // A file that could not be loaded has no tests of its own to count.
  if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) {
    counts.failed++;
    appendFileSync(failures, `${name}: ${file.name}: ${firstLine(file.message)}\n`);
  }
}
console.log(`${counts.passed} ${counts.failed} ${counts.skipped}`);
process.exitCode = counts.passed + counts.failed > 0 ? 0 : 1;
