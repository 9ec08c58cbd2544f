import { acceptsText, complement, fromTexts, type Automaton, type WorkBudget } from '../../regular/index.js';

/** Strings that hold all of this. */
export interface StringPart {
  /** Code points, at least. */
  readonly min: number;
  /** Code points, at most. */
  readonly max: number | undefined;
  /** All of these accept it. */
  readonly languages: readonly Automaton[];
  /** One of these, in the order of the schema. */
  readonly texts: readonly string[] | undefined;
}

/** Any string. */
export const ANY_STRING: StringPart = { min: 0, max: undefined, languages: [], texts: undefined };

/** The intersection; undefined where it is empty. */
export function meetStrings(a: StringPart, b: StringPart): StringPart | undefined {
  const part: StringPart = {
    min: Math.max(a.min, b.min),
    max: lesser(a.max, b.max),
    languages: [...new Set([...a.languages, ...b.languages])],
    texts: undefined,
  };
  const known = b.texts === undefined ? undefined : new Set(b.texts);
  const texts = a.texts?.filter((text) => known?.has(text) ?? true) ?? b.texts;
  if (texts !== undefined) {
    const held = texts.filter((text) => holdsString(part, text));
    return held.length === 0 ? undefined : { ...ANY_STRING, texts: held };
  }
  return part.max !== undefined && part.min > part.max ? undefined : part;
}

/** The strings that do not hold it, as the union of parts. */
export function negateString(part: StringPart, budget: WorkBudget): StringPart[] {
  if (part.texts !== undefined) {
    return [{ ...ANY_STRING, languages: [complement(fromTexts(part.texts, budget), budget)] }];
  }
  const parts = part.languages.map((each): StringPart => ({ ...ANY_STRING, languages: [complement(each, budget)] }));
  if (part.min > 0) parts.push({ ...ANY_STRING, max: part.min - 1 });
  if (part.max !== undefined) parts.push({ ...ANY_STRING, min: part.max + 1 });
  return parts;
}

/** Whether a string holds all of a part. */
export function holdsString({ min, max, languages, texts }: StringPart, text: string): boolean {
  const length = [...text].length;
  return (
    length >= min &&
    length <= (max ?? Infinity) &&
    languages.every((language) => acceptsText(language, text)) &&
    (texts?.includes(text) ?? true)
  );
}

/** The lesser of two upper bounds; undefined is none. */
export function lesser(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
