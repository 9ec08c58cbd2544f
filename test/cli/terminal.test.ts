import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { toPrintable } from '../../src/cli/terminal.js';

const screen = Object.assign(new PassThrough(), { isTTY: true });
const pipe = Object.assign(new PassThrough(), { isTTY: false });

describe('text of a model', () => {
  it('cannot steer a terminal: control characters are dropped, line breaks and tabs stay', () => {
    expect(toPrintable(screen, 'a\x1b]0;title\x07b\r\nc\td\x9b2Jé😀')).toBe('a]0;titleb\nc\td2Jé😀');
  });

  it('reaches a file as it is', () => {
    expect(toPrintable(pipe, 'a\x1b[2Jb')).toBe('a\x1b[2Jb');
  });
});
