import { isAppError } from '../base/index.js';
import { type Answer, describeAnswer, streamAnswer } from './answer.js';
import { type Conversation, fitToContext, withoutOldest } from './conversation.js';
import type { Model } from '../index.js';
import type { Settings } from './settings.js';
import { dim, type Terminal } from './terminal.js';

/** A line about what we do, on standard error, faint. */
export function note(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${dim(terminal, terminal.stderr, text)}\n`);
}

function noteDropped(terminal: Terminal, dropped: number, contextLength: number): void {
  if (dropped === 0) return;
  const turns = dropped === 1 ? 'the oldest turn' : `the ${dropped} oldest turns`;
  note(terminal, `(forgot ${turns}: the conversation is longer than the context of ${contextLength} tokens)`);
}

/**
 * Answers the last turn of a conversation, printing as it goes. Oldest turns are dropped when they no longer fit,
 * with a note. Returns the conversation as it stands after the answer.
 */
export async function answerTurn(
  model: Model,
  asked: Conversation,
  settings: Settings,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ conversation: Conversation; answer: Answer }> {
  const fit = await fitToContext(model, asked, settings.think);
  noteDropped(terminal, fit.dropped, model.contextLength);
  let current = fit.conversation;
  for (;;) {
    try {
      const answer = await streamAnswer(model, current, settings, terminal, signal);
      if (answer.finishReason === 'length') noteLength(terminal, answer, model.contextLength);
      if (settings.verbose) note(terminal, `(${describeAnswer(answer, model.contextLength)})`);
      const turns = current.turns.map((turn, i) =>
        i === current.turns.length - 1 ? { ...turn, assistant: answer.content } : turn,
      );
      return { conversation: { ...current, turns }, answer };
    } catch (error) {
      const shorter =
        isAppError(error) && error.code === 'context_length_exceeded' ? withoutOldest(current) : undefined;
      if (shorter === undefined) throw error;
      noteDropped(terminal, 1, model.contextLength);
      current = shorter;
    }
  }
}

function noteLength(terminal: Terminal, answer: Answer, contextLength: number): void {
  const used = answer.promptTokens + answer.completionTokens;
  const reason = used >= contextLength ? `the context of ${contextLength} tokens is full` : 'it reached --max-tokens';
  note(terminal, `(the answer was cut: ${reason})`);
}
