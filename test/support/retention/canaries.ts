// Texts that must not be kept anywhere: each is unique, so a hit names what was kept.
import { randomBytes } from 'node:crypto';

/** What requests and answers of a suite of retention carry. */
export interface Canaries {
  readonly prompt: string;
  readonly answer: string;
  readonly model: string;
  readonly header: string;
  readonly query: string;
  readonly credential: string;
}

/** A text that begins with what it is. */
export const canary = (what: string): string => `${what}${randomBytes(12).toString('hex')}`;

/** One of each. */
export function createCanaries(): Canaries {
  return {
    prompt: canary('prompt'),
    answer: canary('answer'),
    model: canary('model'),
    header: canary('header'),
    query: canary('query'),
    credential: canary('credential'),
  };
}
