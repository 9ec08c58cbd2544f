import { systemClock } from '../../../base/index.js';
import { type Conversation, toMessages } from './conversation.js';
import type { Model } from '../../../index.js';
import { type AnswerSettings, toRequestFields } from '../options/settings.js';
import {
  dialogueStream,
  dim,
  plainFlow,
  print,
  type Terminal,
  toPrintable,
  type TextFlow,
  WordWrap,
} from '../../../cli/index.js';

/** One answer as it was shown, with its counts and times. */
export interface ShownAnswer {
  readonly content: string;
  readonly finishReason: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly firstTokenMs: number;
  readonly totalMs: number;
}

/** What comes of an answer at a time: text, why it ended, what it took; each may be absent. */
export interface ShownPiece {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly finishReason?: string | null | undefined;
  readonly usage?: Pick<ShownAnswer, 'promptTokens' | 'completionTokens'> | undefined;
}

/** An answer, made as it is pulled; the signal ends it. */
export type AnswerSource = (signal: AbortSignal) => AsyncIterable<ShownPiece>;

/** Of a screen that does not say how wide it is. */
const UNKNOWN_COLUMNS = 80;

/** Tokens per second after the first one; undefined when there was only one. */
export function decodeRate(answer: ShownAnswer): number | undefined {
  const ms = answer.totalMs - answer.firstTokenMs;
  return answer.completionTokens > 1 && ms > 0 ? ((answer.completionTokens - 1) * 1000) / ms : undefined;
}

/** One line of counts and speeds, as `--verbose` and `/stats` show it. */
export function describeAnswer(answer: ShownAnswer, contextLength: number): string {
  const rate = decodeRate(answer);
  const used = answer.promptTokens + answer.completionTokens;
  return [
    `${answer.promptTokens} prompt + ${answer.completionTokens} completion tokens`,
    `first token after ${answer.firstTokenMs.toFixed(0)} ms`,
    ...(rate === undefined ? [] : [`${rate.toFixed(1)} tokens/s`]),
    `context ${used} of ${contextLength}`,
  ].join(', ');
}

/** The answer to the last turn of a conversation. */
export function chatSource(model: Model, conversation: Conversation, settings: AnswerSettings): AnswerSource {
  const request = {
    messages: toMessages(conversation),
    stream_options: { include_usage: true },
    ...toRequestFields(settings),
    response_format: settings.format?.responseFormat,
  };
  return async function* (signal) {
    for await (const { choices, usage } of model.stream(request, { signal, caller: 'terminal' })) {
      const [choice] = choices;
      yield {
        text: choice?.delta.content,
        reasoning: choice?.delta.reasoning_content,
        finishReason: choice?.finish_reason,
        usage: usage ? { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens } : undefined,
      };
    }
  };
}

/**
 * Prints an answer as it comes. The content goes to standard output. Reasoning goes faintly to standard error, if that
 * is a terminal or `verbose` is set: a pipe gets just the answer. On a screen lines end between words.
 */
export async function streamAnswer(
  source: AnswerSource,
  { verbose }: Pick<AnswerSettings, 'verbose'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ShownAnswer> {
  const showReasoning = verbose || terminal.stderr.isTTY;
  const flow = flowTo(terminal.stdout);
  const thoughts = flowTo(terminal.stderr);
  const start = systemClock.nowMs();
  let [content, reasoned, last, firstTokenMs] = ['', false, '', 0];
  let finishReason: string | null = null;
  let usage: Pick<ShownAnswer, 'promptTokens' | 'completionTokens'> = { promptTokens: 0, completionTokens: 0 };
  const stop = AbortSignal.any([signal, terminal.closed]);
  try {
    for await (const { text, reasoning: thought, ...piece } of source(stop)) {
      usage = piece.usage ?? usage;
      finishReason = piece.finishReason ?? finishReason;
      if (firstTokenMs === 0 && (text || thought)) firstTokenMs = systemClock.nowMs() - start;
      if (thought && showReasoning) {
        await printThought(terminal, thoughts.push(toPrintable(terminal.stderr, thought)));
        reasoned = true;
      }
      if (text) {
        if (reasoned && content === '') {
          await printThought(terminal, thoughts.end());
          await print(terminal.stderr, '\n\n', terminal.closed);
        }
        await print(terminal.stdout, flow.push(toPrintable(terminal.stdout, text)), terminal.closed);
        content += text;
        last = text;
      }
    }
  } finally {
    if (!terminal.closed.aborted) {
      terminal.stderr.write(dim(terminal, terminal.stderr, thoughts.end()));
      terminal.stdout.write(flow.end());
      endLines(terminal, { content, reasoned, last, isInterrupted: stop.aborted });
    }
  }
  const totalMs = systemClock.nowMs() - start;
  return { content, finishReason, ...usage, firstTokenMs, totalMs };
}

function flowTo(stream: Terminal['stdout']): TextFlow {
  return stream.isTTY ? new WordWrap(() => stream.columns || UNKNOWN_COLUMNS) : plainFlow;
}

async function printThought(terminal: Terminal, text: string): Promise<void> {
  await print(terminal.stderr, dim(terminal, terminal.stderr, text), terminal.closed);
}

/** Ends the lines that an answer left open, also one that was cut short: what comes next has a line of its own. */
function endLines(
  terminal: Terminal,
  shown: { content: string; reasoned: boolean; last: string; isInterrupted: boolean },
): void {
  const { stdin, stdout, stderr } = terminal;
  const open =
    shown.content === '' ? (shown.reasoned ? stderr : undefined) : shown.last.endsWith('\n') ? undefined : stdout;
  open?.write('\n');
  // The screen shows ^C where nothing has ended its line yet.
  if (shown.isInterrupted && stdin.isTTY && open?.isTTY !== true) dialogueStream(terminal).write('\n');
}
