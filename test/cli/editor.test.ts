import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openEditor } from '../../src/bin/native-engine/repl/editor.js';

/** An editor between two streams, and what it draws. */
function openHere(columns: number) {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const window = Object.assign(new PassThrough(), { isTTY: true, columns });
  let drawn = '';
  window.on('data', (piece: Buffer) => (drawn += piece.toString()));
  const editor = openEditor({
    stdin: keyboard,
    screen: window,
    complete: () => ['/one', '/other'],
  });
  return {
    editor,
    /** Types, and gives what was drawn since the last time. */
    async type(keys: string): Promise<string> {
      drawn = '';
      keyboard.write(keys);
      await new Promise(setImmediate);
      return drawn;
    },
    async resize(to: number): Promise<string> {
      drawn = '';
      window.columns = to;
      window.emit('resize');
      await new Promise(setImmediate);
      return drawn;
    },
  };
}

describe('the editor of the REPL', () => {
  it('goes no further up than the line reaches when the window grows, so that nothing above it is erased', async () => {
    const { editor, type, resize } = openHere(20);
    const next = editor.next('>>> ', []);
    await type('a line that has three rows in twenty columns');
    const drawn = await resize(30);
    expect(drawn).toContain('a line that');
    expect(drawn).toContain('\x1b[1A');
    expect(await resize(80)).not.toContain('A');
    expect(await resize(20)).not.toContain('A');
    await type('\r');
    expect(await next).toEqual({ type: 'line', text: 'a line that has three rows in twenty columns' });
    editor.close();
  });

  it('draws nothing between two messages, whatever is typed or becomes of the window', async () => {
    const { editor, type, resize } = openHere(40);
    const first = editor.next('>>> ', []);
    await type('one\r');
    expect(await first).toEqual({ type: 'line', text: 'one' });
    expect(await type('two\rthr')).toBe('');
    expect(await resize(80)).toBe('');
    expect(await editor.next('>>> ', ['one'])).toEqual({ type: 'line', text: 'two' });
    const third = editor.next('>>> ', ['two', 'one']);
    await type('ee\r');
    expect(await third).toEqual({ type: 'line', text: 'three' });
    editor.close();
  });

  it.each([
    ['with carriage returns', 'a\rb\rc'],
    ['with line feeds', 'a\nb\nc'],
    ['with both', 'a\r\nb\r\nc'],
    ['with an escape sequence', 'a\n\x1b[31mb\x1b[0m\nc'],
  ])('takes a paste %s as one text, which goes on where the cursor was', async (_, pasted) => {
    const { editor, type } = openHere(40);
    const next = editor.next('>>> ', []);
    await type('<>\x1b[D');
    const [begin, end] = [`\x1b[200~${pasted.slice(0, 2)}`, `${pasted.slice(2)}\x1b[201~`];
    await type(begin);
    await type(end);
    await type('!\r');
    expect(await next).toEqual({ type: 'line', text: '<a\nb\nc!>' });
    editor.close();
  });

  it('takes a carriage return and a line feed for one end, and brings back a message of several lines', async () => {
    const { editor, type } = openHere(40);
    const first = editor.next('>>> ', []);
    await type('one\r\n');
    expect(await first).toEqual({ type: 'line', text: 'one' });
    const second = editor.next('>>> ', ['x\ny\nz', 'one']);
    await type('\x1b[A!\r');
    expect(await second).toEqual({ type: 'line', text: 'x\ny\nz!' });
    editor.close();
  });

  it('throws a line away at Ctrl-C, tells one on an empty line, and ends at Ctrl-D', async () => {
    const { editor, type } = openHere(40);
    const next = editor.next('>>> ', []);
    expect(await type('abc\x03')).toContain('^C');
    await type('\x03');
    expect(await next).toEqual({ type: 'interrupt' });
    const last = editor.next('>>> ', []);
    await type('\x04');
    expect(await last).toEqual({ type: 'end' });
    editor.close();
  });

  it('completes what begins with a slash, at once', async () => {
    const { editor, type } = openHere(40);
    const next = editor.next('>>> ', []);
    expect(await type('/o\t')).toContain('/one /other');
    await type('t\t\r');
    expect(await next).toEqual({ type: 'line', text: '/other' });
    editor.close();
  });
});
