import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageClock } from '../../data/index.js';
import { blockTexts, NO_BLOCKS, toBlocks } from '../markdown/blocks.js';
import { linkDefinitions, readFence } from '../markdown/render.js';
import { toNodes } from '../markdown/sanitize.js';
import { copyText } from '../../kit/index.js';

/** The most time share for drawing a block. A slow block is drawn less often. */
const MOST_BUSY = 0.25;
const COPIED_MS = 2_000;

/** Shows a text as Markdown. While it grows, only its last blocks are parsed again. */
export function Markdown(props: {
  readonly text: string;
  readonly isGrowing: boolean;
  readonly clock: PageClock;
}): VNode {
  const { text, isGrowing, clock } = props;
  const before = useRef(NO_BLOCKS);
  before.current = toBlocks(text, before.current);
  const definitions = linkDefinitions(text);
  const blocks = blockTexts(before.current);
  return (
    <div class="markdown" onClick={(event) => copyCode(event, clock)}>
      {blocks.map((block, at) => (
        <Block
          key={at}
          text={block}
          definitions={definitions}
          isGrowing={isGrowing && at === blocks.length - 1}
          clock={clock}
        />
      ))}
    </div>
  );
}

/** The drawn text of a block and the cost of drawing it. */
interface Drawn {
  text: string;
  definitions: string;
  costMs: number;
  atMs: number;
}

function Block(props: {
  readonly text: string;
  readonly definitions: string;
  readonly isGrowing: boolean;
  readonly clock: PageClock;
}): VNode {
  const { text, definitions, isGrowing, clock } = props;
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>({ text: '', definitions: '', costMs: 0, atMs: 0 });
  useLayoutEffect(() => {
    const { current: place } = element;
    const last = drawn.current;
    if (place === null || (last.text === text && last.definitions === definitions)) return;
    const startMs = clock.nowMs();
    const isTooSoon = startMs - last.atMs < last.costMs / MOST_BUSY;
    if (isGrowing && isTooSoon) return;
    if (!growCode(place, last.text, text)) place.replaceChildren(toNodes(text, definitions));
    const endMs = clock.nowMs();
    drawn.current = { text, definitions, costMs: endMs - startMs, atMs: endMs };
  });
  return <div ref={element} class="block" dir="auto" />;
}

/** Appends to an open code block. False: the block must be drawn anew. */
function growCode(place: Element, before: string, text: string): boolean {
  const old = readFence(before);
  const grown = readFence(text);
  if (old?.isOpen !== true || grown?.isOpen !== true || !text.startsWith(before)) return false;
  if (old.language !== grown.language || !before.includes('\n')) return false;
  const code = place.querySelector('code');
  if (code === null) return false;
  code.append(grown.text.slice(old.text.length));
  return true;
}

/** Handles the copy buttons of code blocks, which are part of rendered HTML and not components. */
function copyCode(event: Event, clock: PageClock): void {
  const button = event.target instanceof Element ? event.target.closest('.code-copy') : null;
  const code = button?.closest('.code')?.querySelector('code');
  if (button === null || code === null || code === undefined) return;
  void copyText(code.textContent).then((isCopied) => {
    button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
    clock.after(COPIED_MS, () => (button.textContent = 'Copy'));
  });
}
