// What a terminal showed, without what differs from one machine, or one day, to another: for sessions that are kept word for word.
import { join } from 'node:path';

export const ESCAPE = '\x1b';

/** Where a session is kept. `npx vitest run SUITE --update` records it anew, to be looked at. */
export function goldenSession(name: string): string {
  return join(process.cwd(), 'test/vectors/terminal', `${name}.txt`);
}

/** What was seen of a screen at its end, without where Node's readline put the cursor and the marks of pasted text. */
export function seenText(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // Status lines, each written over the one before and taken off at the end.
      .replaceAll(new RegExp(`\r${ESCAPE}\\[K[^\n]*\r${ESCAPE}\\[K`, 'g'), '')
      .replaceAll(new RegExp(`${ESCAPE}\\[(?:\\d*[GJ]|\\?2004[hl])`, 'g'), '')
  );
}

/** `text` without times, numbers of ports, paths of this machine, and status lines that were taken off again. */
export function settleSession(text: string, home: string): string {
  return (
    seenText(text)
      .replaceAll(home, '$HOME')
      .replaceAll(process.cwd(), '$PACKAGE')
      // Sentences with measured numbers, whose lengths say where they are broken.
      .replaceAll(/\d+ prompt \+ \d+ completion tokens,[^)]*?context\s\d+\sof\s\d+/g, (it) => it.replaceAll('\n', ' '))
      .replaceAll(/\S+ at [0-9a-f]{12}: [^[]*?of memory of [\d.]+\s\S+\shere/g, (it) => it.replaceAll('\n', ' '))
      .replaceAll(/(?:just now|\d+ [a-z]+ ago) */g, 'AGO  ')
      .replaceAll(/MODIFIED +/g, 'MODIFIED  ')
      .replaceAll(/^[\d.]+ [KMGT]iB of [\d.]+ [KMGT]iB free/gm, 'SIZE of SIZE free')
      // What is said every few seconds, in a pipe and in the log of a server.
      .replaceAll(/^(?:down|conv)\w+ing .*\n/gm, '')
      .replaceAll(/^.*(?:"phase":|pulling \S+ (?:download|convert),).*\n/gm, '')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
      .replaceAll(/^\d\d:\d\d:\d\d {2}/gm, 'HH:MM:SS  ')
      .replaceAll(/\b[\d.]+ m?s\b(?!;| the)/g, 'TIME')
      .replaceAll(/[\d.]+ tokens\/s/g, 'N tokens/s')
      .replaceAll(/"time":"[^"]+"/g, '"time":"TIME"')
      .replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"ID"')
      .replaceAll(/"(ms|memoryBytes)":[\d.]+/g, '"$1":N')
      .replaceAll(/about [\d.]+ [KMG]iB/g, 'about SIZE')
      .replaceAll(/[\d.]+ [KMGT]iB(?=\s(?:free|here)\b)/g, 'SIZE')
  );
}

/** The line that was typed. */
export function shownCommand(line: readonly string[], home: string): string {
  return `$ native-engine ${settleSession(line.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' '), home)}\n`;
}
