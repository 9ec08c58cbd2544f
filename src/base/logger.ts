// The log of a program: lines for its operator. Entries are flat and small, so that no request, prompt or answer gets
// into them. Values with the name of a secret are left out.

import type { Clock } from './clock.js';

/** Severity of an entry, the least first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One event: its name, and its values, as in a JSON line. Undefined values are left out. */
export interface LogEntry {
  readonly event: string;
  readonly [name: string]: string | number | boolean | null | undefined | readonly string[];
}

/** Takes entries. Never throws because of an entry's content. */
export interface Logger {
  /** Writes `entry` unless its level is below the logger's. */
  log(level: LogLevel, entry: LogEntry): void;
}

/** Options of a logger. */
export interface LoggerOptions {
  /** Takes one line, without its end. */
  readonly sink: (line: string) => void;
  readonly clock: Clock;
  /** Entries below it are dropped; default `info`. */
  readonly least?: LogLevel;
  /** `json`: one object a line, time first. `text`: time, level, event, then name=value. Default `json`. */
  readonly format?: 'json' | 'text';
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** Names of values that no log shows; a count such as prompt_tokens may be shown. */
const SECRET = /(?:^|[_-])(?:authorization|cookie|password|secret|api_?key|key|prompt|messages|content)$/i;

/** A logger that passes lines to `sink`. */
export function createLogger({ sink, clock, least = 'info', format = 'json' }: LoggerOptions): Logger {
  const toLine = format === 'json' ? toJsonLine : toTextLine;
  return {
    log(level, entry) {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      sink(toLine(new Date(clock.unixSeconds() * 1000).toISOString(), level, withoutSecrets(entry)));
    },
  };
}

/** A line for programs. It has no level: the event's name is enough. */
function toJsonLine(time: string, _: LogLevel, entry: LogEntry): string {
  return JSON.stringify({ time, ...entry });
}

/** A line for people; a text with blanks, quotes or line breaks is quoted as in JSON. */
function toTextLine(time: string, level: LogLevel, { event, ...rest }: LogEntry): string {
  const parts = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${show(value)}`],
  );
  return [time, level.toUpperCase(), event, ...parts].join(' ');
}

function show(value: NonNullable<LogEntry[string]> | null): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function withoutSecrets(entry: LogEntry): LogEntry {
  if (!Object.keys(entry).some((name) => SECRET.test(name))) return entry;
  const shown = Object.entries(entry).map(([name, value]) => [name, SECRET.test(name) ? '[left out]' : value]);
  return { event: entry.event, ...Object.fromEntries(shown) };
}
