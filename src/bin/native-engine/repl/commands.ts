import { isAppError, suggestion } from '../../../base/index.js';
import { describeAnswer } from '../dialogue/answer.js';
import { readAnswerFormat } from '../dialogue/answer-format.js';
import { note } from '../dialogue/chat-turn.js';
import { helpWidth, layOutRows, dialogueStream, fitScreen } from '../../../cli/index.js';
import {
  parameterCompletions,
  parameterNames,
  setParameter,
  setSystem,
  showParameters,
  takeSettings,
} from './parameters.js';
import { loadConversation, saveConversation } from './saved-conversation.js';
import type { Next, ReplSession } from './session.js';

/** One slash command. */
interface ReplCommand {
  readonly help: string;
  /** What stands behind its name; absent for a command that takes nothing. */
  readonly takes?: string;
  run(session: ReplSession, argument: string): Next | Promise<Next>;
}

function say(session: ReplSession, text: string): Next {
  const stream = dialogueStream(session.terminal);
  stream.write(`${fitScreen(stream, text)}\n`);
  return 'ask';
}

const commands = {
  '/help': { help: 'this list', run: (session) => say(session, helpText(session)) },
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
    takes: 'TEXT',
    run: (session, argument) => say(session, setSystem(session, argument)),
  },
  '/set': {
    help: `set one of ${parameterNames.join(', ')}`,
    takes: 'NAME VALUE',
    run: (session, argument) => say(session, setParameter(session, argument)),
  },
  '/show': { help: 'show the settings', run: (session) => say(session, showParameters(session)) },
  '/save': {
    help: 'write the conversation and the settings to a file: the body of a request to /v1/chat/completions',
    takes: 'FILE',
    async run(session, argument) {
      const path = await saveConversation(session, argument);
      return say(session, `${turnsText(session)} saved in ${path}`);
    },
  },
  '/load': {
    help: 'continue the conversation of such a file',
    takes: 'FILE',
    async run(session, argument) {
      const { conversation, model, fields } = await loadConversation(argument);
      const unknown = takeSettings(session, fields);
      session.conversation = conversation;
      session.lastAnswer = undefined;
      const last = conversation.turns.at(-1);
      session.lastQuestion = last && { text: last.user, isAnswered: true };
      const isOther = model !== undefined && model !== session.model.id;
      const notes = [
        ...(isOther ? [`they were with ${model}`] : []),
        ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} of the file has no effect here`]),
      ];
      return say(session, [`${turnsText(session)} loaded`, ...notes].join('; '));
    },
  },
  '/stats': {
    help: 'tokens, speed and use of the context of the last answer',
    run(session) {
      const { lastAnswer, lastQuestion, model } = session;
      if (lastAnswer !== undefined) return say(session, describeAnswer(lastAnswer, model.contextLength));
      return say(session, lastQuestion === undefined ? 'No answer yet.' : 'The last question has no whole answer.');
    },
  },
  '/json': {
    help: 'answer with JSON objects, or with JSON that fits the schema in a file; off: with text',
    takes: 'FILE|off',
    async run(session, argument) {
      session.settings.format =
        argument === 'off' ? undefined : await readAnswerFormat(argument === '' ? 'json' : argument, '/json');
      const { format } = session.settings;
      if (format === undefined) return say(session, 'Answers are text.');
      return say(session, `Answers are ${format.name === 'json' ? 'JSON objects' : `JSON that fits ${format.name}`}.`);
    },
  },
  '/think': { help: 'think before answering', run: (session) => setThinking(session, true) },
  '/nothink': { help: 'answer at once', run: (session) => setThinking(session, false) },
  '/retry': {
    help: 'answer the last question again',
    run(session) {
      const { lastQuestion, conversation } = session;
      if (lastQuestion === undefined) return say(session, 'There is no question to answer again.');
      const turns = lastQuestion.isAnswered ? conversation.turns.slice(0, -1) : conversation.turns;
      session.conversation = { ...conversation, turns: [...turns, { user: lastQuestion.text }] };
      return 'answer';
    },
  },
  '/exit': { help: 'leave (also /bye and Ctrl-D)', run: () => 'exit' },
  '/bye': { help: 'leave', run: () => 'exit' },
} as const satisfies Record<string, ReplCommand>;

const table: Readonly<Record<string, ReplCommand>> = commands;

function turnsText({ conversation: { turns } }: ReplSession): string {
  return turns.length === 1 ? '1 turn' : `${turns.length} turns`;
}

/** Turns thinking on or off where the model's template knows of it: its prompts must differ, or nothing would change. */
async function setThinking(session: ReplSession, think: boolean): Promise<Next> {
  const { model, settings } = session;
  const [on, off] = await Promise.all(
    [true, false].map((enableThinking) =>
      model.renderChat([{ role: 'user', content: '?' }], {
        addGenerationPrompt: true,
        enableThinking,
        dropUnsupported: true,
      }),
    ),
  );
  // What an option asked for is not kept either: each question would be refused for it.
  settings.think = on === off ? undefined : think;
  if (on === off) return say(session, `The chat template of ${model.id} has no thinking to turn on or off.`);
  return say(session, `Thinking is ${think ? 'on' : 'off'}.`);
}

function helpText({ terminal }: ReplSession): string {
  const rows = Object.entries(table)
    .filter(([name]) => name !== '/bye')
    .map(([name, { help, takes }]) => ({ term: takes === undefined ? name : `${name} ${takes}`, text: help }));
  const keys = [
    { term: '"""', text: 'starts and ends a message of several lines; a pasted one needs none' },
    { term: 'Tab', text: 'completes a command' },
    { term: 'Ctrl-C', text: 'stops an answer; twice leaves' },
  ];
  return layOutRows([...rows, ...keys], helpWidth(dialogueStream(terminal), undefined)).join('\n');
}

/** What a line that begins with a slash could become, for Tab. */
export function completeCommand(line: string): readonly string[] {
  if (/^\/json\s/.test(line)) return ['/json off'];
  if (/^\/set\s/.test(line)) return parameterCompletions.map((name) => `/set ${name}`);
  return Object.entries(table).map(([name, { takes }]) => (takes === undefined ? name : `${name} `));
}

/** Whether a message is a command: one line that begins with a slash, or several after a command's name. */
export function isReplCommand(text: string): boolean {
  return text.startsWith('/') && (!text.includes('\n') || Object.hasOwn(table, text.split(/\s/, 1)[0] ?? ''));
}

/** Runs `/name argument`. A name that is not there is answered with the nearest one. */
export async function runReplCommand(session: ReplSession, line: string): Promise<Next> {
  const [, name = '', rest = ''] = /^(\/\S*)\s*(.*)$/s.exec(line) ?? [];
  const argument = rest.trim();
  const command = Object.hasOwn(table, name) ? table[name] : undefined;
  if (command === undefined) {
    return say(session, `There is no command ${name}.${suggestion(name, Object.keys(table)) || ' /help lists them.'}`);
  }
  if (command.takes === undefined && argument !== '') {
    return say(session, `${name} takes nothing, but was given ${JSON.stringify(argument)}.`);
  }
  try {
    return await command.run(session, argument);
  } catch (error) {
    if (!isAppError(error)) throw error;
    note(session.terminal, error.message);
    return 'ask';
  }
}
