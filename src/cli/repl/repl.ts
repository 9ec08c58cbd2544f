import { isAppError } from '../../base/index.js';
import { answerTurn, note } from '../chat-turn.js';
import { INTERRUPTED, type Interrupts } from '../interrupts.js';
import type { Model } from '../../index.js';
import { printError } from '../print-error.js';
import type { Settings } from '../settings.js';
import type { Terminal } from '../terminal.js';
import { runReplCommand } from './commands.js';
import { defaultHistoryPath, openHistory } from './history.js';
import { type LineReader, openLineReader, type Typed } from './line-reader.js';
import type { Session } from './session.js';

const FENCE = '"""';

/** Talks with a model until the user leaves. Returns the exit status. */
export async function runRepl(
  model: Model,
  system: string | undefined,
  settings: Settings,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<number> {
  const history = await openHistory(defaultHistoryPath());
  const session: Session = {
    model,
    terminal,
    history,
    settings: { ...settings },
    conversation: { system, turns: [] },
    lastAnswer: undefined,
    lastQuestion: undefined,
  };
  note(terminal, `${model.id}, context of ${model.contextLength} tokens. /help lists the commands, Ctrl-D leaves.`);
  const reader = openLineReader(terminal, history.lines);
  try {
    return await loop(session, reader, interrupts);
  } finally {
    reader.close();
  }
}

async function loop(session: Session, reader: LineReader, interrupts: Interrupts): Promise<number> {
  let interruptedOnce = false;
  for (;;) {
    const typed = await readMessage(reader, session);
    if (typed.type === 'end') return 0;
    if (typed.type === 'interrupt') {
      session.terminal.stdout.write('\n');
      if (interruptedOnce) return INTERRUPTED;
      interruptedOnce = true;
      note(session.terminal, '(Ctrl-C again, Ctrl-D or /exit leaves)');
      continue;
    }
    interruptedOnce = false;
    const text = typed.text.trim();
    if (text === '') continue;
    if (text.startsWith('/')) {
      const next = runReplCommand(session, text);
      if (next === 'exit') return 0;
      if (next === 'ask') continue;
    } else {
      const { conversation } = session;
      session.lastQuestion = text;
      session.conversation = { ...conversation, turns: [...conversation.turns, { user: text }] };
    }
    await answer(session, interrupts);
  }
}

/** One message: a line, or the lines between two `"""`. */
async function readMessage(reader: LineReader, session: Session): Promise<Typed> {
  const first = await reader.next('>>> ');
  if (first.type !== 'line') return first;
  await session.history.append(first.text.replaceAll('\n', ' '));
  if (!first.text.trimStart().startsWith(FENCE)) return first;
  let text = first.text.trimStart().slice(FENCE.length);
  while (!text.trimEnd().endsWith(FENCE)) {
    const more = await reader.next('... ');
    if (more.type !== 'line') return more;
    await session.history.append(more.text.replaceAll('\n', ' '));
    text += `\n${more.text}`;
  }
  return { type: 'line', text: text.trimEnd().slice(0, -FENCE.length) };
}

/** Answers the open question. One that failed or was stopped is taken back, so that the conversation stays well formed. */
async function answer(session: Session, interrupts: Interrupts): Promise<void> {
  const { model, terminal, settings } = session;
  const before = session.conversation;
  await interrupts.during(async (signal) => {
    try {
      const done = await answerTurn(model, before, settings, terminal, signal);
      session.conversation = done.conversation;
      session.lastAnswer = done.answer;
    } catch (error) {
      if (terminal.closed.aborted) throw error;
      session.conversation = { ...before, turns: before.turns.slice(0, -1) };
      if (signal.aborted) note(terminal, '(stopped; /retry asks again)');
      else if (isAppError(error)) printError(terminal, error);
      else throw error;
    }
  });
}
