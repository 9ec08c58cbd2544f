// From nothing to the first answer: the real engine, `init`, `serve`, and the curl line as it was printed.
import { spawnSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../docs/installed-app.js';
import { ended, startCli } from '../e2e/processes.js';
import { startServing, type Serving } from '../server/serving.js';
import { createFolder, ENTRY, scanArgs } from './gateway-processes.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)('the first answer (skipped without curl)', () => {
  const folder = createFolder();
  let engine: Serving | undefined;
  beforeAll(async () => void (engine = await startServing()));
  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    folder.remove();
  });

  it('comes through the file that init wrote, by the line that it printed', async () => {
    // Not the default address, which another process may have.
    const port = await freePort(0);
    writeFileSync(join(folder.path, 'g.yaml'), `gateway_id: gw_test\nlisten: 127.0.0.1:${port}\n`);
    const made = await folder.run(
      'init',
      '-config',
      'g.yaml',
      '--force',
      '--yes',
      ...scanArgs([engine?.server.port ?? 0]),
    );
    expect(made.code).toBe(0);
    const [, serveLine = ''] = /^ {2}private-gateway (serve .*)$/m.exec(made.stdout) ?? [];
    const [, curlLine = ''] = /^ {2}(curl .*)$/m.exec(made.stdout) ?? [];
    const gateway = startCli(serveLine.split(' '), folder.path, { entry: ENTRY, cwd: folder.path });
    try {
      let said = '';
      gateway.stdout?.on('data', (piece) => (said += String(piece)));
      while (!said.includes('listening on')) {
        await Promise.race([once(gateway.stdout ?? gateway, 'data'), once(gateway, 'close')]);
        if (gateway.exitCode !== null) throw new Error('the gateway ended');
      }
      const curl = spawn('sh', ['-c', curlLine], { stdio: ['ignore', 'pipe', 'ignore'] });
      let answer = '';
      curl.stdout.on('data', (piece) => (answer += String(piece)));
      expect(await ended(curl)).toBe(0);
      expect(JSON.parse(answer)).toMatchObject({
        object: 'chat.completion',
        model: 'demo',
        choices: [{ message: { role: 'assistant', content: expect.any(String) } }],
      });
    } finally {
      gateway.kill('SIGTERM');
      await ended(gateway);
    }
  });
});
