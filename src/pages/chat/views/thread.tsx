import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { shownTurns, siblingsByParent } from '../conversation/branches.js';
import { Answer, type MessageProps } from './answer.js';
import { Icon } from '../../kit/index.js';
import { Question } from './question.js';
import type { TimedViewProps } from './view-props.js';

/** The view follows the answer if it is scrolled to within this distance of the end. */
const NEAR_PX = 64;

/** The turns of the open conversation. The view follows the answer unless the reader scrolls up. */
export function Thread({ chat, state, clock }: TimedViewProps): VNode {
  const { open, running } = state;
  const place = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [isAway, setAway] = useState(false);
  const turns = useMemo(() => shownTurns(open), [open]);
  // Only the ids of siblings are used, and these do not change while an answer grows.
  const siblings = useMemo(() => siblingsByParent(open.turns), [open.id, open.turns.length]);
  const growing = running[open.id];

  const toEnd = (): void => {
    follows.current = true;
    const { current: box } = place;
    box?.scrollTo({ top: box.scrollHeight });
  };
  useLayoutEffect(toEnd, [open.id, turns.length]);
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });

  const onScroll = ({ currentTarget: box }: { readonly currentTarget: HTMLElement }): void => {
    follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    setAway(!follows.current);
  };

  return (
    <div class="thread-frame">
      <div
        ref={place}
        class="thread"
        onScroll={onScroll}
        tabIndex={turns.length > 0 ? 0 : -1}
        role="region"
        aria-label="Conversation"
      >
        <div class="thread-column">
          {turns.length === 0 ? (
            <Welcome onAsk={(text) => chat.sendMessage(text)} />
          ) : (
            turns.map((turn) => (
              <Message
                key={turn.id}
                chat={chat}
                clock={clock}
                turn={turn}
                siblings={siblings.get(turn.parent) ?? []}
                isGrowing={turn.id === growing}
                isBusy={growing !== undefined}
              />
            ))
          )}
        </div>
      </div>
      {isAway && (
        <button type="button" class="to-end" aria-label="To the latest message" onClick={toEnd}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

/** Draws a message again only after a change. A growing answer changes every frame; the others do not. */
function Message(props: MessageProps): VNode {
  const { turn, siblings, isGrowing, isBusy } = props;
  return useMemo(
    () => (turn.role === 'user' ? <Question {...props} /> : <Answer {...props} />),
    [turn, siblings.length, isGrowing, isBusy],
  );
}

/** Suggested first questions, suitable for every model. */
const QUESTIONS: readonly string[] = ['What is the capital of Norway?', 'Tell me a story.', 'What is 12 + 30?'];

/** The view before the first message. */
function Welcome({ onAsk }: { readonly onAsk: (text: string) => void }): VNode {
  return (
    <section class="welcome">
      <h1>What would you like to know?</h1>
      <p>Answers come from the model on this server. Conversations stay in this browser.</p>
      <ul>
        {QUESTIONS.map((text) => (
          <li key={text}>
            <button type="button" class="chip" onClick={() => onAsk(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
