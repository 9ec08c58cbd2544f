import { AppError, suggestion } from '../../base/index.js';
import { type NumberRange, parseNumber, ranges } from '../option-values.js';
import type { Session } from './session.js';

type NumberName = 'temperature' | 'topP' | 'topK' | 'minP' | 'seed' | 'maxTokens';

const numbers: Readonly<Record<string, { setting: NumberName; range: NumberRange }>> = {
  temperature: { setting: 'temperature', range: ranges.temperature },
  top_p: { setting: 'topP', range: ranges.topP },
  top_k: { setting: 'topK', range: ranges.topK },
  min_p: { setting: 'minP', range: ranges.minP },
  seed: { setting: 'seed', range: ranges.seed },
  max_tokens: { setting: 'maxTokens', range: ranges.maxTokens },
};

/** Words that `/set` takes instead of a name and a number. */
const switches: Readonly<Record<string, (session: Session) => void>> = {
  verbose: (session) => (session.settings.verbose = true),
  quiet: (session) => (session.settings.verbose = false),
  nohistory: (session) => session.history.off(),
};

/** What `/set` can set, for help and suggestions. */
export const parameterNames: readonly string[] = [...Object.keys(numbers), 'system', ...Object.keys(switches)];

/** `/set temperature 0.2`, `/set system …`, `/set nohistory`. Throws `invalid_option`. */
export function setParameter(session: Session, argument: string): string {
  const [, name = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  const number = numbers[name.replaceAll('-', '_')];
  if (number !== undefined) {
    session.settings[number.setting] = parseNumber(name, value, number.range);
    return `${name} is ${value}`;
  }
  if (name === 'system') {
    session.conversation = { ...session.conversation, system: value === '' ? undefined : value };
    return value === '' ? 'no system prompt' : `the system prompt is ${JSON.stringify(value)}`;
  }
  const flip = switches[name];
  if (flip === undefined) {
    const message = `/set knows ${parameterNames.join(', ')}, but not ${JSON.stringify(name)}.${suggestion(name, parameterNames)}`;
    throw new AppError('invalid_option', message, { option: name });
  }
  flip(session);
  return name;
}

/** All settings of a session, one on a line. */
export function showParameters(session: Session): string {
  const { settings, conversation, model } = session;
  const lines = Object.entries(numbers).map(
    ([name, { setting }]) => `${name}: ${settings[setting] ?? 'as the library does'}`,
  );
  const thinking = settings.think === undefined ? "as the model's template does" : settings.think ? 'on' : 'off';
  return [
    `model: ${model.id}, context of ${model.contextLength} tokens`,
    `system: ${conversation.system ?? 'none'}`,
    `turns: ${conversation.turns.length}`,
    ...lines,
    `thinking: ${thinking}`,
    `verbose: ${settings.verbose ? 'on' : 'off'}`,
  ].join('\n');
}
