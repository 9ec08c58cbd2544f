import { createRequire } from 'node:module';
import type * as Clipanion from 'clipanion';
import { describe, expect, it } from 'vitest';
import { hostedApi } from '../../src/bin/hosted-api/product.js';
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import { privateGateway } from '../../src/bin/private-gateway/product.js';
import { signArtifactProduct } from '../../src/bin/sign-artifact/product.js';
import type { CliContext } from '../../src/cli/context.js';
import { readCommandHelp, spellings } from '../../src/cli/help/command-help.js';
import { joinNegatives, parseCommand } from '../../src/cli/parse-command.js';
import { runInProcess } from './run-in-process.js';

const { Cli } = createRequire(import.meta.url)('clipanion') as typeof Clipanion;
const products = [nativeEngine, privateGateway, hostedApi, signArtifactProduct];
const loading = products.flatMap((product) =>
  Object.entries(product.commands).map(async ([name, load]) => {
    const command = await load();
    const cli = Cli.from<CliContext>([command], { binaryName: product.binary });
    return [`${product.binary} ${name}`, cli, readCommandHelp(cli, name, command)] as const;
  }),
);
const commands = await Promise.all(loading);

describe('a number below zero', () => {
  it('is the value of the option before it', () => {
    const argv = ['run', 'demo', '--seed', '-1', '--min-p', '-.5', '--top-k=3', 'hi'];
    expect(joinNegatives(argv)).toEqual(['run', 'demo', '--seed=-1', '--min-p=-.5', '--top-k=3', 'hi']);
  });

  it('is left alone where no option stands before it, and after --', () => {
    for (const argv of [
      ['run', 'demo', '-5'],
      ['run', '--', '--seed', '-1'],
      ['run', '--system', '-x'],
    ]) {
      expect(joinNegatives(argv)).toEqual(argv);
    }
  });
});

describe('a command line that lacks something', () => {
  it.each(commands)('%s says of each option that takes a value that it has none', (_, cli, help) => {
    for (const option of help.options.filter(({ value }) => value !== undefined)) {
      for (const flag of spellings(option)) {
        const line = [...help.name.split(' '), flag];
        const mistake = `${help.name}: ${flag} needs a value: ${flag} ${option.value} (${option.help.description})`;
        expect(() => parseCommand(cli, line, line, help, Object({}) as CliContext)).toThrow(mistake);
      }
    }
  });

  it.each([
    { product: hostedApi, line: 'accounts credit --amount 5 --reference x', says: '<ACCOUNT> is missing.' },
    { product: hostedApi, line: 'accounts credit acc --amount -5', says: '--reference is missing.' },
    {
      product: hostedApi,
      line: 'accounts credit acc --amount=5 --reference -x',
      says: /^--reference needs .*; .* is written --reference=-x\.$/,
    },
    {
      product: hostedApi,
      line: 'accounts credit acc more --amount=5 --reference=x',
      says: '"more" is one argument too many.',
    },
    { product: hostedApi, line: 'audit list --json=yes', says: '--json takes no value.' },
    { product: hostedApi, line: 'requests list --limit --json', says: '--limit needs a value: --limit N (how many).' },
    { product: hostedApi, line: 'requests list --limit -- 5', says: '--limit needs a value: --limit N (how many).' },
    { product: privateGateway, line: 'keys rotate --config x', says: '<KEY> is missing.' },
    { product: nativeEngine, line: 'cp --models-dir x -- demo', says: '<name> is missing.' },
    { product: nativeEngine, line: 'rm --models-dir x', says: '<model> is missing.' },
  ])('$product.binary $line', async ({ product, line, says }) => {
    const { status, stderr } = await runInProcess(line.split(' '), { product });
    const [, mistake] =
      /^error: [a-z ]+: (.*) Usage: [a-z-]+ [a-z ]+ \[options\].*\ncode: invalid_arguments\n$/.exec(stderr) ?? [];
    expect(status).toBe(2);
    expect(mistake).toMatch(says);
  });
});
