import { createInterface } from 'node:readline';
import { isAppError, toErrorData, waitFor } from '../../../base/index.js';
import { answerTurn, note } from '../dialogue/chat-turn.js';
import {
  dialogueStream,
  INTERRUPTED,
  printError,
  understandsEscapes,
  type Interrupts,
  type Terminal,
} from '../../../cli/index.js';
import type { Model } from '../../../index.js';
import type { AnswerSettings } from '../options/settings.js';
import { completeCommand, isReplCommand, runReplCommand } from './commands.js';
import { defaultHistoryPath, openHistory } from './history.js';
import { type UserInput, readMessages } from './read-message.js';
import type { ReplSession } from './session.js';
import { openEditor } from './editor.js';
import type { LineReader, Typed } from './reader.js';

/** Talks with a model until the user leaves. Returns the exit status. */
export async function runRepl(
  model: Model,
  system: string | undefined,
  settings: AnswerSettings,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<number> {
  const history = await openHistory(defaultHistoryPath());
  const session: ReplSession = {
    model,
    terminal,
    history,
    settings: { ...settings },
    conversation: { system, turns: [] },
    lastAnswer: undefined,
    lastQuestion: undefined,
  };
  note(terminal, `${model.id}, context of ${model.contextLength} tokens. /help lists the commands, Ctrl-D leaves.`);
  const reader = openLineReader(terminal, interrupts, completeCommand);
  const nextMessage = readMessages(reader, history, () => dialogueStream(terminal).write('\n'));
  try {
    return await loop(session, nextMessage, () => reader.during(() => answer(session, interrupts)));
  } finally {
    reader.close();
  }
}

async function loop(
  session: ReplSession,
  nextMessage: () => Promise<UserInput>,
  answerNow: () => Promise<void>,
): Promise<number> {
  let interruptedOnce = false;
  for (;;) {
    const message = await nextMessage();
    if (message.type === 'end') return 0;
    if (message.type === 'interrupt') {
      if (interruptedOnce) return INTERRUPTED;
      interruptedOnce = true;
      note(session.terminal, '(Ctrl-C again, Ctrl-D or /exit leaves)');
      continue;
    }
    interruptedOnce = false;
    if (message.text === '') continue;
    if (!message.isFenced && isReplCommand(message.text)) {
      const next = await runReplCommand(session, message.text);
      if (next === 'exit') return 0;
      if (next === 'ask') continue;
    } else {
      const { conversation } = session;
      session.lastQuestion = { text: message.text, isAnswered: false };
      session.conversation = { ...conversation, turns: [...conversation.turns, { user: message.text }] };
    }
    await answerNow();
  }
}

/** Answers the open question. One that failed or was stopped is taken back, so that the conversation stays well formed. */
async function answer(session: ReplSession, interrupts: Interrupts): Promise<void> {
  const { model, terminal, settings } = session;
  let asked = session.conversation;
  const onForgotten = (left: typeof asked): void => {
    asked = left;
  };
  await interrupts.during(async (signal) => {
    try {
      const done = await answerTurn(model, asked, settings, terminal, signal, onForgotten);
      session.conversation = done.conversation;
      session.lastAnswer = done.answer;
      if (session.lastQuestion) session.lastQuestion = { ...session.lastQuestion, isAnswered: true };
    } catch (error) {
      if (terminal.closed.aborted) throw error;
      session.conversation = { ...asked, turns: asked.turns.slice(0, -1) };
      session.lastAnswer = undefined;
      if (session.lastQuestion) session.lastQuestion = { ...session.lastQuestion, isAnswered: false };
      if (signal.aborted) {
        note(terminal, '(stopped; /retry asks again)');
        note(terminal, '(the conversation continues without this question)');
      } else if (isAppError(error)) printError(terminal, error);
      else throw error;
    }
  });
}

/**
 * A line editor on the first of standard output and standard error that is a screen: the user can type while the
 * conversation goes into a file. Where neither is, the terminal edits the lines itself and only text is written.
 */
function openLineReader(
  terminal: Terminal,
  interrupts: Interrupts,
  complete: (line: string) => readonly string[],
): LineReader {
  const { stdin, stdout, stderr } = terminal;
  const screen = [stdout, stderr].find((stream) => understandsEscapes(terminal, stream));
  return screen === undefined ? openPlainReader(terminal, interrupts) : openEditor({ stdin, screen, complete });
}

/** Lines as the terminal itself edits them: for one that is dumb, and for none that we may write escape sequences to. */
function openPlainReader(terminal: Terminal, interrupts: Interrupts): LineReader {
  const stream = dialogueStream(terminal);
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const typed: Typed[] = [];
  let [wake, ended] = [(): void => undefined, false];
  const take = (next: Typed): void => {
    typed.push(next);
    wake();
  };
  lines.on('line', (text) => take({ type: 'line', text }));
  lines.on('close', () => {
    ended = true;
    wake();
  });
  const hasMore = (): Promise<void> => {
    const more = new Promise<void>((resolve) => {
      wake = resolve;
    });
    return typed.length > 0 || ended ? Promise.resolve() : more;
  };
  return {
    async next(prompt) {
      if (stream.isTTY) stream.write(prompt);
      try {
        // Ctrl-C is a signal here, which throws away what the terminal has of the line.
        await interrupts.during((signal) => waitFor(hasMore(), 'the user', { signal }));
      } catch (error) {
        if (toErrorData(error).code === 'interrupted') return { type: 'interrupt' };
        throw error;
      }
      const next = typed.shift();
      if (next === undefined && stream.isTTY) stream.write('\n');
      return next ?? { type: 'end' };
    },
    during: (work) => work(),
    close: () => lines.close(),
  };
}
