import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { completeAtCursor, insertText, limitRows, moveToEnd, toPlainText } from './line-edit.js';
import type { LineReader, Typed } from './reader.js';
import { systemClock, type Clock } from '../../../base/index.js';

/** Bracketed paste: the terminal marks where pasted text begins and ends. Source: xterm, mode 2004. */
const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
/** Presses that are kept during an answer: more than anybody types ahead. A paste is one. */
const MAX_AHEAD = 4096;

/** A terminal's keys. */
interface Keyboard extends NodeJS.ReadableStream {
  setRawMode(mode: boolean): unknown;
}

/** A terminal's window. */
interface Screen extends NodeJS.WritableStream {
  readonly columns: number;
}

/** Keys that a terminal in its own mode makes signals of. */
const signals: ReadonlyMap<string, 'SIGINT' | 'SIGTSTP' | 'SIGQUIT'> = new Map(
  process.platform === 'win32'
    ? [['\x03', 'SIGINT']]
    : [
        ['\x03', 'SIGINT'],
        ['\x1a', 'SIGTSTP'],
        ['\x1c', 'SIGQUIT'],
      ],
);

/** A message that is being typed. */
interface Editing {
  readonly lines: Interface;
  press(press: Press): void;
  finish(typed: Typed): void;
}

/**
 * Lines with editing, history, completion and pastes of several lines. Node's readline edits, one instance for each
 * message: nothing is drawn between two messages, so a resize during an answer leaves the answer alone, and what was
 * typed ahead waits for its prompt. Keys reach it through us, so that a pasted line break is text and not the end.
 */
export function openEditor(options: {
  readonly stdin: Keyboard;
  readonly screen: Screen;
  readonly complete: (line: string) => readonly string[];
}): LineReader {
  const { stdin, screen } = options;
  let ahead: Press[] = [];
  let editing: Editing | undefined;
  let [isAnswering, ended] = [false, false];

  const pump = (): void => {
    while (editing !== undefined) {
      const press = ahead.shift();
      if (press === undefined) break;
      editing.press(press);
    }
    if (ended) editing?.finish({ type: 'end' });
  };
  /** During an answer: what the terminal would make of keys if it were not in raw mode. */
  const raiseSignal = (): void => {
    const at = ahead.findLastIndex(({ key }) => signals.has(key.sequence ?? ''));
    const name = signals.get(ahead[at]?.key.sequence ?? '');
    if (name === undefined) return;
    // What was typed before it is thrown away, as the terminal does it.
    ahead = ahead.slice(at + 1);
    if (name === 'SIGTSTP') suspend(stdin, screen, () => undefined);
    else if (name === 'SIGINT') {
      screen.write('^C');
      process.emit(name, name);
    } else {
      stdin.setRawMode(false);
      process.kill(process.pid, name);
    }
  };
  const onKeypress = collectPastes((press) => {
    if (ahead.length < MAX_AHEAD || signals.has(press.key.sequence ?? '')) ahead.push(press);
    if (isAnswering) raiseSignal();
    else pump();
  });
  const onEnd = (): void => {
    ended = true;
    pump();
  };
  const onResize = (): void => {
    if (editing !== undefined) limitRows(editing.lines);
  };
  // A second Ctrl-C ends the process in the midst of an answer: what comes next has a line of its own.
  const onExit = (): void => void screen.write(isAnswering ? `\n${PASTE_OFF}` : PASTE_OFF);
  emitKeypressEvents(stdin);
  stdin.on('keypress', onKeypress);
  stdin.on('end', onEnd);
  stdin.on('error', onEnd);
  // Before readline's own listener, which draws.
  screen.on('resize', onResize);
  process.once('exit', onExit);
  screen.write(PASTE_ON);
  // Raw during answers too: otherwise the terminal would show what is typed in the midst of them.
  stdin.setRawMode(true);
  stdin.resume();

  return {
    next: (prompt, history) =>
      new Promise<Typed>((resolve) => {
        const start = (): void => {
          editing = edit({ ...options, prompt, history, resolve: end, discard: start });
        };
        const end = (text: Typed): void => {
          editing = undefined;
          resolve(text);
        };
        start();
        pump();
      }),
    async during(work) {
      isAnswering = true;
      try {
        const done = work();
        // One that was typed before the answer had begun.
        raiseSignal();
        return await done;
      } finally {
        isAnswering = false;
      }
    },
    close() {
      stdin.off('keypress', onKeypress);
      stdin.off('end', onEnd);
      stdin.off('error', onEnd);
      screen.off('resize', onResize);
      process.off('exit', onExit);
      screen.write(PASTE_OFF);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** One message. `resolve` gets it; `discard` begins anew after Ctrl-C threw the text away, as a shell does. */
function edit(options: {
  readonly stdin: Keyboard;
  readonly screen: Screen;
  readonly complete: (line: string) => readonly string[];
  readonly prompt: string;
  readonly history: readonly string[];
  readonly resolve: (typed: Typed) => void;
  readonly discard: () => void;
}): Editing {
  const { stdin, screen, complete, prompt, history, resolve, discard } = options;
  const keys = new PassThrough();
  const lines = createInterface({
    input: keys,
    output: screen,
    terminal: true,
    history: [...history],
    historySize: history.length + 1,
    prompt,
  });
  let isOpen = true;
  const leave = (): void => {
    isOpen = false;
    lines.close();
  };
  const finish = (typed: Typed): void => {
    if (!isOpen) return;
    leave();
    resolve(typed);
  };
  // Ctrl-D closes; what comes next, such as a shell's prompt, has a line of its own.
  lines.on('close', () => {
    if (isOpen) screen.write('\n');
    finish({ type: 'end' });
  });
  lines.on('SIGINT', () => {
    if (lines.line === '') finish({ type: 'interrupt' });
    else {
      moveToEnd(lines);
      screen.write('^C\n');
      leave();
      discard();
    }
  });
  lines.on('SIGTSTP', () =>
    suspend(stdin, screen, () => {
      Object.assign(lines, { prevRows: 0 });
      lines.prompt(true);
    }),
  );
  lines.prompt();
  return {
    lines,
    finish,
    press({ text, key }) {
      // Not readline's own event: of a message of several lines, newer versions of Node give them there in reverse.
      if (isEnter(key)) {
        const message = lines.line;
        if (lines.cursor < message.length) moveToEnd(lines);
        screen.write('\n');
        finish({ type: 'line', text: message });
      } else if (key.name === 'paste') insertText(lines, text ?? '');
      else if (key.name === 'tab' && lines.line.startsWith('/')) completeAtCursor(lines, complete(lines.line), screen);
      else keys.emit('keypress', text, key);
    },
  };
}

function isEnter({ name, ctrl, meta }: Key): boolean {
  return (name === 'return' || name === 'enter') && ctrl !== true && meta !== true;
}

/** Ctrl-Z: the terminal goes back to the shell as it was, and is ours again when that lets us go on. */
function suspend(stdin: Keyboard, screen: Screen, onContinued: () => void): void {
  screen.write(PASTE_OFF);
  stdin.setRawMode(false);
  process.once('SIGCONT', () => {
    stdin.setRawMode(true);
    screen.write(PASTE_ON);
    onContinued();
  });
  process.kill(process.pid, 'SIGTSTP');
}

/** A line feed so soon after a carriage return belongs to it. */
const PAIR_MS = 100;

/** One key, or one character of a paste, as Node's decoder gives it. */
interface Press {
  readonly text: string | undefined;
  readonly key: Key;
}

/** Puts the characters of a paste together into one press, also of one during an answer. */
function collectPastes(
  take: (press: Press) => void,
  clock: Clock = systemClock,
): (text: string | undefined, key: Key) => void {
  let pasted: string[] | undefined;
  let returnedAt = Number.NEGATIVE_INFINITY;
  return (text, key) => {
    if (key.name === 'paste-start') pasted = [];
    else if (key.name === 'paste-end') {
      take({ text: toPlainText(pasted?.join('') ?? ''), key: { name: 'paste' } });
      pasted = undefined;
    } else if (pasted !== undefined) {
      const piece = key.sequence ?? text ?? '';
      // An escape sequence comes as one key: without its first character the rest of it would stay as text.
      if (!piece.startsWith('\x1b')) pasted.push(piece);
    } else {
      const isPair = key.sequence === '\n' && clock.nowMs() - returnedAt < PAIR_MS;
      returnedAt = key.sequence === '\r' ? clock.nowMs() : Number.NEGATIVE_INFINITY;
      if (!isPair) take({ text, key });
    }
  };
}
