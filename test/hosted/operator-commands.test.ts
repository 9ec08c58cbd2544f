// What an operator asks a node that runs by the commands of hosted-api. Programs are started where their process matters:
// exit status, pipes, files. Every other command line runs in this process, and asks the node over its socket too.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostedApi } from '../../src/bin/hosted-api/product.js';
import { runInProcess, type Printed } from '../cli/run-in-process.js';
import { entryOf, runCli, type Ended } from '../e2e/processes.js';
import { completion, startRuntime, whole, type TestRuntime } from '../gateway/serving/runtime.js';
import { chat, providerAt, startHosted, type Payer, type StartedHosted } from './serving/start-hosted.js';

let runtime: TestRuntime;
let node: StartedHosted;
let [ann, bob]: readonly Payer[] = [];
let config = '';

beforeAll(async () => {
  runtime = await startRuntime(
    ({ body }, socket) =>
      void socket.write(
        body.includes('fail') ? whole('{"error":{"message":"no"}}', 400) : whole(completion(1_200, 34)),
      ),
  );
  node = await startHosted({ providers: [providerAt(runtime.url)] });
  config = join(node.home, 'hosted.yaml');
  await node.price();
  ann = await node.payer(10);
  bob = await node.payer(5, { requestsPerMinute: 60 });
  for (let i = 0; i < 2; i++) expect((await chat(node, ann)).status).toBe(200);
  expect((await chat(node, bob)).status).toBe(200);
  expect((await chat(node, bob, { user: 'fail' })).status).toBe(400);
  // The last piece of an answer waits for its settlement.
  await node.billing.accounts.credit(
    bob.account.id,
    { amountMicro: -2_000_000n, reference: 'back', note: 'refund' },
    'test',
  );
  // The sums of days.
  await node.billing.tick();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await runtime[Symbol.asyncDispose]();
});

const withConfig = (line: string): readonly string[] => [...line.split(' '), '--config', config];
/** A command line in this process. */
const run = (line: string): Promise<Printed> => runInProcess(withConfig(line), { product: hostedApi });
/** A program of its own. */
const start = (line: string): Promise<Ended> =>
  runCli(withConfig(line), node.home, '', { entry: entryOf('hosted-api'), cwd: node.home });
const jsonOf = async (line: string): Promise<Readonly<Record<string, unknown>>> => {
  const { status, stdout, stderr } = await run(`${line} --json`);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const idOf = (payer: Payer | undefined): string => payer?.account.id ?? '';

describe('hosted-api', () => {
  it('requests list shows requests with names and costs, a table, CSV or JSON, by account, key and outcome', async () => {
    const { code, stdout, stderr } = await start('requests list');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^TIME +STATUS +ACCOUNT +KEY +MODEL +.* +COST +DURATION$/);
    expect(lines.filter((line) => line.includes(' payer 1 '))).toHaveLength(2);
    expect(stdout).toMatch(/ 200 +payer 2 +a key +up\/demo +1,200 \/ 34 +0\.001268 USD +[\d,]+ ms\n/);
    expect(stdout).toMatch(/ 400 +payer 2 +a key +up\/demo .* 0\.00 USD /);

    const failed = await jsonOf('requests --failed');
    expect(failed).toMatchObject({ requests: [{ account_name: 'payer 2', status: 400, cost: '0.00' }] });
    expect(await jsonOf(`requests --key ${ann?.key.id} --limit 1`)).toMatchObject({
      requests: [{ key_id: ann?.key.id }],
    });
    const csv = await run(`requests --account ${idOf(ann)} --csv`);
    expect(csv.stdout.split('\r\n')[0]).toBe(
      'time,request_id,account_id,account_name,key_id,key_name,provider,model,status,state,prompt_tokens,cached_tokens,' +
        'cache_write_tokens,completion_tokens,reasoning_tokens,estimated,cost,currency,first_byte_ms,duration_ms',
    );
    expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(3);
    expect((await run('requests --model other')).stdout).toBe('There is no request.\n');
  });

  it('health shows the node, and says by its exit status that none runs', async () => {
    const { status, stdout } = await run('health');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Up for +\d+ s\nDatabase +answers\n[^]*hosted\.yaml +in use\n[^]*UPSTREAM[^]*\nup +0 +0 +closed/,
    );
    expect(await jsonOf('health')).toMatchObject({ node: { database_ready: true, providers: 1 } });
    const other = join(node.home, 'other.yaml');
    const file = { listen: { port: 0 }, data_dir: './other', secret: { file: './other-secret' } };
    writeFileSync(other, JSON.stringify(file));
    writeFileSync(join(node.home, 'other-secret'), `${'5'.repeat(64)}\n`, { mode: 0o600 });
    const none = await runInProcess(['health', '--config', other], { product: hostedApi });
    expect([none.status, none.stderr]).toEqual([1, '']);
    expect(none.stdout).toMatch(/^No node runs on this machine\. /);
  });

  it('audit list, export and verify have each change as a sentence, and the copy has a checksum', async () => {
    await jsonOf(`keys disable ${bob?.key.id}`);
    await jsonOf(`keys enable ${bob?.key.id}`);
    const listed = await run('audit list --action key. --limit 2');
    expect(listed.stdout).toMatch(
      / disabled key a key of account payer 2\.[^]* enabled key a key of account payer 2\.\n$/,
    );
    expect((await run('audit list --outcome failed')).stdout).toBe('There is no entry.\n');
    const { code, stdout, stderr } = await start('audit export');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    const body = lines.slice(0, -1).map((line) => `${line}\n`);
    const sha256 = createHash('sha256').update(body.join('')).digest('hex');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ entries: body.length, sha256 });
    expect(body.at(-1)).toContain('exported the audit log');
    expect((await run('audit export --csv')).stdout).toMatch(/^seq,time,sentence,actor,/);
    const checked = await run('audit verify');
    expect(checked.status).toBe(0);
    expect(checked.stdout).toMatch(new RegExp(`\\b${body.length + 1}\\b`));
  });

  it('accounts statement has payments and refunds, and both balances add up', async () => {
    const { stdout, status } = await run(`accounts statement ${idOf(bob)}`);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Payments +5\.00 USD\n.*Refunds +-2\.00 USD\n.*Usage +-0\.001268 USD\n.* +2\.998732 USD\n/);
    expect(stdout).toMatch(/ refund +-2\.00 USD +back +refund\n/);
    const csv = await run(`accounts statement ${idOf(bob)} --csv`);
    expect(csv.stdout.split('\r\n')[0]).toBe('created_at,kind,amount,currency,reference,note,id');
    const { payments } = await jsonOf(`accounts statement ${idOf(bob)} --from 2020-01-01 --to 2020-02-01`);
    expect(payments).toEqual([]);
    const wrong = await run(`accounts statement ${idOf(bob)} --from 2026-02-30`);
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(/from.*2026-02-30.*\ncode: invalid_option\n$/);
  });

  it('keys rotate prints the new secret once, and the one before ends with the grace', async () => {
    const ask = async (secret: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${node.port}/v1/balance`, { headers: { authorization: `Bearer ${secret}` } }))
        .status;
    const first = await start(`keys rotate ${ann?.key.id} --grace 1h`);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const [, second = ''] = /^(hak_\w+)\n\nThis is the key a key \(/.exec(first.stdout) ?? [];
    expect(first.stdout).toMatch(/The previous secret works until 20[^\n]+\.\n$/);
    expect(await Promise.all([ann?.secret ?? '', second].map(ask))).toEqual([200, 200]);
    const last = await run(`keys rotate ${ann?.key.id} --grace 0s`);
    expect(last.stdout).toMatch(/Every older secret of it has ended\.\n$/);
    const third = last.stdout.split('\n', 1)[0] ?? '';
    expect(await Promise.all([ann?.secret ?? '', second, third].map(ask))).toEqual([401, 401, 200]);
  });

  it('ledger export writes a file, refuses one that is there, adds to it or writes it anew, and touches no other', async () => {
    const out = join(node.home, 'ledger.ndjson');
    const groups = (): number => readFileSync(out, 'utf8').trimEnd().split('\n').length;
    const first = await start(`ledger export --out ${out}`);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const count = groups();
    expect(first.stdout).toContain(`${count}`);
    const before = readFileSync(out);
    const again = await start(`ledger export --out ${out}`);
    expect([again.code, again.stdout]).toEqual([2, '']);
    expect(again.stderr).toMatch(
      new RegExp(
        `exists already, with ${count} groups of the ledger from 20.* to 20.* Nothing was written\\. .*--append.*--replace.*\\ncode: ledger_file_exists\\n$`,
      ),
    );
    expect(readFileSync(out)).toEqual(before);
    await jsonOf(`accounts credit ${idOf(ann)} --amount 1 --reference more`);
    expect(await jsonOf(`ledger export --out ${out} --append`)).toMatchObject({ groups: 1, kept: count });
    expect(readFileSync(out, 'utf8').startsWith(before.toString())).toBe(true);
    expect(await jsonOf(`ledger export --out ${out} --replace`)).toMatchObject({
      groups: count + 1,
      replaced: count + 1,
    });
    const foreign = join(node.home, 'notes.txt');
    writeFileSync(foreign, 'notes\n');
    for (const how of ['', ' --append', ' --replace']) {
      const { status, stderr } = await run(`ledger export --out ${foreign}${how}`);
      expect([status, /\ncode: (\w+)\n$/.exec(stderr)?.[1]]).toEqual([2, 'ledger_file_foreign']);
    }
    expect(readFileSync(foreign, 'utf8')).toBe('notes\n');
    expect(await jsonOf('ledger verify')).toMatchObject({ ok: true, groups: count + 1 });
  });

  it.each([
    ['requests list --limit 0', 'invalid_option', '--limit'],
    ['requests --from yesterday', 'invalid_option', '--from'],
    ['usage --from 2027-01-02 --to 2027-01-01', 'invalid_option', 'not before --to'],
    ['requests --json --csv', 'invalid_option', '--json and --csv'],
    ['requests --account acc_no', 'account_unknown', 'acc_no'],
    ['requests --cursor x', 'unknown_option', '--cursor'],
    ['usage --account acc_no', 'account_unknown', 'acc_no'],
    ['audit list --outcome maybe', 'invalid_value', 'outcome'],
    ['audit list --limit 1001', 'invalid_option', '1000'],
    ['audit export --to 2026-13-01', 'invalid_option', '--to'],
    ['accounts statement acc_no', 'account_unknown', 'acc_no'],
    ['keys rotate hk_no', 'account_key_unknown', 'hk_no'],
    ['keys rotate hk_no --grace 31d', 'invalid_option', '--grace'],
    ['keys rotate hk_no --grace soon', 'invalid_option', '--grace'],
    ['ledger export --out x --append --replace', 'invalid_option', '--append and --replace'],
    ['ledger export --out /nowhere/x', 'path_invalid', '/nowhere/x'],
    ['health extra', 'invalid_arguments', '"extra" is one argument too many'],
  ])('%s is refused by %s, which says what is wrong', async (line, code, says) => {
    const { status, stdout, stderr } = await run(line);
    expect([stdout, /\ncode: (\w+)\n$/.exec(stderr)?.[1]]).toEqual(['', code]);
    expect(stderr).toContain(says);
    expect(status).toBeGreaterThan(0);
  });
});
