import { MAX_STOP_LENGTH, MAX_STOPS } from '../../../api/index.js';
import { AppError, suggestion } from '../../../base/index.js';
import { parseNumber, parseSeed, ranges } from '../../../cli/index.js';
import { samplingOptions } from '../options/sampling-options.js';
import type { Model } from '../../../index.js';
import type { AnswerSettings } from '../options/settings.js';
import type { ReplSession } from './session.js';

/** A number of `/set`. */
interface SessionNumber {
  /** Sets it. Errors: `invalid_option`. */
  readonly set: (settings: AnswerSettings, text: string) => number | bigint;
  readonly get: (settings: AnswerSettings) => number | bigint | undefined;
  /** What holds while it is not set. */
  readonly absent: (model: Model) => string;
}

/** The numbers of `/set` by their names, with the ranges of the options. */
const numbers: Readonly<Record<string, SessionNumber>> = {
  ...Object.fromEntries(
    samplingOptions.map(({ name, range, absent }): [string, SessionNumber] => [
      name,
      {
        set: ({ sampling }, text) => (sampling[name] = parseNumber(name, text, range)),
        get: ({ sampling }) => sampling[name],
        absent: ({ generation }) => absent(generation),
      },
    ]),
  ),
  seed: {
    set: (settings, text) => (settings.seed = parseSeed('seed', text)),
    get: (settings) => settings.seed,
    absent: () => 'random',
  },
  max_tokens: {
    set: (settings, text) => (settings.maxTokens = parseNumber('max_tokens', text, ranges.maxTokens)),
    get: (settings) => settings.maxTokens,
    absent: () => 'up to the context',
  },
};

/** Words that `/set` takes instead of a name and a value, with what they change and say. */
const switches: Readonly<Record<string, (session: ReplSession) => string>> = {
  verbose(session) {
    session.settings.verbose = true;
    return 'verbose is on: reasoning, and tokens/s after each answer';
  },
  quiet(session) {
    session.settings.verbose = false;
    return 'verbose is off';
  },
  nohistory(session) {
    session.history.off();
    return 'later input is not written to the history file';
  },
};

/** What `/set` can set, for help and suggestions. */
export const parameterNames: readonly string[] = [...Object.keys(numbers), 'stop', 'system', ...Object.keys(switches)];

/** Names of `/set` as Tab completes them: those that take a value with a space behind. */
export const parameterCompletions: readonly string[] = parameterNames.map((name) =>
  Object.hasOwn(switches, name) ? name : `${name} `,
);

/** `/set temperature 0.2`, `/set system …`, `/set nohistory`. Throws `invalid_option`. */
export function setParameter(session: ReplSession, argument: string): string {
  const [, typed = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  const name = typed.replaceAll('-', '_');
  const number = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  if (number !== undefined) return `${name} is ${number.set(session.settings, value)}`;
  if (name === 'stop') return setStops(session, value);
  if (name === 'system') return setSystem(session, value);
  const flip = Object.hasOwn(switches, name) ? switches[name] : undefined;
  if (flip === undefined) {
    const message =
      typed === ''
        ? `/set needs a name and a value. It knows ${parameterNames.join(', ')}.`
        : `/set knows ${parameterNames.join(', ')}, but not ${JSON.stringify(typed)}.${suggestion(name, parameterNames)}`;
    throw new AppError('invalid_option', message, { option: typed });
  }
  if (value !== '') {
    const message = `/set ${name} takes no value, but was given ${JSON.stringify(value)}.`;
    throw new AppError('invalid_option', message, { option: name, value });
  }
  return flip(session);
}

/** Sets the texts that end an answer; without a text, removes them. Errors: `invalid_option`. */
function setStops({ settings }: ReplSession, value: string): string {
  settings.stops = checkStops(value.startsWith('"') ? readQuoted(value) : value === '' ? [] : [value]);
  return settings.stops.length === 0 ? 'no text ends an answer' : `answers end before ${stopsText(settings)}`;
}

function checkStops(stops: readonly string[]): readonly string[] {
  const isBad = stops.length > MAX_STOPS || stops.some((text) => text === '' || text.length > MAX_STOP_LENGTH);
  if (!isBad) return stops;
  const message = `stop takes at most ${MAX_STOPS} texts, each of 1 to ${MAX_STOP_LENGTH} characters`;
  throw new AppError('invalid_option', message, { option: 'stop' });
}

/** Texts in double quotes, written as in JSON. Errors: `invalid_option`. */
function readQuoted(value: string): string[] {
  try {
    const quoted = value.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
    return quoted.map((text) => String(JSON.parse(text)));
  } catch {
    const message = String.raw`stop takes a text as it is, or texts in double quotes as in JSON: /set stop "###" "\n\n"`;
    throw new AppError('invalid_option', message, { option: 'stop' });
  }
}

function stopsText({ stops = [] }: AnswerSettings): string {
  return stops.map((text) => JSON.stringify(text)).join(' ');
}

/**
 * Takes over the settings of a saved conversation, under their names on the wire. Settings that it lacks are reset.
 * Returns the unknown names. Errors: `invalid_option`.
 */
export function takeSettings({ settings }: ReplSession, fields: Readonly<Record<string, unknown>>): string[] {
  const { stop, enable_thinking: think, ...rest } = fields;
  const taken: AnswerSettings = { sampling: {}, verbose: settings.verbose };
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(rest)) {
    const number = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
    if (number === undefined) unknown.push(name);
    else number.set(taken, typeof value === 'string' ? value : JSON.stringify(value));
  }
  taken.stops = checkStops([stop ?? []].flat().map(String));
  taken.think = typeof think === 'boolean' ? think : undefined;
  for (const name of Object.keys(settings.sampling)) delete settings.sampling[name];
  Object.assign(settings.sampling, taken.sampling);
  const { seed, maxTokens, stops } = taken;
  Object.assign(settings, { seed, maxTokens, stops, think: taken.think });
  return unknown;
}

/** Sets the system prompt of the questions to come; without text, removes it. */
export function setSystem(session: ReplSession, text: string): string {
  session.conversation = { ...session.conversation, system: text === '' ? undefined : text };
  return text === '' ? 'no system prompt' : `the system prompt is ${JSON.stringify(text)}`;
}

/** All settings of a session, one on a line. */
export function showParameters(session: ReplSession): string {
  const { settings, conversation, model } = session;
  const lines = Object.entries(numbers).map(([name, { get, absent }]) => `${name}: ${get(settings) ?? absent(model)}`);
  const thinking = settings.think === undefined ? "as the model's template does" : settings.think ? 'on' : 'off';
  return [
    `model: ${model.id}, context of ${model.contextLength} tokens`,
    `system: ${conversation.system === undefined ? 'none' : JSON.stringify(conversation.system)}`,
    `turns: ${conversation.turns.length}`,
    ...lines,
    `stop: ${stopsText(settings) || 'none'}`,
    `thinking: ${thinking}`,
    `format: ${settings.format?.name ?? 'text'}`,
    `verbose: ${settings.verbose ? 'on' : 'off'}`,
  ].join('\n');
}
