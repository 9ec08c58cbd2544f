import { changeCallerTexts } from './caller-texts.js';
import { createMarkFinder, type FindMarks } from './control-finder.js';
import { chooseMark, takeMarksOut } from './marks.js';
import type { TemplateVariables, TemplateWords } from '../jinja/index.js';

/** The texts of a model's control tokens. */
export interface ControlTexts {
  /** Tokens that its tokenizer marks special, without the tags of its dialect. */
  readonly special: readonly string[];
  /** Further tokens of its template and its dialect, such as `<tool_call>` and `</think>`. */
  readonly tags: readonly string[];
}

/** A rendered prompt. */
export interface Prompt {
  /** The template's output. */
  readonly text: string;
  /**
   * Offsets in UTF-16 units, ascending. A control token with one of them inside is text of the request, not of the
   * template. Absent: the author of the request is trusted with control tokens.
   */
  readonly plainAt?: readonly number[];
}

/** A text alone is a prompt in which every control token counts. */
export function toPrompt(rendered: Prompt | string): Prompt {
  return typeof rendered === 'string' ? { text: rendered } : rendered;
}

/** Renders one template so that only its own text becomes control tokens. */
export type RenderPlainly = (variables: TemplateVariables, render: (variables: TemplateVariables) => string) => Prompt;

/** A renderer for a template with these words; `source` is its text. */
export function createPlainRenderer(source: string, words: TemplateWords, controls: ControlTexts): RenderPlainly {
  const { special, tags } = controls;
  const looseTags = tags.filter((tag) => !words.sought.some((text) => concerns(text, tag)));
  const strict = createMarkFinder([...special, ...tags], words);
  const loose = looseTags.length === tags.length ? strict : createMarkFinder([...special, ...looseTags], words);

  return (variables, render) => {
    const all = planMarks(variables, strict, strict);
    if (all.count === 0) return { text: render(variables), plainAt: [] };
    const mark = chooseMark([source, ...all.texts]);
    const rendered = (plan: MarkPlan): Prompt => takeMarksOut(render(plan.apply(mark)), mark);
    if (loose === strict) return rendered(all);
    const fewer = planMarks(variables, strict, loose);
    if (fewer.count === all.count) return rendered(all);
    // A user's or assistant's message has a tag that the template looks for. Where the tag matters to the template, it
    // belongs to the template.
    const asSought = rendered(fewer);
    const asText = rendered(all);
    return asText.text === asSought.text ? asText : asSought;
  };
}

/**
 * Whether a template that looks for `text` may find `tag` by it: by the whole tag, or by a part with a bracket, as
 * `think>`.
 */
function concerns(text: string, tag: string): boolean {
  const part = text.trim();
  return text.includes(tag) || (part.length > 2 && /[<>[\]]/.test(part) && tag.includes(part));
}

interface MarkPlan {
  readonly count: number;
  readonly texts: ReadonlySet<string>;
  /** The variables with `mark` at every marked position. */
  apply(mark: string): TemplateVariables;
}

function planMarks(variables: TemplateVariables, find: FindMarks, findInTurns: FindMarks): MarkPlan {
  const known = new Map<FindMarks, Map<string, readonly number[]>>();
  const marksOf = (text: string, isTurn: boolean): readonly number[] => {
    const finder = isTurn ? findInTurns : find;
    let byText = known.get(finder);
    if (byText === undefined) known.set(finder, (byText = new Map<string, readonly number[]>()));
    let marks = byText.get(text);
    if (marks === undefined) byText.set(text, (marks = finder(text)));
    return marks;
  };
  let count = 0;
  const texts = new Set<string>();
  changeCallerTexts(variables, (text, isTurn) => {
    texts.add(text);
    count += marksOf(text, isTurn).length;
    return text;
  });
  return {
    count,
    texts,
    apply: (mark) => changeCallerTexts(variables, (text, isTurn) => putMarks(text, marksOf(text, isTurn), mark)),
  };
}

function putMarks(text: string, places: readonly number[], mark: string): string {
  let marked = '';
  let from = 0;
  for (const place of places) {
    marked += text.slice(from, place) + mark;
    from = place;
  }
  return marked + text.slice(from);
}
