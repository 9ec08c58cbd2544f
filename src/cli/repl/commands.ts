import { isAppError, suggestion } from '../../base/index.js';
import { describeAnswer } from '../answer.js';
import { note } from '../chat-turn.js';
import { parameterNames, setParameter, showParameters } from './parameters.js';
import type { Next, Session } from './session.js';

/** One slash command. */
interface ReplCommand {
  readonly help: string;
  run(session: Session, argument: string): Next;
}

function say(session: Session, text: string): Next {
  session.terminal.stdout.write(`${text}\n`);
  return 'ask';
}

const commands = {
  '/help': { help: 'this list', run: (session) => say(session, helpText()) },
  '/clear': {
    help: 'forget the conversation, keep the system prompt',
    run(session) {
      session.conversation = { ...session.conversation, turns: [] };
      session.lastQuestion = undefined;
      return say(session, 'The conversation is empty.');
    },
  },
  '/system': {
    help: 'set the system prompt; without text, remove it',
    run: (session, argument) => say(session, setParameter(session, `system ${argument}`)),
  },
  '/set': {
    help: `set one of ${parameterNames.join(', ')}`,
    run: (session, argument) => say(session, setParameter(session, argument)),
  },
  '/show': { help: 'show the settings', run: (session) => say(session, showParameters(session)) },
  '/stats': {
    help: 'tokens, speed and use of the context of the last answer',
    run(session) {
      const { lastAnswer, model } = session;
      return say(
        session,
        lastAnswer === undefined ? 'No answer yet.' : describeAnswer(lastAnswer, model.contextLength),
      );
    },
  },
  '/think': {
    help: 'think before answering',
    run(session) {
      session.settings.think = true;
      return say(session, 'Thinking is on.');
    },
  },
  '/nothink': {
    help: 'answer at once',
    run(session) {
      session.settings.think = false;
      return say(session, 'Thinking is off.');
    },
  },
  '/retry': {
    help: 'answer the last question again',
    run(session) {
      const { lastQuestion, conversation } = session;
      if (lastQuestion === undefined) return say(session, 'There is no question to answer again.');
      const answered =
        conversation.turns.at(-1)?.user === lastQuestion ? conversation.turns.slice(0, -1) : conversation.turns;
      session.conversation = { ...conversation, turns: [...answered, { user: lastQuestion }] };
      return 'answer';
    },
  },
  '/exit': { help: 'leave (also /bye and Ctrl-D)', run: () => 'exit' },
  '/bye': { help: 'leave', run: () => 'exit' },
} as const satisfies Record<string, ReplCommand>;

const table: Readonly<Record<string, ReplCommand>> = commands;

function helpText(): string {
  const names = Object.entries(table).filter(([name]) => name !== '/bye');
  const width = Math.max(...names.map(([name]) => name.length));
  return [
    ...names.map(([name, { help }]) => `${name.padEnd(width)}  ${help}`),
    `${'"""'.padEnd(width)}  starts and ends a message of several lines`,
    `${'Ctrl-C'.padEnd(width)}  stops an answer; twice leaves`,
  ].join('\n');
}

/** Runs `/name argument`. A name that is not there is answered with the nearest one. */
export function runReplCommand(session: Session, line: string): Next {
  const [, name = '', argument = ''] = /^(\/\S*)\s*(.*)$/s.exec(line) ?? [];
  const command = Object.hasOwn(table, name) ? table[name] : undefined;
  if (command === undefined) {
    return say(session, `There is no command ${name}.${suggestion(name, Object.keys(table)) || ' /help lists them.'}`);
  }
  try {
    return command.run(session, argument.trim());
  } catch (error) {
    if (!isAppError(error)) throw error;
    note(session.terminal, error.message);
    return 'ask';
  }
}
