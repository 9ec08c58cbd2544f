import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { dim, understandsEscapes, toPrintable } from '../../src/cli/terminal.js';

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

describe('escape sequences', () => {
  it('go to terminals that are not dumb, each stream judged for itself', () => {
    expect(understandsEscapes({ env: { TERM: 'xterm' } }, screen)).toBe(true);
    expect(understandsEscapes({ env: {} }, screen)).toBe(true);
    expect(understandsEscapes({ env: { TERM: 'dumb' } }, screen)).toBe(false);
    expect(understandsEscapes({ env: { TERM: 'xterm' } }, pipe)).toBe(false);
  });

  it('make no text faint under NO_COLOR, unless that is empty', () => {
    expect(dim({ env: {} }, screen, 'a')).toBe('\x1b[2ma\x1b[22m');
    expect(dim({ env: { NO_COLOR: '' } }, screen, 'a')).toBe('\x1b[2ma\x1b[22m');
    expect(dim({ env: { NO_COLOR: '1' } }, screen, 'a')).toBe('a');
    expect(dim({ env: { TERM: 'dumb' } }, screen, 'a')).toBe('a');
    expect(dim({ env: {} }, pipe, 'a')).toBe('a');
  });
});
