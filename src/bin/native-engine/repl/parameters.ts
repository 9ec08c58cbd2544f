import { AppError, suggestion } from '../../../base/index.js';
import { type NumberRange, parseNumber, parseSeed, ranges } from '../../../cli/index.js';
import type { Session } from './session.js';

type NumberName = 'temperature' | 'topP' | 'topK' | 'minP' | 'maxTokens';

/** The values of `/set` with the ranges of the options, and what holds while they are not set. */
const numbers: Readonly<
  Record<string, ({ setting: NumberName; range: NumberRange } | { setting: 'seed' }) & { absent: string }>
> = {
  temperature: { setting: 'temperature', range: ranges.temperature, absent: '1' },
  top_p: { setting: 'topP', range: ranges.topP, absent: '1 (off)' },
  top_k: { setting: 'topK', range: ranges.topK, absent: '0 (off)' },
  min_p: { setting: 'minP', range: ranges.minP, absent: '0 (off)' },
  seed: { setting: 'seed', absent: 'random' },
  max_tokens: { setting: 'maxTokens', range: ranges.maxTokens, absent: 'up to the context' },
};

/** Words that `/set` takes instead of a name and a value, with what they change and say. */
const switches: Readonly<Record<string, (session: Session) => string>> = {
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
    return 'what is typed from now on is not written to the history file';
  },
};

/** What `/set` can set, for help and suggestions. */
export const parameterNames: readonly string[] = [...Object.keys(numbers), 'system', ...Object.keys(switches)];

/** Names of `/set` as Tab completes them: those that take a value with a space behind. */
export const parameterCompletions: readonly string[] = parameterNames.map((name) =>
  Object.hasOwn(switches, name) ? name : `${name} `,
);

/** `/set temperature 0.2`, `/set system …`, `/set nohistory`. Throws `invalid_option`. */
export function setParameter(session: Session, argument: string): string {
  const [, typed = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  const name = typed.replaceAll('-', '_');
  const number = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  if (number !== undefined) {
    const parsed =
      number.setting === 'seed'
        ? (session.settings.seed = parseSeed(name, value))
        : (session.settings[number.setting] = parseNumber(name, value, number.range));
    return `${name} is ${parsed}`;
  }
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

/** Sets the system prompt of the questions to come; without text, removes it. */
export function setSystem(session: Session, text: string): string {
  session.conversation = { ...session.conversation, system: text === '' ? undefined : text };
  return text === '' ? 'no system prompt' : `the system prompt is ${JSON.stringify(text)}`;
}

/** All settings of a session, one on a line. */
export function showParameters(session: Session): string {
  const { settings, conversation, model } = session;
  const lines = Object.entries(numbers).map(([name, { setting, absent }]) => `${name}: ${settings[setting] ?? absent}`);
  const thinking = settings.think === undefined ? "as the model's template does" : settings.think ? 'on' : 'off';
  return [
    `model: ${model.id}, context of ${model.contextLength} tokens`,
    `system: ${conversation.system === undefined ? 'none' : JSON.stringify(conversation.system)}`,
    `turns: ${conversation.turns.length}`,
    ...lines,
    `thinking: ${thinking}`,
    `verbose: ${settings.verbose ? 'on' : 'off'}`,
  ].join('\n');
}
