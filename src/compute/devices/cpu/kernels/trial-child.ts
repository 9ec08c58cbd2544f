// The process in which kernel modules are tried: node trial-child.js '[["vnni","revectorized"], …]'. It writes each
// result as a line of JSON as soon as it is known. If the process dies, the first attempt without a line killed it. A
// line before them shows that its code was loaded.

import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import type { CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';
import { BEGUN } from './trial-begun.js';
import { tryModule } from './try-module.js';

const attempts = JSON.parse(argv[2] ?? '[]') as [KernelModule, CompileMode][];
writeSync(1, `${BEGUN}\n`);
for (const [name, mode] of attempts) {
  const reason = await tryModule(name, mode);
  writeSync(1, `${JSON.stringify({ name, mode, reason: reason ?? null })}\n`);
}
