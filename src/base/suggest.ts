import { nearest } from './nearest.js';

/** ` Did you mean X?`, or nothing when no candidate is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}
