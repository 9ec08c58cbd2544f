import type { VNode } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { useSize } from '../page/use-size.js';
import { windowOf } from '../table/row-window.js';
import { toWords } from './yaml-words.js';

/** An error or a warning at a position of a text. Lines and columns count from 1. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly isWarning: boolean;
}

/** The properties of an editor. */
export interface TextEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problems: readonly TextProblem[];
  readonly onSave: () => void;
  readonly isReadOnly?: boolean;
}

/** The height of a line in pixels, the same as in the style sheet. */
const LINE_PX = 20;

/**
 * A YAML editor with numbered lines and marked problems. It is a plain text area, which keyboards and screen readers
 * support. A layer below it draws the colours of the visible lines.
 */
export function TextEditor(props: TextEditorProps): VNode {
  const { label, value, onInput, problems, onSave, isReadOnly = false } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const { height } = useSize(area);
  const [scroll, setScroll] = useState({ top: 0, left: 0 });
  const id = useId();
  const lines = useMemo(() => value.split('\n'), [value]);
  const { first, end } = windowOf(lines.length, scroll.top, height, LINE_PX);
  const byLine = useMemo(() => new Map(problems.map((problem) => [problem.line, problem])), [problems]);
  const shift = `${first * LINE_PX - scroll.top}px`;
  const hasErrors = problems.some(({ isWarning }) => !isWarning);

  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      onSave();
    } else if (event.key === 'Enter' && !event.isComposing && !isReadOnly) keepIndent(event, area.current);
  };
  const goTo = ({ line, column }: TextProblem): void => {
    const { current } = area;
    if (current === null) return;
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    current.focus();
    current.setSelectionRange(start, start);
    current.scrollTop = Math.max(0, (line - 4) * LINE_PX);
  };

  return (
    <div class="editor">
      <div class="editor-place">
        <div class="editor-gutter" aria-hidden="true">
          <div style={{ transform: `translateY(${shift})` }}>
            {lines.slice(first, end).map((_, i) => {
              const problem = byLine.get(first + i + 1);
              const tone = problem === undefined ? '' : problem.isWarning ? 'warn' : 'bad';
              return (
                <span key={first + i} class={tone} title={problem?.message}>
                  {first + i + 1}
                </span>
              );
            })}
          </div>
        </div>
        <div class="editor-text">
          <div class="editor-colors" aria-hidden="true">
            <div style={{ transform: `translate(${-scroll.left}px, ${shift})` }}>
              {lines.slice(first, end).map((line, i) => {
                const problem = byLine.get(first + i + 1);
                return (
                  <span key={first + i} class={problem === undefined ? '' : problem.isWarning ? 'warn' : 'bad'}>
                    {toWords(line).map(({ kind, text }, at) => (
                      <i key={at} class={kind}>
                        {text}
                      </i>
                    ))}
                  </span>
                );
              })}
            </div>
          </div>
          <textarea
            ref={area}
            aria-label={label}
            aria-invalid={hasErrors}
            aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
            value={value}
            readOnly={isReadOnly}
            spellcheck={false}
            autoComplete="off"
            autoCapitalize="off"
            wrap="off"
            onInput={(event) => onInput(event.currentTarget.value)}
            onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) => setScroll({ top, left })}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      {problems.length > 0 && (
        <ul id={`${id}-problems`} class="editor-problems">
          {problems.map((problem, i) => (
            <li key={i} class={problem.isWarning ? 'warn' : 'bad'}>
              <button type="button" onClick={() => goTo(problem)}>
                {problem.line}:{problem.column}
              </button>
              <span>{problem.message}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Indents a new line like the previous one. It uses the browser's own command, so the user can undo it. */
function keepIndent(event: KeyboardEvent, area: HTMLTextAreaElement | null): void {
  if (area === null || area.selectionStart !== area.selectionEnd) return;
  const before = area.value.slice(0, area.selectionStart);
  const indent = /^ */.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0] ?? '';
  if (indent !== '' && document.execCommand('insertText', false, `\n${indent}`)) event.preventDefault();
}
