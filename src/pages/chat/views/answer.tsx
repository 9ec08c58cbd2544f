import type { VNode } from 'preact';
import type { Chat } from '../chat/chat.js';
import { type PageClock, parseJson } from '../../data/index.js';
import type { Failure, ToolCall, Turn } from '../conversation/conversation.js';
import { Icon } from '../../kit/index.js';
import { Markdown } from './markdown.js';
import { CopyButton, Versions } from './message-actions.js';
import { count, rate } from './numbers.js';

/** The properties of a message. */
export interface MessageProps {
  readonly chat: Chat;
  readonly clock: PageClock;
  readonly turn: Turn;
  readonly siblings: readonly Turn[];
  /** Whether this turn is growing. */
  readonly isGrowing: boolean;
  /** Whether another answer is running, which blocks sending. */
  readonly isBusy: boolean;
}

/** An answer: folded reasoning, text, tool calls, failure and usage. */
export function Answer({ chat, clock, turn, siblings, isGrowing, isBusy }: MessageProps): VNode {
  const { text, reasoning = '', toolCalls = [], failure, finish } = turn;
  const isWaiting = isGrowing && text === '' && toolCalls.length === 0;
  const isCut = !isGrowing && finish === undefined;
  return (
    <article class="message answer" aria-label="Answer" aria-busy={isGrowing}>
      {reasoning !== '' && <Thinking turn={turn} isThinking={isWaiting} />}
      {text !== '' && <Markdown text={text} isGrowing={isGrowing} clock={clock} />}
      {toolCalls.map((call, at) => (
        <CalledTool key={at} call={call} />
      ))}
      {isWaiting && reasoning === '' && (
        <p class="waiting">
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span class="visually-hidden">Waiting for the answer</span>
        </p>
      )}
      {failure !== undefined && <Failed failure={failure} onRetry={isBusy ? undefined : () => chat.retry(turn)} />}
      {finish === 'length' && <p class="remark">The answer was cut at its limit of tokens.</p>}
      {finish === 'stopped' && <p class="remark">Stopped.</p>}
      {isCut && <p class="remark">The page was closed before the answer ended.</p>}
      {!isGrowing && (
        <footer class="message-footer">
          <Versions chat={chat} turn={turn} siblings={siblings} />
          {text !== '' && <CopyButton text={text} clock={clock} />}
          {failure === undefined && (
            <button
              type="button"
              class="tool"
              aria-label="Answer again"
              title="Answer again"
              disabled={isBusy}
              onClick={() => chat.retry(turn)}
            >
              <Icon name="retry" />
            </button>
          )}
          <span class="facts">{factsOf(turn)}</span>
        </footer>
      )}
    </article>
  );
}

/** A short line of facts about an answer. */
function factsOf({ model, usage, tokensPerSecond }: Turn): string {
  const facts = [
    model,
    usage && `${count(usage.completionTokens)} tokens`,
    tokensPerSecond !== undefined && `${rate(tokensPerSecond)} tokens/s`,
  ];
  return facts.filter((fact) => typeof fact === 'string' && fact !== '').join(' · ');
}

function Thinking({ turn, isThinking }: { readonly turn: Turn; readonly isThinking: boolean }): VNode {
  const { reasoning = '', usage } = turn;
  const tokens = usage?.reasoningTokens ?? 0;
  return (
    <details class="thinking">
      <summary>
        <span class={isThinking ? 'pulse' : undefined}>{isThinking ? 'Thinking…' : 'Thinking'}</span>
        {tokens > 0 && <span class="facts">{count(tokens)} tokens</span>}
      </summary>
      <div class="thinking-text" dir="auto">
        {reasoning.trim()}
      </div>
    </details>
  );
}

/** One call; arguments that are JSON are indented. */
function CalledTool({ call }: { readonly call: ToolCall }): VNode {
  const value = parseJson(call.arguments);
  return (
    <section class="call" aria-label={`Tool call ${call.name}`}>
      <h3>
        Tool call <code>{call.name}</code>
      </h3>
      <pre tabIndex={0} role="group" aria-label="Arguments" dir="ltr">
        <code>{value === undefined ? call.arguments : JSON.stringify(value, undefined, 2)}</code>
      </pre>
    </section>
  );
}

function Failed({
  failure,
  onRetry,
}: {
  readonly failure: Failure;
  readonly onRetry: (() => void) | undefined;
}): VNode {
  return (
    <section class="failure" aria-label="Error">
      <p dir="auto">{failure.message}</p>
      <p>{failure.advice}</p>
      <p class="failure-row">
        <button type="button" class="button" disabled={onRetry === undefined} onClick={onRetry}>
          Try again
        </button>
        <code>{failure.code}</code>
      </p>
    </section>
  );
}
