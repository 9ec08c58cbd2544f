import { describe, expect, it } from 'vitest';
import { joinNegatives } from '../../src/cli/parse-command.js';

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
